"""HTTP answers that no browser stores, from sources that may take their time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from aiohttp import web

from scharten.errors import SchartenError

T = TypeVar("T")
Source = TypeVar("Source")
NO_STORE = {"Cache-Control": "no-store"}


def json_answer(body: object) -> web.Response:
    """Answer with compact JSON."""
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":"))
    return web.json_response(text=text, headers=NO_STORE)


def text_answer(text: str, headers: Mapping[str, str], mime: str = "text/plain") -> web.Response:
    """Answer with plain text, or with another kind of text."""
    return web.Response(text=text, content_type=mime, headers={**NO_STORE, **headers})


def file_answer(body: bytes, mime: str, name: str = "") -> web.Response:
    """Answer with bytes; a browser saves them when they have a `name`."""
    saved = {"Content-Disposition": f'attachment; filename="{name}"'} if name else {}
    return web.Response(body=body, content_type=mime, headers={**NO_STORE, **saved})


class SlowSource(Generic[Source]):
    """Asks a source that reads a disk, one question at a time and outside the loop."""

    def __init__(self, source: Source) -> None:
        self._source, self._turn = source, asyncio.Semaphore(1)

    async def ask(self, question: Callable[[Source], T]) -> T:
        """Return the answer; a `SchartenError` becomes `HTTPServiceUnavailable`."""
        try:
            async with self._turn:
                return await asyncio.to_thread(question, self._source)
        except SchartenError as error:
            raise web.HTTPServiceUnavailable(text=f"{error}\n") from error

    async def find(self, question: Callable[[Source], T | None], missing: str) -> T:
        """Return the answer; None becomes `HTTPNotFound` with the text `missing`."""
        found = await self.ask(question)
        if found is None:
            raise web.HTTPNotFound(text=f"{missing}\n")
        return found
