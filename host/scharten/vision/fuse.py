"""From the lines of one to three cameras to millimetres, and to a probability for every bed.

Each camera says two things of the place X on the board: its picture lies near the dart's line (precisely) and near
where the dart's visible part ends (roughly). Both are mixtures with a chance of being wrong altogether, so that one
camera that saw something else loses its say. The probability of a bed is the mass of their product over it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.dartboard.locate import BOARD_RADIUS, WIRE_RADII, bed_at, wire_distance
from scharten.vision.model import Floats, Points, transform
from scharten.vision.shaft import Shaft

_LINE_FLOOR_PX = 0.6  # calibration and the shape of darts: no line is surer than this
_BIASED, _BIAS = (
    0.1,
    5.0,
)  # a shadow or another dart beside it bends a line so often, by so many times its spread
_WRONG = 0.03  # how often a camera's line is not the dart's
_ELSEWHERE_PX = 300.0  # over which a wrong line may lie
_TIP_PX = 3.0  # the visible end beside the true point ...
_TIP_HIDDEN = 0.15  # ... but as often something hides it, or it is as dark as the bed,
_TIP_SHADOW, _SHADOW_PX = 0.1, 40.0  # a shadow may run on in the line of the dart, by so much;
_TIP_COVERED = 0.8  # surely so where another dart stands before it;
_HIDDEN_PX = 15.0  # and then the point lies this much further on, on average
_LATER = 1.0  # what the log-likelihood of a later line is less
_FARTHEST_MM = 1.3 * BOARD_RADIUS
_GRID = 27
_REACH = 4.0  # standard deviations to each side
_STEPS = 8


@dataclass(frozen=True)
class Sighting:
    """A dart's line in one camera, with that camera's homography from board mm to straight pixels."""

    shaft: Shaft
    homography: Floats


@dataclass(frozen=True)
class Dart:
    """A dart on the board: where, in which bed with what probability, and what else it may be."""

    x_mm: float
    y_mm: float
    bed: Bed
    confidence: float
    second: Bed
    wire_mm: float
    cameras: int  # how many cameras' lines agree with it
    spread_mm: float  # standard deviation along the worst direction


def _residuals(sighting: Sighting, at: Points) -> tuple[Floats, Floats, Floats]:
    """For places on the board: distance across the line, its standard deviation, distance beyond the tip; px."""
    shaft = sighting.shaft
    off = transform(sighting.homography, at) - shaft.point
    direction = np.array(shaft.direction)
    along = off @ direction
    across = off @ np.array([-direction[1], direction[0]])
    sigma = np.sqrt(_LINE_FLOOR_PX**2 + shaft.offset_px**2 + (shaft.angle_rad * along) ** 2)
    beyond = along - shaft.tip_px
    return across, sigma, beyond


def _bell(value: Floats, sigma: Floats) -> Floats:
    return np.asarray(np.exp(-((value / sigma) ** 2) / 2) / (sigma * math.sqrt(math.tau)))


def _likelihood(sighting: Sighting, at: Points) -> Floats:
    """Log-likelihood of the dart being at each place, by one camera."""
    across, sigma, beyond = _residuals(sighting, at)
    line = (1 - _BIASED) * _bell(across, sigma) + _BIASED * _bell(across, _BIAS * sigma)
    tip = _tip(sighting.shaft, beyond)
    return np.asarray(np.log((1 - _WRONG) * line * tip + _WRONG / _ELSEWHERE_PX**2))


def _tip(shaft: Shaft, beyond: Floats) -> Floats:
    """How likely the point lies so many pixels beyond the visible end of the dart."""
    near = _bell(beyond, np.array(_TIP_PX))
    dark = np.where(beyond > 0, np.exp(-np.maximum(beyond, 0) / _HIDDEN_PX), 0.0) / _HIDDEN_PX
    shadow = np.where(beyond < 0, np.exp(np.minimum(beyond, 0) / _SHADOW_PX), 0.0) / _SHADOW_PX
    shown = (1 - _TIP_HIDDEN - _TIP_SHADOW) * near + _TIP_HIDDEN * dark + _TIP_SHADOW * shadow + 1e-6
    if shaft.covered_px <= 0:
        return np.asarray(shown)
    length = shaft.covered_px + 4 * _TIP_PX
    behind = ((beyond > -2 * _TIP_PX) & (beyond < length - 2 * _TIP_PX)) / length
    return np.asarray((1 - _TIP_COVERED) * shown + _TIP_COVERED * behind)


def _start(sightings: tuple[Sighting, ...]) -> Floats | None:
    """Where the lines cross on the board; of one line, where its visible part ends."""
    if len(sightings) == 1:
        only = sightings[0]
        return np.asarray(
            transform(
                np.linalg.inv(only.homography),
                (np.array(only.shaft.point) + only.shaft.tip_px * np.array(only.shaft.direction))[None],
            )[0]
        )
    rows, right = [], []
    for s in sightings:
        normal = np.array([-s.shaft.direction[1], s.shaft.direction[0]])
        line = s.homography.T @ np.append(normal, -normal @ np.array(s.shaft.point))
        size = math.hypot(line[0], line[1])
        rows.append(line[:2] / size)
        right.append(-line[2] / size)
    matrix = np.array(rows)
    if np.linalg.svd(matrix, compute_uv=False)[-1] < 0.05:
        return None
    return np.asarray(np.linalg.lstsq(matrix, np.array(right), rcond=None)[0])


def _loose(beyond: float) -> float:
    """How loosely the visible end holds the place, by how far it already is from there."""
    if abs(beyond) < 2 * _TIP_PX:
        return 2 * _TIP_PX
    return _HIDDEN_PX + abs(beyond) if beyond > 0 else _SHADOW_PX - beyond


def _gauss_newton(sightings: tuple[Sighting, ...], at: Floats) -> tuple[Floats, Floats]:
    """The most likely place near `at` and its covariance in mm², lines weighted by their spread and tips loosely."""
    information = np.eye(2) / 200.0**2
    for _ in range(_STEPS):
        information, push = np.eye(2) / 200.0**2, np.zeros(2)
        probes = at + np.array([[0, 0], [0.5, 0], [0, 0.5]])
        for sighting in sightings:
            across, sigma, beyond = _residuals(sighting, probes)
            for value, spread in ((across, sigma[0]), (beyond, _loose(float(beyond[0])))):
                slope = (value[1:] - value[0]) / 0.5
                information = information + np.outer(slope, slope) / spread**2
                push = push - slope * value[0] / spread**2
        step = np.linalg.solve(information, push)
        at = at + step * min(1.0, 60.0 / max(float(np.hypot(*step)), 1e-9))
        if float(np.hypot(*step)) < 1e-3:
            break
    return at, np.linalg.inv(information)


def fuse_agreeing(candidates: tuple[tuple[Sighting, ...], ...]) -> Dart | None:
    """The dart where every camera's first line meets the others', or None where they do not."""
    firsts = tuple(lines[0] for lines in candidates if lines)
    placed = _place(firsts)
    if placed is None or not all(_agrees(s, placed[0]) for s in firsts):
        return None
    return _weigh(candidates, firsts, *placed)


def fuse(candidates: tuple[tuple[Sighting, ...], ...]) -> Dart | None:
    """The dart that the cameras' candidate lines (a tuple per camera, best first) explain best, or None.

    Wherever two lines meet and wherever one ends is tried; the lines that agree with the likeliest place are kept.
    """
    tries: list[tuple[Sighting, ...]] = [(line,) for lines in candidates for line in lines]
    pairs = [pair for lines, others in combinations(candidates, 2) for pair in product(lines, others)]
    starts = [(chosen, _start(chosen)) for chosen in (*tries, *pairs)]
    near = [(chosen, at) for chosen, at in starts if at is not None and math.hypot(*at) < _FARTHEST_MM]
    if not near:
        return None
    places = np.array([at for _, at in near])
    score = np.sum([_support(lines, places) for lines in candidates if lines], axis=0)
    first, at = near[int(score.argmax())]
    chosen = tuple(line for lines in candidates for line in _best_of(lines, at))
    for lines in (chosen, first):
        placed = _place(lines)
        if placed is not None:
            return _weigh(candidates, lines, *placed)
    return None


def _best_of(lines: tuple[Sighting, ...], at: Floats) -> tuple[Sighting, ...]:
    """The camera's line that the place is likeliest by, if it agrees."""
    ranked = sorted(lines, key=lambda line: -float(_likelihood(line, at[None])[0]))
    return tuple(line for line in ranked[:1] if _agrees(line, at))


def _support(lines: tuple[Sighting, ...], places: Points) -> Floats:
    """How well one camera agrees with each place: by the best of its lines, later ones counting a little less."""
    each = [_likelihood(line, places) - _LATER * rank for rank, line in enumerate(lines)]
    return np.asarray(np.max(each, axis=0))


def _place(chosen: tuple[Sighting, ...]) -> tuple[Floats, Floats] | None:
    """Where some lines meet and its covariance, or None where that is nowhere near the board."""
    start = _start(chosen) if chosen else None
    if start is None or math.hypot(*start) > 3 * BOARD_RADIUS:
        return None
    at, covariance = _gauss_newton(chosen, start)
    return (at, covariance) if math.hypot(*at) < _FARTHEST_MM else None


def _weigh(
    candidates: tuple[tuple[Sighting, ...], ...],
    chosen: tuple[Sighting, ...],
    at: Floats,
    covariance: Floats,
) -> Dart:
    """Probabilities of beds over a grid that covers the place and what surrounds it."""
    values, vectors = np.linalg.eigh(covariance)
    reach = _REACH * np.sqrt(np.clip(values, 0.3**2, 40.0**2))
    steps = np.linspace(-1, 1, _GRID)
    u, v = np.meshgrid(steps * reach[0], steps * reach[1])
    grid = at + np.column_stack([u.ravel(), v.ravel()]) @ vectors.T
    log = sum((_likelihood(s, grid) for s in chosen), np.zeros(len(grid)))
    mass = np.exp(log - log.max())
    mass /= mass.sum()
    beds = bed_indices(grid)
    share = np.bincount(beds, weights=mass, minlength=len(ALL_BEDS))
    first, second = (int(i) for i in np.argsort(-share)[:2])
    mean = mass @ grid
    if str(bed_at(*mean)) != str(ALL_BEDS[first]):
        inside = beds == first
        mean = (mass[inside] @ grid[inside]) / mass[inside].sum()
    x, y = float(mean[0]), float(mean[1])
    agree = sum(any(_agrees(s, mean) for s in lines) for lines in candidates)
    spread = math.sqrt(float(mass @ ((grid - mass @ grid) ** 2).sum(axis=1)))
    other = ALL_BEDS[second] if share[second] > 0 else _nearest_other(x, y)
    return Dart(x, y, ALL_BEDS[first], float(share[first]), other, wire_distance(x, y), agree, spread)


def _nearest_other(x: float, y: float) -> Bed:
    """The bed just across the nearest wire."""
    angle = np.linspace(0, math.tau, 64, endpoint=False)
    around = (wire_distance(x, y) + 0.5) * np.column_stack([np.sin(angle), np.cos(angle)]) + [x, y]
    own = bed_indices(np.array([[x, y]]))[0]
    others = bed_indices(around)
    others = others[others != own]
    return ALL_BEDS[int(others[0])] if len(others) else ALL_BEDS[int(own)]


def _agrees(sighting: Sighting, at: Floats) -> bool:
    """Whether the place lies on the line, and not far short of where the dart's visible part ends."""
    across, sigma, beyond = _residuals(sighting, at[None])
    return bool(
        abs(across[0]) < 4 * sigma[0]
        and -3 * _SHADOW_PX < beyond[0] < 4 * _HIDDEN_PX + sighting.shaft.covered_px
    )


def bed_indices(at: Points) -> NDArray[np.intp]:
    """For places (n, 2) in mm the index into ALL_BEDS of the bed there."""
    radius = np.hypot(at[:, 0], at[:, 1])
    ring = np.searchsorted(np.array(WIRE_RADII), radius, side="right")  # bull, 25, L, T, F, D, off
    sector = np.floor((np.degrees(np.arctan2(at[:, 0], at[:, 1])) % 360 + 9) / 18).astype(np.intp) % 20
    depth = np.clip(5 - ring, 0, 3)
    return np.asarray(
        np.where(ring == 0, 81, np.where(ring == 1, 80, np.where(ring == 6, 82, depth * 20 + sector)))
    )
