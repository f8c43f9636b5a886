"""Where a dart's point is, by one camera: a small network reads the strip of the picture along the dart's line.

The network (`point.onnx`, trained by `tests/lab/point_network.py`) gets the strip before and after the dart came. It
returns the probability of each place of a grid along the line and across it, and that the point is in none of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.detect.fuse import FARTHEST_MM, SeenDart, dart_over, posterior
from scharten.vision.detect.shaft import Shaft
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import Floats, Points, transform

ALONG = np.arange(-152.0, 72.0)
"""Rows of the strip and of the grid of places, mm from the visible end towards the board."""
ACROSS = 1.5 * (np.arange(32) - 15.5)
"""Columns of the strip, mm from the line."""
SIDES = np.arange(-8.0, 9.0)
"""Columns of the grid of places, mm from the line."""
_WEIGHTS = Path(__file__).with_name("point.onnx")
_BLACK = 8.0  # grey levels added before the logarithm, so that noise in dark places counts little

Look = Callable[[Points], tuple[Floats, Floats]]
"""The colours (..., 3) at straight pixels (..., 2): before the dart in the light of now, and now."""


@dataclass(frozen=True)
class Strip:
    """The cells (rows, columns, 6) along a line: logarithms of three colours before and of three now; and geometry."""

    cells: Floats
    constants: Floats  # what is out of the board by 1 mm is seen along and across the line (mm); mm of a row; px per mm


def strip_along(
    shaft: Shaft, projection: Floats, look: Look, along: Floats = ALONG, across: Floats = ACROSS
) -> Strip:
    """Cut the strip along a line from the pictures; `projection` is the camera's 3x4 matrix."""
    mm, (direction, normal) = shaft.px_per_mm, _axes(shaft)
    end = shaft.point + shaft.tip_px * direction
    cells = np.concatenate(
        [np.log(np.clip(seen, 0, 255) + _BLACK) for seen in look(_grid(shaft, along, across))], axis=2
    )
    back = np.linalg.inv(projection[:, [0, 1, 3]])
    at, ahead = transform(back, np.array([end, end + mm * direction]))
    seen = projection @ np.array([*at, 0.0, 1.0])
    out = (projection[:2, 2] - seen[:2] / seen[2] * projection[2, 2]) / seen[2] / mm
    return Strip(cells, np.array([direction @ out, normal @ out, np.hypot(*(ahead - at)), mm]))


def find_point(lines: tuple[Sighting, ...], projection: Floats, look: Look) -> SeenDart | None:
    """Return the dart by the line whose strip leaves the least doubt, or None where all end far from the board."""
    network = cv2.dnn.readNetFromONNX(str(_WEIGHTS))
    darts = (_find(line, strip_along(line.shaft, projection, look), network) for line in lines)
    return max((dart for dart in darts if dart), key=lambda dart: dart.confidence, default=None)


def _find(line: Sighting, strip: Strip, network: cv2.dnn.Net) -> SeenDart | None:
    """Return the dart on this strip, less likely by the probability that its point is elsewhere, or None."""
    at, ahead = _places(line)
    mass = _chances(strip, network)[ahead]
    if mass.sum() <= 0:
        return None
    dart = dart_over(at[ahead], mass)
    if math.hypot(dart.x_mm, dart.y_mm) > FARTHEST_MM:
        return None
    return replace(dart, beds=posterior(dart, dart.confidence * float(mass.sum())))


def network_input(strip: Strip) -> Floats:
    """Return a strip as the network reads it: without the colour of the light, beside constant layers."""
    light = strip.cells[..., :3].mean(axis=(0, 1))
    cells = strip.cells - np.concatenate([light, light])
    along, across, row, px_per_mm = strip.constants
    constants = np.array([2 * along, 4 * across, row - 1, np.log(px_per_mm)])
    layers = np.concatenate([cells, np.broadcast_to(constants, (*cells.shape[:2], 4))], axis=2)
    return np.ascontiguousarray(layers.transpose(2, 0, 1), np.float32)


def _chances(strip: Strip, network: cv2.dnn.Net) -> Floats:
    """Return the probability of each place of the grid."""
    network.setInput(network_input(strip)[None])
    score = network.forward()[0].astype(np.float64)
    share = np.exp(score - score.max())
    return np.asarray(share[:-1] / share.sum())  # the last is that of no place


def _axes(shaft: Shaft) -> tuple[Floats, Floats]:
    direction = np.array(shaft.direction)
    return direction, np.array([-direction[1], direction[0]])


def _grid(shaft: Shaft, along: Floats, across: Floats) -> Points:
    """Return straight pixels (rows, columns, 2) of a grid along the line."""
    direction, normal = _axes(shaft)
    ends = (shaft.tip_px + along * shaft.px_per_mm)[:, None, None] * direction
    return np.asarray(shaft.point + ends + (across * shaft.px_per_mm)[:, None] * normal)


def _places(line: Sighting) -> tuple[Points, NDArray[np.bool_]]:
    """Return the places on the board (n, 2) of the network's grid, and whether they lie before the camera."""
    seen = _grid(line.shaft, ALONG, SIDES).reshape(-1, 2)
    back = np.linalg.inv(line.homography)
    ahead = (seen @ back[2, :2] + back[2, 2]) * (back[2] @ [*line.shaft.point, 1.0]) > 0
    return transform(back, seen), np.asarray(ahead)
