"""Games stored in a file as they are played: a stop loses none, and the next run plays the missing ones.

A row names the players by their moves in a few positions: a level that plays differently plays its games again.
"""

from __future__ import annotations

import hashlib
import json
import math
import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import Annotated, Final, NamedTuple

import typer

from lab.play import Seat, opened
from scharten.game.basics import Kind
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position, after_lost_dart, after_placement
from scharten.games.scharten.turns import Turns
from scharten.play.levels import LEVELS

Row = dict[str, str | int | float]
SURE: Final = 1.96
"""Deviations of the normal distribution for an interval of 95 %."""
StopAfter = Annotated[float, typer.Option(min=0, help="Seconds; 0 prints what was played.")]
Kept = Annotated[Path, typer.Option(help="Keeps each game; the next run plays what is missing.")]


class Pairing(NamedTuple):
    """Two players: the fields that distinguish their rows from all others, and their game of each number."""

    head: Row
    played: Callable[[int], Row]


class Extent(NamedTuple):
    """The number of games of each pairing, the time limit, and the number of processes."""

    games: int
    stop_after_s: float
    processes: int


class Results:
    """The file of played games, one JSON object a line; a line torn by a stop is skipped."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._rows: list[Row] = []
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.startswith("{") and line.endswith("}"):
                    self._rows.append(json.loads(line))

    def rows_of(self, head: Row) -> list[Row]:
        """Return the games with these fields by number."""
        found = {row["number"]: row for row in self._rows if all(row.get(key) == head[key] for key in head)}
        return [found[number] for number in sorted(found)]

    def missing(self, pairings: Iterable[Pairing], games: int) -> Iterator[tuple[Pairing, int]]:
        """Yield the missing games, each pairing's first ones first."""
        known = [(pairing, {row["number"] for row in self.rows_of(pairing.head)}) for pairing in pairings]
        return ((pairing, number) for number in range(games) for pairing, had in known if number not in had)

    def add(self, row: Row) -> None:
        """Store one more game."""
        self._rows.append(row)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(row))

    def play_missing(self, pairings: Sequence[Pairing], extent: Extent) -> None:
        """Play the missing games until the time is over."""
        until = time.monotonic() + extent.stop_after_s
        missing = self.missing(pairings, extent.games)
        running: dict[Future[Row], Row] = {}
        with ProcessPoolExecutor(extent.processes) as pool:
            while True:
                while len(running) < extent.processes and time.monotonic() < until:
                    pairing, number = next(missing, (None, 0))
                    if pairing is None:
                        break
                    running[pool.submit(pairing.played, number)] = pairing.head
                if not running:
                    return
                for done in wait(running, return_when=FIRST_COMPLETED).done:
                    self.add({**running.pop(done), **done.result()})


class Share(NamedTuple):
    """A share of the points, and its 95 % interval."""

    points: float
    games: int

    @property
    def value(self) -> float:
        """The share, or 0 without a game."""
        return self.points / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's interval, which takes draws as halves and is not too narrow with few games."""
        if not self.games:
            return 0.0, 1.0
        square = SURE**2 / self.games
        middle = (self.value + square / 2) / (1 + square)
        reach = math.sqrt(square * (self.value * (1 - self.value) + square / 4)) / (1 + square)
        return max(0.0, middle - reach), min(1.0, middle + reach)

    def judged(self, aim: float | None, games: int) -> str:
        """Return the share with its interval, its aim, and the number of missing games."""
        if not self.games:
            return f"{games} games to play"
        low, high = self.interval
        words = f"{self.points:g} of {self.games} = {self.value:.1%}, 95 % interval {low:.0%} to {high:.0%}"
        if aim is not None:
            words += f" (target {aim:.0%}){'' if self.value >= aim else ' MISSED'}"
        left = games - self.games
        return words + (f", {left} to play" if left > 0 else "")

    def good(self, aim: float | None, games: int) -> bool:
        """Return whether all games were played and the aim was reached."""
        return self.games >= games and (aim is None or self.value >= aim)


def share_of(rows: Iterable[Row]) -> Share:
    """Return the share of the points in these games."""
    points = [float(row["points"]) for row in rows]
    return Share(sum(points), len(points))


@cache
def does(level: int, kind: Kind, divided_by: float) -> str:
    """Return a digest of a level: its figures, and its choices and searched positions in three positions.

    In loud games it chooses again after a lost dart of each side, by which it judges the other.
    """
    options = Options(kind=kind)
    done: list[object] = [LEVELS[level], divided_by]
    for number in range(3):
        seat = Seat(level, options, number, divided_by)
        chance = random.Random(number)
        position = (
            opened(options, chance, 6 * number)
            if kind is Kind.SILENT
            else _half_thrown(options, chance, number)
        )
        later = (after_lost_dart(after_lost_dart(position)),) if kind is Kind.LOUD else ()
        for here in (position, *later):
            done += [seat(here, frozenset()), seat.nodes]
    return hashlib.sha256(repr(done).encode()).hexdigest()[:10]


def _half_thrown(options: Options, chance: random.Random, number: int) -> Position:
    """Return a loud position with 6 pieces more on each side by each number, so that the zones fill."""
    position = opened(options, chance, 0)
    for _ in range(12 * number):
        position = after_placement(position, chance.choice(list(scan(Turns(position).placements()))))
    return position
