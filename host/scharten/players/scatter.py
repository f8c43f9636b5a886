"""How a person's darts scatter, out of where they landed: one standard deviation in mm, with its interval.

A dart lands normally distributed around its aim (Tibshirani, Price, Taylor 2011). With millimetres and a known aim the
likelihood has a closed form in the number of darts and the sum of squares. With beds only, it is the chance of the bed.
Where the aim is not known it is a mixture over the beds that were worth aiming at, by one of a few habits, which are
weighed beside each other. The prior is a beginner's 30 mm.
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
"""The deviations, in mm, that are weighed."""
PRIOR_MM: Final = 30.0
PRIOR_SPREAD: Final = 0.5
"""Of the logarithm: nine of ten throwers are between 13 and 68 mm."""
FINER: Final = 24
"""Into how many parts each step between two deviations is divided once all darts are counted."""
CHANCE: Final = 0.90
_RINGS: Final = (BedKind.DOUBLE, BedKind.FAT, BedKind.TREBLE, BedKind.LITTLE)
HABITS: Final[tuple[tuple[float, ...], ...]] = (
    (0.05, 0.80, 0.05, 0.10),
    (0.05, 0.40, 0.05, 0.50),
    (0.25, 0.25, 0.25, 0.25),
)
"""How often people aim at a double, an outer single, a treble, an inner single of those that would do."""
LEAST: Final = 1e-12


class Estimate(NamedTuple):
    """A deviation in mm and the interval that holds it with a chance of 90 %, from so many darts."""

    mm: float
    low: float
    high: float
    darts: int

    def told(self) -> dict[str, object]:
        """As JSON, to a tenth of a millimetre."""
        return {
            "mm": round(self.mm, 1),
            "low": round(self.low, 1),
            "high": round(self.high, 1),
            "darts": self.darts,
        }


@dataclass(frozen=True, slots=True)
class Observation:
    """A dart: the beds it may be in, its millimetres if known, what it may have been aimed at (none: the bull)."""

    beds: tuple[Bed, ...]
    at: tuple[float, float] | None = None
    aims: tuple[Bed, ...] = ()


@dataclass(slots=True)
class Tally:
    """What all darts of a thrower say of each deviation: log-likelihoods by habit [habits, deviations].

    `count` and `squares` are the closed form of the darts at a known aim with millimetres.
    """

    by_habit: Floats = field(default_factory=lambda: np.zeros((len(HABITS), len(SIGMAS))))
    darts: int = 0
    count: int = 0
    squares: float = 0.0

    def add(self, seen: Observation) -> None:
        """Count one more dart; one of which nothing is known is left out."""
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

    def estimate(self) -> Estimate:
        """The deviation with the interval around it."""
        closed = -2 * self.count * np.log(SIGMAS) - self.squares / (2 * SIGMAS**2)
        steps = np.linspace(0, len(SIGMAS) - 1, (len(SIGMAS) - 1) * FINER + 1)
        logs = np.interp(steps, np.arange(len(SIGMAS)), np.log(SIGMAS))
        prior = -0.5 * ((logs - np.log(PRIOR_MM)) / PRIOR_SPREAD) ** 2
        fine = np.stack([_cubic(one + closed, steps) for one in self.by_habit])
        weights = np.exp(fine + prior - (fine + prior).max()).sum(axis=0)
        below = np.cumsum(weights) / weights.sum()
        low, middle, high = (
            float(np.exp(np.interp(share, below, logs)))
            for share in ((1 - CHANCE) / 2, 0.5, (1 + CHANCE) / 2)
        )
        return Estimate(middle, low, high, self.darts)


def estimate(seen: Iterable[Observation]) -> Estimate:
    """The scatter that these darts speak for."""
    tally = Tally()
    for one in seen:
        tally.add(one)
    return tally.estimate()


def covariance(points: Floats) -> tuple[Floats, Floats]:
    """Mean [2] and covariance [2, 2] in mm of darts at one aim, [n, 2]; with the prior of four darts of 30 mm."""
    middle = points.mean(axis=0) if len(points) else np.zeros(2)
    off = points - middle
    prior = 4.0
    return middle, (off.T @ off + prior * PRIOR_MM**2 * np.eye(2)) / (len(points) + prior)


def _cubic(values: Floats, steps: Floats) -> Floats:
    """The values between the weighed deviations, by Catmull-Rom: what is peaked keeps its top."""
    at = np.minimum(steps.astype(int), len(values) - 2)
    t = steps - at
    padded = np.concatenate([[2 * values[0] - values[1]], values, [2 * values[-1] - values[-2]]])
    p0, p1, p2, p3 = (padded[at + shift] for shift in range(4))
    return np.asarray(
        p1 + 0.5 * t * (p2 - p0 + t * (2 * p0 - 5 * p1 + 4 * p2 - p3 + t * (3 * (p1 - p2) + p3 - p0)))
    )


def _weights(aims: tuple[Bed, ...]) -> Floats:
    """How often each of these beds is aimed at, by each habit, [habits, aims]."""
    rings = np.array([_RINGS.index(bed.kind) if bed.kind in _RINGS else 0 for bed in aims])
    raw = np.array(HABITS)[:, rings]
    return np.asarray(raw / raw.sum(axis=1, keepdims=True))


def _near(at: tuple[float, float], aims: tuple[Bed, ...]) -> Floats:
    """The density at a point, [habits, deviations]."""
    centres = np.array([centre_of(bed) for bed in aims])
    squares = ((centres - np.array(at)) ** 2).sum(axis=1)
    density = np.exp(-squares[None, :] / (2 * SIGMAS[:, None] ** 2)) / (2 * np.pi * SIGMAS[:, None] ** 2)
    return np.asarray(_weights(aims) @ density.T)


def _in_beds(beds: tuple[Bed, ...], aims: tuple[Bed, ...]) -> Floats:
    """The chance of being in one of these beds, [habits, deviations]."""
    odds, hit = bed_odds(), [INDEX[each] for bed in beds for each in readings(bed)]
    rows = [INDEX[bed] for bed in aims or (BULL,)]
    chances = sum((odds[:, rows, each] for each in hit), np.zeros((len(SIGMAS), len(rows))))
    weights = _weights(aims) if aims else np.ones((len(HABITS), 1))
    return np.asarray(weights @ chances.T)


@lru_cache(maxsize=1)
def bed_odds() -> Floats:
    """The chance of each bed for each aim at the middle of a bed, [deviations, aims, beds] over `ALL_BEDS`."""
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
    """The chances between two circles and two wires, [6 bands from the bull outwards, 20 sectors], for one aim."""
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
    """Chances by band and sector as chances of `ALL_BEDS`; what is left misses the board."""
    bull, outer, little, treble, fat, double = bands
    beds = np.concatenate([double, fat, treble, little, [outer.sum(), bull.sum(), 0.0]])
    beds[INDEX[MISS]] = max(0.0, 1.0 - beds.sum())
    return np.asarray(beds / beds.sum())
