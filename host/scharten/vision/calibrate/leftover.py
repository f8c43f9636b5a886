"""Whether a picture that should show the empty board has a dart in it: something in the singles that is no bed."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import ALL_BEDS, BedKind
from scharten.dartboard.locate import DOUBLE_INNER_RADIUS, WIRE_RADII
from scharten.vision.detect.fuse import bed_indices
from scharten.vision.model import CameraModel, Floats, Image, to_pixels

_LEAST_MM2 = 150.0  # half a barrel; reflections and worn places of real empty boards stay below half of it
_WIRE_MM = 3.0  # so near to a wire a pixel shows it, or the next bed
_LEVELS, _SPREADS = (
    32.0,
    4.0,
)  # a pixel that differs from its bed by more levels, and by more spreads, is no bed
_FEWEST = 30  # pixels of a bed needed to know its look
_TOGETHER_MM = 15  # what a ring or a wire keeps apart is one thing


@dataclass(frozen=True)
class Leftover:
    """Something in the board: the middle of it in mm, and its area."""

    x_mm: float
    y_mm: float
    area_mm2: float


def leftover(picture: Image, model: CameraModel) -> Leftover | None:
    """Return the largest foreign object in the board's singles, or None.

    `picture` is BGR, of the camera that `model` describes. A dart that hides in rings, wires and beds of its colour
    is not found: in one camera one of three escapes, hardly ever all cameras at once.
    """
    reach = round(DOUBLE_INNER_RADIUS)
    line = np.arange(-reach, reach + 1, dtype=np.float64)
    x, y = (axis.ravel() for axis in np.meshgrid(line, -line))
    at = np.column_stack([x, y])
    beds, looked = bed_indices(at), _looked_at(x, y)
    odd = np.zeros(len(at), np.bool_)
    levels = _levels(picture, model, at)
    for bed in np.unique(beds[looked]):
        these = (beds == bed) & looked
        if these.sum() >= _FEWEST:
            odd[these] = _odd(levels[these])
    square = (len(line), len(line))
    disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (3, 3))
    things = cv2.morphologyEx((255 * odd).astype(np.uint8).reshape(square), cv2.MORPH_OPEN, disc)
    return _largest(np.asarray(things, np.uint8), reach)


def _looked_at(x: Floats, y: Floats) -> NDArray[np.bool_]:
    """Whether places are in a single, and not at a wire."""
    kinds = np.array([bed.kind in (BedKind.FAT, BedKind.LITTLE) for bed in ALL_BEDS])
    radius, turn = np.hypot(x, y), np.arctan2(x, y)
    ring = np.abs(radius[:, None] - np.array(WIRE_RADII)).min(axis=1)
    sector = math.tau / 20
    off = np.abs(turn % sector - sector / 2)  # from the nearest wire, radians
    return np.asarray(
        kinds[bed_indices(np.column_stack([x, y]))] & (ring > _WIRE_MM) & (radius * np.sin(off) > _WIRE_MM),
        np.bool_,
    )


def _levels(picture: Image, model: CameraModel, at: Floats) -> Floats:
    """The colours at places on the board, (n, 3)."""
    soft = cv2.GaussianBlur(picture, (0, 0), 1.0)
    pixels = to_pixels(model, at).astype(np.float32).reshape(1, -1, 2)
    size = round(math.sqrt(len(at)))
    maps = pixels.reshape(size, size, 2)
    return np.asarray(
        cv2.remap(soft, maps[..., 0], maps[..., 1], cv2.INTER_LINEAR).reshape(-1, 3), np.float64
    )


def _odd(levels: Floats) -> NDArray[np.bool_]:
    off = np.abs(levels - np.median(levels, axis=0))
    spread = 1.4826 * np.median(off, axis=0)
    return np.asarray((off > np.maximum(_LEVELS, _SPREADS * spread)).any(axis=1), np.bool_)


def _largest(things: NDArray[np.uint8], reach: int) -> Leftover | None:
    wide = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (_TOGETHER_MM, _TOGETHER_MM))
    count, labels = cv2.connectedComponents(cv2.morphologyEx(things, cv2.MORPH_CLOSE, wide))
    sizes = np.bincount(labels[things > 0].astype(np.intp), minlength=count)
    best = int(sizes.argmax())
    if sizes[best] < _LEAST_MM2:
        return None
    rows, columns = np.nonzero((labels == best) & (things > 0))
    return Leftover(float(columns.mean()) - reach, reach - float(rows.mean()), float(sizes[best]))
