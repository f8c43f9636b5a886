"""A quick look at a small grey picture: what moves, what is new, whether something as large as a hand is there.

Cheap enough for three cameras at 30 frames a second on one core. Areas are shares of the board's own area in the
picture, so that no number depends on a camera's resolution.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.locate import BOARD_RADIUS, DOUBLE_OUTER_RADIUS
from scharten.vision.detect.camera import CalibratedCamera, step_of
from scharten.vision.detect.light import SATURATED, Grey, Mask, light, lit, shrink
from scharten.vision.model import Floats, Image, Points, bend, to_board

_SHADOW = 0.22  # of the light: fainter shadows are none,
_LEAST, _MOST = (
    4.0,
    13.0,
)  # but not below what a picture can tell, nor above what makes a dart disappear, in levels
_SIGMAS = 5.0  # standard deviations of the noise
_EDGE = 0.3  # of the contrast around a pixel: what trembling by a tenth of a small pixel does to a border
_STANDING_MM = 40.0  # darts stand this high at least: the board's region reaches so far out
_SURROUND_MM = 345.0
_HAND_MM = 75.0  # on the scale of the board,
_FLIGHT_MM = (
    62.0  # and on that of flights, which are nearer to the camera and up to 48 wide, where one may be
)
_FLIGHTS_MM = (60.0, 100.0, 140.0)  # so high above the board
_SOLID = 0.8  # of such a square


@dataclass(frozen=True)
class Watch:
    """One camera's regions at the small size, and the board's area there in pixels."""

    step: int  # how many pixels of the working size become one,
    shrinks: int  # and of a picture as it comes
    board: Mask  # the board with what stands in it
    around: Mask  # and the surround
    radius: Floats  # mm from the bull, on the board's plane
    area: int
    hand_px: int
    flight: NDArray[np.int32]  # a flight at each pixel is less wide than this,
    flight_sides: tuple[int, ...]  # and all of these widths
    empty: Grey  # the empty board


def open_watch(camera: CalibratedCamera, empty: Image) -> Watch:
    """The regions of a calibrated camera; `empty` is the BGR picture that it was calibrated with."""
    model = camera.work
    step = step_of(model)
    small = shrink(empty, step * camera.reduction)
    rows, columns = np.mgrid[: small.shape[0], : small.shape[1]]
    pixels = (np.column_stack([columns.ravel(), rows.ravel()]) + 0.5) * step - 0.5
    radius = np.hypot(*to_board(model, pixels).T).reshape(small.shape)
    disc = _hull(camera, BOARD_RADIUS, 0.0, small.shape, step) > 0
    radius = np.where(disc | (radius > DOUBLE_OUTER_RADIUS), radius, np.inf)  # beyond the horizon is far
    scoring = radius < DOUBLE_OUTER_RADIUS
    width = math.sqrt(scoring.sum() / math.pi) / DOUBLE_OUTER_RADIUS * _HAND_MM
    hand_px = max(3, round(width))
    flight = np.maximum(hand_px, np.rint(_flights(camera, small.shape, step) * _FLIGHT_MM)).astype(np.int32)
    return Watch(
        step,
        step * camera.reduction,
        _hull(camera, BOARD_RADIUS, _STANDING_MM, small.shape, step),
        _hull(camera, _SURROUND_MM, _STANDING_MM, small.shape, step),
        radius,
        int(scoring.sum()),
        hand_px,
        flight,
        tuple(np.unique(flight).tolist()),
        small,
    )


def _hull(camera: CalibratedCamera, radius: float, height: float, shape: tuple[int, ...], step: int) -> Mask:
    """Return a mask, 255 where a cylinder on the board covers the picture."""
    angle = np.linspace(0, math.tau, 64, endpoint=False)
    rim = radius * np.column_stack([np.sin(angle), np.cos(angle)])
    places, _ = _seen(camera, [(x, y, level) for level in (0.0, height) for x, y in rim], step)
    covered = np.zeros(shape, np.uint8)
    cv2.fillConvexPoly(covered, np.rint(cv2.convexHull(places.astype(np.float32))).astype(np.int32), 255)
    return covered


def _flights(camera: CalibratedCamera, shape: tuple[int, ...], step: int) -> Floats:
    """How many small pixels a mm of the nearest flight covers that may be seen at each pixel; 0 where none may."""
    angles, radii = np.linspace(0, math.tau, 32, endpoint=False), np.linspace(0, BOARD_RADIUS, 6)
    around = [
        (r * math.sin(a), r * math.cos(a), level) for a in angles for r in radii for level in _FLIGHTS_MM
    ]
    places, scales = _seen(camera, around, step)
    nearest = np.zeros(shape, np.float32)
    for number in np.argsort(scales):  # the nearest last, over the others
        x, y = np.rint(places[number]).astype(int).tolist()
        cv2.circle(nearest, (x, y), round(scales[number] * _FLIGHT_MM), float(scales[number]), -1)
    return nearest


def _seen(
    camera: CalibratedCamera, places: Sequence[tuple[float, float, float]], step: int
) -> tuple[Points, Floats]:
    """Where places before the board, in mm, are in the small picture, and how many of its pixels a mm covers there.

    Those behind the camera are left out.
    """
    model, projection = camera.work, camera.projection
    space = np.column_stack([np.array(places), np.ones(len(places))]) @ projection.T
    space = space[space[:, 2] * projection[2, 3] > 0]
    straight = space[:, :2] / space[:, 2:]
    slopes = (projection[:2, :3] - straight[:, :, None] * projection[2, :3]) / space[:, 2, None, None]
    straight = np.clip(straight, -2 * model.width, 3 * model.width)
    pixels = bend(straight, model.width, model.height, model.k1)
    return pixels / step, np.linalg.svd(slopes, compute_uv=False)[:, 0] / step


def changes(before: Grey, current: Grey, region: Mask) -> Mask:
    """255 at the small pixels of the region that differ by more than light, noise and trembling explain."""
    if cv2.norm(before, current, cv2.NORM_INF, region) <= _LEAST:  # most pictures: nothing moves
        return np.zeros_like(region)
    rows = light(before, current, region)
    level = lit(before, rows)
    difference = np.asarray(cv2.absdiff(level, current), np.uint8)
    if rows.min() < 1:  # what was too bright to tell may still be as bright as it looks
        difference[(before >= SATURATED) & (current >= level)] = 0
    contrast = cv2.morphologyEx(level, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    allowed = cv2.convertScaleAbs(contrast, alpha=_EDGE, beta=_faint(level, difference))
    return np.asarray(cv2.bitwise_and(cv2.compare(difference, allowed, cv2.CMP_GT), region), np.uint8)


def _faint(level: Grey, difference: Grey) -> float:
    """Grey levels that noise and faint shadows stay below."""
    noise = 1.4826 * float(np.median(difference[::3, ::3]))
    return max(float(np.clip(_SHADOW * level[::3, ::3].mean(), _LEAST, _MOST)), _SIGMAS * noise)


def share(watch: Watch, mask: Mask) -> float:
    """Return the area of a mask as a share of the board's."""
    return cv2.countNonZero(mask) / watch.area


def solid(watch: Watch, mask: Mask) -> bool:
    """Whether the mask shows something as wide as a hand in both directions."""
    return bool(_filled(mask, watch.hand_px).any())


def wider_than_flights(watch: Watch, mask: Mask) -> bool:
    """Whether the mask shows something wider than a flight there could look, near to the camera as it may be."""
    return any((_filled(mask, side) & (watch.flight <= side)).any() for side in watch.flight_sides)


def _filled(mask: Mask, side: int) -> NDArray[np.bool_]:
    """Where the mask fills squares that are so wide."""
    filled = cv2.boxFilter(mask, cv2.CV_8U, (side, side), borderType=cv2.BORDER_CONSTANT)
    return np.asarray(filled >= 255 * _SOLID)
