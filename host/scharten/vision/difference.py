"""What is new in a picture: how far each pixel differs, in units of what light, noise and a nudge explain."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.register import Alignment, Grey

_LEAST_NOISE = 1.5  # grey levels: what JPEG does to a still picture
_EDGE_PX = 0.22  # a border between beds may seem to move by this much after alignment


def significance(before: Grey, after: Grey, moved: Alignment) -> NDArray[np.float32]:
    """|difference| over its expected standard deviation, per pixel of `after`; (height, width).

    `before` and `after` are softened grey pictures; `moved` aligns the first with the second.
    """
    size = (after.shape[1], after.shape[0])
    level = cv2.convertScaleAbs(before, alpha=moved.gain, beta=moved.lift)
    level = cv2.warpAffine(
        level, moved.affine(), size, flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )
    difference = cv2.absdiff(level, after)
    noise = max(_LEAST_NOISE, 1.4826 * float(np.median(difference[::4, ::4])))
    dx = cv2.convertScaleAbs(cv2.Sobel(level, cv2.CV_16S, 1, 0), alpha=_EDGE_PX)
    dy = cv2.convertScaleAbs(cv2.Sobel(level, cv2.CV_16S, 0, 1), alpha=_EDGE_PX)
    spread = cv2.addWeighted(cv2.max(dx, dy), 1 / 8, level, 0.0, noise, dtype=cv2.CV_32F)
    return np.asarray(cv2.divide(difference.astype(np.float32), spread), np.float32)
