"""Fit a map from the board's millimetres to the projector's pixels, from the cameras' readings of the stripes.

The cameras' own models give the place on the board of each of their pixels; the stripes give the pixel of the
projector that lights it. A homography with one radial term is fitted to two thirds of these places and judged by the
others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np

from scharten.dartboard.beds import NUMBERS
from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS
from scharten.errors import Problem
from scharten.vision.model import (
    CameraModel,
    Floats,
    Points,
    bend,
    straighten,
    to_board,
    to_pixels,
    transform,
)
from scharten_calibration.gray_code import Seen, SeenLight

MOST_MM = 2.0
"""95 of 100 places that were not fitted must lie so near to where the map has them."""
LEAST_COVERED = 0.97
"""Of the scoring beds' area, that the projector must light."""
LEAST_LEVELS, GOOD_LEVELS = 8.0, 20.0
"""Grey levels between the projector's white and its black: below nothing is read, above not for want of light."""
_SATURATED = 0.3
_PATCH_MM = 8.0
_DARK_BED_MM = 50.0  # a bed may be too dark to show light: less than so much between lit ones is lit
_LEAST_PIXELS, _LEAST_PATCHES = 4, 60
_RADIAL = (-0.2, 0.2)
_OUTLIER = 4.0
_AGREE_MM = 4.0


@dataclass(frozen=True)
class ProjectorModel:
    """Board mm to pixels of the projector's picture, as a `CameraModel` does it the other way round."""

    width: int
    height: int
    homography: tuple[float, ...]  # row by row, to straight pixels, its last entry 1
    k1: float

    def pixels(self, board_mm: Points) -> Points:
        """Where in the projector's picture places of the board are."""
        straight = transform(np.array(self.homography).reshape(3, 3), board_mm)
        return bend(straight, self.width, self.height, self.k1)


@dataclass(frozen=True)
class ProjectorFit:
    """A map that may be used: what it was judged by, in mm at places that were not fitted."""

    model: ProjectorModel
    median_mm: float
    most_mm: float  # 95 of 100 are within
    fitted: int
    judged: int
    covered: float


@dataclass(frozen=True)
class Patches:
    """Small places of the board, each with the mean of what was read there."""

    board: Points  # mm
    projected: Points  # pixels
    camera: Floats  # which camera saw it, (n,)


def fit_projector(
    models: Sequence[CameraModel], seen: Sequence[Seen], size: tuple[int, int]
) -> ProjectorFit | Problem:
    """The map, or in words what is wrong with what the cameras saw."""
    lights = [patch.light for patch in seen]
    if trouble := light_trouble(models, lights):
        return trouble
    (covered, _), levels = _covered(models, lights), max(patch.levels for patch in lights)
    patches = _patches(models, seen)
    turn = np.abs(np.rint(patches.board / _PATCH_MM).sum(axis=1)) % 3
    fitted, judged = turn != 0, turn == 0
    if fitted.sum() < _LEAST_PATCHES or judged.sum() < _LEAST_PATCHES // 3:
        words = (
            "the stripes cannot be read: hold cameras and projector still, and keep people out of the light"
        )
        return _too_bright(levels) if levels < GOOD_LEVELS else Problem("unread", words)
    model = _fitted(patches.board[fitted], patches.projected[fitted], size)
    off = _off_mm(model, patches.board, patches.projected)
    if words := _disagreement(model, patches):
        return Problem("cameras_differ", words)
    median, most = (float(np.percentile(off[judged], share)) for share in (50, 95))
    if most > MOST_MM and levels < GOOD_LEVELS:
        return _too_bright(levels)
    if most > MOST_MM:
        return Problem(
            "bad_fit",
            f"the map is {most:.1f} mm off at places that were not fitted (at most {MOST_MM:g}): hold all still, "
            "calibrate the cameras again, and switch the projector's own keystone off",
        )
    return ProjectorFit(model, median, most, int(fitted.sum()), int(judged.sum()), covered)


def light_trouble(models: Sequence[CameraModel], lights: Sequence[SeenLight]) -> Problem | None:
    """Check by white and black alone whether the projector's light can be read on the board."""
    covered, dark = _covered(models, lights)
    levels, saturated = max(light.levels for light in lights), max(light.saturated for light in lights)
    if covered < 0.02:
        words = (
            "no camera sees the projector's light on the board: switch it on, aim it there, or dim the room"
        )
        return Problem("no_light", words)
    if levels < LEAST_LEVELS:
        return _too_bright(levels)
    if saturated > _SATURATED:
        return Problem(
            "overexposed",
            f"{saturated:.0%} of the lit board is too bright for the cameras: dim the projector, or expose shorter",
        )
    if covered < LEAST_COVERED:
        return Problem(
            "not_covered",
            f"the projector lights {covered:.0%} of the board's beds (at least {LEAST_COVERED:.0%}), least "
            f"of all at the {dark}: move or zoom it until the whole double ring is lit",
        )
    return None


def _too_bright(levels: float) -> Problem:
    return Problem(
        "too_bright",
        f"the room is too bright beside the projector, whose white is only {levels:.0f} grey levels above its black "
        f"({GOOD_LEVELS:.0f} are good): dim the board's light",
    )


def _covered(models: Sequence[CameraModel], lights: Sequence[SeenLight]) -> tuple[float, str]:
    """The share of the scoring beds that any camera sees lit, and near which number most is dark."""
    step = _PATCH_MM / 2
    along = np.arange(-DOUBLE_OUTER_RADIUS, DOUBLE_OUTER_RADIUS + step, step)
    x, y = np.meshgrid(along, along)
    places = np.column_stack([x.ravel(), y.ravel()])
    seen_lit = np.zeros(len(places), np.uint8)
    for model, light in zip(models, lights, strict=True):
        at = np.rint(to_pixels(model, places)).astype(np.intp)
        inside = ((at >= 0) & (at < np.array(light.where.shape[::-1]))).all(axis=1)
        seen_lit[inside] |= light.where[at[inside, 1], at[inside, 0]]
    side = 2 * round(_DARK_BED_MM / step / 2) + 1
    closed = cv2.morphologyEx(seen_lit.reshape(x.shape), cv2.MORPH_CLOSE, np.ones((side, side), np.uint8))
    scoring = np.hypot(x, y).ravel() < DOUBLE_OUTER_RADIUS
    places, lit = places[scoring], closed.ravel()[scoring] > 0
    if lit.all():
        return 1.0, ""
    middle = places[~lit].mean(axis=0)
    number = NUMBERS[round(math.degrees(math.atan2(middle[0], middle[1])) / 18) % 20]
    return float(lit.mean()), str(number)


def _patches(models: Sequence[CameraModel], seen: Sequence[Seen]) -> Patches:
    """Each camera's reading in patches of the board: where a few pixels agree, their mean is finer than a stripe."""
    boards, projected, cameras = [], [], []
    for number, (model, patch_light) in enumerate(zip(models, seen, strict=True)):
        at = to_board(model, patch_light.pixels)
        near = np.hypot(at[:, 0], at[:, 1]) < DOUBLE_OUTER_RADIUS + 2 * _PATCH_MM
        at, lit = at[near], patch_light.projected[near]
        key = np.rint(at / _PATCH_MM).astype(np.int64)
        _, patch, count = np.unique(key, axis=0, return_inverse=True, return_counts=True)
        patch = patch.ravel()
        means = [
            np.column_stack([np.bincount(patch, values[:, n]) for n in (0, 1)]) / count[:, None]
            for values in (at, lit)
        ]
        spread = np.sqrt(np.bincount(patch, ((lit - means[1][patch]) ** 2).sum(axis=1)) / count)
        good = (count >= _LEAST_PIXELS) & (spread < 3 * np.median(spread) + 1)
        boards.append(means[0][good])
        projected.append(means[1][good])
        cameras.append(np.full(int(good.sum()), number))
    return Patches(np.concatenate(boards), np.concatenate(projected), np.concatenate(cameras))


def _fitted(board: Points, projected: Points, size: tuple[int, int]) -> ProjectorModel:
    """The best map, without what does not belong to it: by the radial term, for which the rest is a linear problem."""
    keep = np.ones(len(board), np.bool_)
    for _ in range(3):
        k1 = _best_radial(board[keep], projected[keep], size)
        homography = _homography(board[keep], straighten(projected[keep], *size, k1))
        model = ProjectorModel(*size, tuple(float(v) for v in homography.ravel()), k1)
        off = np.hypot(*(model.pixels(board) - projected).T)
        keep = off < _OUTLIER * 1.4826 * float(np.median(off)) + 0.3
    return model


def _best_radial(board: Points, projected: Points, size: tuple[int, int]) -> float:
    """By the golden section."""

    def cost(k1: float) -> float:
        straight = straighten(projected, *size, k1)
        off = transform(_homography(board, straight), board) - straight
        return float(np.median(np.hypot(off[:, 0], off[:, 1])) + np.sqrt((off**2).mean()))

    low, high = _RADIAL
    golden = (math.sqrt(5) - 1) / 2
    lower, upper = high - golden * (high - low), low + golden * (high - low)
    at_lower, at_upper = cost(lower), cost(upper)
    while high - low > 1e-4:
        if at_lower < at_upper:
            high, upper, at_upper = upper, lower, at_lower
            lower = high - golden * (high - low)
            at_lower = cost(lower)
        else:
            low, lower, at_lower = lower, upper, at_upper
            upper = low + golden * (high - low)
            at_upper = cost(upper)
    return (low + high) / 2


def _homography(board: Points, straight: Points) -> Floats:
    """The linear least squares, in units of about one, weighed once by the depth that the first try gives."""
    near, far = _scale(board), _scale(straight)
    p, q = transform(near, board), transform(far, straight)
    weight = np.ones(len(p))
    for _ in range(2):
        unit, zero = np.ones(len(p)), np.zeros((len(p), 3))
        home = np.column_stack([p, unit])
        rows = (
            np.concatenate(
                [np.hstack([home, zero, -q[:, :1] * home]), np.hstack([zero, home, -q[:, 1:] * home])]
            )
            * np.concatenate([weight, weight])[:, None]
        )
        _, vectors = np.linalg.eigh(rows.T @ rows)
        found = vectors[:, 0].reshape(3, 3)
        depth = home @ found[2]
        weight = 1 / np.maximum(np.abs(depth), 1e-6 * np.abs(depth).max())
    found = np.linalg.inv(far) @ found @ near
    return np.asarray(found / found[2, 2])


def _scale(points: Points) -> Floats:
    middle, reach = points.mean(axis=0), float(np.abs(points - points.mean(axis=0)).max()) or 1.0
    return np.array([[1 / reach, 0, -middle[0] / reach], [0, 1 / reach, -middle[1] / reach], [0, 0, 1]])


def _off_mm(model: ProjectorModel, board: Points, projected: Points) -> Floats:
    """How far on the board each place lies from where the map has it."""
    here = model.pixels(board)
    along = [model.pixels(board + step) - here for step in (np.array([1.0, 0.0]), np.array([0.0, 1.0]))]
    jacobian = np.stack(along, axis=-1)  # pixels for a mm of x and of y
    off = np.linalg.solve(jacobian, (projected - here)[..., None])[..., 0]
    return np.asarray(np.hypot(off[:, 0], off[:, 1]))


def _disagreement(model: ProjectorModel, patches: Patches) -> str:
    """Name the camera whose places differ from those of the others, in words, or ""."""
    here = _off_mm(model, patches.board, patches.projected)
    for camera in np.unique(patches.camera):
        off = float(np.median(here[patches.camera == camera]))
        if off > _AGREE_MM and len(np.unique(patches.camera)) > 1:
            return f"camera {int(camera)} sees it all {off:.0f} mm elsewhere than the others: calibrate the cameras"
    return ""
