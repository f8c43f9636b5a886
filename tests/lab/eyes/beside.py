"""Darts that arrive beside others: real ones, cut out of their pictures and placed elsewhere on real boards."""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import chain

from lab.eyes.faults import STANDS, WAKES, Chance, Fault, Laid, hand_comes, held, plain
from lab.eyes.throws import Throw, bed_of, cut_out
from scharten.dartboard.locate import wire_distance


def third(least: float, most: float, *, thrown: bool = False) -> Fault:
    """A dart arrives this many mm from each of two standing darts; with `thrown` the cameras saw those arrive too."""

    def lay(throw: Throw, chance: Chance) -> Laid | None:
        dart = cut_out(throw)
        place = free_place(chance)
        if dart is None:
            return None
        turn, apart = chance.uniform(0, math.tau), chance.uniform(0.6, math.pi)
        far = chance.uniform(least, most, 2)
        shots = [throw.empties]
        for side, away in zip((turn, turn + apart), far, strict=True):
            beside = (place[0] + away * math.cos(side), place[1] + away * math.sin(side))
            shots.append(dart.onto(shots[-1], beside, chance.uniform(2, 8), chance.uniform(0, math.tau)))
        later = dart.onto(shots[-1], place, chance.uniform(0, 8), chance.uniform(0, math.tau))
        last = plain(replace(throw, before=shots[-1], with_dart=later))
        if not thrown:
            return Laid(throw, last, bed_of(place))
        earlier = (frame for pictures in shots[:-1] for frame in held(pictures, 2 * STANDS))
        return Laid(throw, chain(earlier, last), bed_of(place), starts=4 * STANDS + WAKES)

    return lay


def pushed(*, hand: bool = False) -> Fault:
    """A dart arrives, then another pushes it by 8 degrees. With `hand` a hand comes 33 to 130 ms later and takes
    nothing."""

    def lay(throw: Throw, chance: Chance) -> Laid | None:
        dart = cut_out(throw)
        if dart is None:
            return None
        first = free_place(chance)
        while not 12 < math.dist(first, second := free_place(chance)) < 45:
            pass
        lean, way = chance.uniform(0, 4), chance.uniform(0, math.tau)
        item = dart.onto(throw.empties, first, lean, way)
        leaning = dart.onto(throw.empties, first, 8.0, chance.uniform(0, math.tau))
        both = dart.onto(leaning, second, chance.uniform(0, 4), chance.uniform(0, math.tau))
        comes = chain(held(both, int(chance.integers(1, 5))), hand_comes(both, both)) if hand else ()
        frames = chain(held(throw.empties, WAKES), held(item, STANDS), comes, held(both, STANDS))
        return Laid(throw, frames, bed_of(second), reported_before=1)

    return lay


def free_place(chance: Chance) -> tuple[float, float]:
    """Return a place anywhere in the scoring part, not on a wire."""
    while True:
        radius, angle = 160 * math.sqrt(chance.uniform()), chance.uniform(0, math.tau)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        if wire_distance(x, y) > 2.0:
            return (x, y)
