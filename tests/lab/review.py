"""The review's speed and its luck: games of self-play with known aims, reviewed turn by turn.

Aims: 100 turns within 60 s on two cores, so 120 s of CPU; mean luck of each side within three errors of 0; head, hand
and luck add up to the change of value within 1e-9.
"""

from __future__ import annotations

import math
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # as in `scharten review`

from lab.kept import Extent, Pairing, Results, Row
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Action, Kind
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.play.choose import Thinker, choose
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.review.review import VERSION
from scharten.review.split import Parts, Splitter, Thrown
from scharten.review.value import Judge

MOST_TURNS = 120
HANDS = (20.0, 35.0)
OPTIONS: Final = Options(kind=Kind.LOUD)
EACH: Final = 4
"""The mean luck is measured on one dart in four."""
_SUMS: Final = ("darts", "sum", "squares")


def run(games: int, seed: int) -> int:
    """Print the figures; status 1 if one misses its aim."""
    lucks: tuple[list[float], list[float]] = ([], [])
    turns, worst, began = 0, 0.0, time.process_time()
    spent = 0.0
    for number in range(games):
        for side, parts, seconds in _reviewed(random.Random(seed * 1000 + number)):
            turns, spent = turns + 1, spent + seconds
            worst = max(worst, abs(parts.head + parts.hand + parts.luck - (parts.reached - parts.before)))
            if parts.outcomes:
                lucks[side].append(parts.luck)
    hundred = 100 * spent / turns
    print(f"{games} loud games, {turns} turns, {time.process_time() - began:.0f} s of CPU")
    print(f"100 turns: {hundred:.1f} s of CPU (120)\nlargest error of the sum: {worst:.1e} (1e-9)")
    missed = hundred > 120 or worst > 1e-9
    for name, own in zip(("White", "Black"), lucks, strict=True):
        missed |= _judge(name, len(own), sum(own), sum(luck * luck for luck in own))
    return int(missed)


def mean_luck(file: Path, extent: Extent) -> int:
    """Print each side's mean luck over stored games; return 1 if one differs from 0 by over three errors, or games
    are missing.

    One dart in `EACH`, drawn independently of the game, represents all: reviewing every dart takes four times as
    long.
    """
    results, pairing = Results(file), Pairing({"luck": VERSION, "each": EACH}, _lucks)
    results.play_missing([pairing], extent)
    rows = results.rows_of(pairing.head)[: extent.games]
    print(f"{len(rows)} of {extent.games} loud games of self-play, hands of {HANDS[0]:g} and {HANDS[1]:g} mm")
    missed = len(rows) < extent.games
    for side in ("White", "Black"):
        darts, total, squares = (sum(float(row[f"{side} {name}"]) for row in rows) for name in _SUMS)
        if darts > 1:
            missed |= _judge(side, int(darts), total, squares)
    return int(missed)


def _judge(side: str, darts: int, total: float, squares: float) -> bool:
    """Print a side's mean luck; return whether it is more than three errors away from 0."""
    mean = total / darts
    error = math.sqrt((squares - darts * mean**2) / darts / (darts - 1))
    print(f"{side}: mean luck {mean:+.5f} of {darts} darts, error {error:.5f} (within three errors of 0)")
    return abs(mean) > 3 * error


def _lucks(number: int) -> Row:
    """Play a game; return the count, the sum and the sum of squares of each side's luck."""
    drawn, splitter = random.Random(f"darts {number}"), _splitter()
    found: dict[str, list[float]] = {"White": [], "Black": []}
    for position, played, hand, dart in _turns(random.Random(f"luck {number}")):
        if dart is not None and drawn.randrange(EACH) == 0:
            found["Black" if position.mover else "White"].append(splitter.luck(position, played, hand, dart))
    row: Row = {"number": number}
    for side, own in found.items():
        sums = (len(own), sum(own), sum(luck * luck for luck in own))
        row |= {f"{side} {name}": value for name, value in zip(_SUMS, sums, strict=True)}
    return row


def _reviewed(chance: random.Random) -> Iterator[tuple[int, Parts, float]]:
    """Split each turn of a game; return also the seconds of the split."""
    splitter = _splitter()
    for position, played, hand, dart in _turns(chance):
        began = time.process_time()
        parts = splitter.split(position, played, hand, dart)
        yield position.mover, parts, time.process_time() - began


def _splitter() -> Splitter:
    return Splitter(Judge(SCHARTEN, OPTIONS), 3)


def _turns(chance: random.Random) -> Iterator[tuple[Position, Action, float, Thrown | None]]:
    """Play a loud game; yield each turn with its scatter in mm, and its dart with the aim."""
    position = SCHARTEN.begin(OPTIONS)
    for _ in range(MOST_TURNS):
        if SCHARTEN.situation(position, OPTIONS).end is not None:
            return
        hand = HANDS[position.mover]
        thinker = Thinker(depth=1, error=40, model=throw_model(Scatter(hand, hand)))
        turn = choose(position, thinker, lambda: False, lambda: chance.gauss(0, 1))
        assert turn is not None
        dart, action = None, None
        if turn.aim is not None:
            bed = bed_at(turn.aim[0] + chance.gauss(0, hand), turn.aim[1] + chance.gauss(0, hand))
            dart = Thrown(bed, aim=turn.aim)
            action = SCHARTEN.throws.effect(position, OPTIONS, bed, 3).action
        played: Action = action or move_of(*(turn.turn or (0, 0, 0)))
        yield position, played, hand, dart
        reached = SCHARTEN.play(position, played, OPTIONS)
        assert not isinstance(reached, Problem), reached
        position = reached.position
        if reached.end is not None:
            return
