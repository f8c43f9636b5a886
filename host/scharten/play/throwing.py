"""The scatter of a thrower's darts: the chance of every bed for every aim, computed once on a grid of millimetres.

A dart lands normally distributed around its aim (Tibshirani, Price, Taylor 2011).
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, BULL, MISS, OUTER_BULL, RINGS, Bed, BedKind
from scharten.dartboard.locate import (
    BULL_RADIUS,
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
    bed_at,
    centre_of,
)
from scharten.play.scatter import Scatter

Floats = NDArray[np.float64]
Shares = NDArray[np.float32]
BED_INDEX: Final = {bed: index for index, bed in enumerate(ALL_BEDS)}
_CELL, _FINE = 2.0, 4
"""The side of a cell in mm, and the number of parts of a side when measuring each bed's share of a cell."""
_CELLS: Final = 432
"""The plane's side in cells, wide enough that the blur does not wrap around."""
_AIM_STEP: Final = 2
"""The aims are every second cell within the board."""


class ThrowModel(NamedTuple):
    """`aims` [n, 2] in mm, and `odds` [n, beds], the chance of each of `ALL_BEDS` by aim; rows add up to 1."""

    aims: Floats
    odds: Floats

    def best(self, values: Floats) -> tuple[tuple[float, float], float]:
        """Return the aim, in mm, with the highest expectation of `values` [beds], and the expectation."""
        expected = self.odds @ values
        index = int(expected.argmax())
        return (float(self.aims[index, 0]), float(self.aims[index, 1])), float(expected[index])

    def odds_of(self, aim: tuple[float, float]) -> Floats:
        """Return the chance of each of `ALL_BEDS` for a dart at the aim next to this point, in mm."""
        away = self.aims - np.asarray(aim)
        row: Floats = self.odds[int((away * away).sum(axis=1).argmin())]
        return row


@lru_cache(maxsize=4)
def throw_model(scatter: Scatter) -> ThrowModel:
    """Compute every bed's chance for every aim: the beds, blurred by the scatter."""
    shares = bed_shares()
    half = shares.shape[1] // 2
    lattice = np.arange(0, 2 * half, _AIM_STEP)
    xs = (lattice - half + 0.5) * _CELL
    grid_y, grid_x = np.meshgrid(xs, xs, indexing="ij")
    inside = np.hypot(grid_x, grid_y) <= DOUBLE_OUTER_RADIUS
    blurred = _tilted(shares, scatter) if scatter.correlation else _upright(shares, scatter, lattice)
    odds = blurred[:, inside].T.astype(np.float64).clip(0.0, 1.0)
    odds[:, BED_INDEX[MISS]] = (1.0 - odds.sum(axis=1)).clip(0.0)
    odds /= odds.sum(axis=1, keepdims=True)
    return ThrowModel(np.stack([grid_x[inside], grid_y[inside]], axis=1), odds)


def _upright(shares: Shares, scatter: Scatter, lattice: NDArray[np.int64]) -> Shares:
    """Blur along one axis, then the other, which is quick: [beds, aims up, aims aside]."""
    aside, up = (
        _line_blur(deviation, shares.shape[1], lattice) for deviation in (scatter.x_mm, scatter.y_mm)
    )
    return np.asarray(up @ shares @ aside.T, np.float32)


def _line_blur(deviation: float, cells: int, lattice: NDArray[np.int64]) -> Shares:
    """Return the chance to land in each cell of a line, by aim: [aims, cells]."""
    ends = [
        math.erf((cell - 0.5) * _CELL / (math.sqrt(2) * max(deviation, 0.01))) / 2
        for cell in range(-cells, cells + 2)
    ]
    chances = np.diff(ends).astype(np.float32)
    return np.asarray(chances[np.arange(cells)[None, :] - lattice[:, None] + cells])


def _tilted(shares: Shares, scatter: Scatter) -> Shares:
    """Blur by a correlated scatter, with Fourier transforms."""
    blur = _blur(scatter)
    middle, half = _CELLS // 2, shares.shape[1] // 2
    on_board = slice(middle - half, middle + half)
    plane, found = np.zeros((_CELLS, _CELLS), np.float32), []
    for share in shares:
        plane[on_board, on_board] = share
        whole = np.fft.irfft2(np.fft.rfft2(plane) * blur, plane.shape)
        found.append(whole[on_board, on_board][::_AIM_STEP, ::_AIM_STEP])
    return np.asarray(found, np.float32)


def _blur(scatter: Scatter) -> Floats:
    """Return the Fourier transform of the normal distribution, on the frequencies of `rfft2`."""
    up = np.fft.fftfreq(_CELLS, _CELL)[:, None]
    aside = np.fft.rfftfreq(_CELLS, _CELL)[None, :]
    cross = 2 * scatter.correlation * scatter.x_mm * scatter.y_mm
    spread = (scatter.x_mm * aside) ** 2 + cross * aside * up + (scatter.y_mm * up) ** 2
    return np.asarray(np.exp(-2 * np.pi**2 * spread), dtype=np.float64)


@lru_cache(maxsize=1)
def bed_shares() -> Shares:
    """Return each bed's share of each cell of the board, [beds, cells, cells]; MISS stays empty.

    The first call takes most of the time of the first `throw_model`. A process that waits for its task calls it early.
    """
    half = int(DOUBLE_OUTER_RADIUS // _CELL) + 2
    cells = 2 * half
    fine = (np.arange(cells * _FINE) + 0.5) * (_CELL / _FINE) - half * _CELL
    y, x = np.meshgrid(fine, fine, indexing="ij")
    row, column = np.divmod(np.arange(y.size) // _FINE, cells)
    cell = (row // _FINE) * cells + column
    counts = np.bincount(beds_at(x, y).ravel() * cells**2 + cell, minlength=len(ALL_BEDS) * cells**2)
    shares = (counts / _FINE**2).astype(np.float32).reshape(len(ALL_BEDS), cells, cells)
    shares[BED_INDEX[MISS]] = 0
    return shares


def beds_at(x_mm: Floats, y_mm: Floats) -> NDArray[np.int64]:
    """Return the index in `ALL_BEDS` of the bed at each point."""
    radius = np.hypot(x_mm, y_mm)
    sector = ((np.arctan2(x_mm, y_mm) % (2 * np.pi) + np.pi / 20) // (np.pi / 10)).astype(np.int64) % 20
    edges = (TREBLE_INNER_RADIUS, TREBLE_OUTER_RADIUS, DOUBLE_INNER_RADIUS)
    ring = len(RINGS) - 1 - np.searchsorted(edges, radius, side="right")
    found = ring * 20 + sector
    found = np.where(radius >= DOUBLE_OUTER_RADIUS, BED_INDEX[MISS], found)
    found = np.where(radius < OUTER_BULL_RADIUS, BED_INDEX[OUTER_BULL], found)
    return np.where(radius < BULL_RADIUS, BED_INDEX[BULL], found)


def values_of(beds: dict[Bed, float], otherwise: float) -> Floats:
    """Return values of beds for `ThrowModel.best`; other beds have the value `otherwise`."""
    values = np.full(len(ALL_BEDS), otherwise)
    for bed, worth in beds.items():
        values[BED_INDEX[bed]] = worth
    return values


_RINGS = {
    BedKind.DOUBLE: "the double",
    BedKind.FAT: "the outer single",
    BedKind.TREBLE: "the treble",
    BedKind.LITTLE: "the inner single",
}
_NEAR_MM = 8.0
"""The distance from the middle of a bed, in radius, within which an aim is called the middle."""


def aim_words(x_mm: float, y_mm: float) -> str:
    """Describe an aim: "aim at the outer part of the inner single 19" (docs/contract.md, Beds)."""
    bed = bed_at(x_mm, y_mm)
    if bed.number is None:
        plain = {BedKind.BULL: "the bull", BedKind.OUTER_BULL: "the outer bull"}
        return f"aim at {plain.get(bed.kind, 'the surround, beside the board')}"
    radius, middle = math.hypot(x_mm, y_mm), math.hypot(*centre_of(bed))
    part = "" if abs(radius - middle) <= _NEAR_MM else "outer " if radius > middle else "inner "
    return f"aim at the {part or 'middle '}{'part ' if part else ''}of {_RINGS[bed.kind]} {bed.number}"
