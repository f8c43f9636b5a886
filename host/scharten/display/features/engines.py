"""The chess engines that a new game may seat: their names, games and range of strength."""

from __future__ import annotations

from collections.abc import Iterable

from aiohttp import web

from scharten.display.answers import SlowSource, json_answer
from scharten.display.context import Context
from scharten.display.feature import Feature


class EnginesFeature(Feature):
    """Answers `engines.json`, without the commands that start them."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._engines = SlowSource(context.daemon.engines)

    def routes(self) -> Iterable[web.RouteDef]:
        return (web.get("/engines.json", self._list),)

    async def _list(self, _request: web.Request) -> web.Response:
        return json_answer({"v": 1, "engines": await self._engines.ask(lambda engines: engines())})


feature = EnginesFeature
