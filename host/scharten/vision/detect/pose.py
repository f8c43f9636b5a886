"""The direction "out of the board" in a camera's picture."""

from __future__ import annotations

import math

import numpy as np

from scharten.dartboard.locate import BOARD_RADIUS
from scharten.vision.model import CameraModel, Floats, Points, matrix, transform

_FOCAL_HALF_WIDTHS = 1.6  # where the board gives no focal length (seen head on): an ordinary webcam


def projection(model: CameraModel) -> Floats:
    """The 3x4 matrix from (x, y, z, 1) in mm to straight pixels; z points out of the board, to the player.

    Its third column is the vanishing point of the board's normal. Square pixels and a principal point in the
    middle of the picture are taken for granted.
    """
    half = model.width / 2
    centre = np.array([[half, 0, (model.width - 1) / 2], [0, half, (model.height - 1) / 2], [0, 0, 1.0]])
    scaled = np.linalg.inv(centre) @ matrix(model)
    focal = _focal(scaled)
    camera = np.diag([focal, focal, 1.0])
    axes = np.linalg.inv(camera) @ scaled
    out = np.cross(axes[:, 0], axes[:, 1])
    # The bull is in front of the camera, so the side that is seen is the one whose normal points back to it.
    bull = axes[:, 2]
    out = out if out @ bull < 0 else -out
    size = math.sqrt(float(np.linalg.norm(axes[:, 0]) * np.linalg.norm(axes[:, 1])))
    height = centre @ camera @ (out / np.linalg.norm(out) * size)
    return np.column_stack([matrix(model)[:, :2], height, matrix(model)[:, 2]])


def _focal(scaled: Floats) -> float:
    """The focal length in half widths for which the board's axes are square and of one length."""
    a, b = scaled[:, 0], scaled[:, 1]
    # a·b = 0 and |a| = |b| with x and y divided by the focal length: two equations in 1/f², by least squares
    left = np.array([a[0] * b[0] + a[1] * b[1], a[0] ** 2 + a[1] ** 2 - b[0] ** 2 - b[1] ** 2])
    right = -np.array([a[2] * b[2], a[2] ** 2 - b[2] ** 2])
    inverse = float(left @ right / max(float(left @ left), 1e-18))
    if inverse <= 0 or not 0.5 < math.sqrt(1 / inverse) < 8:
        return _FOCAL_HALF_WIDTHS
    return math.sqrt(1 / inverse)


def outwards(vanishing: Floats, straight: Points) -> Points:
    """The direction (unit, straight pixels) in which something standing on the board at these pixels points."""
    to = vanishing[:2] - vanishing[2] * np.asarray(straight, np.float64)
    return np.asarray(to / np.maximum(np.linalg.norm(to, axis=-1, keepdims=True), 1e-9))


def scale(model: CameraModel, straight: Floats) -> float:
    """Straight pixels per mm across the line of sight, for a dart in the board that covers this straight pixel (2,).

    What covers a pixel beyond the board, or above the horizon of its plane, counts as at the board's rim.
    """
    x, y, ahead = np.linalg.inv(matrix(model)) @ [*straight, 1.0]
    at = np.array([x, y]) / max(ahead, math.hypot(x, y) / BOARD_RADIUS)
    probes = transform(matrix(model), at + np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    return float(np.linalg.svd(probes[1:] - probes[0], compute_uv=False)[0])
