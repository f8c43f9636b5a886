"""The reports of a club's boards: what each board last published, for a bounded number of boards."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from typing import Any

from scharten.club.boards import BoardView, EndedGame
from scharten.contract.reports import FinishedReport, read_finished, read_state
from scharten.contract.topics import FINISHED_SLOTS, Topic
from scharten.errors import Problem

MOST_BOARDS = 64
MOST_NAMES = 4 * MOST_BOARDS
"""Names that may report at a time, also those that never publish a valid state."""
AWAY_S = 20.0
"""Withdraw the call of a board that has been offline for this time."""
SETTLED_S = 2.0
"""After this time all retained messages of a board have arrived, also the records of earlier games."""
BEST_RANK = (True, True)
_SLOTS = tuple(f"{Topic.FINISHED}/{slot}" for slot in range(FINISHED_SLOTS))


@dataclass(slots=True)
class _Report:
    """A board's reports, the monotonic time of this connection's first one, and since when the board is offline."""

    view: BoardView
    since: float
    offline: float | None
    records: dict[str, tuple[str, EndedGame]] = field(default_factory=dict)

    @property
    def rank(self) -> tuple[bool, bool]:
        """How much the board needs its place: whether it has a valid state, and whether it is online."""
        return bool(self.view.state), self.view.online


class BoardReports:
    """The reports of all boards by name; `keep_game` receives the boards' records of finished games."""

    def __init__(self, keep_game: Callable[[Any], object]) -> None:
        self._keep_game = keep_game
        self._reports: dict[str, _Report] = {}

    def views(self, *, connected: bool) -> dict[str, BoardView]:
        """Return at most `MOST_BOARDS` boards: first those that have a state or are online."""
        now = time.monotonic()
        named = sorted(self._reports.items(), key=lambda entry: entry[1].rank, reverse=True)[:MOST_BOARDS]
        return {
            name: replace(
                report.view,
                away=connected and report.offline is not None and now - report.offline > AWAY_S,
                settled=now - report.since > SETTLED_S,
            )
            for name, report in named
        }

    @property
    def names(self) -> Collection[str]:
        """The names that have reported."""
        return self._reports.keys()

    def has_place(self, board: str) -> bool:
        """Return whether this board may report; the oldest board without state or connection makes room."""
        if board in self._reports or len(self._reports) < MOST_NAMES:
            return True
        least = min(self._reports, key=lambda name: self._reports[name].rank)
        if self._reports[least].rank == BEST_RANK:
            return False
        del self._reports[least]
        return True

    def store(self, board: str, name: str, payload: Any) -> Problem | None:
        """Store a board's message on the topic `name`; return what is wrong with a state or a record."""
        report = self._report(board)
        if name == "availability":
            report.view = replace(report.view, online=payload == "online")
            report.offline = None if report.view.online else report.offline or time.monotonic()
        elif name == "health" and isinstance(payload, dict):
            report.view = replace(report.view, playable=payload.get("playable") is not False)
        elif name == "state":
            state = read_state(payload)
            if isinstance(state, Problem):
                return state
            report.view = replace(report.view, state=state)
        elif name in _SLOTS:
            record = read_finished(payload)
            if isinstance(record, Problem):
                return record
            report.records[name] = _ended(record)
            report.view = replace(report.view, ended=dict(report.records.values()))
            self._keep_game(payload)
        return None

    def _report(self, board: str) -> _Report:
        now = time.monotonic()
        return self._reports.setdefault(board, _Report(BoardView(board), now, now))

    def drop(self, board: str) -> None:
        """Forget a board's state and games, because the rules raise on them."""
        report = self._reports[board]
        report.view = replace(report.view, state={}, ended={})
        report.records.clear()

    def link(self, up: bool) -> None:
        """Note that the broker was reached or lost: the last reports hold, but which boards are online is unknown."""
        now = time.monotonic()
        for report in self._reports.values():
            report.view = replace(report.view, online=report.view.online and up)
            report.since, report.offline = now, None if report.view.online else now


def _ended(record: FinishedReport) -> tuple[str, EndedGame]:
    """Return the match and the summary of a finished game's record."""
    first, second = (*(record.get("players") or ()), None, None)[:2]
    players = (second, first) if record.get("start", {}).get("white") == "seat2" else (first, second)
    ended = EndedGame(players, record.get("started_ms", 0), record.get("result"), record.get("reason"))
    return record.get("match", ""), ended
