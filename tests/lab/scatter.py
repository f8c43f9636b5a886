"""Is the reported scatter true? Synthetic throwers of known scatter, and a hundred published darts."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Iterable
from typing import Final

from lab.figures import commit
from lab.throwers import FAMILIES, HABITS, family, level_darts, valued_darts
from scharten.dartboard.beds import ALL_BEDS, BULL, OUTER_BULL, Bed, BedKind
from scharten.dartboard.locate import bed_at
from scharten.play.levels import LEVELS
from scharten.players.scatter import PRIOR_MM, Estimate, Observation, estimate

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
"""The count of each score in a hundred darts at the bull by one of the authors (Tibshirani, Price, Taylor 2011)."""
TIMES: Final = {BedKind.DOUBLE: 2, BedKind.FAT: 1, BedKind.TREBLE: 3, BedKind.LITTLE: 1}


def score(bed: Bed) -> int:
    """Return the points of a bed at darts."""
    if bed.number is None:
        return {BULL: 50, OUTER_BULL: 25}.get(bed, 0)
    return TIMES[bed.kind] * bed.number


def published() -> Estimate:
    """Return the scatter of the published darts, of which only the scores are known."""
    beds = {value: tuple(bed for bed in ALL_BEDS if score(bed) == value) for value in PUBLISHED}
    return estimate(Observation(beds[value]) for value, count in PUBLISHED.items() for _ in range(count))


def warm_up(chance: random.Random, sigma: float, darts: int, *, seen: bool) -> list[Observation]:
    """Return this many darts of one person at the bull: `seen` by cameras or as beds."""
    found = []
    for _ in range(darts):
        x, y = chance.gauss(0, sigma), chance.gauss(0, sigma)
        found.append(Observation((bed_at(x, y),), (x, y) if seen else None))
    return found


MANNERS: Final = ("warm-up", *FAMILIES, *HABITS, "best value", "levels")
MOST_CPU_S: Final = 0.5
"""Of an estimate from however many darts, once the tables are made: a player's page waits for it."""
HELD: Final = 0.87
"""The least share of 90 % intervals that hold the truth, in each family."""
SCATTERS: Final = (14.0, 20.0, 30.0, 42.0, 60.0)


def darts_of(manner: str, number: int, *, seen: bool) -> tuple[float, list[Observation]]:
    """Return the scatter and the darts of the thrower of this number."""
    chance = random.Random(number)
    sigma, darts = SCATTERS[number % len(SCATTERS)], chance.randint(40, 120)
    if manner == "warm-up":
        sigma = math.exp(chance.gauss(math.log(PRIOR_MM), 0.5))
        return sigma, warm_up(chance, sigma, darts, seen=seen)
    if manner == "levels":
        level = 1 + number % 7
        return LEVELS[level].scatter.x_mm, level_darts(level, darts, number, seen=seen)
    if manner == "best value":
        return sigma, valued_darts(sigma, darts, number, seen=seen)
    return sigma, family(manner, sigma, darts, number, seen=seen)


def covered(manner: str, throwers: int, first: int = 2026) -> tuple[float, float]:
    """Return the share of intervals that hold the truth, and the mean error; every other thrower has beds only."""
    held, off = 0, 0.0
    for number in range(first, first + throwers):
        true, darts = darts_of(manner, number, seen=bool(number // len(SCATTERS) % 2))
        found = estimate(darts)
        held += found.low <= true <= found.high
        off += abs(math.log(found.mm / true))
    return held / throwers, off / throwers


def cpu_s(darts: int) -> float:
    """Return the CPU time of an estimate from this many darts, half of them in mm."""
    seen = [dart for part in (True, False) for dart in family("one point", 30.0, darts // 2, 1, seen=part)]
    estimate(seen)  # makes the tables
    start = time.process_time()
    estimate(seen)
    return time.process_time() - start


def _rows(throwers: int) -> Iterable[tuple[str, str, str, bool]]:
    for manner in MANNERS:
        share, off = covered(manner, throwers)
        yield manner, f"{share:.1%} held, {off:.0%} off", f"{HELD:.0%}", share >= HELD
    for count in (120, 4000):
        cpu = cpu_s(count)
        yield f"{count} darts", f"{cpu * 1000:.0f} ms of CPU", f"{MOST_CPU_S * 1000:.0f}", cpu < MOST_CPU_S
    found = published()
    reported = f"{found.mm:.1f} mm, {found.low:.1f} to {found.high:.1f}"
    yield "the published 100 darts", reported, "28.0", abs(found.mm - 28) < 1


def run(throwers: int) -> int:
    """Print the figures beside their targets; return 1 if one misses."""
    print(f"scatter, commit {commit()}, {throwers} throwers of each family, 40 to 120 darts each")
    good = True
    for what, figure, target, met in _rows(throwers):
        print(f"  {what:24} {figure:28} target {target}{'' if met else '  MISSED'}", flush=True)
        good &= met
    return 0 if good else 1
