"""Stripes that tell each place of a projector's picture by a Gray code: made, and read back from what cameras saw.

A place is a cell of a few pixels: stripes that are finer than a camera sees tell nothing. Each picture comes with
its inverse, so that a bed's own colour does not count. Points are (n, 2) arrays, x to the right, y down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.model import Points

Grey = NDArray[np.float32]  # levels, (height, width)
CELL_PX = 4
_LEAST_LEVELS = 6.0  # between white and black, that any light was seen at all
_LEAST_SHARE = 0.12  # of that, between a stripe and its inverse
_SATURATED = 252.0


@dataclass(frozen=True, order=True)
class Pattern:
    """One picture: `axis` x or y with the bit of the cell's number, or `white` or `black` all over."""

    axis: str
    bit: int = 0
    inverse: bool = False

    @property
    def name(self) -> str:
        """A word that can be the name of a file."""
        if self.axis in ("white", "black"):
            return self.axis
        return f"{self.axis}{self.bit}{'-inverse' if self.inverse else ''}"


WHITE, BLACK = Pattern("white"), Pattern("black")


def patterns(size: tuple[int, int], cell: int = CELL_PX) -> tuple[Pattern, ...]:
    """All pictures for a projector of width x height: white, black, then each bit with its inverse."""
    stripes = (
        Pattern(axis, bit, inverse)
        for axis, length in zip("xy", size, strict=True)
        for bit in reversed(range(_bits(length, cell)))
        for inverse in (False, True)
    )
    return (WHITE, BLACK, *stripes)


def _bits(length: int, cell: int) -> int:
    return max(1, (-(-length // cell) - 1).bit_length())


def drawn(pattern: Pattern, size: tuple[int, int], cell: int = CELL_PX) -> NDArray[np.uint8]:
    """A pattern as a grey picture."""
    width, height = size
    if pattern.axis in ("white", "black"):
        return np.full((height, width), 255 if pattern == WHITE else 0, np.uint8)
    cells = np.arange(width if pattern.axis == "x" else height) // cell
    lit = (((cells ^ (cells >> 1)) >> pattern.bit) & 1) != pattern.inverse
    line = np.where(lit, 255, 0).astype(np.uint8)
    return np.tile(line, (height, 1)) if pattern.axis == "x" else np.tile(line[:, None], (1, width))


@dataclass(frozen=True)
class SeenLight:
    """Where one camera sees the projector's light, and how clear it is."""

    where: NDArray[np.bool_]  # (height, width)
    levels: float  # between white and black, where it was
    saturated: float  # share of it that was too bright to tell


@dataclass(frozen=True)
class Seen:
    """One camera's reading: pixels of its picture and the projector's pixels that light them."""

    pixels: Points
    projected: Points
    light: SeenLight


def seen_light(shots: Mapping[Pattern, Grey]) -> SeenLight:
    """A camera's pictures of white and black."""
    contrast = np.asarray(shots[WHITE] - shots[BLACK], np.float32)
    lit = cv2.medianBlur(contrast, 5) > _LEAST_LEVELS  # a pixel's noise is not light
    levels = float(np.median(contrast[lit])) if lit.any() else 0.0
    saturated = float((shots[WHITE][lit] >= _SATURATED).mean()) if lit.any() else 0.0
    return SeenLight(lit, levels, saturated)


def decoded(shots: Mapping[Pattern, Grey], size: tuple[int, int], cell: int = CELL_PX) -> Seen:
    """Read back what a camera saw of all patterns; `KeyError` when one of them is missing."""
    contrast, light = np.asarray(shots[WHITE] - shots[BLACK], np.float32), seen_light(shots)
    lit = light.where
    sure, cells = lit & (shots[WHITE] < _SATURATED), []
    for axis, length in zip("xy", size, strict=True):
        number = np.zeros(lit.shape, np.int64)
        before = np.zeros(lit.shape, np.int64)
        for bit in reversed(range(_bits(length, cell))):
            apart = shots[Pattern(axis, bit)] - shots[Pattern(axis, bit, True)]
            sure = sure & (np.abs(apart) > _LEAST_SHARE * contrast)
            before = before ^ (apart > 0)
            number = 2 * number + before
        cells.append(number)
    sure &= (cells[0] < -(-size[0] // cell)) & (cells[1] < -(-size[1] // cell))
    rows, columns = np.nonzero(sure)
    middle = np.column_stack([codes[sure] for codes in cells]) * cell + (cell - 1) / 2
    return Seen(np.column_stack([columns, rows]).astype(np.float64), middle, light)
