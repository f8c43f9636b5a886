"""Throws looked at again over HTTP: what was made of one, its pictures on the board's plane; a file for the arbiter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from aiohttp import web

from scharten.display.camera_pictures import ThrowPictures

_T = TypeVar("_T")
_NO_STORE = {"Cache-Control": "no-store"}


class ThrowRoutes:
    """Answers beside the loop, one question at a time; `admit` refuses who is not the arbiter."""

    def __init__(self, throws: ThrowPictures | None, admit: Callable[[web.Request], None]) -> None:
        self._throws, self._admit = throws, admit
        self._one = asyncio.Semaphore(1)
        # For pages that come later: the cameras' newest dart, and the newest one that was asked about, by their time.
        self.last: dict[str, Any] | None = None
        self.asked: dict[str, Any] | None = None
        self._match: object = None
        self.looked_at: int | None = None  # the throw that pages show again, by its time

    @property
    def there(self) -> bool:
        """Whether this server has cameras' throws."""
        return self._throws is not None

    def play(self, match: object) -> None:
        """The state is of this game: throws of another one are no longer looked at."""
        if match != self._match:
            self._match, self.looked_at = match, None

    def hear(self, hit: Mapping[str, Any]) -> None:
        """A dart on the topic `hits`: enough of the one before; pictures go by the cameras' time."""
        self.looked_at = None
        seen_ms = hit.get("seen_ms") or (hit.get("at_ms") if hit.get("source") == "camera" else None)
        told = {"at_ms": seen_ms, "match": hit.get("match")}
        if seen_ms is not None:
            self.last = told
        if hit.get("why") == "in_doubt":
            self.asked = told

    def routes(self) -> list[web.RouteDef]:
        """What the server adds to its own."""
        if self._throws is None:
            return []
        return [
            web.get("/throws/{match:[0-9A-Za-z-]{1,64}}.json", self._list),
            web.get(r"/throw/{at_ms:\d{1,15}}.json", self._about),
            web.get(r"/throw/{at_ms:\d{1,15}}/{camera:\d}.jpg", self._picture),
            web.get(r"/throw/{at_ms:\d{1,15}}.zip", self._packed),
        ]

    async def _asked(self, ask: Callable[[ThrowPictures], _T | None]) -> _T:
        assert self._throws is not None
        throws = self._throws
        async with self._one:
            found = await asyncio.to_thread(ask, throws)
        if found is None:
            raise web.HTTPNotFound(text="The pictures of that throw are not kept.\n")
        return found

    async def _list(self, request: web.Request) -> web.Response:
        match = request.match_info["match"]
        found = await self._asked(lambda throws: throws.list(match))
        return web.json_response({"v": 1, "throws": found}, headers=_NO_STORE)

    async def _about(self, request: web.Request) -> web.Response:
        at_ms = int(request.match_info["at_ms"])
        found = await self._asked(lambda throws: throws.about(at_ms))
        return web.json_response({"v": 1, "throw": found}, headers=_NO_STORE)

    async def _picture(self, request: web.Request) -> web.Response:
        at_ms, camera = int(request.match_info["at_ms"]), int(request.match_info["camera"])
        found = await self._asked(lambda throws: throws.picture(at_ms, camera))
        return web.Response(body=found, content_type="image/jpeg", headers=_NO_STORE)

    async def _packed(self, request: web.Request) -> web.Response:
        self._admit(request)
        at_ms = int(request.match_info["at_ms"])
        found = await self._asked(lambda throws: throws.packed(at_ms))
        name = {"Content-Disposition": f'attachment; filename="throw-{at_ms}.zip"'}
        return web.Response(body=found, content_type="application/zip", headers={**_NO_STORE, **name})
