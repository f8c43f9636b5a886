"""The review's speed and its luck: games of self-play with known aims, reviewed turn by turn.

Aims: 100 turns within 60 s on two cores, so 120 s of CPU; mean luck of each side within three errors of 0; head, hand
and luck add up to the change of value within 1e-9.
"""

from __future__ import annotations

import random
import time

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Action, Kind
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.choose import Thinker, choose
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.review.split import Parts, Splitter, Thrown
from scharten.review.value import Judge

MOST_TURNS = 120
HANDS = (20.0, 35.0)


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
        mean = sum(own) / len(own)
        error = (sum((luck - mean) ** 2 for luck in own) / len(own) / (len(own) - 1)) ** 0.5
        missed |= abs(mean) > 3 * error
        print(
            f"{name}: mean luck {mean:+.4f} of {len(own)} darts, error {error:.4f} (within three errors of 0)"
        )
    return int(missed)


def _reviewed(chance: random.Random) -> list[tuple[int, Parts, float]]:
    """Play a game with known aims and split each turn; the seconds are those of the split."""
    options = Options(kind=Kind.LOUD)
    position, found = SCHARTEN.begin(options), []
    splitter = Splitter(Judge(SCHARTEN, options), 3)
    for _ in range(MOST_TURNS):
        if SCHARTEN.situation(position, options).end is not None:
            break
        hand = HANDS[position.mover]
        thinker = Thinker(depth=1, error=40, model=throw_model(Scatter(hand, hand)))
        turn = choose(position, thinker, lambda: False, lambda: chance.gauss(0, 1))
        assert turn is not None
        dart, action = None, None
        if turn.aim is not None:
            bed = bed_at(turn.aim[0] + chance.gauss(0, hand), turn.aim[1] + chance.gauss(0, hand))
            dart = Thrown(bed, aim=turn.aim)
            action = SCHARTEN.throws.effect(position, options, bed, 3).action
        played: Action = action or move_of(*(turn.turn or (0, 0, 0)))
        began = time.process_time()
        parts = splitter.split(position, played, hand, dart)
        found.append((position.mover, parts, time.process_time() - began))
        reached = SCHARTEN.play(position, played, options)
        assert not isinstance(reached, Problem), reached
        position = reached.position
        if reached.end is not None:
            break
    return found
