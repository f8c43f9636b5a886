"""An archive of games over HTTP: the list, one game to step through, its score sheet, pictures and QR code."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Protocol

from aiohttp import web

from scharten.display.answers import SlowSource, file_answer, json_answer, text_answer
from scharten.display.qr import qr_svg
from scharten.errors import Problem
from scharten.words import ENGLISH, LANGUAGES

MISSING = Problem("no_such_game", "There is no such game here.")
_GAME = "/archive/{match:[0-9A-Za-z-]{1,64}}"


class GameArchive(Protocol):
    """An archive of games (`journal.archive.Archive`); its answers may take their time."""

    def list(self) -> list[dict[str, object]]:
        """Return the games, the newest first."""
        ...

    def clubs(self) -> Sequence[str] | None:
        """Return the clubs that a search may name; None for one board's archive."""
        ...

    def game(self, match: str) -> dict[str, object] | None:
        """Return one game to step through."""
        ...

    def sheet(self, match: str, language: str, until_ms: int | None = None) -> str | None:
        """Return its score sheet, as it stood at a time."""
        ...


class ArchiveRoutes:
    """Answers from an archive; `url` gives the address of the page, a list of `most` games has older ones behind it."""

    def __init__(self, games: GameArchive, url: Callable[[], str], most: int | None = None) -> None:
        self.games: SlowSource[GameArchive] = SlowSource(games)
        self._url, self._most, self._drawing = url, most, asyncio.Semaphore(1)

    def routes(self) -> list[web.RouteDef]:
        """Return the archive's addresses."""
        return [
            web.get("/archive/games.json", self._list),
            web.get(f"{_GAME}.json", self._game),
            web.get(f"{_GAME}.txt", self._sheet),
            web.get(f"{_GAME}.svg", self._code),
            web.get(f"{_GAME}.png", self._picture),
            web.get(f"{_GAME}.gif", self._picture),
        ]

    async def _list(self, _request: web.Request) -> web.Response:
        listed = await self.games.ask(lambda games: games.list())
        body: dict[str, object] = {"v": 1, "games": listed, "more": len(listed) == self._most}
        clubs = await self.games.ask(lambda games: games.clubs())
        return json_answer(body if clubs is None else {**body, "clubs": clubs})

    async def _game(self, request: web.Request) -> web.Response:
        match = request.match_info["match"]
        return json_answer({"v": 1, "game": await self.games.find(lambda games: games.game(match), MISSING)})

    async def _sheet(self, request: web.Request) -> web.Response:
        match, language = request.match_info["match"], request.query.get("lang", "en")
        text = await self.games.find(lambda games: games.sheet(match, language), MISSING)
        name = {"Content-Disposition": f'attachment; filename="scharten-{match}.txt"'}
        return text_answer(text, {} if "print" in request.query else name)

    async def _picture(self, request: web.Request) -> web.Response:
        """The end of a game as PNG, or the game position by position as GIF; one at a time."""
        from scharten.display.pictures import game as pictures  # noqa: PLC0415  (brings Pillow)

        match, moving = request.match_info["match"], request.path.endswith(".gif")
        language = request.query.get("lang", ENGLISH)
        shown = await self.games.find(lambda games: games.game(match), MISSING)
        draw = pictures.animation if moving else pictures.picture
        async with self._drawing:
            body = await asyncio.to_thread(draw, shown, language if language in LANGUAGES else ENGLISH)
        ending = "gif" if moving else "png"
        return file_answer(body, f"image/{ending}", f"scharten-{match}.{ending}")

    async def _code(self, request: web.Request) -> web.Response:
        """The address of a game in the archive as a QR code."""
        address = f"{self._url()}/archive#{request.match_info['match']}"
        return web.Response(text=qr_svg(address), content_type="image/svg+xml")
