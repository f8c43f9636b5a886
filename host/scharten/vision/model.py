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
from numpy.typing import NDArray

from scharten.errors import Problem

Floats = NDArray[np.floating[Any]]
Points = Floats  # (n, 2)

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
    """Straight pixels to pixels of the picture: the inverse of `straighten`, by Newton's method."""
    centre, half = np.array([(width - 1) / 2, (height - 1) / 2]), width / 2
    off = np.asarray(straight, np.float64) - centre
    wanted = np.hypot(off[..., 0], off[..., 1]) / half
    r = wanted
    for _ in range(_NEWTON_STEPS):
        bent = k1 * r * r
        r = (2 * bent * r + wanted) / np.maximum(1 + 3 * bent, 0.1)
    return np.asarray(centre + off * (r / np.maximum(wanted, 1e-12))[..., None])


def transform(homography: Floats, points: Points) -> Points:
    """Points through a 3x3 homography."""
    p = np.asarray(points, np.float64)
    w = p @ homography[2, :2] + homography[2, 2]
    return np.asarray((p @ homography[:2, :2].T + homography[:2, 2]) / w[..., None])


def to_pixels(model: CameraModel, board_mm: Points) -> Points:
    """Board mm to pixels of the picture."""
    return bend(transform(matrix(model), board_mm), model.width, model.height, model.k1)


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


def model_text(model: CameraModel) -> str:
    """The model as TOML (one table's worth of keys)."""
    rows = "".join(
        "    [" + ", ".join(f"{v!r}" for v in model.homography[3 * i : 3 * i + 3]) + "],\n" for i in range(3)
    )
    return (
        f"width = {model.width}\nheight = {model.height}\n"
        f"homography = [  # board mm to straight pixels\n{rows}]\n"
        f"k1 = {model.k1!r}  # radial term, in half widths of the picture\n"
        f"d20_turn_deg = {model.d20_turn_deg:.1f}  # direction of the double 20, clockwise from up\n"
        f"residual_px = {model.residual_px:.3f}  # median\nresidual_mm = {model.residual_mm:.3f}\n"
    )


_NUMBERS = {
    "width": int,
    "height": int,
    "k1": float,
    "d20_turn_deg": float,
    "residual_px": float,
    "residual_mm": float,
}


def model_of_table(table: dict[str, object]) -> CameraModel | Problem:
    """The model of a parsed table; every key is wanted and no other is known."""
    wanted = {*_NUMBERS, "homography"}
    for key in sorted(wanted ^ set(table)):
        return Problem("wrong_model", f"{'missing' if key in wanted else 'unknown'} key {key!r}")
    rows = table["homography"]
    if not (
        isinstance(rows, list) and len(rows) == 3 and all(isinstance(r, list) and len(r) == 3 for r in rows)
    ):
        return Problem("wrong_model", "homography must be three rows of three numbers")
    flat = [v for row in rows for v in row]
    values = {key: table[key] for key in _NUMBERS}
    for key, value in [*values.items(), *(("homography", v) for v in flat)]:
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            return Problem("wrong_model", f"{key} must be a number, not {value!r}")
    homography = tuple(float(v) for v in flat)
    numbers = {
        key: kind(str(values[key])) if kind is float else values[key] for key, kind in _NUMBERS.items()
    }
    for key in ("width", "height"):
        if not isinstance(size := numbers[key], int) or not 16 <= size <= 16384:
            return Problem("wrong_model", f"{key} must be a whole number of pixels from 16 to 16384")
    if abs(float(np.linalg.det(np.array(homography).reshape(3, 3)))) < 1e-12:
        return Problem("wrong_model", "homography cannot be inverted")
    return CameraModel(homography=homography, **numbers)  # type: ignore[arg-type]
