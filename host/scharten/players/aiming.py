"""How people aim: the likelihood of a dart in several manners of aiming, for a grid of deviations. Pure.

The aims lie on a lattice over the board. With a deviation, each aim has a chance that the dart counts. Three manners
weight the aims by a power of this chance: the lowest power aims nearly anywhere, the highest at the surest point. Four
more aim at the middles of the beds of one ring, and the last at any point within the beds that count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, BULL, MISS, OUTER_BULL, Bed, BedKind
from scharten.dartboard.locate import WIRE_RADII, centre_of
from scharten.play.throwing import Floats, beds_at

INDEX: Final = {bed: index for index, bed in enumerate(ALL_BEDS)}
SIGMAS: Final[Floats] = np.geomspace(5.0, 140.0, 18)
"""The grid of deviations in mm."""
DOUBLINGS: Final = (0, 3, 6)
"""How strongly the chance that a dart counts draws the aims of a manner: by its power 1, 8 or 64."""
RINGS: Final = (BedKind.DOUBLE, BedKind.FAT, BedKind.TREBLE, BedKind.LITTLE)
MIDDLES: Final = 80
"""The first aims of the lattice are the middles of the numbered beds, in the order of `ALL_BEDS`."""
_RADII: Final = (12.0, 36.0, 60.0, 84.0, 103.0, 122.0, 144.0, 166.0)
POINT_MM: Final = 9.0
MANNERS: Final = len(RINGS) + len(DOUBLINGS) + 1
Chances = NDArray[np.float32]


@lru_cache(maxsize=1)
def lattice() -> tuple[Floats, Chances, NDArray[np.bool_]]:
    """Return the aims in mm [n, 2], chances [beds, deviations, n], and whether an aim is in a bed [beds, n]."""
    middles = [_radius(kind) for kind in RINGS]
    circles = [(radius, 0.0) for radius in middles] + [(r, a) for r in _RADII for a in (0.0, 9.0)]
    aims, odds = _on_circles(circles)
    inside = np.zeros((len(ALL_BEDS), len(aims)), np.bool_)
    inside[beds_at(aims[:, 0], aims[:, 1]), np.arange(len(aims))] = True
    return aims, odds, inside


@lru_cache(maxsize=1)
def points() -> tuple[Floats, Chances]:
    """Return points that cover the beds evenly, `POINT_MM` apart, [n, 2], and chances [beds, deviations, n]."""
    circles = []
    for radius in np.arange(POINT_MM / 2, WIRE_RADII[-1], POINT_MM):
        parts = max(1, round(2 * np.pi * radius / 20 / POINT_MM))
        circles += [(float(radius), 18.0 * part / parts) for part in range(parts)]
    return _on_circles(circles)


def _on_circles(circles: Iterable[tuple[float, float]]) -> tuple[Floats, Chances]:
    """Return 20 aims for each radius and angle, [n, 2], and their chances [beds, deviations, n]."""
    places, tables = [], []
    for radius, angle in circles:
        turned = np.radians(angle + 18.0 * np.arange(20))
        places.append(np.stack([radius * np.sin(turned), radius * np.cos(turned)], axis=1))
        bands = np.stack([_bands(float(sigma), radius, angle) for sigma in SIGMAS])
        tables += [_as_beds(np.roll(bands, sector, axis=2)) for sector in range(20)]
    odds = np.asarray(np.stack(tables, axis=2).transpose(1, 0, 2), np.float32)
    return np.concatenate(places), np.ascontiguousarray(odds)


def odds_for(sigma_mm: float) -> Floats:
    """Return each bed's chance by aim of the lattice for this deviation, [beds, aims]; columns add up to 1."""
    odds = lattice()[1]
    step = float(np.interp(np.log(sigma_mm), np.log(SIGMAS), np.arange(len(SIGMAS))))
    lower = min(int(step), len(SIGMAS) - 2)
    return np.asarray(odds[:, lower] * (lower + 1 - step) + odds[:, lower + 1] * (step - lower), np.float64)


@lru_cache(maxsize=1)
def bed_odds() -> Floats:
    """Return the chance of each bed for an aim at the bull, [deviations, beds]."""
    return _as_beds(np.stack([_bands(float(sigma), 0.0, 0.0) for sigma in SIGMAS]))


def likelihoods(
    places: Sequence[tuple[float, float] | None],
    hits: Sequence[Sequence[int]],
    targets: Sequence[Sequence[int]],
) -> Chances:
    """Return the likelihood of each dart, [darts, manners, deviations]: at its place, or in one of the beds it hit."""
    aims, odds, inside = lattice()
    wanted = np.zeros((len(targets), len(ALL_BEDS)), np.float32)
    for row, beds in enumerate(targets):
        wanted[row, beds] = 1
    counts = (wanted @ odds.reshape(len(ALL_BEDS), -1)).reshape(len(targets), len(SIGMAS), -1)
    landed = np.empty_like(counts)
    spread = (2 * SIGMAS**2)[:, None]
    for row, (at, hit) in enumerate(zip(places, hits, strict=True)):
        if at is None:
            landed[row] = odds[list(hit)].sum(axis=0)
        else:
            landed[row] = np.exp(-((aims - np.array(at)) ** 2).sum(axis=1) / spread) / (np.pi * spread)
    found = np.zeros((len(targets), MANNERS, len(SIGMAS)), np.float32)
    for ring in range(len(RINGS)):
        part = slice(ring * 20, ring * 20 + 20)
        found[:, ring] = _weighted(landed[:, :, part], wanted[:, None, part])
    area = np.hypot(aims[:, 0], aims[:, 1]).astype(np.float32)
    area[:MIDDLES] = 0  # the lattice proper covers the plane evenly
    best = counts / counts.max(axis=2, keepdims=True)
    for step in range(max(DOUBLINGS) + 1):
        if step in DOUBLINGS:
            found[:, len(RINGS) + DOUBLINGS.index(step)] = _weighted(landed, best * area)
        best *= best
    own = (wanted @ inside) * area
    found[:, -1] = _weighted(landed, own[:, None, :])
    return found


def _weighted(landed: Chances, weights: Chances) -> Chances:
    """Return the mean over the aims with these weights; 0 where no aim has any."""
    total = weights.sum(axis=2)
    return np.asarray((landed * weights).sum(axis=2) / np.where(total > 0, total, 1))


def _radius(kind: BedKind) -> float:
    x, y = centre_of(Bed(kind, 20))
    return float(np.hypot(x, y))


def _bands(sigma: float, radius: float, angle: float) -> Floats:
    """Return the chances between circles and wires for an aim at this angle from the 20, [6 bands, 20 sectors]."""
    angles = np.radians(np.arange(-9.0, 351.0, 2.0) + 1.0 - angle)
    found = np.zeros((len(WIRE_RADII), 20))
    for band, (inner, outer) in enumerate(pairwise((0.0, *WIRE_RADII))):
        parts = int(np.ceil((outer - inner) / 3.0))
        r = inner + (np.arange(parts) + 0.5) * (outer - inner) / parts
        apart = r[:, None] ** 2 + radius**2 - 2 * radius * r[:, None] * np.cos(angles)[None, :]
        mass = np.exp(-apart / (2 * sigma**2)) * r[:, None]
        cell = (outer - inner) / parts * np.radians(2.0) / (2 * np.pi * sigma**2)
        found[band] = mass.sum(axis=0).reshape(20, 9).sum(axis=1) * cell
    return found


def _as_beds(bands: Floats) -> Floats:
    """Turn chances by deviation, band and sector into chances of `ALL_BEDS`; the rest misses the board."""
    bull, outer, little, treble, fat, double = np.moveaxis(bands, 1, 0)
    beds = np.zeros((len(bands), len(ALL_BEDS)))
    beds[:, :80] = np.concatenate([double, fat, treble, little], axis=1)
    beds[:, INDEX[OUTER_BULL]], beds[:, INDEX[BULL]] = outer.sum(axis=1), bull.sum(axis=1)
    beds[:, INDEX[MISS]] = (1.0 - beds.sum(axis=1)).clip(0.0)
    return np.asarray(beds / beds.sum(axis=1, keepdims=True))
