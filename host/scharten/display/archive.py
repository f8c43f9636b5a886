"""The archive over HTTP: the list of games, one game to step through, and score sheets; for whoever may look.

A display server without a journal has no archive, but the sheet of the game that is on all the same.
"""

from __future__ import annotations

import asyncio
import datetime
import json
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from aiohttp import web

from scharten.contract.score_sheet import sheet_text, until
from scharten.display import links
from scharten.display.answers import json_answer, text_answer
from scharten.errors import SchartenError
from scharten.game.basics import Language

MOST_DELAY_MIN = 24 * 60


class GameArchive(Protocol):
    """Who knows the games (`journal.archive.Archive`); it may take its time."""

    def list(self) -> list[dict[str, object]]:
        """The newest games first."""
        ...

    def clubs(self) -> Sequence[str] | None:
        """The clubs whose games these are, for a search; None for one board's archive."""
        ...

    def game(self, match: str) -> dict[str, object] | None:
        """One game to step through."""
        ...

    def sheet(self, match: str, language: str, until_ms: int | None = None) -> str | None:
        """Its score sheet, as it stood at a time."""
        ...


class ArchiveRoutes:
    """Answers from the archive, one question at a time and beside the loop; without one only `/sheet`, from `last`."""

    def __init__(self, games: GameArchive | None, last: Mapping[str, str], url: Callable[[], str]) -> None:
        self._games, self._last, self._url = games, last, url
        self._one = asyncio.Semaphore(1)

    @property
    def there(self) -> bool:
        """Whether this server has an archive."""
        return self._games is not None

    def routes(self) -> list[web.RouteDef]:
        """What the server adds to its own."""
        live = web.get("/sheet", self._live)
        if self._games is None:
            return [live]
        return [
            live,
            web.get("/archive/games.json", self._list),
            web.get("/archive/{match:[0-9A-Za-z-]{1,64}}.json", self._game),
            web.get("/archive/{match:[0-9A-Za-z-]{1,64}}.txt", self._text),
            web.get("/archive/{match:[0-9A-Za-z-]{1,64}}.svg", self._code),
        ]

    async def _asked(self, ask: Callable[[GameArchive], object]) -> object:
        assert self._games is not None
        games = self._games
        try:
            async with self._one:
                found = await asyncio.get_running_loop().run_in_executor(None, ask, games)
        except SchartenError as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from error
        if found is None:
            raise web.HTTPNotFound(text="The journal has no such game.\n")
        return found

    async def _list(self, _request: web.Request) -> web.Response:
        told = {"v": 1, "games": await self._asked(lambda games: games.list())}
        assert self._games is not None
        clubs = await asyncio.get_running_loop().run_in_executor(None, self._games.clubs)
        return json_answer(told if clubs is None else {**told, "clubs": clubs})

    async def _game(self, request: web.Request) -> web.Response:
        match = request.match_info["match"]
        return json_answer({"v": 1, "game": await self._asked(lambda games: games.game(match))})

    async def _code(self, request: web.Request) -> web.Response:
        """The address of a game in the archive as a QR code, for whoever wants to keep it."""
        address = f"{self._url()}/archive#{request.match_info['match']}"
        return web.Response(text=links.code(address), content_type="image/svg+xml")

    async def _text(self, request: web.Request) -> web.Response:
        match, language = request.match_info["match"], request.query.get("lang", "en")
        text = await self._asked(lambda games: games.sheet(match, language))
        name = {"Content-Disposition": f'attachment; filename="scharten-{match}.txt"'}
        return text_answer(str(text), {} if "print" in request.query else name)

    async def _live(self, request: web.Request) -> web.Response:
        """The game that is on, as it stood some minutes ago."""
        try:
            delay = float(request.query.get("delay", "0"))
        except ValueError:
            delay = -1
        if not 0 <= delay <= MOST_DELAY_MIN:
            raise web.HTTPBadRequest(text=f"delay is a number of minutes, 0 to {MOST_DELAY_MIN}.\n")
        language, until_ms = request.query.get("lang", "en"), int((time.time() - delay * 60) * 1000)
        match = json.loads(self._last.get("state", "{}")).get("match")
        if not match or language not in [one.value for one in Language]:
            raise web.HTTPNotFound(text="No game is on.\n" if not match else "There is no such language.\n")
        if self._games is None:
            text: object = self._retained(Language(language), until_ms)
        else:
            late = until_ms if delay else None
            text = await self._asked(lambda games: games.sheet(match, language, late))
        kept = {"Content-Disposition": f'attachment; filename="scharten-{match}.txt"'}
        return text_answer(str(text), kept if "keep" in request.query else {"Refresh": "30"})

    def _retained(self, language: Language, until_ms: int) -> str:
        """The sheet out of the retained topic."""
        sheet: dict[str, Any] = json.loads(self._last.get("sheet", "{}"))
        if "headers" not in sheet:
            raise web.HTTPNotFound(text="The host has told no sheet.\n")
        begun = datetime.datetime.fromtimestamp(sheet["started_ms"] / 1000).astimezone()
        return sheet_text(until(sheet, until_ms), language, f"{begun:%Y.%m.%d %H:%M}")
