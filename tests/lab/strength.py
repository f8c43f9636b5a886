"""The proof of strength: a hundred games of each pair of levels, kept as they are played, so that a stop loses none.

A row of the file names the players by what they do in a few positions: a level that plays otherwise plays its games
again. Levels think in positions, not in seconds, so a row is the same whichever machine plays it.
"""

from __future__ import annotations

import hashlib
import json
import random
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from functools import cache
from pathlib import Path
from typing import NamedTuple

from lab.figures import commit
from lab.play import Mover, Seat, opened, play
from lab.rivals import OTHERS
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options
from scharten.play import search as search_module
from scharten.play.levels import LEVELS

Row = dict[str, str | int | float]


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

    def __init__(self, file: Path, divided_by: float) -> None:
        self._file, self._divided_by = file, divided_by
        self._rows: list[Row] = []
        if file.exists():
            for line in file.read_text(encoding="utf-8").splitlines():
                if line.startswith("{") and line.endswith("}"):
                    self._rows.append(json.loads(line))

    def rows_of(self, match: Match) -> list[Row]:
        """This match's games by number, as these players play today."""
        head = self.head(match)
        found = {row["number"]: row for row in self._rows if all(row.get(key) == head[key] for key in head)}
        return [found[number] for number in sorted(found)]

    def head(self, match: Match) -> Row:
        """The fields that distinguish a match's rows from all others."""
        sides = [does(side, match.kind, self._divided_by) for side in (str(match.level), match.other)]
        return {"match": f"{match.kind.value} {match.level}-{match.other}", "players": " ".join(sides)}

    def missing(self, listed: list[Match], games: int) -> Iterator[tuple[Match, int]]:
        """The games that are to be played, each match's first ones first."""
        known = {match: {row["number"] for row in self.rows_of(match)} for match in listed}
        return ((match, number) for number in range(games) for match in listed if number not in known[match])

    def add(self, row: Row) -> None:
        """Keep one more game."""
        self._rows.append(row)
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(row))


@cache
def does(side: str, kind: Kind, divided_by: float) -> str:
    """A digest of what a level does in three positions and of its scatter; of one of `OTHERS`, what it does."""
    options = Options(kind=kind)
    done: list[object] = [] if side in OTHERS else [LEVELS[int(side)], divided_by]
    for number in range(3):
        position = opened(options, random.Random(number), 6 * number if kind is Kind.SILENT else 0)
        player = _seated(side, options, number, divided_by)
        done += [player(position, frozenset()), *([player.nodes] if isinstance(player, Seat) else [])]
    return hashlib.sha256(repr(done).encode()).hexdigest()[:10]


def _seated(side: str, options: Options, seed: int, divided_by: float) -> Mover:
    return OTHERS[side](options, seed) if side in OTHERS else Seat(int(side), options, seed, divided_by)


def played(match: Match, number: int, divided_by: float) -> Row:
    """One game; each opening is played twice, once from either side."""
    began = time.process_time()
    options = Options(kind=match.kind)
    position = opened(options, random.Random(number // 2), 6 if match.kind is Kind.SILENT else 0)
    own = _seated(str(match.level), options, number, divided_by)
    other = _seated(match.other, options, number if match.other in OTHERS else number + 1000, divided_by)
    if number % 2 == 0:
        game = play(position, own, other, options)
        points = game.points
    else:
        game = play(position, other, own, options)
        points = 1 - game.points
    return {
        "number": number,
        "points": points,
        "turns": game.turns,
        "end": game.end,
        "nodes": sum(player.nodes for player in (own, other) if isinstance(player, Seat)),
        "cpu_s": round(time.process_time() - began, 2),
        "commit": commit(),
    }


class Extent(NamedTuple):
    """How many games of each match, with what share of each level's positions, for how long, by how many processes."""

    games: int
    divided_by: float
    stop_after_s: float
    processes: int


def run(file: Path, listed: list[Match], extent: Extent) -> int:
    """Play what is missing until the time is over, and print the table; status 1 if a target is missed or open."""
    code = "Python" if str(search_module.__file__).endswith(".py") else "machine code"
    print(
        f"the computer, commit {commit()}, {code}: each level's positions divided by {extent.divided_by:g} "
        f"(level 10: {LEVELS[10].positions / extent.divided_by:.0f} a turn); games in {file}"
    )
    results, until = Results(file, extent.divided_by), time.monotonic() + extent.stop_after_s
    missing = results.missing(listed, extent.games)
    running: dict[Future[Row], Match] = {}
    with ProcessPoolExecutor(extent.processes) as pool:
        while True:
            while len(running) < extent.processes and time.monotonic() < until:
                match, number = next(missing, (None, 0))
                if match is None:
                    break
                running[pool.submit(played, match, number, extent.divided_by)] = match
            if not running:
                break
            for done in wait(running, return_when=FIRST_COMPLETED).done:
                match = running.pop(done)
                results.add({**results.head(match), **done.result()})
    return _report(results, listed, extent.games)


def _report(results: Results, listed: list[Match], games: int) -> int:
    bad, nodes, cpu, ends = 0, 0, 0.0, Counter[str]()
    for match in listed:
        rows = results.rows_of(match)[:games]
        points = sum(float(row["points"]) for row in rows)
        good = points >= match.target * len(rows)
        bad += not good or len(rows) < games
        nodes += sum(int(row["nodes"]) for row in rows)
        cpu += sum(float(row["cpu_s"]) for row in rows)
        ends.update(str(row["end"]) for row in rows)
        share = f"{points / len(rows):.0%}" if rows else "-"
        left = games - len(rows)
        judged = ", ".join([*([] if good else ["MISSED"]), *([f"{left} to play"] if left > 0 else [])])
        print(
            f"  {match.name}: {points:g} of {len(rows)} = {share} (target {match.target:.0%}) {judged}".rstrip()
        )
    print(f"  ended by {', '.join(f'{end} {count}' for end, count in ends.most_common())}")
    print(f"  {cpu / 60:.0f} minutes of CPU; {nodes / max(cpu, 0.001):.0f} positions/s")
    return 1 if bad else 0
