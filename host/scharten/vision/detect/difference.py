"""Find new things in a picture: pixels that differ by more than light, noise and a nudge explain."""

from __future__ import annotations

import cv2
import numpy as np

from scharten.vision.detect.light import SATURATED, Grey, Mask
from scharten.vision.detect.register import LEAST_NOISE, STILL_PX, Alignment, halved, moved

_SIGMAS = 3.5  # standard deviations from which a pixel is new
_EDGE_MM = 0.144  # a border between beds may seem to move by this much after alignment
_DIMMED = 0.95  # a picture that is darker than the one before by more
_AROUND_MM = 26.0  # a dart's faint end lies this near to what is seen of it at half the size


def novelty(
    before: Grey, current: Grey, by: Alignment, within: Mask, px_per_mm: float
) -> tuple[Mask, tuple[int, int]]:
    """255 where `after` shows something new inside `within`: a piece of the picture, and its left and top.

    `before` and `after` are softened grey pictures; `by` aligns the first with the second. Half the size tells
    where to look.
    """
    small, edge = _half(current), _EDGE_MM * px_per_mm
    difference, borders = _differ(_half(before), small, halved(by), (0, 0), edge / 2)
    rough = cv2.bitwise_and(
        _beyond(difference, borders, edge / 2, _noise(difference[::4, ::8])), _half(within)
    )
    x, y, width, height = cv2.boundingRect(rough)
    if not width:
        return np.zeros((0, 0), np.uint8), (0, 0)
    around = 2 * round(_AROUND_MM * px_per_mm / 2)
    left, top = max(2 * x - around, 0), max(2 * y - around, 0)
    right, bottom = 2 * (x + width) + around, 2 * (y + height) + around
    difference, borders = _differ(before, current[top:bottom, left:right], by, (left, top))
    old = rough[top // 2 : bottom // 2, left // 2 : right // 2] == 0
    noise = _noise(difference[: 2 * old.shape[0] : 2, : 2 * old.shape[1] : 2][old])
    new = _beyond(difference, borders, edge, noise)
    return np.asarray(cv2.bitwise_and(new, within[top:bottom, left:right]), np.uint8), (left, top)


def differs(before: Grey, piece: Grey, by: Alignment, corner: tuple[int, int], px_per_mm: float) -> Mask:
    """255 where a piece of a picture, cut out at its left and top `corner`, shows something that `before` does not."""
    difference, borders = _differ(before, piece, by, corner)
    return _beyond(difference, borders, _EDGE_MM * px_per_mm, _noise(difference))


def _half(picture: Grey) -> Grey:
    size = (picture.shape[1] // 2, picture.shape[0] // 2)
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)


def _differ(
    before: Grey, current: Grey, by: Alignment, corner: tuple[int, int], still_px: float = STILL_PX
) -> tuple[Grey, Grey]:
    """By how much `after`, a picture or a piece of one, differs from `before`; and how steep it is there.

    Steepness is the greatest minus the least level of 3x3 pixels: twice the slope per pixel.
    """
    level = moved(before, by, (*corner, current.shape[1], current.shape[0]), still_px)
    steep = cv2.morphologyEx(level, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    difference = np.asarray(cv2.absdiff(level, current), np.uint8)
    if by.gain < _DIMMED:  # what was too bright to tell may still be as bright as it looks
        difference[(level >= SATURATED * by.gain + by.lift) & (current >= level)] = 0
    return difference, np.asarray(steep, np.uint8)


def _noise(difference: Grey) -> float:
    """Standard deviation of a difference that is mostly noise."""
    middle = float(np.median(difference)) if difference.size else 0.0
    return max(LEAST_NOISE, 1.4826 * middle)


def _beyond(difference: Grey, steep: Grey, edge_px: float, noise: float) -> Mask:
    """255 where the difference exceeds noise and borders that move by this many pixels."""
    allowed = cv2.convertScaleAbs(steep, alpha=_SIGMAS * edge_px / 2, beta=_SIGMAS * noise)
    return np.asarray(cv2.medianBlur(cv2.compare(difference, allowed, cv2.CMP_GT), 3), np.uint8)
