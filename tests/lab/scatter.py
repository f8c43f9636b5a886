"""Is the scatter that is reported true? Synthetic throwers of known scatter, and a hundred published darts."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from typing import Final

from lab.figures import commit
from scharten.dartboard.beds import ALL_BEDS, BULL, OUTER_BULL, RINGS, Bed, BedKind
from scharten.dartboard.locate import bed_at, centre_of
from scharten.players.scatter import HABITS, PRIOR_MM, PRIOR_SPREAD, Estimate, Observation, estimate

PUBLISHED: Final = {
    1: 7,
    2: 8,
    3: 10,
    4: 3,
    5: 9,
    6: 1,
    7: 3,
    9: 1,
    10: 1,
    11: 2,
    12: 5,
    13: 1,
    15: 3,
    16: 6,
    17: 10,
    18: 3,
    19: 5,
    20: 8,
    25: 10,
    50: 4,
}  # fmt: skip
"""How often each score came in a hundred darts at the bull by one of the authors (Tibshirani, Price, Taylor 2011)."""
TIMES: Final = {BedKind.DOUBLE: 2, BedKind.FAT: 1, BedKind.TREBLE: 3, BedKind.LITTLE: 1}


def score(bed: Bed) -> int:
    """What a bed counts at darts."""
    if bed.number is None:
        return {BULL: 50, OUTER_BULL: 25}.get(bed, 0)
    return TIMES[bed.kind] * bed.number


def published() -> Estimate:
    """The scatter of the published darts, of which only the scores are known."""
    beds = {value: tuple(bed for bed in ALL_BEDS if score(bed) == value) for value in PUBLISHED}
    return estimate(Observation(beds[value]) for value, count in PUBLISHED.items() for _ in range(count))


def thrower(
    chance: random.Random, sigma: float, darts: int, *, seen: bool, warm_up: bool
) -> list[Observation]:
    """This many darts of one person: `seen` by cameras or as beds; `warm_up` at the bull, else at beds of one half."""
    habit = chance.choice(HABITS)
    found = []
    for _ in range(darts):
        aims: tuple[Bed, ...] = ()
        centre = (0.0, 0.0)
        if not warm_up:
            half = chance.sample([Bed(kind, number) for kind in RINGS for number in NUMBERS], 30)
            aims = tuple(half)
            weights = [habit[RINGS.index(bed.kind)] for bed in half]
            centre = centre_of(chance.choices(half, weights)[0])
        x, y = chance.gauss(centre[0], sigma), chance.gauss(centre[1], sigma)
        found.append(Observation((bed_at(x, y),), (x, y) if seen else None, aims))
    return found


NUMBERS: Final = (11, 14, 9, 12, 5, 20, 1, 18, 4, 13)
"""One half of the board."""
WAYS: Final = {
    "warm-up, cameras": {"seen": True, "warm_up": True},
    "warm-up, beds": {"seen": False, "warm_up": True},
    "play, cameras": {"seen": True, "warm_up": False},
    "play, beds": {"seen": False, "warm_up": False},
}


def covered(way: str, throwers: int, sigma: float | None = None, seed: int = 2026) -> tuple[float, float]:
    """How many of this many throwers' intervals hold the truth, and the mean error: 15 to 60 darts each.

    `sigma` None: each thrower's own, out of the prior.
    """
    chance, held, off = random.Random(seed), 0, 0.0
    for _ in range(throwers):
        true = sigma or math.exp(chance.gauss(math.log(PRIOR_MM), PRIOR_SPREAD))
        found = estimate(thrower(chance, true, chance.randint(15, 60), **WAYS[way]))
        held += found.low <= true <= found.high
        off += abs(math.log(found.mm / true))
    return held / throwers, off / throwers


def _rows(throwers: int) -> Iterable[tuple[str, str, str, bool]]:
    total = 0.0
    for way in WAYS:
        share, off = covered(way, throwers // len(WAYS))
        total += share / len(WAYS)
        yield way, f"{share:.1%} held, {off:.0%} off", "90 %", abs(share - 0.9) < 0.05
    yield f"all {throwers // len(WAYS) * len(WAYS)}", f"{total:.1%}", "90 %", abs(total - 0.9) < 0.03
    for sigma in (15.0, 30.0, 60.0):
        share, off = covered("play, beds", throwers // 10, sigma)
        yield f"play, beds, {sigma:.0f} mm", f"{share:.1%} held, {off:.0%} off", "", True
    found = published()
    reported = f"{found.mm:.1f} mm, {found.low:.1f} to {found.high:.1f}"
    yield "the published 100 darts", reported, "28.0", abs(found.mm - 28) < 1


def run(throwers: int) -> int:
    """Print the figures beside their targets; 1 if one misses."""
    print(f"scatter, commit {commit()}, {throwers} throwers of 15 to 60 darts")
    good = True
    for what, figure, target, met in _rows(throwers):
        print(f"  {what:24} {figure:28} {f'target {target}' if target else ''}{'' if met else '  MISSED'}")
        good &= met
    return 0 if good else 1
