"""The review of a finished game as a page: made by a process at idle priority, so that the board plays on."""

from __future__ import annotations

import asyncio
import logging
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from urllib.parse import urlencode

from aiohttp import web

from scharten.display.answers import text_answer
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature
from scharten.words import ENGLISH, LANGUAGES

log = logging.getLogger(__name__)

MOST_WAITING = 8
PATIENCE_S = 1.0
"""The wait for a stored review before the server answers that it is being made; the page asks again."""
Made = tuple[int, str]


class ReviewFeature(Feature):
    """Serves the cards of `/review/MATCH` by running `scharten review`, one at a time."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._journal = context.daemon.journal
        self._tasks: dict[tuple[str, str], asyncio.Task[Made]] = {}

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        self._turn = asyncio.Semaphore(1)

    async def stop(self) -> None:
        for task in self._tasks.values():
            task.cancel()
        await asyncio.gather(*self._tasks.values(), return_exceptions=True)

    def routes(self) -> Iterable[web.RouteDef]:
        if self._journal is None:
            return ()
        match = "/review/{match:[0-9A-Za-z-]{1,64}}"
        return (
            web.get(f"{match}.html", self._cards),
            web.get(match, _page_of_match),
        )

    async def _cards(self, request: web.Request) -> web.Response:
        """The cards of the review; 202 while it is being made, 404 with the reason when it cannot be."""
        asked = request.query.get("lang", ENGLISH)
        key = (request.match_info["match"], asked if asked in LANGUAGES else ENGLISH)
        if key not in self._tasks:
            if len(self._tasks) >= MOST_WAITING:
                self._forget_made()
            if len(self._tasks) >= MOST_WAITING:
                raise web.HTTPServiceUnavailable(
                    text="Too many reviews are waiting. Try again in a minute.\n"
                )
            self._tasks[key] = asyncio.create_task(self._made(*key))
        task = self._tasks[key]
        await asyncio.wait([task], timeout=PATIENCE_S)
        if not task.done():
            return _answer(202, "")
        self._tasks.pop(key, None)
        status, body = task.result()
        if status:
            log.warning("match %s was not reviewed: %s", key[0], body)
            return _answer(404, body)
        return text_answer(body, {}, "text/html")

    def _forget_made(self) -> None:
        """Drop reviews that nobody fetched; they are stored beside the journal."""
        self._tasks = {key: task for key, task in self._tasks.items() if not task.done()}

    async def _made(self, match: str, language: str) -> Made:
        """Run the command; return its status, and the page or the reason."""
        assert self._journal is not None
        async with self._turn:
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "review.html"
                command = ("-m", "scharten", "review", match, "--data", str(self._journal.parent), "--idle")
                wanted = ("--cards", "--language", language, "--out", str(out))
                process = await asyncio.create_subprocess_exec(
                    sys.executable,
                    *command,
                    *wanted,
                    stdout=asyncio.subprocess.DEVNULL,
                    stderr=asyncio.subprocess.PIPE,
                )
                try:
                    _, errors = await process.communicate()
                except asyncio.CancelledError:
                    process.kill()
                    await process.wait()
                    raise
                if process.returncode:
                    return process.returncode, errors.decode(errors="replace").strip()[-500:]
                return 0, out.read_text(encoding="utf-8")


def _answer(status: int, body: str) -> web.Response:
    """Return plain text with a status."""
    answer = text_answer(body, {})
    answer.set_status(status)
    return answer


async def _page_of_match(request: web.Request) -> web.Response:
    """Redirect the address of a review to its page; relative, so that it works below a proxy's path too."""
    query = {**request.query, "match": request.match_info["match"]}
    raise web.HTTPFound(f"../review?{urlencode(query)}")


feature = ReviewFeature
