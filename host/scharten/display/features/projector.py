"""A projector that lights the dartboard: its page announces each change of light, and a tool calibrates it."""

from __future__ import annotations

import json
from collections.abc import Mapping

from scharten.contract.light import parse_light
from scharten.contract.roles import writes
from scharten.contract.topics import PAGE_LIGHT, Topic
from scharten.display.feature import Feature, Handler, Payload
from scharten.display.page import Page
from scharten.errors import Problem


class ProjectorFeature(Feature):
    """Publishes announced changes of light; carries messages between the calibrating tool and the projector's page."""

    def topics(self) -> Mapping[str, Handler]:
        return {"light": self._light, "projector": self._projector}

    def _light(self, page: Page, payload: Payload) -> str | None:
        if not writes(page.role, Topic.LIGHT):
            return "not_allowed"
        if isinstance(parse_light(json.dumps(payload).encode()), Problem):
            return "malformed"
        return None if self.bus.link.publish(PAGE_LIGHT, payload) else "no_broker"

    def _projector(self, page: Page, payload: Payload) -> str | None:
        if not writes(page.role, Topic.LIGHT):
            return "not_allowed"
        self.bus.broadcast(
            "projector", payload, to=lambda other: other is not page and writes(other.role, Topic.LIGHT)
        )
        return None


feature = ProjectorFeature
