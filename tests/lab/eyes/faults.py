"""Faults laid over real throws, frame by frame. To add one, write a function from a throw and chance to frames,
and a line.

A fault starts with the empty board, has its throw, and ends when everything was still for some time.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from lab.eyes.throws import Pictures, Throw, shadow
from scharten.vision.model import Image

FRAME_MS = 33
WAKES, STANDS = 16, 26  # frames: until the board is known, and after a throw
_SHOTS = 4
SKIN = (110, 140, 190)

Frames = Iterator[Pictures]
Chance = np.random.Generator


@dataclass(frozen=True)
class Laid:
    """Frames with a fault in them, and the expected report after their start: the bed of a dart, or nothing."""

    throw: Throw
    frames: Frames
    bed: str | None
    reported_before: int = 0  # darts that are reported first, and not counted
    starts: int = WAKES  # frames until something happens


Fault = Callable[[Throw, Chance], Laid | None]
"""None if the throw cannot have the fault."""


def held(pictures: Pictures, frames: int) -> Frames:
    """Show the same pictures for this many frames."""
    for _ in range(frames):
        yield pictures


def plain(throw: Throw, wakes: int = WAKES, stands: int = STANDS) -> Frames:
    """Show the board before the throw, then with the dart."""
    yield from held(throw.before, wakes)
    yield from held(throw.with_dart, stands)


def _each(throw: Throw, change: Callable[[Image], Image], stands: int = STANDS) -> Frames:
    """Return a plain throw with every frame changed; some frames of each part repeat."""
    for pictures, count in ((throw.before, WAKES), (throw.with_dart, stands)):
        shots = [tuple(change(picture) for picture in pictures) for _ in range(_SHOTS)]
        for frame in range(count):
            yield shots[frame % _SHOTS]


def _lit(picture: Image, gain: float) -> Image:
    return np.asarray(cv2.convertScaleAbs(picture, alpha=gain), np.uint8)


def nothing(throw: Throw, chance: Chance) -> Laid:
    """No fault."""
    return Laid(throw, plain(throw), throw.bed)


def bands(share: float) -> Fault:
    """Lamps at 100 Hz and a rolling shutter: rows are brighter and darker by this share, elsewhere in each frame."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        rows = np.arange(throw.before[0].shape[0])

        def banded(picture: Image) -> Image:
            wave = np.sin(math.tau * (rows / (0.3 * len(rows)) + chance.uniform()))
            light = np.asarray(1 + share * wave, np.float32)[:, None, None]
            return np.asarray(np.clip(picture * light, 0, 255), np.uint8)

        return Laid(throw, _each(throw, banded, 75 if share > 0.2 else STANDS), throw.bed)

    return lay


def exposure(gain: float) -> Fault:
    """The camera changes its exposure as the dart arrives, and keeps it."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        def frames() -> Frames:
            yield from held(throw.before, WAKES)
            yield from held(tuple(_lit(picture, gain) for picture in throw.with_dart), STANDS)

        return Laid(throw, frames(), throw.bed)

    return lay


def dimmed(throw: Throw, chance: Chance) -> Laid:
    """A lamp goes out and stays out; then the dart arrives."""

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        yield from held(tuple(_lit(picture, 0.3) for picture in throw.before), STANDS)
        yield from held(tuple(_lit(picture, 0.3) for picture in throw.with_dart), STANDS)

    return Laid(throw, frames(), throw.bed)


def insect(everywhere: bool) -> Fault:
    """A moth of 32 to 120 px flies before one camera or all, sits for a second, and flies away; no dart arrives."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        height, width = throw.before[0].shape[:2]
        sizes = chance.uniform(32, 120, len(throw.before))
        places = chance.uniform((0.25 * width, 0.2 * height), (0.75 * width, 0.8 * height), (len(sizes), 2))
        turns = chance.uniform(0, 180, len(sizes))

        def sits(off: float) -> Pictures:
            shots = []
            for n, picture in enumerate(throw.before):
                seen = picture.copy()
                if everywhere or n == 0:
                    at = places[n] + off * np.array([1.0, -0.6])
                    axes = (int(sizes[n] / 2), int(sizes[n] / 4))
                    for part, shade in ((1.0, 60), (0.6, 40)):
                        half = (int(part * axes[0]), int(part * axes[1]))
                        cv2.ellipse(
                            seen,
                            (int(at[0]), int(at[1])),
                            half,
                            turns[n],
                            0,
                            360,
                            (shade,) * 3,
                            -1,
                            cv2.LINE_AA,
                        )
                shots.append(np.asarray(seen, np.uint8))
            return tuple(shots)

        def frames() -> Frames:
            yield from held(throw.before, WAKES)
            for off in (180, 120, 70, 30):
                yield sits(off)
            yield from held(sits(0), 30)
            for off in (-40, -90, -150):
                yield sits(off)
            yield from held(throw.before, STANDS)

        return Laid(throw, frames(), None)

    return lay


def _hand(picture: Image, at: tuple[float, float], size: float) -> Image:
    seen = picture.copy()
    cv2.ellipse(
        seen, (int(at[0]), int(at[1])), (int(size), int(0.7 * size)), 20, 0, 360, SKIN, -1, cv2.LINE_AA
    )
    return np.asarray(seen, np.uint8)


def hand_comes(then: Pictures, now: Pictures) -> Frames:
    """A hand comes from below before all cameras and leaves; the picture behind it changes halfway."""
    height, width = then[0].shape[:2]
    for frame in range(24):
        near = min(frame, 24 - frame, 6) / 6
        at = (0.5 * width + 3 * math.sin(frame), (1.15 - 0.65 * near) * height)
        yield tuple(_hand(picture, at, 0.2 * width) for picture in (then if frame < 12 else now))


def hand_at_rim(throw: Throw, chance: Chance) -> Laid:
    """A hand stays at the rim of one camera's picture while the dart arrives, and leaves two seconds later."""
    which = int(chance.integers(len(throw.before)))
    height, width = throw.before[0].shape[:2]
    corner = (float(chance.choice([0.16, 0.84])) * width, float(chance.choice([0.16, 0.84])) * height)

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        for pictures, count in ((throw.before, 15), (throw.with_dart, 60)):
            for frame in range(count):
                at = (corner[0] + 4 * math.sin(frame), corner[1])
                yield tuple(_hand(p, at, 0.2 * width) if n == which else p for n, p in enumerate(pictures))
        yield from held(throw.with_dart, STANDS)

    return Laid(throw, frames(), throw.bed)


def hand_after(throw: Throw, chance: Chance) -> Laid | None:
    """A hand comes 33 to 130 ms after the dart, in all pictures, and takes nothing."""
    dart = throw.seen()
    until = int(chance.integers(1, 5))

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        yield from held(throw.with_dart, until)
        yield from hand_comes(throw.with_dart, throw.with_dart)
        yield from held(throw.with_dart, STANDS)

    return Laid(throw, frames(), throw.bed) if dart else None


def shadows(throw: Throw, chance: Chance) -> Laid | None:
    """Two hard lamps: two shadows of the dart, 100 mm long, flat on the board."""
    dart = throw.seen()
    if dart is None:
        return None
    shaded, way = throw.with_dart, chance.uniform(0, math.tau)
    bare = throw.before
    for turn in (way, way + chance.uniform(0.7, 2.4)):
        shaded = shadow(throw.eyes, shaded, (dart.x_mm, dart.y_mm), turn, 100.0)
    # the dart itself is not darkened: shadows lie on the board behind it
    over = []
    for old, new, dim in zip(bare, throw.with_dart, shaded, strict=True):
        solid = cv2.dilate(
            (cv2.absdiff(old, new).max(axis=2) > 40).astype(np.uint8), np.ones((3, 3), np.uint8)
        )
        over.append(np.where(solid[..., None] > 0, new, dim))
    return Laid(throw, plain(replace(throw, with_dart=tuple(over))), throw.bed)


def _blurred(picture: Image, long_px: int, way: float) -> Image:
    kernel = np.zeros((long_px, long_px), np.float32)
    middle, reach = long_px // 2, long_px / 2
    off = reach * np.array([math.cos(way), math.sin(way)])
    ends = [(int(middle + s * off[0]), int(middle + s * off[1])) for s in (-1, 1)]
    cv2.line(kernel, ends[0], ends[1], (1.0,), 1)
    return np.asarray(cv2.filter2D(picture, -1, kernel / kernel.sum()), np.uint8)


def shaken(throw: Throw, chance: Chance) -> Laid:
    """The impact shakes all cameras: for 0.4 s their pictures are blurred by 9 px, then they are sharp."""

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        yield from held(tuple(_blurred(p, 9, chance.uniform(0, math.pi)) for p in throw.with_dart), 12)
        yield from held(throw.with_dart, STANDS)

    return Laid(throw, frames(), throw.bed)


def one_blurred(throw: Throw, chance: Chance) -> Laid:
    """One camera's pictures are blurred by 15 px from the dart on."""
    which = int(chance.integers(len(throw.before)))
    later = tuple(
        _blurred(p, 15, chance.uniform(0, math.pi)) if n == which else p
        for n, p in enumerate(throw.with_dart)
    )
    return Laid(throw, plain(replace(throw, with_dart=later), stands=2 * STANDS), throw.bed)


def swapped(throw: Throw, chance: Chance) -> Laid:
    """Two cameras are plugged into each other's port."""
    first, other = chance.choice(len(throw.before), 2, replace=False)
    order = list(range(len(throw.before)))
    order[first], order[other] = order[other], order[first]
    frames = (tuple(pictures[n] for n in order) for pictures in plain(throw, wakes=2 * WAKES))
    return Laid(throw, frames, throw.bed, starts=2 * WAKES)


def alone(throw: Throw, chance: Chance) -> Laid:
    """Only one camera is left."""
    n = int(chance.integers(len(throw.before)))
    item = Throw((throw.eyes[n],), (throw.empties[n],), (throw.before[n],), (throw.with_dart[n],), throw.bed)
    return Laid(item, plain(item, stands=90), throw.bed)


def bounced(throw: Throw, chance: Chance) -> Laid:
    """A dart is visible for a tenth of a second, ever lower, and disappears."""
    far = throw.before[0].shape[0] // 12

    def frames() -> Frames:
        yield from held(throw.before, WAKES)
        for fall in range(3):
            yield tuple(fallen(*pair, fall * far) for pair in zip(throw.before, throw.with_dart, strict=True))
        yield from held(throw.before, STANDS)

    return Laid(throw, frames(), "bounced")


def fallen(old: Image, new: Image, by: int) -> Image:
    """Return the picture with its dart this many pixels lower."""
    seen, cover = old.copy(), cv2.absdiff(old, new).max(axis=2) > 20
    rows = len(old) - by
    seen[by:][cover[:rows]] = new[:rows][cover[:rows]]
    return np.asarray(seen, np.uint8)


def taken(throw: Throw, chance: Chance) -> Laid:
    """The dart arrives and is reported; then a hand takes it out."""

    def frames() -> Frames:
        yield from plain(throw)
        yield from hand_comes(throw.with_dart, throw.before)
        yield from held(throw.before, STANDS)

    return Laid(throw, frames(), "empty", reported_before=1)


def changed(change: Callable[[Image, Chance], Image]) -> Fault:
    """Change every picture from the first on."""

    def lay(throw: Throw, chance: Chance) -> Laid:
        return Laid(throw, _each(throw, lambda picture: change(picture, chance)), throw.bed)

    return lay


def _noisy(picture: Image, chance: Chance) -> Image:
    noise = 6 * chance.standard_normal(picture.shape, np.float32)
    return np.asarray(np.clip(picture + noise, 0, 255), np.uint8)


def _jpeg(picture: Image, chance: Chance) -> Image:
    packed = cv2.imencode(".jpg", picture, (cv2.IMWRITE_JPEG_QUALITY, 15))[1]
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


def warmer(throw: Throw, chance: Chance) -> Laid:
    """The white balance changes with the throw."""
    later = tuple(np.clip(p * np.array([0.85, 1.0, 1.12]), 0, 255).astype(np.uint8) for p in throw.with_dart)
    return Laid(throw, plain(replace(throw, with_dart=later)), throw.bed)


def turned(throw: Throw, chance: Chance) -> Laid:
    """One camera was turned by half a degree."""
    height, width = throw.before[0].shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), float(chance.choice([-0.5, 0.5])), 1.0)
    later = (
        cv2.warpAffine(throw.with_dart[0], turn, (width, height), borderMode=cv2.BORDER_REPLICATE),
        *throw.with_dart[1:],
    )
    return Laid(
        throw, plain(replace(throw, with_dart=tuple(np.asarray(p, np.uint8) for p in later))), throw.bed
    )


def frozen(throw: Throw, chance: Chance) -> Laid:
    """One camera repeats the same old picture for ever."""
    return Laid(throw, plain(replace(throw, with_dart=(throw.before[0], *throw.with_dart[1:]))), throw.bed)


noisy, jpeg = changed(_noisy), changed(_jpeg)
