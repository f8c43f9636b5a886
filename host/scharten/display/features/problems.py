"""The problems: one a day and others by difficulty, attempts at them, and who solved the day's one."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping

from aiohttp import web

from scharten.dartboard.beds import parse_bed
from scharten.display.answers import RefusedError, SlowSource, json_answer
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Handler, Payload, Welcome
from scharten.display.page import Page
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.players.problems import BY, ProblemBook, Request
from scharten.problems.daily import DAY_MS

log = logging.getLogger(__name__)

RECORDERS = ("table", "arbiter", "seat1", "seat2")
"""The roles whose attempts are recorded for a player; others may try without a record."""
MOST_TURNS = 6
NO_PROBLEM = Problem("no_such_problem", "There is no such problem.")


class ProblemsFeature(Feature):
    """Serves problems without their keys, judges turns and darts, and records the attempts of players."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        daemon = context.daemon
        folder = None if daemon.journal is None else daemon.journal.parent
        book = ProblemBook(folder, daemon.players, GAMES_BY_KEY, context.white_sits_at, log.warning)
        self._book = SlowSource(book)
        self._today: Payload | None = None
        self._days: asyncio.Task[None] | None = None

    async def start(self, bus: Bus) -> None:
        await super().start(bus)
        self._days = asyncio.create_task(self._each_day())

    async def stop(self) -> None:
        if self._days is not None:
            self._days.cancel()
            await asyncio.gather(self._days, return_exceptions=True)

    def welcome(self, role: str) -> Welcome:
        return Welcome({}, {"problem": self._today})

    def pages(self) -> Iterable[str]:
        return ("problems",)

    def topics(self) -> Mapping[str, Handler]:
        return {"problems": self._on_request}

    def routes(self) -> Iterable[web.RouteDef]:
        return (
            web.get("/problems/day.json", self._day),
            web.get("/problems/next.json", self._next),
            web.get("/problems/players.json", self._players),
            web.get("/problems/record/{player:[a-z0-9]{1,16}}.json", self._record),
            web.get("/problems/{problem:[0-9a-f]{10}}.json", self._problem),
        )

    async def _each_day(self) -> None:
        """Show the new problem to every page when the day begins in UTC."""
        while True:
            await self._publish()
            now_ms = self.context.now_ms()
            await asyncio.sleep((DAY_MS - now_ms % DAY_MS) / 1000 + 0.1)

    async def _publish(self) -> None:
        """Send the day's problem and who solved it to every page, where that changed."""
        try:
            found = await self._book.ask(lambda book: book.day(self.context.now_ms()))
        except RefusedError as refused:
            log.warning("the day's problem: %s", refused.why)
            return
        today = None if found is None else {"v": 1, **found}
        if today is not None and today != self._today:
            self.bus.broadcast("problem", today, newest=True)
        self._today = today

    async def _day(self, _request: web.Request) -> web.Response:
        day = await self._book.find(lambda book: book.day(self.context.now_ms()), NO_PROBLEM)
        return json_answer({"v": 1, **day})

    async def _problem(self, request: web.Request) -> web.Response:
        wanted, player = request.match_info["problem"], request.query.get("player", "")
        return json_answer(
            {"v": 1, **await self._book.find(lambda book: book.problem(wanted, player), NO_PROBLEM)}
        )

    async def _next(self, request: web.Request) -> web.Response:
        query = request.query
        difficulty = query.get("difficulty", "0")
        if difficulty not in ("0", "1", "2", "3", "4", "5"):
            raise RefusedError(400, Problem("malformed", "difficulty is 1 to 5, or 0 for any."))
        wanted = (int(difficulty), query.get("game", ""), query.get("player", ""), query.get("after", ""))
        return json_answer(
            {"v": 1, **await self._book.find(lambda book: book.following(*wanted), NO_PROBLEM)}
        )

    async def _players(self, _request: web.Request) -> web.Response:
        now_ms = self.context.now_ms()
        return json_answer({"v": 1, "players": await self._book.ask(lambda book: book.table(now_ms))})

    async def _record(self, request: web.Request) -> web.Response:
        player, now_ms = request.match_info["player"], self.context.now_ms()
        return json_answer({"v": 1, **await self._book.ask(lambda book: book.records(player, now_ms))})

    async def _on_request(self, page: Page, payload: Payload) -> None:
        """Judge a turn, a dart or a request for the key, and answer the page."""
        request = _read(page, payload)
        if isinstance(request, Problem):
            page.send_answer(payload.get("id"), request)
            return
        try:
            now_ms = self.context.now_ms()
            found = await self._book.ask(lambda book: book.attempt(request, now_ms))
        except RefusedError as refused:
            found = refused.problem()
        if isinstance(found, Problem):
            page.send_answer(payload.get("id"), found)
            return
        page.send_answer(payload.get("id"), tried=found)
        if found["solved"]:
            await self._publish()


def _read(page: Page, payload: Payload) -> Request | Problem:
    """Return the page's request, or why it is none."""
    texts = {name: payload.get(name, "") for name in ("problem", "turn", "bed", "by", "player")}
    played = payload.get("played", [])
    if any(not isinstance(value, str) or len(value) > 16 for value in texts.values()):
        return Problem("malformed", "problem, turn, bed, by and player are short texts")
    known = isinstance(played, list) and len(played) <= MOST_TURNS
    if not known or any(not isinstance(turn, str) or len(turn) > 8 for turn in played):
        return Problem("malformed", "played is a list of turns")
    by = texts["by"] or BY[0]
    if by not in BY or (by == "dart" and parse_bed(texts["bed"]) is None):
        return Problem("malformed", "by is press, type or dart; a dart has a bed")
    records = page.role in RECORDERS
    return Request(texts["problem"], tuple(played), texts["turn"], texts["bed"], by, texts["player"], records)


feature = ProblemsFeature
