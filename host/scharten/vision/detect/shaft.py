"""The line of a dart in one picture: through point, barrel and shaft, not the flight; and where it ends."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from scharten.vision.model import Floats, Points

LEAST_MM2 = 10.0
"""Less than this that is new shows no dart."""
_MOST_SAMPLES = 300
_TILTS = np.radians(np.arange(-42.0, 42.1, 6.0))  # how far from "straight out of the board" a dart may lean
_ALONG_MM = 4.0  # length of a cell of the search
_BAND_MM = 6.0  # width of three cells: about that of a barrel
_AROUND_MM = 25.0  # what lies farther from the first guess is another thing
_CORRIDOR_MM = (8.0, 6.0)  # half widths, round by round, in which the dart's outline is looked at
_LEAST_MM = 8.0  # of length that shows no line
_ROUNDS = 3
_TIP_GAP_MM = 8.0  # the point may be as dark as the bed behind it,
_DARK_GAP_MM = 30.0  # and so may the shaft between barrel and flight
_ON_MM = 2.0  # half width of a point
_ROW_NOISE_MM = 0.23  # of an outline's middle
_CORRELATION_MM = 4.0  # rows this near each other err together
_OUTLINE_MM = 0.27  # what light and shade do to an outline, at the middle and from end to end
_COVERED_MM = 1.0  # how far an outline may be off where another dart covers one side of it
_COVERED_TRUST = 0.05  # and how little it counts then
_FRAGMENT_MM, _UNSEEN_MM = 25.0, 60.0  # of a line as short as this the rest is hidden, up to so much of it
_END_MM = 25.0  # of a dart at each end, over which its width is measured
_TAKEN_MM = 11.0  # half width of what belongs to a line once it is found
_SAME_RAD, _SAME_MM = 0.02, 1.0  # lines that differ by less are one
_BEYOND_MM, _BESIDE_MM, _FAR_MM = (
    2.0,
    2.6,
    60.0,
)  # steps in which the way past the visible end is looked at, how far

Covered = Callable[[Points], NDArray[np.bool_]]


@dataclass(frozen=True)
class Shaft:
    """A line in straight pixels, pointing from the flight to the board."""

    point: tuple[float, float]  # on the line, at the middle of what was seen of it
    direction: tuple[float, float]  # unit, towards the board
    tip_px: float  # from `point` along `direction` to where the dart's visible part ends
    covered_px: float  # from there on, how far another dart is before the line: the point may be behind it
    offset_px: float  # standard deviation across, at `point`
    angle_rad: float  # standard deviation of the direction
    rows: int  # pixels of length that carry the line
    px_per_mm: float  # where the dart is, across the line of sight
    flight: float = 2.0  # how many times as wide the end away from the board is as the end at it


@dataclass(frozen=True)
class _Line:
    point: Floats
    direction: Floats
    rows: Floats  # along the line, relative to the point
    offset: float
    angle: float


@dataclass(frozen=True)
class Scene:
    """Prior knowledge about darts near some pixels."""

    inwards: Floats  # unit direction towards the board
    px_per_mm: float  # across the line of sight
    covered: Covered | None  # of straight pixels: whether an earlier dart is in front of the board there


def alike(shaft: Shaft, other: Shaft) -> bool:
    """Whether two lines are nearly the same."""
    off = np.array(shaft.point) - other.point
    turn = shaft.direction[0] * other.direction[1] - shaft.direction[1] * other.direction[0]
    across = float(off @ np.array([-other.direction[1], other.direction[0]]))
    return abs(turn) < _SAME_RAD and abs(across) < _SAME_MM * shaft.px_per_mm


def find_shafts(pixels: Points, scene: Scene, most: int) -> tuple[Shaft, ...]:
    """Up to `most` darts among new straight pixels (n, 2), best first."""
    found: list[Shaft] = []
    while len(pixels) >= LEAST_MM2 * scene.px_per_mm**2:
        shaft = _find(pixels, scene)
        if shaft is None:
            break
        found.append(shaft)
        if len(found) == most:
            break
        across = (pixels - shaft.point) @ np.array([-shaft.direction[1], shaft.direction[0]])
        pixels = pixels[np.abs(across) > _TAKEN_MM * scene.px_per_mm]
    return tuple(found)


def _find(pixels: Points, scene: Scene) -> Shaft | None:
    point, direction = _search(pixels, scene)
    across = np.abs((pixels - point) @ np.array([-direction[1], direction[0]]))
    pixels = pixels[across < _AROUND_MM * scene.px_per_mm]
    fitted = None
    for width, covered in zip(_CORRIDOR_MM, (None, scene.covered), strict=True):
        near = replace(scene, covered=covered)
        fitted = _fit(pixels, point, direction, width * scene.px_per_mm + 1, near)
        if fitted is None:
            return None
        point, direction = fitted.point, fitted.direction
    assert fitted is not None
    return _shaft(pixels, fitted, scene)


def _search(pixels: Points, scene: Scene) -> tuple[Floats, Floats]:
    """The best line on a coarse grid: the one whose rows hold little else than the line (a flight's rows are wide)."""
    inwards, width, length = scene.inwards, _BAND_MM * scene.px_per_mm / 3, _ALONG_MM * scene.px_per_mm
    few = pixels[:: max(1, len(pixels) // _MOST_SAMPLES)]
    middle = few.mean(axis=0)
    c, s = np.cos(_TILTS), np.sin(_TILTS)
    directions = np.stack([c * inwards[0] - s * inwards[1], s * inwards[0] + c * inwards[1]], axis=1)
    normals = np.stack([-directions[:, 1], directions[:, 0]], axis=1)
    off = few - middle
    along = np.floor(directions @ off.T / length).astype(np.intp)
    across = np.floor(normals @ off.T / width).astype(np.intp)
    along -= along.min()
    least = int(across.min()) - 1
    lines, columns = int(along.max()) + 1, int(across.max()) - least + 2
    cell = ((np.arange(len(_TILTS))[:, None] * lines + along) * columns + across - least).ravel()
    full = 3 * length * width * len(few) / len(pixels)
    tilt, column = divmod(int(_worth(cell, lines, columns, full).argmax()), columns)
    return middle + normals[tilt] * (least + column + 0.5) * width, directions[tilt]


def _worth(cell: NDArray[np.intp], lines: int, columns: int, full: float) -> Floats:
    """How much each column of each tilt looks like a dart, by the cells (tilt, line, column) of the pixels.

    A band of three columns counts by its share of each line's pixels and by how `full` it is. Nearly all cells are
    empty, since pixels may lie anywhere: only those with something in or beside them are worked on.
    """
    size = len(_TILTS) * lines * columns
    mass = np.bincount(cell, minlength=size + 1)
    held = np.zeros(size, np.bool_)
    for beside in (-1, 0, 1):
        held[cell + beside] = True
    at = np.flatnonzero(held)
    line, column = np.divmod(at, columns)
    band = mass[at - 1] + mass[at] + mass[at + 1]
    hits = np.bincount(cell // columns, minlength=len(_TILTS) * lines)[line]
    worth = np.minimum(band * band / (hits * full), 0.5)
    worth[(column == 0) | (column == columns - 1)] = 0.0
    tilted = line // lines * columns + column
    return np.asarray(np.bincount(tilted, weights=worth, minlength=len(_TILTS) * columns), np.float64)


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


def _main_run(rows: Floats, thin: NDArray[np.bool_], px_per_mm: float) -> NDArray[np.bool_]:
    """The rows of the longest piece, with those pieces that only a dark gap parts from it."""
    parted = np.diff(rows) > _TIP_GAP_MM * px_per_mm
    if not parted.any():
        return np.ones(len(rows), np.bool_)
    run = np.concatenate([[0], np.cumsum(parted)])
    lengths = np.bincount(run, weights=thin + 0.01)
    main = run == int(lengths.argmax())
    for piece in range(int(run.max()) + 1):
        if lengths[piece] >= _LEAST_MM * px_per_mm / 2:
            here = run == piece
            gap = max(rows[main].min() - rows[here].max(), rows[here].min() - rows[main].max())
            main |= here & (gap < _DARK_GAP_MM * px_per_mm)
    return np.asarray(main)


def _fit(pixels: Points, point: Floats, direction: Floats, corridor: float, scene: Scene) -> _Line | None:
    """A line through the middles of the outline, row by row; rows with one side covered count for less."""
    normal, least = np.array([-direction[1], direction[0]]), _LEAST_MM * scene.px_per_mm
    off = pixels - point
    across = off @ normal
    near = np.abs(across) < corridor
    if near.sum() < LEAST_MM2 * scene.px_per_mm**2:
        return None
    rows, low, high = _outline((off @ direction)[near], across[near])
    thin = (low > -corridor + 1) & (high < corridor - 1)
    if thin.sum() < least:
        thin = np.ones(len(rows), bool)
    thin &= _main_run(rows, thin, scene.px_per_mm)
    if thin.sum() < least:
        return None
    rows, low, high = rows[thin], low[thin], high[thin]
    trust = np.ones(len(rows))
    if scene.covered is not None:
        axis = point + rows[:, None] * direction
        beside = np.concatenate([axis + (low - 2)[:, None] * normal, axis + (high + 2)[:, None] * normal])
        trust[scene.covered(beside).reshape(2, -1).any(axis=0)] = _COVERED_TRUST
    return _through(point, direction, rows, (low + high) / 2, trust, px_per_mm=scene.px_per_mm)


def _through(
    point: Floats, direction: Floats, rows: Floats, middle: Floats, trust: Floats, *, px_per_mm: float
) -> _Line:
    """The line through the middles by least squares, outliers left out."""
    weight = trust
    about = float(rows.mean())
    along = rows - about
    sums = np.stack([np.ones(len(rows)), along, along * along, middle, along * middle], axis=1)
    for _ in range(_ROUNDS):
        total, x, xx, y, xy = (float(v) for v in weight @ sums)
        centre, level = x / total, y / total
        slope = (xy - x * level) / max(xx - x * centre, 1e-9)
        left = middle - (level - slope * centre) - slope * along
        scale = max(1.4826 * _median(np.abs(left)), _ROW_NOISE_MM * px_per_mm)
        weight = trust * (np.maximum(1 - (left / (4 * scale)) ** 2, 0) ** 2 + 1e-6)
    total = float(weight.sum())
    t = along - centre
    centre += about
    half = max(1.7 * math.sqrt(float((weight * t) @ t) / total), 2.0)
    systematic = _OUTLINE_MM if total > _LEAST_MM * px_per_mm else _COVERED_MM
    alone = max(total / (_CORRELATION_MM * px_per_mm), 1.0)
    spread = math.hypot(scale / math.sqrt(alone), systematic * px_per_mm)
    normal = np.array([-direction[1], direction[0]])
    turned = direction + slope * normal
    turned = turned / np.linalg.norm(turned)
    return _Line(point + centre * direction + level * normal, turned, t, spread, 1.7 * spread / half)


def _median(values: Floats) -> float:
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def _shaft(pixels: Points, line: _Line, scene: Scene) -> Shaft:
    off = pixels - line.point
    normal = np.array([-line.direction[1], line.direction[0]])
    mm = scene.px_per_mm
    on = np.abs(off @ normal) < _ON_MM * mm
    rows, count = np.unique(np.rint((off @ line.direction)[on]), return_counts=True)
    end = _end(rows[count > 1], float(line.rows.max()), _TIP_GAP_MM * mm)
    hidden = _covered_px(line.point + end * line.direction, line.direction, scene)
    if len(line.rows) < _FRAGMENT_MM * mm:
        hidden = max(hidden, _UNSEEN_MM * mm)
    return Shaft(
        (float(line.point[0]), float(line.point[1])),
        (float(line.direction[0]), float(line.direction[1])),
        end,
        hidden,
        line.offset,
        line.angle,
        len(line.rows),
        mm,
        _widening(off @ line.direction, end, _END_MM * mm),
    )


def _widening(along: Floats, end: float, length: float) -> float:
    """How many times as wide new pixels are at the end away from the board as at the visible end of the point."""
    point = int(((along > end - length) & (along <= end)).sum())
    far = np.partition(along, len(along) // 50)[len(along) // 50]
    flight = int(((along >= far) & (along < far + length)).sum())
    return flight / max(point, 1)


def _covered_px(end: Floats, direction: Floats, scene: Scene) -> float:
    """How far past the visible end of a line an earlier dart stands before it or close beside it."""
    if scene.covered is None:
        return 0.0
    steps = np.arange(0.0, _FAR_MM, _BEYOND_MM) * scene.px_per_mm
    beside = np.array([-1.0, 0.0, 1.0]) * _BESIDE_MM * scene.px_per_mm
    normal = np.array([-direction[1], direction[0]])
    grid = end + steps[:, None, None] * direction + beside[None, :, None] * normal
    hidden: NDArray[np.bool_] = np.logical_or.reduce(
        scene.covered(grid.reshape(-1, 2)).reshape(len(steps), -1), axis=1
    )
    if not hidden[:3].any():
        return 0.0
    free = np.flatnonzero(~hidden[2:])
    return float(steps[2 + free[0]] if len(free) else steps[-1])


def _end(rows: Floats, least: float, gap: float) -> float:
    """Where the run of rows that begins at the last row of the line ends, gaps shorter than this bridged."""
    beyond = rows[rows >= least - gap]
    if not len(beyond):
        return least
    gaps = np.flatnonzero(np.diff(beyond) > gap)
    return float(beyond[gaps[0]] if len(gaps) else beyond[-1])
