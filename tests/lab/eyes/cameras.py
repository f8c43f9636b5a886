"""Faults of cameras and of the room's light that last while the dart arrives, laid over real throws."""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np

from lab.eyes.faults import STANDS, WAKES, Chance, Fault, Frames, Laid, plain
from lab.eyes.throws import Pictures, Throw
from scharten.vision.model import Image

Change = Callable[[Image, int], Image]
"""Changes the picture of a frame."""


def _over_time(change: Change, throw: Throw, stands: int = 2 * STANDS) -> Laid:
    """Return a plain throw whose frames are each changed by their number."""
    frames = (tuple(change(p, n) for p in shot) for n, shot in enumerate(plain(throw, stands=stands)))
    return Laid(throw, frames, throw.bed)


def _times(picture: Image, factor: object) -> Image:
    return np.asarray(np.clip(picture * np.asarray(factor, np.float32), 0, 255), np.uint8)


def square_bands(throw: Throw, chance: Chance) -> Laid:
    """Lamps that switch at 100 Hz and a rolling shutter: bright and dark bands with hard edges, 12 % apart."""
    rows = np.arange(throw.before[0].shape[0])

    def banded(picture: Image, frame: int) -> Image:
        wave = np.sign(np.sin(math.tau * (rows / (0.3 * len(rows)) + chance.uniform())))
        return _times(picture, (1 + 0.06 * wave)[:, None, None])

    return _over_time(banded, throw)


def drifting_white(throw: Throw, chance: Chance) -> Laid:
    """The white balance drifts by 15 % in two seconds, through the throw."""
    return _over_time(lambda p, n: _times(p, 1 + 0.15 * min(n / 60, 1) * np.array([-1, 0, 0.8])), throw)


def hunting(throw: Throw, chance: Chance) -> Laid:
    """The exposure keeps oscillating: 10 % up and down within a second and a half."""
    return _over_time(lambda p, n: _times(p, 1 + 0.1 * math.sin(math.tau * n / 45)), throw)


def dust(throw: Throw, chance: Chance) -> Laid:
    """Five soft specks are on each lens, from the first picture on."""
    height, width = throw.before[0].shape[:2]
    specks = np.zeros((height, width), np.float32)
    for x, y in chance.uniform((0.1, 0.1), (0.9, 0.9), (5, 2)):
        cv2.circle(
            specks, (int(x * width), int(y * height)), int(chance.uniform(0.01, 0.03) * width), (1.0,), -1
        )
    dim = 1 - 0.4 * cv2.GaussianBlur(specks, (0, 0), 0.01 * width)[..., None]
    return _over_time(lambda p, n: _times(p, dim), throw)


def defocus(most_px: float) -> Fault:
    """All cameras lose their focus, up to a blur of this standard deviation, in the second before the dart."""

    def soft(picture: Image, frame: int) -> Image:
        blur = most_px * min(frame / WAKES, 1)
        return np.asarray(cv2.GaussianBlur(picture, (0, 0), blur), np.uint8) if blur > 0.3 else picture

    return lambda throw, chance: _over_time(soft, throw)


def late(least: int, most: int, *, cameras: int = 3) -> Fault:
    """Some cameras deliver each picture this many frames late, at least and at most: dropped or repeated, in any
    order."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        shots = list(plain(throw, stands=2 * STANDS))

        def shot(frame: int) -> Pictures:
            back = [
                int(chance.integers(least, most + 1)) if n < cameras else 0 for n in range(len(throw.eyes))
            ]
            return tuple(shots[max(0, frame - by)][n] for n, by in enumerate(back))

        return Laid(throw, (shot(frame) for frame in range(len(shots))), throw.bed)

    return lay


def dropped(throw: Throw, chance: Chance) -> Laid:
    """Two of five pictures of each camera are lost, and the one before stays."""
    newest = list(throw.before)

    def frames() -> Frames:
        for shot in plain(throw, stands=2 * STANDS):
            for n in np.flatnonzero(chance.uniform(size=len(shot)) > 0.4):
                newest[n] = shot[n]
            yield tuple(newest)

    return Laid(throw, frames(), throw.bed)


def television(throw: Throw, chance: Chance) -> Laid:
    """A television in the room: bluish light on one side, another level three times a second."""
    slope = np.linspace(1, 0, throw.before[0].shape[1])[None, :, None] * np.array([1.0, 0.8, 0.7])
    levels = chance.uniform(0, 0.08, 40)
    return _over_time(lambda p, n: _times(p, 1 + levels[n // 10] * slope), throw)


def sun(px: float) -> Fault:
    """A patch of sun, a third of the picture wide, moves by this many pixels a frame."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        height, width = throw.before[0].shape[:2]
        at = float(chance.uniform(-0.1, 0.4)) * width

        def lit(picture: Image, frame: int) -> Image:
            cover = np.zeros((height, width), np.float32)
            left = at + px * frame
            corners = [
                (left, 0),
                (left + 0.33 * width, 0),
                (left + 0.45 * width, height),
                (left + 0.12 * width, height),
            ]
            cv2.fillPoly(cover, [np.rint(corners).astype(np.int32)], (1.0,))
            return _times(picture, 1 + 0.35 * cv2.GaussianBlur(cover, (0, 0), 4)[..., None])

        return _over_time(lit, throw)

    return lay
