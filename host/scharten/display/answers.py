"""HTTP answers that no browser stores, from sources that may take their time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from aiohttp import web

from scharten.errors import Problem, SchartenError
from scharten.words import problem_text

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


class RefusedError(Exception):
    """A request that is refused; the server answers with the reason in the reader's language."""

    def __init__(self, status: int, why: Problem | SchartenError) -> None:
        super().__init__(status, why)
        self.status, self.why = status, why

    def response(self, language: str) -> web.Response:
        """Return the answer as plain text."""
        why = self.why
        words = (
            problem_text(language, why.code, str(why), why.args)
            if isinstance(why, Problem)
            else why.shown(language)
        )
        return web.Response(status=self.status, text=f"{words}\n", headers=NO_STORE)

    def problem(self) -> Problem:
        """Return the reason as the answer to a page's message."""
        return self.why if isinstance(self.why, Problem) else self.why.problem("not_stored")


class SlowSource(Generic[Source]):
    """Asks a source that reads a disk, one question at a time and outside the loop."""

    def __init__(self, source: Source) -> None:
        self._source, self._turn = source, asyncio.Semaphore(1)

    async def ask(self, question: Callable[[Source], T]) -> T:
        """Return the answer; a `SchartenError` becomes `RefusedError`."""
        try:
            async with self._turn:
                return await asyncio.to_thread(question, self._source)
        except SchartenError as error:
            raise RefusedError(503, error) from error

    async def find(self, question: Callable[[Source], T | None], missing: Problem) -> T:
        """Return the answer; None is refused with `missing`."""
        found = await self.ask(question)
        if found is None:
            raise RefusedError(404, missing)
        return found
