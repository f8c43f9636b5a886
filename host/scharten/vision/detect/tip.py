"""Where a dart's point is on its line, by one camera: what is new there, row by row, and where shadows meet the line.

A row is solid, only darker, or not new. A solid row is the dart. A darker one is its shadow, or a part of the dart
that looks like a shadow, mostly the point on a bright bed. The rows are a chain of five hidden states; the dart ends
where the chain leaves the first three.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS
from scharten.vision.detect.ends import LONE_SOLID, bell, by_end
from scharten.vision.detect.fuse import SeenDart, bed_indices, dart_over
from scharten.vision.detect.meeting import Meeting
from scharten.vision.detect.sighting import Sighting, line_spread
from scharten.vision.model import Floats, Points, transform

_NOTHING, _DARKER, _SOLID = 0, 1, 2
_DART = 3  # the first states are the dart's: seen, as dark as the board, like a shadow; then bare board, and shadow
# How often each state (row) becomes another (column), per mm. A shadow mostly begins at the point.
_CHANGES = np.array(
    [
        [0.0, 0.02, 0.014, 0.001, 0.004],
        [0.17, 0.0, 0.065, 0.014, 0.003],
        [0.13, 0.05, 0.0, 0.001, 0.03],
        [0.0, 0.0, 0.0, 0.0, 0.003],
        [0.0, 0.0, 0.0, 0.2, 0.0],
    ]
)
# How often a row shows nothing, something darker, or something solid, by state.
_SHOWS = np.array(
    [[0.003, 0.003, 0.994], [0.98, 0.01, 0.01], [0.01, 0.92, 0.07], [0.997, 0.002, 0.001], [0.01, 0.88, 0.11]]
)
_FIRST = np.array([0.9, 0.05, 0.05, 0.0, 0.0])  # chances of the state of the first row
_ROW_MM, _ON_MM = 0.5, 1.6  # least length and half width of a row
_BEFORE_MM, _BEYOND_MM = 200.0, 70.0  # the rows lie this far before and beyond the visible end
_BLUR_MM, _BLUR_PX = 1.2, 0.8  # standard deviations of an end
_MISTAKEN, _FAR_MM = 0.05, 10.0  # how often the chain is wrong, and by how much on average
_END = 0.5  # the weight of the visible end beside the chain, since the same picture gives both
_MISMET, _MISMET_MM, _ANYWHERE_MM = 0.3, 14.0, 200.0  # how often a meeting is wrong, by how much, over what
_MET, _MET_MM = 1.4, 0.5  # factor of a meeting's standard deviation, and what is added to that (as squares)
_MEETS = 2.5  # a meeting confirms an end that is nearer than this, in standard deviations,
_CLEAR_MM = 2.0  # if its own is less than this
_STEP_MM = 0.5  # between places along the line
_SIDES = np.linspace(-3.0, 3.0, 9)  # standard deviations across the line
_DENSE_MM = 6.0  # at the end of the solid part, half of this length is solid
_ATTACHED_MM = 3.0  # the widest gap in what is attached to that end
_POINT_MM = 36.0  # the longest point
_SPECKS_MM = 60.0  # solid specks farther than this are something else
_SLACK_MM = 1.0  # added to the range of ends at both sides


@dataclass(frozen=True)
class Tip:
    """The dart by where its point is; `one_bed`: whether every end that it may have is in the dart's bed.

    `met`: whether a shadow begins at the point; None if no shadow meets the line clearly.
    """

    dart: SeenDart
    one_bed: bool
    met: bool | None


def find_tip(
    sighting: Sighting,
    pixels: Points,
    solid: NDArray[np.bool_],
    far_px: float,
    meetings: tuple[Meeting, ...] = (),
) -> Tip | None:
    """Find the point of a dart on its line among new straight pixels (n, 2), some of them more than a shadow."""
    start, step, kinds = _rows(sighting, pixels, solid, far_px)
    span = _span(start, step, kinds, sighting.shaft.tip_px / sighting.shaft.px_per_mm)
    if span is None:
        return None
    ends = start + step * np.arange(len(kinds) + 1)
    along = np.arange(ends[0], ends[-1], _STEP_MM)
    away = along[:, None] - ends
    blur = math.hypot(_BLUR_MM, _BLUR_PX / sighting.shaft.px_per_mm)
    near = np.exp(-((away / blur) ** 2) / 2) / (blur * math.sqrt(math.tau))
    mistaken = np.exp(-np.abs(away) / _FAR_MM) / (2 * _FAR_MM)
    chances = (near + _MISTAKEN * mistaken) @ _end_chances(kinds, step)
    for meeting in meetings:
        chances *= _met(along, meeting)
    return _weigh(sighting, along, chances, span, meetings)


def _deviation(meeting: Meeting) -> float:
    return math.hypot(meeting.sigma_mm, _MET_MM)


def _met(along: Floats, meeting: Meeting) -> Floats:
    """Return how likely the shadow meets the line where it does, for a point at each of these places (mm)."""
    off = along - meeting.at_mm
    wrong = np.exp(-np.abs(off) / _MISMET_MM) / (2 * _MISMET_MM) + 1 / _ANYWHERE_MM
    right = bell(off, np.asarray(_MET * _deviation(meeting)))
    return np.asarray((1 - _MISMET) * right + _MISMET * wrong)


def _weigh(
    sighting: Sighting,
    along: Floats,
    chances: Floats,
    span: tuple[float, float],
    meetings: tuple[Meeting, ...],
) -> Tip | None:
    """Return the dart by the chances of the places along its line (mm from the line's point)."""
    shaft = sighting.shaft
    px, middle = along * shaft.px_per_mm, len(_SIDES) // 2
    at, ahead = _places(sighting, px)
    line = shaft.point + px[:, None] * np.array(shaft.direction)
    chances = chances * by_end(shaft, px - shaft.tip_px, lambda: sighting.shine(line), LONE_SOLID) ** _END
    mass = chances[:, None] * np.exp(-(_SIDES**2) / 2) * ahead
    if mass.sum() <= 0:
        return None
    dart = dart_over(at[ahead], mass[ahead])
    inside = (along > span[0] - _SLACK_MM) & (along < span[1] + _SLACK_MM)
    one_bed = bool((bed_indices(at[inside, middle]) == ALL_BEDS.index(dart.bed)).all())
    end = along[int(chances.argmax())]
    clear = [meeting for meeting in meetings if meeting.sigma_mm < _CLEAR_MM]
    met = any(abs(meeting.at_mm - end) < _MEETS * _deviation(meeting) for meeting in clear)
    return Tip(dart, one_bed, met if clear else None)


def _places(sighting: Sighting, px: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """Places on the board (n, sides, 2) along a line and beside it, and whether they lie before the camera."""
    shaft = sighting.shaft
    direction = np.array(shaft.direction)
    normal = np.array([-direction[1], direction[0]])
    across = _SIDES * line_spread(shaft, px)[:, None]
    seen = shaft.point + px[:, None, None] * direction + across[:, :, None] * normal
    back = np.linalg.inv(sighting.homography)
    depth = seen @ back[2, :2] + back[2, 2]
    ahead = depth * (back[2] @ [*shaft.point, 1.0]) > 0
    return transform(back, seen.reshape(-1, 2)).reshape(seen.shape), ahead


def _rows(
    sighting: Sighting, pixels: Points, solid: NDArray[np.bool_], far_px: float
) -> tuple[float, float, NDArray[np.intp]]:
    """Return where the rows along a line begin, their length (mm), and what each of them shows."""
    shaft = sighting.shaft
    mm, direction = shaft.px_per_mm, np.array(shaft.direction)
    step, tip = max(1 / mm, _ROW_MM), shaft.tip_px / mm
    start = max(far_px / mm, tip - _BEFORE_MM)
    count = max(int((tip + _BEYOND_MM - start) / step), 1)
    off = (pixels - shaft.point) / mm
    row = np.floor((off @ direction - start) / step).astype(np.intp)
    on = np.abs(off @ np.array([-direction[1], direction[0]])) < max(_ON_MM, 0.8 / mm)
    on &= (row >= 0) & (row < count)
    new = np.bincount(row[on], minlength=count)
    of_dart = np.bincount(row[on & solid], minlength=count)
    return start, step, np.where(new == 0, _NOTHING, np.where(2 * of_dart < new, _DARKER, _SOLID))


def _end_chances(kinds: NDArray[np.intp], step: float) -> Floats:
    """Return how likely the dart ends before each row, and after the last one, by all rows (forward and back)."""
    changes = 1 - np.exp(-_CHANGES * step)
    np.fill_diagonal(changes, 1 - changes.sum(axis=1))
    shows = _SHOWS.T[kinds]
    forward, back = np.empty_like(shows), np.ones_like(shows)
    scale = np.empty(len(kinds))
    state = _FIRST
    for row, shown in enumerate(shows):
        state = (state @ changes if row else state) * shown
        scale[row] = state.sum()
        forward[row] = state = state / scale[row]
    for row in range(len(kinds) - 2, -1, -1):
        back[row] = changes @ (shows[row + 1] * back[row + 1]) / scale[row + 1]
    left = (forward[:-1, :_DART] @ changes[:_DART, _DART:]) * (shows * back)[1:, _DART:]
    return np.concatenate([[0.0], left.sum(axis=1) / scale[1:], [forward[-1, :_DART].sum()]])


def _span(start: float, step: float, kinds: NDArray[np.intp], tip: float) -> tuple[float, float] | None:
    """Return the nearest and the farthest end that the dart may have, in mm along its line.

    It ends with the solid part, with what is attached to that and no longer than a point, or with specks beyond.
    """
    solid = (kinds == _SOLID).astype(np.float64)
    window = max(1, round(_DENSE_MM / step))
    dense = np.flatnonzero(
        (np.convolve(solid, np.full(window, 1 / window))[: len(solid)] >= 0.5) & (solid > 0)
    )
    if not len(dense):
        return None
    first = start + (dense[-1] + 1) * step
    far = first
    for end in start + (np.flatnonzero(kinds != _NOTHING) + 1) * step:
        if end > far:
            if end - step - far > _ATTACHED_MM:
                break
            far = float(end)
    return first, max(min(far, first + _POINT_MM), min(tip, first + _SPECKS_MM))
