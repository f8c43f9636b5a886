"""Where a dart's shadows meet its line, by one camera: at its point, which may itself be too thin or too dark to see.

Each lamp gives a shadow of its own. On the board all of them are straight and begin where the point is.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import Floats, Points, transform

_MOST = 4
"""Shadows that are looked for: further ones are faint."""
_BESIDE_MM = 3.0  # what is nearer to the dart's line may be the dart itself
_MOST_PIXELS, _TRIES, _LEAST_PIXELS = 600, 500, 10
_BEFORE_MM, _BEYOND_MM = 70.0, 40.0  # of the line, around its visible end: here the point is looked for
_PAIR_MM = 8.0  # two places that are nearer give no direction
_LEAST_SIN, _FLATTEST_SIN = 0.17, 0.1  # of the angle with the dart's line, at first and when fitted
_HALF_MM, _LONGEST_MM = 2.0, 130.0  # half width and length of a shadow
_LEAST_MM2 = 40.0  # of a shadow
_FITTED_MM, _ROUNDS = 100.0, 3  # so much of a shadow, from the point, is fitted
_WIDTH_MM = 2.5  # half of the width that is fitted
_CORRELATION_MM = 4.0  # places this near each other err together
_TAKEN_MM, _BEHIND_MM, _REST_MM = 4.0, 5.0, 20.0  # beside, before and after a shadow, what belongs to it


@dataclass(frozen=True)
class Meeting:
    """Where a shadow meets a dart's line, in mm from the line's point, and the standard deviation of that."""

    at_mm: float
    sigma_mm: float


class _Line(NamedTuple):
    """The dart's line over the board: where it begins, its direction, and its length (mm)."""

    start: Floats
    direction: Floats
    length: float


class _Ray(NamedTuple):
    """A shadow on the board: the place on the dart's line where it begins, and its direction."""

    start: Floats
    direction: Floats


def find_meetings(sighting: Sighting, shaded: Points) -> tuple[Meeting, ...]:
    """Find where the shadows among new straight pixels (n, 2), none of the dart, meet its line; the clearest first."""
    line, (at, pixel_mm2) = _over_board(sighting), _places(sighting, shaded)
    if line is None:
        return ()
    chance, found = np.random.default_rng(0), []
    for _ in range(_MOST):
        ray = _likeliest(at, line, _LEAST_MM2 / pixel_mm2, chance)
        if ray is None:
            break
        fitted = _fit(at, line, ray)
        if fitted is not None:
            ray, sigma_mm = fitted
            found.append(_seen(sighting, ray.start, line.direction, sigma_mm))
        along, across = _along_and_across(at, ray)
        taken = (np.abs(across) < _TAKEN_MM) & (along > -_BEHIND_MM) & (along < _LONGEST_MM + _REST_MM)
        at = at[~taken]
    return tuple(found)


def _places(sighting: Sighting, shaded: Points) -> tuple[Points, float]:
    """Return some of the pixels beside a line as places on the board, and the area (mm²) that each stands for."""
    shaft, back = sighting.shaft, np.linalg.inv(sighting.homography)
    point, direction = np.array(shaft.point), np.array(shaft.direction)
    across = (shaded - point) @ np.array([-direction[1], direction[0]])
    beside = shaded[np.abs(across) > _BESIDE_MM * shaft.px_per_mm]
    if not len(beside):
        return beside, 1.0
    few = beside[:: -(-len(beside) // _MOST_PIXELS)]
    pixel = point + shaft.tip_px * direction + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    corner = transform(back, pixel)
    area = abs(float(np.linalg.det(corner[1:] - corner[0])))
    return transform(back, few), area * len(beside) / len(few)


def _seen(sighting: Sighting, at: Floats, direction: Floats, sigma_mm: float) -> Meeting:
    """Return a place on the board and its deviation along the dart's line as they are seen on that line."""
    shaft = sighting.shaft
    seen = transform(sighting.homography, np.array([at, at + direction]))
    place = float((seen[0] - shaft.point) @ np.array(shaft.direction)) / shaft.px_per_mm
    return Meeting(place, sigma_mm * math.hypot(*(seen[1] - seen[0])) / shaft.px_per_mm)


def _over_board(sighting: Sighting) -> _Line | None:
    """Return the part of the board that the dart's line covers around its visible end."""
    shaft, back = sighting.shaft, np.linalg.inv(sighting.homography)
    reach = shaft.tip_px + shaft.px_per_mm * np.array([[-_BEFORE_MM], [_BEYOND_MM]])
    ends = shaft.point + reach * np.array(shaft.direction)
    depth = ends @ back[2, :2] + back[2, 2]
    if depth[0] * depth[1] <= 0:  # it passes the horizon of the board
        return None
    start, end = transform(back, ends)
    length = math.hypot(*(end - start))
    return _Line(start, (end - start) / length, length)


def _along_and_across(at: Points, ray: _Ray) -> tuple[Floats, Floats]:
    """Return how far places (n, 2) lie along a ray, and beside it; mm."""
    off, (x, y) = at - ray.start, ray.direction
    return off @ ray.direction, off @ np.array([-y, x])


def _crossing(line: _Line, at: Points, direction: Points) -> tuple[Floats, Floats]:
    """Return where lines (n, 2) through places meet the dart's line, in mm from its start, and the angles' sines."""
    off, (x, y) = at - line.start, line.direction
    sine = x * direction[:, 1] - y * direction[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        return (off[:, 0] * direction[:, 1] - off[:, 1] * direction[:, 0]) / sine, sine


def _likeliest(at: Points, line: _Line, least: float, chance: np.random.Generator) -> _Ray | None:
    """Return the ray from the dart's line that most pixels lie on, few behind its start; None if not `least`."""
    if len(at) < _LEAST_PIXELS:
        return None
    first, second = at[chance.integers(len(at), size=(2, _TRIES))]
    apart = np.hypot(*(second - first).T)
    first, second, apart = (v[apart > _PAIR_MM] for v in (first, second, apart))
    direction = (second - first) / apart[:, None]
    place, sine = _crossing(line, first, direction)
    good = (np.abs(sine) > _LEAST_SIN) & (place > 0) & (place < line.length)
    if not good.any():
        return None
    direction = direction[good]
    start = line.start + place[good, None] * line.direction
    off = at[None] - start[:, None]
    along = np.einsum("kni,ki->kn", off, direction)
    across = off[..., 1] * direction[:, None, 0] - off[..., 0] * direction[:, None, 1]
    near = (np.abs(across) < _HALF_MM) & (np.abs(along) < _LONGEST_MM)
    ahead, behind = (near & (along > 0)).sum(axis=1), (near & (along < 0)).sum(axis=1)
    score = np.maximum(ahead, behind) - 2 * np.minimum(ahead, behind)
    best = int(score.argmax())
    if score[best] < least:
        return None
    return _Ray(start[best], direction[best] if ahead[best] > behind[best] else -direction[best])


def _fit(at: Points, line: _Line, ray: _Ray) -> tuple[_Ray, float] | None:
    """Return the ray through the middle of its shadow, and the standard deviation of its start along the line (mm)."""
    middle, values, sine = ray.start, np.ones(2), 1.0
    for _ in range(_ROUNDS):
        along, across = _along_and_across(at, ray)
        on = at[(np.abs(across) < _WIDTH_MM) & (along > 0) & (along < _FITTED_MM)]
        if len(on) < _LEAST_PIXELS:
            return None
        middle = on.mean(axis=0)
        values, vectors = np.linalg.eigh(np.cov((on - middle).T))
        direction = vectors[:, 1] if vectors[:, 1] @ ray.direction > 0 else -vectors[:, 1]
        (place,), (sine,) = _crossing(line, middle[None], direction[None])
        if abs(sine) < _FLATTEST_SIN:
            return None
        ray = _Ray(line.start + place * line.direction, direction)
    length = math.sqrt(12 * values[1])
    deviation = math.sqrt(max(values[0], 0.01) / max(length / _CORRELATION_MM, 1.0))
    away = math.hypot(*(middle - ray.start))
    return ray, deviation * math.hypot(1.0, math.sqrt(12) * away / length) / abs(float(sine))
