"""The review of a finished game as a page: made by a process at idle priority, so that the board plays on."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlencode

from aiohttp import web

from scharten.display.answers import RefusedError, text_answer
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature
from scharten.errors import Problem, SchartenError
from scharten.journal.journal import JournalReader
from scharten.words import ENGLISH, LANGUAGES

log = logging.getLogger(__name__)

COMMAND = (sys.executable, "-m", "scharten", "review", "--cards", "--idle")
"""Makes a review, at idle priority: the board's own programs come first."""
MOST_WAITING = 8
PATIENCE_S = 1.0
"""The wait for a stored review before the server answers that it is being made; the page asks again."""
FAILED_S = 60.0
"""How long a failure is the answer. After it, or when the page asks for another try, the review is made again."""
LONGEST_LINE = 16 << 20
"""The most bytes of the cards of a review, which the process prints as one line."""


class Made(NamedTuple):
    """The answer to a page: a status of HTTP, and the cards or the reason; `ended_s` is when the process ended."""

    status: int
    body: str
    ended_s: float


class Making:
    """A review on its way: the turns reviewed so far, and the task that will have the answer."""

    def __init__(self) -> None:
        self.done, self.turns = 0, 0
        self.task: asyncio.Task[Made]

    @property
    def failed(self) -> bool:
        """Whether it ended with a reason instead of cards."""
        return self.task.done() and self.task.result().status != 200

    def has_expired(self) -> bool:
        """Whether its failure is too old to be an answer."""
        return self.failed and time.monotonic() > self.task.result().ended_s + FAILED_S


class ReviewFeature(Feature):
    """Serves the cards of `/review/MATCH` by running `scharten review`, one at a time."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._journal = context.daemon.journal
        control = context.daemon.control
        self._config = control.file if control is not None and control.file.is_file() else None
        self._making: dict[tuple[str, str], Making] = {}

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        self._turn = asyncio.Semaphore(1)

    async def stop(self) -> None:
        tasks = [making.task for making in self._making.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def routes(self) -> Iterable[web.RouteDef]:
        if self._journal is None:
            return ()
        match = "/review/{match:[0-9A-Za-z-]{1,64}}"
        return (
            web.get(f"{match}.html", self._cards),
            web.get(match, _page_of_match),
        )

    async def _cards(self, request: web.Request) -> web.Response:
        """The cards of the review; 202 with the turns so far while it is being made.

        404: no such match. 409: the match is not over. 500: it cannot be made. Each has the reason in words.
        """
        asked = request.query.get("lang", ENGLISH)
        match, language = request.match_info["match"], asked if asked in LANGUAGES else ENGLISH
        assert self._journal is not None
        refused = await asyncio.to_thread(_refused, self._journal, match, language)
        if refused is not None:
            return _answer(*refused)
        making = self._made_or_making(match, language, retry="again" in request.query)
        await asyncio.wait([making.task], timeout=PATIENCE_S)
        if not making.task.done():
            return _answer(202, json.dumps({"done": making.done, "turns": making.turns}))
        made = making.task.result()
        if making.failed:
            return _answer(made.status, made.body)
        self._making.pop((match, language), None)
        return text_answer(made.body, {}, "text/html")

    def _made_or_making(self, match: str, language: str, *, retry: bool) -> Making:
        """Return the review on its way, or begin it; a failure stays the answer unless it is asked for again."""
        known = self._making.get((match, language))
        if known is not None and not known.has_expired() and not (retry and known.failed):
            return known
        if len(self._making) >= MOST_WAITING:  # reviews that nobody fetched are stored beside the journal
            self._making = {key: other for key, other in self._making.items() if not other.task.done()}
        if len(self._making) >= MOST_WAITING:
            raise RefusedError(
                503, Problem("reviews_wait", "Too many reviews are waiting.", cure="Try again in a minute.")
            )
        making = self._making[match, language] = Making()
        making.task = asyncio.create_task(self._make(making, match, language))
        return making

    async def _make(self, making: Making, match: str, language: str) -> Made:
        """Run the command; return the cards or the reason why there are none."""
        assert self._journal is not None
        wanted = [match, "--data", str(self._journal.parent), "--language", language]
        if self._config is not None:
            wanted += ["--config", str(self._config)]
        async with self._turn:
            process = await asyncio.create_subprocess_exec(
                *(*COMMAND, *wanted),
                env={**os.environ, "SCHARTEN_LANGUAGE": language},
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                limit=LONGEST_LINE,
            )
            try:
                cards, errors = await asyncio.gather(_followed(process, making), _errors(process))
                await process.wait()
            except asyncio.CancelledError:
                process.kill()
                await process.wait()
                raise
        if cards is not None and process.returncode == 0:
            return Made(200, cards, time.monotonic())
        reason = _reason(process.returncode or 0, errors, making, language)
        log.warning("match %s was not reviewed: %s", match, reason)
        return Made(500, reason, time.monotonic())


def _refused(journal: Path, match: str, language: str) -> tuple[int, str] | None:
    """Return the status and the reason why a match has no review; None for a finished one."""
    try:
        with closing(JournalReader(journal)) as reader:
            stored = reader.match(match)
    except SchartenError as error:
        return 500, error.shown(language)
    if stored is None:
        return 404, SchartenError.coded("no_such_match", path=journal.name, match=match).shown(language)
    if json.loads(stored.summary).get("result", "unknown") is None:
        return 409, SchartenError.coded("match_on", match=match).shown(language)
    return None


async def _followed(process: asyncio.subprocess.Process, making: Making) -> str | None:
    """Note the turns that the process reports; return the cards that it prints last."""
    assert process.stdout is not None
    cards = None
    async for line in process.stdout:
        if line.endswith(b"\n"):  # a kill may tear the last one
            report = json.loads(line)
            making.done, making.turns = report.get("done", making.done), report.get("turns", making.turns)
            cards = report.get("cards")
    return cards


async def _errors(process: asyncio.subprocess.Process) -> str:
    assert process.stderr is not None
    return (await process.stderr.read()).decode(errors="replace").strip()


def _reason(status: int, errors: str, making: Making, language: str) -> str:
    """Return why the process made no review: its own error, or how it ended."""
    if errors.startswith("scharten: "):
        return errors.removeprefix("scharten: ")
    how = signal.Signals(-status).name if status < 0 else (errors.splitlines() or [str(status)])[-1][:200]
    return SchartenError.coded("review_ended", done=making.done, turns=making.turns, why=how).shown(language)


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
