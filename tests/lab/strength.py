"""The proof of strength: a hundred games of each pair of levels, kept as they are played, so that a stop loses none.

A row of the file names the players by a digest of their level, weights and time: a changed level plays its games anew.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from lab.figures import commit
from lab.play import Mover, Seat, allowed_s, by_chance, by_greed, opened, play
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options
from scharten.play import search as search_module
from scharten.play.evaluate import WEIGHTS
from scharten.play.levels import LEVELS

Row = dict[str, str | int | float]
OTHERS: Final[dict[str, Callable[[Options, int], Mover]]] = {"chance": by_chance, "greed": by_greed}
LATEST: Final = 1.1
"""The longest that a turn may take, as a share of its time."""


class Match(NamedTuple):
    """A level, its opponent (a level or one of `OTHERS`), and the share of the points that it is to have."""

    kind: Kind
    level: int
    other: str
    target: float

    @property
    def name(self) -> str:
        """In words, as the table has it."""
        other = self.other if self.other in OTHERS else f"level {self.other}"
        return f"{self.kind.value}: level {self.level} against {other}"


def matches(kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...], others: bool) -> list[Match]:
    """Each pair of levels, and the highest against chance and greed."""
    listed = []
    for kind in kinds:
        listed += [Match(kind, high, str(low), 0.65) for high, low in pairs]
        listed += [Match(kind, 10, "chance", 1.0), Match(kind, 10, "greed", 0.95)] if others else []
    return listed


class Results:
    """The file of games played, one JSON object a line; a line torn by a stop is skipped."""

    def __init__(self, file: Path, seconds: float) -> None:
        self._file, self._seconds = file, seconds
        self._rows: list[Row] = []
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.startswith("{") and line.endswith("}"):
                    self._rows.append(json.loads(line))

    def of(self, match: Match) -> list[Row]:
        """This match's games, as these players play today."""
        head = self.head(match)
        return [row for row in self._rows if all(row[key] == value for key, value in head.items())]

    def head(self, match: Match) -> Row:
        """What tells a match's rows from all others."""
        levels = [match.level, *([] if match.other in OTHERS else [int(match.other)])]
        sides = [_digest(level, self._seconds) for level in levels]
        return {"match": f"{match.kind.value} {match.level}-{match.other}", "players": " ".join(sides)}

    def add(self, row: Row) -> None:
        """Keep one more game."""
        self._rows.append(row)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(row))


def _digest(level: int, seconds: float) -> str:
    """By what it plays like, so that a test of 100 games that nothing changed is not played again."""
    what = f"{LEVELS[level]} {WEIGHTS} {allowed_s(level, seconds)}"
    return hashlib.sha256(what.encode()).hexdigest()[:10]


def played(match: Match, number: int, seconds: float) -> Row:
    """One game; the opening of a silent one is played twice, once from either side."""
    options = Options(kind=match.kind)
    even = match.kind is Kind.SILENT
    position = opened(options, random.Random(number // 2), 6 if even else 0)
    own = Seat(match.level, options, number, seconds)
    rival = OTHERS.get(match.other)
    other = (
        Seat(int(match.other), options, number + 1000, seconds) if rival is None else rival(options, number)
    )
    if number % 2 == 0:
        game = play(position, own, other, options)
        points = game.points
    else:
        game = play(position, other, own, options)
        points = 1 - game.points
    longest = max(own.longest, other.longest) if isinstance(other, Seat) else own.longest
    return {
        "number": number,
        "points": points,
        "turns": game.turns,
        "end": game.end,
        "longest": round(longest, 3),
        "nodes": own.nodes,
        "cpu_s": round(own.cpu_s, 2),
        "commit": commit(),
    }


def run(file: Path, listed: list[Match], games: int, seconds: float, stop_after_s: float) -> int:
    """Play what is missing until the time is over, and print the table; status 1 if a target is missed or open."""
    code = "Python" if str(search_module.__file__).endswith(".py") else "machine code"
    print(f"the computer, commit {commit()}, {code}: level 10 has {seconds} s of CPU a turn; games in {file}")
    results, until = Results(file, seconds), time.monotonic() + stop_after_s
    while time.monotonic() < until:
        counts = {match: len(results.of(match)) for match in listed}
        match = min(listed, key=lambda each: counts[each])
        if counts[match] >= games:
            break
        results.add({**results.head(match), **played(match, counts[match], seconds)})
    return _report(results, listed, games)


def _report(results: Results, listed: list[Match], games: int) -> int:
    bad, longest, nodes, cpu = 0, 0.0, 0, 0.0
    for match in listed:
        rows = results.of(match)[:games]
        points = sum(float(row["points"]) for row in rows)
        good = points >= match.target * len(rows)
        bad += not good or len(rows) < games
        longest = max([longest, *(float(row["longest"]) for row in rows)])
        nodes, cpu = (
            nodes + sum(int(row["nodes"]) for row in rows),
            cpu + sum(float(row["cpu_s"]) for row in rows),
        )
        share = f"{points / len(rows):.0%}" if rows else "-"
        left = games - len(rows)
        judged = ", ".join([*([] if good else ["MISSED"]), *([f"{left} to play"] if left > 0 else [])])
        print(
            f"  {match.name}: {points:g} of {len(rows)} = {share} (target {match.target:.0%}) {judged}".rstrip()
        )
    print(
        f"  longest turn: {longest:.2f} of its time (target {LATEST:.2f}); {nodes / max(cpu, 0.001):.0f} positions/s"
    )
    return 1 if bad or longest > LATEST else 0
