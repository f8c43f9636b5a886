"""The chance of every bed for aims in rings around the bull, the same for every number: figures turn with the board."""

from __future__ import annotations

import math
from functools import lru_cache
from itertools import pairwise
from typing import Final, NamedTuple

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, MISS, Bed
from scharten.dartboard.locate import WIRE_RADII, bed_at
from scharten.play.throwing import BED_INDEX, Floats

STANDARD_MM: Final = 30.0
"""The hand that every player is compared with."""
_LEAST_MM: Final = 3.0
_RADII: Final = tuple(float(radius) for radius in range(0, 171, 5))
_CELL: Final = 2.0
GHOSTS: Final = 20
_GOLDEN: Final = math.pi * (3 - math.sqrt(5))


class Aims(NamedTuple):
    """`points` [n, 2] in mm, and `odds` [n, beds] over `ALL_BEDS`."""

    points: Floats
    odds: Floats


@lru_cache(maxsize=32)
def aims(scatter_mm: float) -> Aims:
    """Return the aims at the middle of each number and at each wire between, with the odds of their beds."""
    points, odds = [], []
    for radius in _RADII:
        for offset in (0.0, 9.0):
            bands = _bands(scatter_mm, radius, offset)
            for sector in range(20):
                angle = math.radians(18 * sector + offset)
                points.append((radius * math.sin(angle), radius * math.cos(angle)))
                odds.append(_as_beds(np.roll(bands, sector, axis=1)))
    return Aims(np.array(points), np.array(odds))


def odds_at(at: tuple[float, float], scatter_mm: float) -> Floats:
    """Return the chance of each bed for an aim anywhere."""
    angle = math.degrees(math.atan2(at[0], at[1]))
    return _as_beds(_bands(scatter_mm, math.hypot(*at), angle))


def _bands(scatter_mm: float, radius: float, degrees: float) -> Floats:
    """Return the chances between circles and wires, [6 bands from the bull outwards, 20 numbers]."""
    sigma = max(scatter_mm, _LEAST_MM)
    angles = np.radians(np.arange(-9.0, 351.0) + 0.5 - degrees)
    found = np.zeros((len(WIRE_RADII), 20))
    for band, (inner, outer) in enumerate(pairwise((0.0, *WIRE_RADII))):
        parts = math.ceil((outer - inner) / _CELL)
        r = inner + (np.arange(parts) + 0.5) * (outer - inner) / parts
        apart = r[:, None] ** 2 + radius**2 - 2 * radius * r[:, None] * np.cos(angles)[None, :]
        mass = np.exp(-apart / (2 * sigma**2)) * r[:, None]
        cell = (outer - inner) / parts * math.radians(1.0) / (2 * math.pi * sigma**2)
        found[band] = mass.sum(axis=0).reshape(20, 18).sum(axis=1) * cell
    return found


def _as_beds(bands: Floats) -> Floats:
    bull, outer, little, treble, fat, double = bands
    beds = np.concatenate([double, fat, treble, little, [outer.sum(), bull.sum(), 0.0]])
    beds[BED_INDEX[MISS]] = max(0.0, 1.0 - beds.sum())
    return np.asarray(beds / beds.sum())


def ghosts(aim: tuple[float, float], scatter_mm: float) -> list[tuple[float, float, Bed]]:
    """Return twenty places where such darts fall: a spiral whose rings hold equal shares of the darts."""
    found = []
    for number in range(GHOSTS):
        reach = scatter_mm * math.sqrt(-2 * math.log(1 - (number + 0.5) / GHOSTS))
        x = aim[0] + reach * math.sin(number * _GOLDEN)
        y = aim[1] + reach * math.cos(number * _GOLDEN)
        found.append((x, y, bed_at(x, y)))
    return found


def values_by_bed(values: dict[Bed, float]) -> Floats:
    """Return the values in the order of `ALL_BEDS`."""
    return np.array([values[bed] for bed in ALL_BEDS])
