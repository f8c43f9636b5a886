"""The club's view: every board on the broker, to look at only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scharten.display.club_view import ClubView
from scharten.display.context import Context
from scharten.display.feature import Feature, View, Welcome


class ClubFeature(Feature):
    """Serves pages that ask for the view `club`."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._view = ClubView(context.broker, context.topics)

    def welcome(self, role: str) -> Welcome:
        return Welcome({"club": self.context.club})

    def pages(self) -> Iterable[str]:
        return ("club",)

    def views(self) -> Mapping[str, View]:
        return {"club": self._view.show}

    async def stop(self) -> None:
        await self._view.stop()


feature = ClubFeature
