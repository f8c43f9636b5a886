"""From a picture of the empty board and four clicked wires to a camera model: for boards in any colours."""

from __future__ import annotations

import cv2
import numpy as np

from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS
from scharten.errors import Problem
from scharten.vision.calibrate.fit import Calibration, refine
from scharten.vision.calibrate.learn import learn
from scharten.vision.model import CameraModel, Floats, Image, Points, to_pixels, transform

Wires = tuple[tuple[float, float], ...]
"""Four pixels: where the wires between WIRE_NAMES meet the outer wire of the doubles, in that order."""

WIRE_NAMES = ("20/1", "6/10", "3/19", "11/14")
"""The four wires to click, clockwise as seen from the oche; a quarter turn lies between each two."""

_TURNS = np.radians([9.0, 99.0, 189.0, 279.0])
_PLACES = DOUBLE_OUTER_RADIUS * np.column_stack([np.sin(_TURNS), np.cos(_TURNS)])
_LEAST_SIDE = 0.05  # of the picture's width: clicks closer together than this are on one spot


def calibrate_clicks(picture: Image, wires: Wires) -> Calibration | Problem:
    """Fit the camera that took `picture` (BGR, the empty board) from four clicked wires good to some mm.

    The edges between the beds are learned from the picture: no colour of board or light is assumed.
    """
    first = _homography(picture, wires)
    if isinstance(first, Problem):
        return first
    view = learn(picture, first)
    if isinstance(view, Problem):
        return view
    (double,) = transform(first, np.array([[0.0, 166.0]]))
    return refine(picture, first, (float(double[0]), float(double[1])), view)


def wires_of(model: CameraModel) -> Wires:
    """Return the pixels at which a person would click the four wires, by a model known from before."""
    return tuple((float(x), float(y)) for x, y in to_pixels(model, _PLACES))


def _homography(picture: Image, wires: Wires) -> Floats | Problem:
    height, width = picture.shape[:2]
    at: Points = np.array(wires, np.float64)
    if at.shape != (4, 2) or (at < 0).any() or (at >= [width, height]).any():
        return Problem("wrong_wires", "four points inside the picture are needed")
    sides = np.roll(at, -1, axis=0) - at
    beyond = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * beyond[:, 1] - sides[:, 1] * beyond[:, 0]
    if (np.hypot(*sides.T) < _LEAST_SIDE * width).any() or (turns <= 0).any():
        return Problem(
            "wrong_wires", f"the points must go round the board clockwise: the wires {', '.join(WIRE_NAMES)}"
        )
    return np.asarray(
        cv2.getPerspectiveTransform(_PLACES.astype(np.float32), at.astype(np.float32)), np.float64
    )
