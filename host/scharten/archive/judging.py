"""Judge the records of boards: replay each, and bound its values. Many are judged in several processes."""

from __future__ import annotations

import gc
import logging
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from enum import Enum
from typing import Any

from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.journal.records import MATCH, nameless, replayed
from scharten.match.orders import BIGGEST
from scharten.match.state import Match

log = logging.getLogger(__name__)

Key = tuple[str, str, str]
Report = tuple[str, str, FinishedGame]
"""A club, a board of it, and a record of that board."""
AHEAD_MS = 86_400_000
"""The most that a board's date may be ahead of the archive's."""
FEW = 8
"""At most this many records are judged in this process: others would take longer."""
MOST_PROCESSES = 4
AT_ONCE = 4
"""Records that a process is given at a time."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A record of a board without names in its inputs, and what its replay gives.

    `players` by side, "" for guests; `values` are columns of a game; `positions` by turn, as a search compares them.
    """

    club: str
    board: str
    record: FinishedGame
    players: Mapping[str, str]
    values: Mapping[str, Any]
    positions: tuple[str, ...]

    @property
    def key(self) -> Key:
        """The game's own name: its club, its board, and its match there."""
        return self.club, self.board, self.record["match"]


def judge(report: Report) -> Arrival | Problem:
    """Return the record as it is stored; a `Problem` if it does not replay or has values that nobody can read."""
    club, board, record = report
    match = replayed(record)
    if isinstance(match, Problem):
        return match
    if (problem := out_of_bounds(record, match)) is not None:
        return problem
    players = {side.word: match.player_of(side) for side in Side}
    texts = (match.opening.situation.text, *(turn.position for turn in match.turns))
    values = _plain(_replayed_values(record, match))
    return Arrival(club, board, nameless(record), players, values, tuple(map(position_of, texts)))


class Judges:
    """The processes that judge, started when many records come at once; `close` ends them."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None

    def judge_all(self, reports: Sequence[Report]) -> Iterator[Arrival | Problem]:
        """Judge each record, in order; processes that cannot start or that died are replaced by this one."""
        processes, count = min(MOST_PROCESSES, os.cpu_count() or 1), 0
        if len(reports) > FEW and processes > 1:
            try:
                if self._pool is None:
                    spawn = multiprocessing.get_context("spawn")
                    self._pool = ProcessPoolExecutor(processes, mp_context=spawn, initializer=_begin)
                for judged in self._pool.map(judge, reports, chunksize=AT_ONCE):
                    count += 1
                    yield judged
            except (OSError, BrokenProcessPool) as error:  # no semaphores, no memory; a process was killed
                log.warning("records are judged in one process: %s", error)
                self.close()
        yield from map(judge, reports[count:])

    def close(self) -> None:
        """End the processes."""
        pool, self._pool = self._pool, None
        if pool is not None:
            pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Begin a process that judges: Ctrl-C is for the archive, which ends it; it also ends if the archive is killed.

    A replay makes many objects and no cycles, so that looking for cycles as often as usual costs a tenth of its time.
    """
    gc.set_threshold(100_000)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_archive, daemon=True).start()


def _end_with_archive() -> None:
    archive = multiprocessing.parent_process()
    if archive is not None:
        archive.join()
        os._exit(0)


def position_of(text: str) -> str:
    """Return the part of a position that a search compares: men and side to move, not counters."""
    return " ".join(text.split()[:2])[:300]


def out_of_bounds(record: FinishedGame, match: Match) -> Problem | None:
    """The reason if a value of a game that replays is of no use to a database or a reader."""
    if not MATCH.fullmatch(record["match"]):
        return Problem("malformed", "its id has other characters than letters, digits and -, or over 64")
    if record["last"] > BIGGEST:
        return Problem("malformed", "its number of inputs is too large")
    if any(not name.isprintable() for name in (record["names"]["white"], record["names"]["black"])):
        return Problem("malformed", "a name has control characters")
    if max(match.start.t_ms, _ended_ms(record, match)) > time.time_ns() // 1_000_000 + AHEAD_MS:
        return Problem("future", "it was played in the future: set the date of its board")
    return None


def _replayed_values(record: FinishedGame, match: Match) -> dict[str, object]:
    """The columns that the replay gives; what the record says about itself is not trusted."""
    return {
        "started_ms": match.start.t_ms,
        "ended_ms": _ended_ms(record, match),
        "game": match.game.key,
        "kind": match.options.kind,
        "result": match.result,
        "reason": match.reason,
        "turns": len(match.turns),
    }


def _ended_ms(record: FinishedGame, match: Match) -> int:
    inputs = record["inputs"] or [{}]
    last = inputs[-1].get("t_ms")
    return last if isinstance(last, int) else match.start.t_ms


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """The values as a database holds them, without enumerations."""
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}
