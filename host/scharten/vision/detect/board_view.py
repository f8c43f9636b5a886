"""A camera's picture as seen from straight before the board, with what was made of it: all cameras' lie alike."""

from __future__ import annotations

import math

import cv2
import numpy as np

from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS, WIRE_RADII
from scharten.vision.detect.camera import CalibratedCamera
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import Image, Points, to_pixels, transform

SIDE = 720
"""Pixels of the square picture."""
_REACH_MM = 185.0  # from the bull to its sides
_COARSE = 20  # pixels between the places that are worked out; those between follow
_SHAFT_MM = 120.0  # of a line's seen part that is drawn
_WIRE, _LINE, _PLACE = (190, 190, 190), (60, 220, 255), (80, 80, 255)  # BGR


def board_view(
    camera: CalibratedCamera, picture: Image, lines: tuple[Sighting, ...], at: tuple[float, float] | None
) -> Image:
    """The board's plane by one camera (BGR, `SIDE` square): bed edges, the shaft's line, the place in mm found."""
    shown = _upright(camera, picture)
    _draw_beds(shown)
    for line in lines[:1]:
        _draw_line(shown, line)
    if at is not None:
        (place,) = _at(np.array([at]))
        cv2.drawMarker(shown, place, _PLACE, cv2.MARKER_TILTED_CROSS, 14, 2, cv2.LINE_AA)
    return shown


def _upright(camera: CalibratedCamera, picture: Image) -> Image:
    line = np.linspace(-_REACH_MM, _REACH_MM, SIDE // _COARSE + 1)
    x, y = np.meshgrid(line, -line)
    pixels = to_pixels(camera.model, np.column_stack([x.ravel(), y.ravel()])).reshape(*x.shape, 2)
    # the corners of the coarse grid are those of the picture: stretched by an affine map, not by `resize`
    share = (len(line) - 1) / (SIDE - 1)
    stretch = np.array([[share, 0, 0], [0, share, 0]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    maps = cv2.warpAffine(pixels.astype(np.float32), stretch, (SIDE, SIDE), flags=flags)
    return np.asarray(cv2.remap(picture, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR), np.uint8)


def _at(board_mm: Points) -> list[tuple[int, int]]:
    """Pixels of places on the board."""
    scaled = (board_mm * [1, -1] / _REACH_MM + 1) * (SIDE - 1) / 2
    return [(round(float(x)), round(float(y))) for x, y in np.clip(scaled, -4 * SIDE, 4 * SIDE)]


def _draw_beds(shown: Image) -> None:
    middle = (SIDE - 1) / 2
    for radius in WIRE_RADII:
        far = round(radius / _REACH_MM * middle * 16)
        cv2.circle(shown, (round(middle * 16),) * 2, far, _WIRE, 1, cv2.LINE_AA, 4)
    for sector in range(20):
        turn = math.radians(18 * sector + 9)
        out = np.array([math.sin(turn), math.cos(turn)])
        ends = _at(np.array([WIRE_RADII[1] * out, DOUBLE_OUTER_RADIUS * out]))
        cv2.line(shown, ends[0], ends[1], _WIRE, 1, cv2.LINE_AA)


def _draw_line(shown: Image, line: Sighting) -> None:
    shaft = line.shaft
    point, direction = np.array(shaft.point), np.array(shaft.direction)
    back = np.linalg.inv(line.homography)
    near, on = transform(
        back, np.array([point + shaft.tip_px * direction, point + (shaft.tip_px - 20) * direction])
    )
    way = (on - near) / max(float(np.hypot(*(on - near))), 1e-9)
    ends = _at(np.array([near, near + _SHAFT_MM * way]))
    cv2.line(shown, ends[0], ends[1], _LINE, 1, cv2.LINE_AA)
