"""The archive's service: store the finished games of all clubs of a broker, and serve `/archive`."""

from __future__ import annotations

import asyncio
import datetime
import re
from collections.abc import Callable
from functools import partial

from aiohttp import web

from scharten.archive.receiver import RecordReceiver
from scharten.archive.store import MOST_FOUND, ArchiveStore, GameQuery
from scharten.display.access import AccessControl
from scharten.display.answers import RefusedError, json_answer
from scharten.display.archive_routes import ArchiveRoutes
from scharten.display.context import Roles
from scharten.display.web_server import Serving, WebServer, end_at_signal
from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson


class ArchiveServer:
    """`/archive` and its search over one store."""

    def __init__(
        self, store: ArchiveStore, serving: Serving, remarks: Callable[[], list[MutableJson]] = list
    ) -> None:
        self._store, self._remarks = store, remarks
        access = AccessControl(Roles(), serving.limits)
        self._web = WebServer(serving, access, self._serve, lambda code: None)

    @property
    def url(self) -> str:
        """The address of the pages; known once started."""
        return self._web.url

    async def start(self) -> None:
        """Listen."""
        routes = ArchiveRoutes(self._store, lambda: self.url, MOST_FOUND).routes()
        own = (
            web.get("/archive/search.json", self._search),
            web.get("/archive/remarks.json", self._show_remarks),
        )
        await self._web.start([*own, *routes])

    async def stop(self) -> None:
        """Free the port."""
        await self._web.stop()

    async def _serve(self, socket: web.WebSocketResponse, _hello: MutableJson) -> None:
        await socket.close(code=1000)

    async def _show_remarks(self, _request: web.Request) -> web.Response:
        """Remarks about the archive for a person: `code`, `args` and English `words` each."""
        return json_answer({"v": 1, "remarks": self._remarks()})

    async def _search(self, request: web.Request) -> web.Response:
        """Games by `player`, `club`, `from` and `to` (dates), `position`; `before` a game: the next page."""
        try:
            asked = {name: request.query.get(name, "")[:300] for name in ("player", "club", "position")}
            wanted = GameQuery(
                **asked, from_ms=_day(request, "from", 0), to_ms=_day(request, "to", 1), before=_game(request)
            )
        except (ValueError, OverflowError) as error:
            words = (
                "from and to are dates such as 2026-11-20, of the years 1 to 9998; before is a game's number."
            )
            raise RefusedError(400, Problem("malformed", words)) from error
        if not all(text.isprintable() for text in asked.values()):
            raise RefusedError(
                400, Problem("malformed", "player, club and position have no control characters.")
            )
        try:
            found = await asyncio.get_running_loop().run_in_executor(
                None, partial(self._store.search, wanted)
            )
        except SchartenError as error:
            raise RefusedError(503, error) from error
        return json_answer({"v": 1, "games": found, "more": len(found) == MOST_FOUND})


def _game(request: web.Request) -> int | None:
    text = request.query.get("before", "")
    if text and not re.fullmatch(r"[0-9]{1,9}", text):
        raise ValueError(text)
    return int(text) if text else None


def _day(request: web.Request, name: str, days_later: int) -> int | None:
    text = request.query.get(name)
    if not text:
        return None
    day = datetime.date.fromisoformat(text) + datetime.timedelta(days=days_later)
    return int(datetime.datetime(day.year, day.month, day.day, tzinfo=datetime.UTC).timestamp() * 1000)


async def serve(receiver: RecordReceiver, server: ArchiveServer, ready: Callable[[str], object]) -> None:
    """Store and show games until the process ends; `ready` is called with the address."""
    ended = end_at_signal()
    await server.start()
    receiver.start()
    ready(f"  the archive is at {server.url}/archive   (Ctrl-C ends it)")
    await ended.wait()
    await asyncio.to_thread(receiver.stop)
    await server.stop()
