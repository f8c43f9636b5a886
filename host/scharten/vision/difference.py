"""What is new in a picture: the pixels that differ by more than light, noise and a nudge explain."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.register import Alignment, Grey, moved

_SIGMAS = 3.5  # standard deviations from which a pixel is new
_LEAST_NOISE = 1.5  # grey levels: what JPEG does to a still picture
_EDGE_PX = 0.22  # a border between beds may seem to move by this much after alignment


def novelty(before: Grey, after: Grey, by: Alignment) -> NDArray[np.uint8]:
    """255 where `after` shows something new, else 0; (height, width).

    `before` and `after` are softened grey pictures; `by` aligns the first with the second.
    """
    level = moved(before, by)
    difference = cv2.absdiff(level, after)
    noise = max(_LEAST_NOISE, 1.4826 * float(np.median(difference[::8, ::16])))
    # greatest minus least level of 3x3 pixels: twice the slope per pixel
    borders = cv2.morphologyEx(level, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
    allowed = cv2.convertScaleAbs(borders, alpha=_SIGMAS * _EDGE_PX / 2, beta=_SIGMAS * noise)
    return np.asarray(cv2.medianBlur(cv2.compare(difference, allowed, cv2.CMP_GT), 3), np.uint8)
