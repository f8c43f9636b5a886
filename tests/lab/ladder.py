"""Silent Scharten: a level within two seconds of a processor a turn, against the plain engine at a fixed depth."""

from __future__ import annotations

import math
import random
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from pathlib import Path
from typing import Final

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
    """A level that has this long for a turn, by the processor's time."""

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


def played(level: int, depth: int, number: int) -> tuple[float, float]:
    """Return the level's points of one game, and its longest turn in s; each opening is played from either side."""
    options = Options(kind=Kind.SILENT)
    position = opened(options, random.Random(number // 2))
    own = _TimedSeat(level, options, number, 1.0, seconds=TURN_S, clock=time.process_time)
    if number % 2 == 0:
        points = play(position, own, plain(depth), options).points
    else:
        points = 1 - play(position, plain(depth), own, options).points
    return points, own.longest_s


def run(level: int, depth: int, games: int, processes: int) -> int:
    """Print the share of the points beside its aim; status 1 if missed."""
    print(
        f"silent Scharten: level {level}, {TURN_S:.0f} s of CPU a turn, against the plain engine of depth {depth}"
    )
    points, longest = 0.0, 0.0
    with ProcessPoolExecutor(processes) as pool:
        results = pool.map(partial(played, level, depth), range(games))
        for number, (won, taken) in enumerate(results, 1):
            points, longest = points + won, max(longest, taken)
            share = points / number
            print(f"  {number} games: {points:g} points", flush=True)
    error = 1.96 * math.sqrt(max(share * (1 - share), 0.01) / games)
    print(f"  {share:.1%}, 95 % interval +-{error:.1%} (aim {AIM:.0%}); longest turn {longest:.2f} s")
    return int(share < AIM)
