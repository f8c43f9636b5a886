"""Where the board's millimetres lie in a camera's picture: a homography and one radial term.

Three frames of coordinates, each an array of shape (n, 2):
board mm (origin at the bull, x to the right, y up, as seen from the oche) --homography--> straight pixels
(as a lens without distortion would give them) --radial term--> pixels of the picture (x right, y down).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import tomlkit
from numpy.typing import NDArray
from tomlkit.items import Table

from scharten.errors import Problem

Floats = NDArray[np.floating[Any]]
Points = Floats  # (n, 2)
Image = NDArray[np.uint8]  # (height, width, 3), blue, green, red; or grey without the last axis

_NEWTON_STEPS = 3


@dataclass(frozen=True)
class CameraModel:
    """One calibrated camera; `homography` is row by row, board mm to straight pixels, its last entry 1."""

    width: int
    height: int
    homography: tuple[float, ...]
    k1: float
    d20_turn_deg: float  # direction of the double 20 in the picture, clockwise from up, for a person to check
    residual_px: float
    residual_mm: float


def matrix(model: CameraModel) -> Floats:
    """The homography as a 3x3 array."""
    return np.array(model.homography, np.float64).reshape(3, 3)


def straighten(pixels: Points, width: int, height: int, k1: float) -> Points:
    """Pixels of the picture to straight pixels: u = d (1 + k1 |d|²), d in half widths from the middle."""
    centre, half = np.array([(width - 1) / 2, (height - 1) / 2]), width / 2
    d = (np.asarray(pixels, np.float64) - centre) / half
    return np.asarray(centre + half * d * (1 + k1 * (d**2).sum(-1, keepdims=True)))


def bend(straight: Points, width: int, height: int, k1: float) -> Points:
    """Straight pixels to pixels of the picture: the inverse of `straighten`, by Newton's method.

    With a negative k1 `straighten` reaches only so far from the middle; what lies beyond counts as there.
    """
    centre, half = np.array([(width - 1) / 2, (height - 1) / 2]), width / 2
    off = np.asarray(straight, np.float64) - centre
    wanted = np.hypot(off[..., 0], off[..., 1]) / half
    r = reached = wanted if k1 >= 0 else np.minimum(wanted, 2 / 3 / math.sqrt(-3 * k1))
    for _ in range(_NEWTON_STEPS):
        bent = k1 * r * r
        r = (2 * bent * r + reached) / np.maximum(1 + 3 * bent, 0.1)
    return np.asarray(centre + off * (r / np.maximum(wanted, 1e-12))[..., None])


def transform(homography: Floats, points: Points) -> Points:
    """Points through a 3x3 homography."""
    p = np.asarray(points, np.float64)
    w = p @ homography[2, :2] + homography[2, 2]
    return np.asarray((p @ homography[:2, :2].T + homography[:2, 2]) / w[..., None])


def to_pixels(model: CameraModel, board_mm: Points) -> Points:
    """Board mm to pixels of the picture."""
    return bend(transform(matrix(model), board_mm), model.width, model.height, model.k1)


def double_20(model: CameraModel) -> tuple[float, float]:
    """Return the pixel of the middle of the double 20, to a tenth of a pixel."""
    ((x, y),) = to_pixels(model, np.array([[0.0, 166.0]]))
    return round(float(x), 1), round(float(y), 1)


def to_straight(model: CameraModel, board_mm: Points) -> Points:
    """Board mm to straight pixels."""
    return transform(matrix(model), board_mm)


def reduced(model: CameraModel, by: int) -> CameraModel:
    """The model of the same camera's pictures when each pixel is the mean of `by` x `by`."""
    off = (1 / by - 1) / 2
    smaller = np.array([[1 / by, 0, off], [0, 1 / by, off], [0, 0, 1.0]]) @ matrix(model)
    return replace(
        model,
        width=model.width // by,
        height=model.height // by,
        homography=tuple(float(v) for v in (smaller / smaller[2, 2]).ravel()),
        residual_px=model.residual_px / by,
    )


def to_board(model: CameraModel, pixels: Points) -> Points:
    """Pixels of the picture to mm on the plane of the board."""
    straight = straighten(pixels, model.width, model.height, model.k1)
    return transform(np.linalg.inv(matrix(model)), straight)


def d20_turn(homography: Floats) -> float:
    """The direction of the double 20 as seen from the bull, in degrees clockwise from up in the picture."""
    bull, double = transform(homography, np.array([[0.0, 0.0], [0.0, 166.0]]))
    return math.degrees(math.atan2(double[0] - bull[0], bull[1] - double[1])) % 360


def add_model(table: Table, model: CameraModel) -> None:
    """Add the model's keys to a TOML table; `parse_model` reads them."""
    rows = tomlkit.array().multiline(True)
    rows.extend([list(model.homography[3 * i : 3 * i + 3]) for i in range(3)])
    table.add("width", model.width)
    table.add("height", model.height)
    table.add("homography", rows.comment("board mm to straight pixels"))
    table.add("k1", tomlkit.float_(model.k1).comment("radial term, in half widths of the picture"))
    turn = tomlkit.float_(round(model.d20_turn_deg, 1))
    table.add("d20_turn_deg", turn.comment("direction of the double 20, clockwise from up"))
    table.add("residual_px", tomlkit.float_(round(model.residual_px, 3)).comment("median"))
    table.add("residual_mm", round(model.residual_mm, 3))


_FACTORS = ("k1", "d20_turn_deg", "residual_px", "residual_mm")
_KEYS = {"width", "height", "homography", *_FACTORS}


def parse_model(table: dict[str, object]) -> CameraModel | Problem:
    """Read the model from a parsed table; every key is required and no other is allowed."""
    for key in sorted(_KEYS ^ set(table)):
        return Problem.reasoned("wrong_model", "model_missing" if key in _KEYS else "model_unknown", key=key)
    rows = table["homography"]
    if not (
        isinstance(rows, list) and len(rows) == 3 and all(isinstance(r, list) and len(r) == 3 for r in rows)
    ):
        return Problem.reasoned("wrong_model", "model_homography")
    for key, value in [*table.items(), *(("homography", value) for row in rows for value in row)]:
        if value is not rows and not _finite(value):
            return Problem.reasoned("wrong_model", "model_number", key=key, given=repr(value))
    width, height = table["width"], table["height"]
    for key, size in (("width", width), ("height", height)):
        if not isinstance(size, int) or not 16 <= size <= 16384:
            return Problem.reasoned("wrong_model", "model_size", key=key)
    homography = np.array(rows, np.float64)
    if abs(float(np.linalg.det(homography))) < 1e-12:
        return Problem.reasoned("wrong_model", "model_singular")
    factors = {key: float(str(table[key])) for key in _FACTORS}
    return CameraModel(int(str(width)), int(str(height)), tuple(homography.ravel().tolist()), **factors)


def _finite(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
