"""The line of a dart in one picture: through point, barrel and shaft, not the flight; and where it ends."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from scharten.vision.model import Floats, Points

_LEAST_PIXELS = 24
_MOST_SAMPLES = 1500
_TILT = np.radians(np.arange(-42.0, 42.1, 3.0))  # how far from "straight out of the board" a dart may lean
_ALONG_PX, _ACROSS_PX = 4.0, 2.0  # cells of the search
_CORRIDOR_PX = (
    9.0,
    7.0,
    6.0,
    6.0,
)  # half widths, round by round, in which the outline of the dart is looked at
_LEAST_ROWS = 12
_GAP_PX = 14  # part of a dart may be as dark as the bed behind it
_ROW_NOISE_PX = 0.35
_CORRELATION_PX = 6.0  # rows this near each other err together


@dataclass(frozen=True)
class Shaft:
    """A line in straight pixels, pointing from the flight to the board."""

    point: tuple[float, float]  # on the line, at the middle of what was seen of it
    direction: tuple[float, float]  # unit, towards the board
    tip: tuple[float, float]  # where the dart's visible part ends
    offset_px: float  # standard deviation across, at `point`
    angle_rad: float  # standard deviation of the direction
    rows: int  # pixels of length that carry the line
    score: float  # how much of what is new lies along the line, in pixels of length


def find_shafts(pixels: Points, weights: Floats, inwards: Floats, most: int) -> list[Shaft]:
    """Up to `most` darts among new pixels, best first.

    `pixels` (n, 2) are straight pixels, `weights` their significance, `inwards` the unit direction towards the
    board near them.
    """
    found: list[Shaft] = []
    left = np.ones(len(pixels), bool)
    for _ in range(most):
        if left.sum() < _LEAST_PIXELS:
            break
        shaft = _find(pixels[left], weights[left], inwards)
        if shaft is None:
            break
        found.append(shaft)
        across = np.abs((pixels - shaft.point) @ np.array([-shaft.direction[1], shaft.direction[0]]))
        left &= across > 14
    return found


def _find(pixels: Points, weights: Floats, inwards: Floats) -> Shaft | None:
    line = _search(pixels, inwards)
    if line is None:
        return None
    point, direction, score = line
    fitted = None
    for corridor in _CORRIDOR_PX:
        fitted = _fit(pixels, point, direction, corridor)
        if fitted is None:
            return None
        point, direction = fitted.point, fitted.direction
    assert fitted is not None
    return _shaft(pixels, fitted, score)


def _search(pixels: Points, inwards: Floats) -> tuple[Floats, Floats, float] | None:
    """The best line on a coarse grid: the one whose rows hold little else than the line (a flight's rows are wide)."""
    few = pixels[:: max(1, len(pixels) // _MOST_SAMPLES)]
    share = len(few) / len(pixels)
    middle = np.median(few, axis=0)
    best: tuple[Floats, Floats, float] | None = None
    for tilt in _TILT:
        c, s = math.cos(tilt), math.sin(tilt)
        direction = np.array([c * inwards[0] - s * inwards[1], s * inwards[0] + c * inwards[1]])
        normal = np.array([-direction[1], direction[0]])
        off = few - middle
        along = np.floor(off @ direction / _ALONG_PX).astype(np.intp)
        across = np.floor(off @ normal / _ACROSS_PX).astype(np.intp)
        first, least = along.min(), across.min() - 1
        shape = (int(along.max() - first + 1), int(across.max() - least + 2))
        cells = np.bincount((along - first) * shape[1] + across - least, minlength=shape[0] * shape[1])
        mass = cells.reshape(shape).astype(np.float64)
        band = mass[:, :-2] + mass[:, 1:-1] + mass[:, 2:]
        full = 3 * _ALONG_PX * _ACROSS_PX * share
        row = mass.sum(axis=1, keepdims=True)
        value = (band**2 / np.maximum(row, 1e-9) / full).clip(0, 0.5).sum(axis=0)
        column = int(value.argmax())
        if best is None or value[column] > best[2]:
            at = middle + normal * (least + column + 1.5) * _ACROSS_PX
            best = (at, direction, float(value[column]))
    return best


@dataclass(frozen=True)
class _Line:
    point: Floats
    direction: Floats
    rows: Floats  # along the line, relative to the point
    offset: float
    angle: float


def _outline(along: Floats, across: Floats) -> tuple[Floats, Floats, Floats]:
    """For each pixel of length with something in it: where, and the least and greatest distance across."""
    row = np.rint(along).astype(np.intp)
    first = row.min()
    low = np.full(row.max() - first + 1, np.inf)
    high = np.full(len(low), -np.inf)
    np.minimum.at(low, row - first, across)
    np.maximum.at(high, row - first, across)
    seen = np.isfinite(low)
    return np.flatnonzero(seen) + float(first), low[seen], high[seen]


def _fit(pixels: Points, point: Floats, direction: Floats, corridor: float) -> _Line | None:
    normal = np.array([-direction[1], direction[0]])
    off = pixels - point
    across = off @ normal
    near = np.abs(across) < corridor
    if near.sum() < _LEAST_PIXELS:
        return None
    rows, low, high = _outline((off @ direction)[near], across[near])
    thin = (low > -corridor + 1) & (high < corridor - 1)
    if thin.sum() < _LEAST_ROWS:
        thin = np.ones(len(rows), bool)
        if len(rows) < _LEAST_ROWS:
            return None
    rows, middle = rows[thin], ((low + high) / 2)[thin]
    weight = np.ones(len(rows))
    for _ in range(6):
        centre = float(np.average(rows, weights=weight))
        t = rows - centre
        slope = float((weight * t * middle).sum() / max(float((weight * t * t).sum()), 1e-9))
        level = float(np.average(middle, weights=weight))
        left = middle - level - slope * t
        scale = max(1.4826 * float(np.median(np.abs(left))), _ROW_NOISE_PX)
        weight = np.maximum(1 - (left / (4 * scale)) ** 2, 0) ** 2 + 1e-6
    turned = direction + slope * normal
    turned = turned / np.linalg.norm(turned)
    independent = max(float(weight.sum()) / _CORRELATION_PX, 1.0)
    length = math.sqrt(float((weight * t * t).sum() / weight.sum()))
    spread = scale / math.sqrt(independent)
    return _Line(
        point + centre * direction + level * normal, turned, rows - centre, spread, spread / max(length, 2.0)
    )


def _shaft(pixels: Points, line: _Line, score: float) -> Shaft:
    off = pixels - line.point
    normal = np.array([-line.direction[1], line.direction[0]])
    on = np.abs(off @ normal) < 3.0
    rows = np.unique(np.rint((off @ line.direction)[on]))
    end = _end(rows)
    tip = line.point + end * line.direction
    return Shaft(
        (float(line.point[0]), float(line.point[1])),
        (float(line.direction[0]), float(line.direction[1])),
        (float(tip[0]), float(tip[1])),
        line.offset,
        line.angle,
        len(line.rows),
        score,
    )


def _end(rows: Floats) -> float:
    """Where the run of rows that holds the middle of the line ends, short gaps bridged."""
    after = rows[rows >= 0]
    if not len(after):
        return float(rows.max()) if len(rows) else 0.0
    gaps = np.flatnonzero(np.diff(after) > _GAP_PX)
    return float(after[gaps[0]] if len(gaps) else after[-1])
