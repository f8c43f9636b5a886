"""The processes of the computer and the adviser are prepared while a page offers them: nobody waits for a start."""

from __future__ import annotations

from collections.abc import Mapping

from scharten.contract.roles import writes
from scharten.contract.topics import Topic
from scharten.display.feature import Feature, Handler, Payload
from scharten.display.page import Page


class ThinkersFeature(Feature):
    """Passes on that a page offers the computer or the adviser."""

    def topics(self) -> Mapping[str, Handler]:
        return {"prepare": self._prepare}

    def _prepare(self, page: Page, payload: Payload) -> str | None:
        prepare = self.context.daemon.prepare.get(str(payload.get("what")))
        if prepare is None or not writes(page.role, f"{Topic.COMMAND}/{page.role}"):
            return "not_allowed"
        prepare()
        return None


feature = ThinkersFeature
