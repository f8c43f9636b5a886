"""Silent Scharten: a level with two CPU seconds a turn against the plain engine at a fixed depth."""

from __future__ import annotations

import random
import tempfile
import time
from collections import Counter
from functools import cache, partial
from pathlib import Path
from typing import Final

from lab.figures import commit
from lab.kept import Extent, Pairing, Results, Row, does, share_of
from lab.plain_engine import PlainEngine
from lab.play import Choice, Mover, Seat, opened, play
from scharten.game.basics import Kind
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.play.search import Key

AIM: Final = 0.65
TURN_S: Final = 2.0


class _TimedSeat(Seat):
    """A level with a time limit for a turn, measured in CPU time."""

    longest_s = 0.0

    def __call__(self, position: Position, seen: frozenset[Key]) -> Choice:
        began = time.process_time()
        choice = super().__call__(position, seen)
        self.longest_s = max(self.longest_s, time.process_time() - began)
        return choice


@cache
def _engine() -> PlainEngine:
    return PlainEngine(Path(tempfile.mkdtemp(prefix="scharten-lab-")))


def plain(depth: int) -> Mover:
    """Return the plain engine as a player."""
    return lambda position, _seen: move_of(*_engine().best_move(position, depth))


def played(level: int, depth: int, number: int) -> Row:
    """Play one game and return the level's points and its longest turn in s; each opening from either side."""
    options = Options(kind=Kind.SILENT)
    position = opened(options, random.Random(number // 2))
    own = _TimedSeat(level, options, number, 1.0, seconds=TURN_S, clock=time.process_time)
    white, black = (own, plain(depth)) if number % 2 == 0 else (plain(depth), own)
    game = play(position, white, black, options)
    points = game.points if white is own else 1 - game.points
    longest_s = round(own.longest_s, 3)
    return {"number": number, "points": points, "turns": game.turns, "end": game.end, "longest_s": longest_s}


def run(file: Path, level: int, depth: int, extent: Extent) -> int:
    """Print the share of the points beside its aim; return 1 if it is missed or games are missing."""
    print(
        f"silent Scharten, commit {commit()}: level {level}, {TURN_S:.0f} s of CPU a turn, against the plain engine "
        f"of depth {depth}; games in {file}"
    )
    head: Row = {"match": f"silent {level}-plain {depth}", "players": does(level, Kind.SILENT, 1.0)}
    results = Results(file)
    results.play_missing([Pairing(head, partial(played, level, depth))], extent)
    rows = results.rows_of(head)[: extent.games]
    share, longest_s = share_of(rows), max((float(row["longest_s"]) for row in rows), default=0.0)
    ends = Counter(str(row["end"]) for row in rows).most_common()
    print(f"  {share.judged(AIM, extent.games)}; longest turn {longest_s:.2f} s of CPU")
    print(f"  ended by {', '.join(f'{end} {count}' for end, count in ends) or 'nothing yet'}")
    return 0 if share.good(AIM, extent.games) else 1
