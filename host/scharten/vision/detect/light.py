"""By how much a picture is brighter than another of the same camera, row by row.

Lamps on mains flicker 100 times a second, and a rolling shutter reads one row after another: bands run through the
picture. A row's light is the median of its pixels' ratios, so that a dart or a hand in it does not count.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.model import Floats

Grey = NDArray[np.uint8]  # (height, width)
Mask = NDArray[np.uint8]  # 255 where something is, (height, width)

SMALL_WIDTH = 200
"""Pixels of a small picture, about: enough to see a dart by, and to tell the light."""
SATURATED = 245
"""From this level on a pixel may be brighter than it looks."""
_DARK = 20  # levels below which a ratio is mostly noise
_STRIPS = 15  # of the picture's height: flicker of 100 Hz makes up to four bands in it
_EVEN = 0.015  # strips that differ by less are lit alike: what noise and a dart do
_SPIKE = 0.03  # a row that differs from both rows beside it by more is lit for itself: no dart does that
_FEWEST = 8  # pixels of a row that tell its light
_SMOOTH = 0.035  # of the height, over which rows are taken together
_CERTAIN = (
    0.3  # a row that shows this share of what the fullest row shows tells its own light, unlike any beside it
)
_EDGE = 0.025  # a row that differs from the rows around it by more lies at a band's hard edge
_BANDS = 1.45  # a row that is brighter or darker than the others by more than this is covered, not lit
_DARKEST, _BRIGHTEST = 0.1, 10.0


def shrink(picture: NDArray[np.uint8], step: int) -> Grey:
    """A BGR or grey picture as a small grey one: each pixel is the mean of step x step, what is left over is cut off.

    By halves as far as that goes: that is ten times as fast as all at once.
    """
    while step % 2 == 0:
        picture, step = by_mean(picture, 2), step // 2
    grey = picture if picture.ndim == 2 else np.asarray(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY), np.uint8)
    return grey if step == 1 else by_mean(grey, step)


def by_mean(picture: NDArray[np.uint8], by: int) -> NDArray[np.uint8]:
    """A picture of which each pixel is the mean of by x by; what is left over is cut off."""
    height, width = picture.shape[0] // by, picture.shape[1] // by
    whole = picture[: height * by, : width * by]
    return np.asarray(cv2.resize(whole, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def light(before: Grey, current: Grey, region: Mask) -> Floats:
    """How much brighter each row of small `after` is, (height,); all alike where there are no bands."""
    overall = _overall(before, current, region)
    then, now = _sums(before, region), _sums(current, region)
    if _uneven(_strips(then), _strips(now), overall) < _EVEN and _jump(then, now) < _SPIKE:
        return np.full(len(before), overall)
    return _by_row(before, current, region, overall)


def _sums(picture: Grey, region: Mask) -> Floats:
    """The light of each row inside the region."""
    inside = cv2.bitwise_and(picture, region)
    return np.asarray(cv2.reduce(inside, 1, cv2.REDUCE_SUM, dtype=cv2.CV_32F).ravel(), np.float64)


def _strips(rows: Floats) -> Floats:
    """The light of each strip of the picture."""
    edges = np.linspace(0, len(rows), _STRIPS, endpoint=False).astype(np.intp)
    return np.asarray(np.add.reduceat(rows, edges))


def _uneven(then: Floats, now: Floats, overall: float) -> float:
    """How far any part that holds some of the region is from the overall change of light, as a share."""
    some = then > 0.2 * then.mean()
    return float(np.abs(now[some] / then[some] / overall - 1).max(initial=0.0))


def _jump(then: Floats, now: Floats) -> float:
    """How far any row's change of light is from that of both rows beside it: hard edges leave one row alone."""
    ratio = (now / np.maximum(then, 1))[then > 0.2 * then.mean()]
    if len(ratio) < 3:
        return 0.0
    beside = np.sort([ratio[:-2], ratio[1:-1], ratio[2:]], axis=0)[1]
    return float(np.abs(ratio[1:-1] / np.maximum(beside, 1e-3) - 1).max())


def _overall(before: Grey, current: Grey, region: Mask) -> float:
    then, now = before[::3, ::3], current[::3, ::3]
    lit = (region[::3, ::3] > 0) & (then > _DARK) & (then < SATURATED) & (now < SATURATED)
    if lit.sum() < 50:
        return 1.0
    return float(np.clip(np.median(now[lit] / then[lit].astype(np.float32)), _DARKEST, _BRIGHTEST))


def _by_row(before: Grey, current: Grey, region: Mask, overall: float) -> Floats:
    then, now, inside = before[:, ::2], current[:, ::2], region[:, ::2] > 0
    lit = inside & (then > _DARK) & (then < SATURATED) & (now < SATURATED)
    ratio = np.where(lit, now / np.maximum(then, 1).astype(np.float32), np.inf)
    ratio.sort(axis=1)
    count = lit.sum(axis=1)
    middle = ratio[np.arange(len(ratio)), np.minimum(count // 2, ratio.shape[1] - 1)]
    reliable = (count >= _FEWEST) & (middle < overall * _BANDS) & (middle > overall / _BANDS)
    if reliable.sum() < len(reliable) / _STRIPS:
        return np.full(len(before), overall)
    return _smoothed(np.where(reliable, middle, 0.0), np.where(reliable, count, 0))


def _smoothed(light_of_rows: Floats, weights: NDArray[np.intp]) -> Floats:
    """The rows' light without noise, (height,); lamps that switch make bands with hard edges, which stay hard."""
    reach, rows = max(1, round(_SMOOTH * len(weights))), np.arange(len(weights))
    window = np.hanning(2 * reach + 3)[1:-1]
    weight = np.convolve(weights, window, "same")
    total = np.convolve(light_of_rows * weights, window, "same")
    near, known = np.flatnonzero(weight > 0), np.flatnonzero(weights)
    smooth = np.interp(rows, near, total[near] / weight[near])
    hard = np.interp(rows, known, light_of_rows[known])
    middle = np.median([hard[:-2], hard[1:-1], hard[2:]], axis=0)
    hard = np.where(weights[1:-1] > _CERTAIN * weights.max(), hard[1:-1], middle)
    smooth[1:-1] = np.where(np.abs(hard / smooth[1:-1] - 1) > _EDGE, hard, smooth[1:-1])
    return np.asarray(smooth, np.float64)


def lit(picture: Grey, rows: Floats) -> Grey:
    """The picture in other light, row by row."""
    if rows[0] == rows[-1] and (rows == rows[0]).all():
        return np.asarray(cv2.convertScaleAbs(picture, alpha=float(rows[0])), np.uint8)
    bright = picture * rows.astype(np.float32)[:, None]
    return np.asarray(np.minimum(bright, 255), np.uint8)


def bands(rows: Floats) -> float:
    """How far the rows' light is from even, as a share of it."""
    return float(np.percentile(np.abs(rows / np.median(rows) - 1), 75))
