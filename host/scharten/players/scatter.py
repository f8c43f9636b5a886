"""Estimate how a person's darts scatter: one standard deviation in mm, with its interval.

Darts land normally distributed around their aim (Tibshirani, Price, Taylor 2011). With millimetres and a known aim, the
likelihood has a closed form in the number of darts and the sum of squares. With a bed only, it is the chance of that
bed. With an unknown aim, it is a mixture over the possible target beds, weighted by one of a few habits; the estimate
averages over the habits. The prior is a beginner's 30 mm.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, BULL, MISS, OUTER_BULL, Bed, BedKind, readings
from scharten.dartboard.locate import WIRE_RADII, centre_of
from scharten.play.throwing import Floats

INDEX: Final = {bed: index for index, bed in enumerate(ALL_BEDS)}
SIGMAS: Final[Floats] = np.geomspace(4.0, 160.0, 72)
"""The grid of deviations in mm."""
PRIOR_MM: Final = 30.0
PRIOR_SPREAD: Final = 0.5
"""Of the logarithm: nine of ten throwers lie between 13 and 68 mm."""
FINER: Final = 24
"""Parts of each step between two deviations, for the final estimate."""
CHANCE: Final = 0.90
_RINGS: Final = (BedKind.DOUBLE, BedKind.FAT, BedKind.TREBLE, BedKind.LITTLE)
HABITS: Final[tuple[tuple[float, ...], ...]] = (
    (0.05, 0.80, 0.05, 0.10),
    (0.05, 0.40, 0.05, 0.50),
    (0.25, 0.25, 0.25, 0.25),
)
"""Frequencies of aiming at a double, outer single, treble and inner single among the possible targets."""
LEAST: Final = 1e-12


class Estimate(NamedTuple):
    """A deviation in mm with its 90 % interval, from `darts` darts."""

    mm: float
    low: float
    high: float
    darts: int

    def as_json(self) -> dict[str, object]:
        """Return JSON, to a tenth of a millimetre."""
        return {key: round(value, 1) for key, value in self._asdict().items()}


@dataclass(frozen=True, slots=True)
class Observation:
    """A dart: the beds it may be in, its place in mm if known, its possible aims (empty: the bull)."""

    beds: tuple[Bed, ...]
    at: tuple[float, float] | None = None
    aims: tuple[Bed, ...] = ()


@dataclass(slots=True)
class Tally:
    """The log-likelihoods of each deviation from all darts of a thrower, [habits, deviations].

    `count` and `squares` are the closed form for darts with a known aim and millimetres.
    """

    by_habit: Floats = field(default_factory=lambda: np.zeros((len(HABITS), len(SIGMAS))))
    darts: int = 0
    count: int = 0
    squares: float = 0.0

    def add(self, seen: Observation) -> None:
        """Count a dart; a dart without any known place is left out."""
        if seen.at is not None and not seen.aims:
            self.count += 1
            self.squares += seen.at[0] ** 2 + seen.at[1] ** 2
        elif seen.at is not None:
            self.by_habit += np.log(_near(seen.at, seen.aims) + LEAST)
        elif seen.beds:
            self.by_habit += np.log(_in_beds(seen.beds, seen.aims) + LEAST)
        else:
            return
        self.darts += 1

    def add_tally(self, other: Tally) -> None:
        """Count the darts of another tally too."""
        self.by_habit = self.by_habit + other.by_habit
        self.darts += other.darts
        self.count += other.count
        self.squares += other.squares

    def estimate(self) -> Estimate:
        """Return the deviation with its interval."""
        closed = -2 * self.count * np.log(SIGMAS) - self.squares / (2 * SIGMAS**2)
        steps = np.linspace(0, len(SIGMAS) - 1, (len(SIGMAS) - 1) * FINER + 1)
        logs = np.interp(steps, np.arange(len(SIGMAS)), np.log(SIGMAS))
        prior = -0.5 * ((logs - np.log(PRIOR_MM)) / PRIOR_SPREAD) ** 2
        fine = np.stack([_cubic(likelihood + closed, steps) for likelihood in self.by_habit])
        weights = np.exp(fine + prior - (fine + prior).max()).sum(axis=0)
        below = np.cumsum(weights) / weights.sum()
        low, middle, high = (
            float(np.exp(np.interp(share, below, logs)))
            for share in ((1 - CHANCE) / 2, 0.5, (1 + CHANCE) / 2)
        )
        return Estimate(middle, low, high, self.darts)


def estimate(seen: Iterable[Observation]) -> Estimate:
    """Return the scatter of these darts."""
    tally = Tally()
    for observation in seen:
        tally.add(observation)
    return tally.estimate()


def _cubic(values: Floats, steps: Floats) -> Floats:
    """Interpolate between the deviations of the grid by Catmull-Rom, which keeps peaks."""
    at = np.minimum(steps.astype(int), len(values) - 2)
    t = steps - at
    padded = np.concatenate([[2 * values[0] - values[1]], values, [2 * values[-1] - values[-2]]])
    p0, p1, p2, p3 = (padded[at + shift] for shift in range(4))
    return np.asarray(
        p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)))
    )


def _weights(aims: tuple[Bed, ...]) -> Floats:
    """Return how often each habit aims at each of these beds, [habits, aims]."""
    rings = np.array([_RINGS.index(bed.kind) if bed.kind in _RINGS else 0 for bed in aims])
    raw = np.array(HABITS)[:, rings]
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def _near(at: tuple[float, float], aims: tuple[Bed, ...]) -> Floats:
    """Return the density at a point, [habits, deviations]."""
    centres = np.array([centre_of(bed) for bed in aims])
    squares = ((centres - np.array(at)) ** 2).sum(axis=1)
    density = np.exp(-squares[None, :] / (2 * SIGMAS[:, None] ** 2)) / (2 * np.pi * SIGMAS[:, None] ** 2)
    return np.asarray(_weights(aims) @ density.T)


def _in_beds(beds: tuple[Bed, ...], aims: tuple[Bed, ...]) -> Floats:
    """Return the chance to land in one of these beds, [habits, deviations]."""
    odds, hit = bed_odds(), [INDEX[reading] for bed in beds for reading in readings(bed)]
    rows = [INDEX[bed] for bed in aims or (BULL,)]
    chances = sum((odds[:, rows, bed_index] for bed_index in hit), np.zeros((len(SIGMAS), len(rows))))
    weights = _weights(aims) if aims else np.full((len(HABITS), 1), 1.0)
    return np.asarray(weights @ chances.T)


@lru_cache(maxsize=1)
def bed_odds() -> Floats:
    """Return the chance of each bed for each aim at a bed's middle, [deviations, aims, beds] over `ALL_BEDS`."""
    odds = np.zeros((len(SIGMAS), len(ALL_BEDS), len(ALL_BEDS)), np.float64)
    for number, sigma in enumerate(SIGMAS):
        for ring, kind in enumerate(_RINGS):
            bands = _bands(float(sigma), _radius(kind))
            for sector in range(20):
                odds[number, ring * 20 + sector] = _as_beds(np.roll(bands, sector, axis=1))
        middle = _as_beds(_bands(float(sigma), 0.0))
        for bed in (BULL, OUTER_BULL, MISS):
            odds[number, INDEX[bed]] = middle
    return odds


def _radius(kind: BedKind) -> float:
    x, y = centre_of(Bed(kind, 20))
    return float(np.hypot(x, y))


def _bands(sigma: float, radius: float) -> Floats:
    """Return the chances between circles and wires for one aim, [6 bands from the bull outwards, 20 sectors]."""
    angles = np.radians(np.arange(-9.0, 351.0) + 0.5)
    found = np.zeros((len(WIRE_RADII), 20))
    for band, (inner, outer) in enumerate(pairwise((0.0, *WIRE_RADII))):
        parts = int(np.ceil((outer - inner) / 1.5))
        r = inner + (np.arange(parts) + 0.5) * (outer - inner) / parts
        apart = r[:, None] ** 2 + radius**2 - 2 * radius * r[:, None] * np.cos(angles)[None, :]
        mass = np.exp(-apart / (2 * sigma**2)) * r[:, None]
        cell = (outer - inner) / parts * np.radians(1.0) / (2 * np.pi * sigma**2)
        found[band] = mass.sum(axis=0).reshape(20, 18).sum(axis=1) * cell
    return found


def _as_beds(bands: Floats) -> Floats:
    """Turn chances by band and sector into chances of `ALL_BEDS`; the rest misses the board."""
    bull, outer, little, treble, fat, double = bands
    beds = np.concatenate([double, fat, treble, little, [outer.sum(), bull.sum(), 0.0]])
    beds[INDEX[MISS]] = max(0.0, 1.0 - beds.sum())
    return np.asarray(beds / beds.sum())
