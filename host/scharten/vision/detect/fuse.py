"""From the lines of one to three cameras to millimetres, and to a probability for every bed.

Each camera constrains the place X on the board twice: its picture lies near the dart's line (precisely) and near
where the dart's visible part ends (roughly). Both are mixtures with a chance of being wrong altogether, so that one
camera that saw something else loses its say. The probability of a bed is the mass of their product over it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, MISS, Bed, Beds, neighbours
from scharten.dartboard.locate import BOARD_RADIUS, DOUBLE_OUTER_RADIUS, WIRE_RADII, bed_at, wire_distance
from scharten.vision.detect.ends import ENDS, HIDDEN_MM, LONE_COVERED, LONE_ENDS, Ends, bell, by_end, loose
from scharten.vision.detect.shaft import Shaft
from scharten.vision.detect.sighting import Sighting, agrees, line_spread, residuals
from scharten.vision.model import Floats, Points, transform

_BIASED, _BIAS = (
    0.1,
    5.0,
)  # how often a shadow or a dart beside it bends a line, and by how many times its spread
_WRONG = 0.03  # how often a camera's line is not the dart's
_WRONG_LONE = 0.04  # and a lone one, which no other camera corrects,
_WRONG_COVERED = 0.1  # where an earlier dart covers its end
_WRONG_THIN = 0.08  # where its far end, the flight, is no wider than usual: as likely a shaft is hidden
_WRONG_ENDS = 0.15  # where its ends may be exchanged, it points at the camera, or it ends off the board
_FLIGHT, _CLEAR_FLIGHT = 0.9, 1.5  # times as wide as the point's end
_SIDE_MM = 40.0  # a dart of which less is seen points at the camera
_ELSEWHERE_MM = 190.0  # over which a wrong line may lie
_LATER = 1.0  # what the log-likelihood of a later line is less
_APART_MM = 12.0  # places farther apart than this are not one dart's
FARTHEST_MM = 1.3 * BOARD_RADIUS
"""Distance from the bull beyond which nothing is a dart in the board or beside it."""
_GRID = 27
_ALONG_MM, _ACROSS = 1.0, 11  # the grid along a single line
_REACH = 4.0  # standard deviations to each side
_STEPS = 8
LEAST = 0.01
"""A bed that is less probable than this is not named."""
_AROUND_MM = 25.0  # a dart that other darts hide or confuse is this near to where it seems to be
_DISC = np.array(
    [(x, y) for x in np.linspace(-1, 1, 41) for y in np.linspace(-1, 1, 41) if x * x + y * y < 1]
)
_PROBE_MM = 0.5
_PROBES = _PROBE_MM * np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@dataclass(frozen=True)
class SeenDart:
    """A dart on the board: its place, and its beds with their probabilities."""

    x_mm: float
    y_mm: float
    beds: Beds
    second: Bed  # what it is most likely in if not in the likeliest, however unlikely
    wire_mm: float
    cameras: int  # how many cameras' lines agree with it
    spread_mm: float  # two times out of three it is this near to the place

    @property
    def bed(self) -> Bed:
        """The likeliest bed."""
        return self.beds[0][0]

    @property
    def confidence(self) -> float:
        """Its probability."""
        return self.beds[0][1]


def posterior(dart: SeenDart | None, confidence: float) -> Beds:
    """Lower the probability of a dart's bed; the loss goes to the beds around it, by their area.

    Of something new that no dart was made out in (None): the surround, and every bed of the board by its area.
    """
    if dart is not None and confidence >= dart.confidence:
        return dart.beds
    best, at = (dart.bed, np.array([dart.x_mm, dart.y_mm])) if dart else (MISS, np.zeros(2))
    grid = at + (_AROUND_MM if dart else DOUBLE_OUTER_RADIUS) * _DISC
    area = np.bincount(bed_indices(grid), minlength=len(ALL_BEDS)).astype(np.float64)
    area[ALL_BEDS.index(best)] = 0.0
    known = dict(dart.beds) if dart else {best: 1.0}
    lost = (known.pop(best) - confidence) / max(area.sum(), 1.0)
    likely = {
        bed: known.get(bed, 0.0) + lost * float(area[i]) for i, bed in enumerate(ALL_BEDS) if bed != best
    }
    return _ranked(best, confidence, likely)


def _ranked(best: Bed, confidence: float, others: Mapping[Bed, float]) -> Beds:
    """Return the best bed first, then those that are likely enough to be named."""
    named = [(bed, min(share, confidence)) for bed, share in others.items() if share > LEAST]
    return ((best, confidence), *sorted(named, key=lambda pair: -pair[1]))


def _likelihood(sighting: Sighting, at: Points, ends: Ends = ENDS) -> Floats:
    """Log-likelihood of the dart being at each place, by one camera."""
    across, sigma, beyond = residuals(sighting, at)
    line = (1 - _BIASED) * bell(across, sigma) + _BIASED * bell(across, _BIAS * sigma)
    tip = by_end(sighting.shaft, beyond, lambda: sighting.shine(transform(sighting.homography, at)), ends)
    return np.asarray(
        np.log((1 - _WRONG) * line * tip + _WRONG / (_ELSEWHERE_MM * sighting.shaft.px_per_mm) ** 2)
    )


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


def _gauss_newton(sightings: tuple[Sighting, ...], at: Floats) -> tuple[Floats, Floats]:
    """The most likely place near `at` and its covariance in mm², lines weighted by their spread and tips loosely."""
    shafts = [s.shaft for s in sightings]
    maps = np.stack([s.homography for s in sightings])
    points, directions = (np.array(v) for v in ([s.point for s in shafts], [s.direction for s in shafts]))
    normals = np.stack([-directions[:, 1], directions[:, 0]], axis=1)
    tips = np.array([s.tip_px for s in shafts])
    information = np.eye(2) / 200.0**2
    for _ in range(_STEPS):
        probes = np.column_stack([at + _PROBES, np.ones(3)])
        seen = probes @ maps.transpose(0, 2, 1)  # (sightings, 3, 3)
        off = seen[:, :, :2] / seen[:, :, 2:] - points[:, None]
        along, across = (off @ v[:, :, None] for v in (directions, normals))
        beyond = along[:, :, 0] - tips[:, None]
        sigma = np.array([line_spread(shaft, line[0, 0]) for shaft, line in zip(shafts, along, strict=True)])
        slack = np.array([loose(float(v), s.px_per_mm) for v, s in zip(beyond[:, 0], shafts, strict=True)])
        value = np.concatenate([across[:, :, 0], beyond]) / np.concatenate([sigma, slack])[:, None]
        slope = (value[:, 1:] - value[:, :1]) / _PROBE_MM
        information = slope.T @ slope + np.eye(2) / 200.0**2
        step = np.linalg.solve(information, -slope.T @ value[:, 0])
        at = at + step * min(1.0, 60.0 / max(float(np.hypot(*step)), 1e-9))
        if float(np.hypot(*step)) < 1e-3:
            break
    return at, np.linalg.inv(information)


def fuse_agreeing(candidates: tuple[tuple[Sighting, ...], ...]) -> SeenDart | None:
    """The dart where every camera's first line meets the others', or None where they do not."""
    firsts = tuple(lines[0] for lines in candidates if lines)
    placed = _place(firsts)
    if placed is None or not all(agrees(s, placed[0]) for s in firsts):
        return None
    return _weigh(candidates, firsts, *placed)


def fuse(candidates: tuple[tuple[Sighting, ...], ...]) -> SeenDart | None:
    """The dart that the cameras' candidate lines (a tuple per camera, best first) explain best, or None.

    Wherever two lines meet and wherever one ends is tried; the lines that agree with the likeliest place are kept.
    """
    tries: list[tuple[Sighting, ...]] = [(line,) for lines in candidates for line in lines]
    pairs = [pair for lines, others in combinations(candidates, 2) for pair in product(lines, others)]
    starts = [(chosen, _start(chosen)) for chosen in (*tries, *pairs)]
    near = [(chosen, at) for chosen, at in starts if at is not None and math.hypot(*at) < FARTHEST_MM]
    if not near:
        return None
    places = np.array([at for _, at in near])
    score = _score(candidates, places)
    first, at = near[int(score.argmax())]
    chosen = tuple(line for lines in candidates for line in _best_of(lines, at))
    for lines in (chosen, first):
        placed = _place(lines)
        if placed is not None:
            dart = _weigh(candidates, lines, *placed)
            return _beside_rival(candidates, places, score, dart)
    return None


def _score(candidates: tuple[tuple[Sighting, ...], ...], places: Points) -> Floats:
    """The log-likelihood of each place by all cameras."""
    return np.asarray(np.sum([_support(lines, places) for lines in candidates if lines], axis=0))


def _beside_rival(
    candidates: tuple[tuple[Sighting, ...], ...], places: Points, score: Floats, dart: SeenDart
) -> SeenDart:
    """The dart with the probability that it is there, and not at the likeliest of the places that are elsewhere."""
    here = np.array([[dart.x_mm, dart.y_mm]])
    apart = np.hypot(*(places - here).T) > _APART_MM
    if not apart.any():
        return dart
    own = max(float(_score(candidates, here)[0]), float(score[~apart].max(initial=-math.inf)))
    rival = int(np.where(apart, score, -math.inf).argmax())
    lead = 1 / (1 + math.exp(min(float(score[rival]) - own, 50.0)))
    others = {bed: share * lead for bed, share in dart.beds[1:]}
    elsewhere = bed_at(*places[rival])
    others[elsewhere] = others.get(elsewhere, 0.0) + 1 - lead
    others.pop(dart.bed, None)  # of the likeliest bed only what lies there counts
    beds = _ranked(dart.bed, dart.confidence * lead, others)
    return replace(dart, beds=beds, second=beds[1][0] if len(beds) > 1 else dart.second)


def _best_of(lines: tuple[Sighting, ...], at: Floats) -> tuple[Sighting, ...]:
    """The camera's line that the place is likeliest by, if it agrees."""
    ranked = sorted(lines, key=lambda line: -float(_likelihood(line, at[None])[0]))
    return tuple(line for line in ranked[:1] if agrees(line, at))


def _support(lines: tuple[Sighting, ...], places: Points) -> Floats:
    """How well one camera agrees with each place: by the best of its lines, later ones counting a little less."""
    chances = [_likelihood(line, places) - _LATER * rank for rank, line in enumerate(lines)]
    return np.asarray(np.max(chances, axis=0))


def _place(chosen: tuple[Sighting, ...]) -> tuple[Floats, Floats] | None:
    """Where some lines meet and its covariance, or None where that is nowhere near the board."""
    start = _start(chosen) if chosen else None
    if start is None or math.hypot(*start) > 3 * BOARD_RADIUS:
        return None
    at, covariance = _gauss_newton(chosen, start)
    return (at, covariance) if math.hypot(*at) < FARTHEST_MM else None


def _weigh(
    candidates: tuple[tuple[Sighting, ...], ...],
    chosen: tuple[Sighting, ...],
    at: Floats,
    covariance: Floats,
) -> SeenDart:
    """Return the probabilities of beds over a grid around the place."""
    lone = len(chosen) == 1
    grid, area = _along(chosen[0]) if lone else _around(at, covariance)
    alone = LONE_COVERED if chosen[0].shaft.covered_px > 0 else LONE_ENDS
    ends = alone if lone else ENDS
    log = sum((_likelihood(s, grid, ends) for s in chosen), np.zeros(len(grid)))
    mass = np.exp(log - log.max()) * area
    dart = dart_over(grid, mass, partial(_wrong_alone, chosen[0].shaft) if lone else None)
    at = np.array([dart.x_mm, dart.y_mm])
    return replace(dart, cameras=sum(any(agrees(s, at) for s in lines) for lines in candidates))


def dart_over(grid: Points, mass: Floats, wrong: Callable[[Bed], float] | None = None) -> SeenDart:
    """Return the dart whose probability at each place of a grid is in proportion to `mass`; `cameras` is 1.

    `wrong`: for a line that one camera sees alone, how often it is not a dart's, by the bed it ends in. The dart's
    place is then within its bed.
    """
    mass = mass / mass.sum()
    beds = bed_indices(grid)
    share = np.asarray(np.bincount(beds, weights=mass, minlength=len(ALL_BEDS)), np.float64)
    first = int(np.argmax(share))
    mean = mass @ grid
    if wrong is not None:
        share = share * (1 - wrong(ALL_BEDS[first]))
    if wrong is not None or str(bed_at(*mean)) != str(ALL_BEDS[first]):
        inside = beds == first
        mean = (mass[inside] @ grid[inside]) / mass[inside].sum()
    x, y = float(mean[0]), float(mean[1])
    away = np.hypot(grid[:, 0] - x, grid[:, 1] - y)
    nearest = np.argsort(away)
    spread = float(away[nearest][np.searchsorted(np.cumsum(mass[nearest]), 2 / 3)])
    others = {ALL_BEDS[i]: float(share[i]) for i in np.flatnonzero(share > LEAST) if i != first}
    found = _ranked(ALL_BEDS[first], float(share[first]), others)
    share[first] = 0.0
    second = ALL_BEDS[int(np.argmax(share))] if share.any() else neighbours(ALL_BEDS[first])[0]
    return SeenDart(x, y, found, second, wire_distance(x, y), 1, spread)


def _wrong_alone(shaft: Shaft, bed: Bed) -> float:
    """How often a lone line is wrong: no other camera tells the flight's end from the point's."""
    side = shaft.rows >= _SIDE_MM * shaft.px_per_mm
    if bed == MISS or not side or shaft.flight < _FLIGHT:
        return _WRONG_ENDS
    if shaft.covered_px > 0:
        return _WRONG_COVERED
    return _WRONG_LONE if shaft.flight > _CLEAR_FLIGHT else _WRONG_THIN


def _around(at: Floats, covariance: Floats) -> tuple[Points, Floats]:
    """Places around where lines meet, and the area that each stands for."""
    values, vectors = np.linalg.eigh(covariance)
    reach = _REACH * np.sqrt(np.clip(values, 0.3**2, 40.0**2))
    steps = np.linspace(-1, 1, _GRID)
    u, v = np.meshgrid(steps * reach[0], steps * reach[1])
    return at + np.column_stack([u.ravel(), v.ravel()]) @ vectors.T, np.ones(u.size)


def _along(sighting: Sighting) -> tuple[Points, Floats]:
    """Places along the only line, as far as the point may lie from the visible end, and the area of each (mm²)."""
    shaft = sighting.shaft
    direction = np.array(shaft.direction)
    normal = np.array([-direction[1], direction[0]])
    mm = shaft.px_per_mm
    ahead = max(4 * HIDDEN_MM * mm, shaft.covered_px)
    along = shaft.tip_px + np.arange(-3 * LONE_ENDS.shadow_mm * mm, ahead, _ALONG_MM * mm)
    sigma = line_spread(shaft, along)
    across = np.linspace(-_REACH, _REACH, _ACROSS) * sigma[:, None]
    seen = shaft.point + along[:, None, None] * direction + across[:, :, None] * normal
    back = np.linalg.inv(sighting.homography)
    flat = seen.reshape(-1, 2)
    depth = flat @ back[2, :2] + back[2, 2]
    area = np.repeat(sigma, _ACROSS) / np.abs(depth) ** 3
    grid = transform(back, flat)
    near = (np.hypot(grid[:, 0], grid[:, 1]) < FARTHEST_MM) & (depth * (back[2] @ [*shaft.point, 1.0]) > 0)
    return (grid[near], area[near]) if near.any() else (grid, area)


def bed_indices(at: Points) -> NDArray[np.intp]:
    """For places (n, 2) in mm the index into ALL_BEDS of the bed there."""
    radius = np.hypot(at[:, 0], at[:, 1])
    ring = np.searchsorted(np.array(WIRE_RADII), radius, side="right")  # bull, 25, L, T, F, D, off
    sector = np.floor((np.degrees(np.arctan2(at[:, 0], at[:, 1])) % 360 + 9) / 18).astype(np.intp) % 20
    depth = np.clip(5 - ring, 0, 3)
    return np.asarray(
        np.where(ring == 0, 81, np.where(ring == 1, 80, np.where(ring == 6, 82, depth * 20 + sector)))
    )
