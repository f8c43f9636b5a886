"""The proof of strength: a hundred games of each pair of levels, stored as they are played, so that a stop loses
none.

Levels think in positions, not in seconds, so a row is the same on every machine.
"""

from __future__ import annotations

import hashlib
import random
import time
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from lab.figures import commit
from lab.kept import Extent, Pairing, Results, Row, does, share_of
from lab.play import Mover, Seat, opened, play
from lab.rivals import OTHERS
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options
from scharten.play import search as search_module
from scharten.play.levels import LEVELS


class Match(NamedTuple):
    """A level, its opponent (a level or one of `OTHERS`), and the share of the points that it should have."""

    kind: Kind
    level: int
    other: str
    target: float

    @property
    def name(self) -> str:
        """The match as named in the table."""
        other = self.other if self.other in OTHERS else f"level {self.other}"
        return f"{self.kind.value}: level {self.level} against {other}"


def matches(kinds: tuple[Kind, ...], pairs: tuple[tuple[int, int], ...], others: bool) -> list[Match]:
    """Return each pair of levels, and the highest level against chance and greed."""
    listed = []
    for kind in kinds:
        listed += [Match(kind, high, str(low), 0.65) for high, low in pairs]
        listed += [Match(kind, 10, "chance", 1.0), Match(kind, 10, "greed", 0.95)] if others else []
    return listed


def _pairing(match: Match, divided_by: float) -> Pairing:
    sides = [_digest(side, match.kind, divided_by) for side in (str(match.level), match.other)]
    head: Row = {"match": f"{match.kind.value} {match.level}-{match.other}", "players": " ".join(sides)}
    return Pairing(head, partial(played, match, divided_by=divided_by))


@cache
def _digest(side: str, kind: Kind, divided_by: float) -> str:
    """Return a digest of the choices of a level or one of `OTHERS` in a few positions."""
    if side not in OTHERS:
        return does(int(side), kind, divided_by)
    options, done = Options(kind=kind), []
    for number in range(3):
        position = opened(options, random.Random(number), 6 * number if kind is Kind.SILENT else 0)
        done.append(OTHERS[side](options, number)(position, frozenset()))
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


def run(file: Path, listed: list[Match], divided_by: float, extent: Extent) -> int:
    """Play the missing games until the time is over, and print the table; return 1 if a target is missed or open."""
    code = "Python" if str(search_module.__file__).endswith(".py") else "machine code"
    print(
        f"the computer, commit {commit()}, {code}: each level's positions divided by {divided_by:g} "
        f"(level 10: {LEVELS[10].positions / divided_by:.0f} a turn); games in {file}"
    )
    results, pairings = Results(file), {match: _pairing(match, divided_by) for match in listed}
    results.play_missing(list(pairings.values()), extent)
    return _report({match: results.rows_of(pairings[match].head) for match in listed}, extent.games)


def _report(played_rows: Mapping[Match, Sequence[Row]], games: int) -> int:
    bad, nodes, cpu, ends = 0, 0, 0.0, Counter[str]()
    for match, found in played_rows.items():
        rows = found[:games]
        share = share_of(rows)
        bad += not share.good(match.target, games)
        nodes += sum(int(row["nodes"]) for row in rows)
        cpu += sum(float(row["cpu_s"]) for row in rows)
        ends.update(str(row["end"]) for row in rows)
        print(f"  {match.name}: {share.judged(match.target, games)}")
    print(f"  ended by {', '.join(f'{end} {count}' for end, count in ends.most_common())}")
    print(f"  {cpu / 60:.0f} minutes of CPU; {nodes / max(cpu, 0.001):.0f} positions/s")
    return 1 if bad else 0
