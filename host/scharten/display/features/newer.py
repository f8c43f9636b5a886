"""The news of a newer version, for pages of the table and the arbiter; files of this machine know it."""

from __future__ import annotations

import asyncio
import logging
from dataclasses import asdict

from scharten import __version__
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Payload, Welcome
from scharten.display.page import Page
from scharten.errors import SchartenError

log = logging.getLogger(__name__)

ROLES = ("table", "arbiter")
"""The roles that care for the machine; a wall or a player's phone shows nothing of it."""
DAY_S = 86_400.0


class NewerFeature(Feature):
    """Looks once a day, outside the loop."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._found: Payload | None = None
        self._days: asyncio.Task[None] | None = None

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        self._days = asyncio.create_task(self._each_day())

    async def stop(self) -> None:
        if self._days is not None:
            self._days.cancel()
            await asyncio.gather(self._days, return_exceptions=True)

    def welcome(self, role: str) -> Welcome:
        return Welcome({}, {"newer": self._found} if role in ROLES else {})

    async def _each_day(self) -> None:
        while True:
            await self._look()
            await asyncio.sleep(DAY_S)

    async def _look(self) -> None:
        """Send the pages a version that was not known before."""
        try:
            found = await asyncio.to_thread(self.context.daemon.newer)
        except SchartenError as error:
            log.warning("whether a newer version exists is not known: %s %s", error.message, error.cure)
            return
        before, self._found = self._found, None
        if found is not None:
            self._found = {"v": 1, **asdict(found), "running": __version__}
        if self._found and self._found != before:
            self.bus.broadcast("newer", self._found, newest=True, to=_cares)


def _cares(page: Page) -> bool:
    return page.role in ROLES


feature = NewerFeature
