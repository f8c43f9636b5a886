"""Pictures as cameras give them: decoded, or still a JPEG, which costs a third as much while nothing moves."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.detect.light import Grey, shrink
from scharten.vision.model import Image

_REDUCED = {
    8: cv2.IMREAD_REDUCED_GRAYSCALE_8,
    4: cv2.IMREAD_REDUCED_GRAYSCALE_4,
    2: cv2.IMREAD_REDUCED_GRAYSCALE_2,
    1: cv2.IMREAD_GRAYSCALE,
}
_FRAME_HEADERS = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_START, _SCAN = b"\xff\xd8", 0xDA


@dataclass(frozen=True, eq=False)
class Packed:
    """A JPEG that is not decoded yet."""

    data: NDArray[np.uint8]
    size: tuple[int, int]  # width and height in pixels


Shot = Image | Packed
Shots = tuple[Shot, ...]


def packed(data: NDArray[np.uint8]) -> Packed | None:
    """Wrap the bytes of a JPEG; None when they are not the beginning of one."""
    size = _jpeg_size(data.ravel()[:65536].tobytes())
    return Packed(data.ravel(), size) if size else None


def _jpeg_size(data: bytes) -> tuple[int, int] | None:
    """Width and height from the frame header of a JPEG."""
    at = len(_START)
    while data.startswith(_START) and at + 9 <= len(data) and data[at] == 0xFF and data[at + 1] != _SCAN:
        if data[at + 1] in _FRAME_HEADERS:
            return int.from_bytes(data[at + 7 : at + 9]), int.from_bytes(data[at + 5 : at + 7])
        at += 2 + int.from_bytes(data[at + 2 : at + 4])
    return None


def size_of(shot: Shot) -> tuple[int, int]:
    """Width and height of a picture."""
    return shot.size if isinstance(shot, Packed) else (shot.shape[1], shot.shape[0])


def whole(shot: Shot) -> Image:
    """The picture as BGR; black where its JPEG cannot be decoded."""
    if not isinstance(shot, Packed):
        return shot
    width, height = shot.size
    picture = cv2.imdecode(shot.data, cv2.IMREAD_COLOR)
    return np.zeros((height, width, 3), np.uint8) if picture is None else np.asarray(picture, np.uint8)


def small(shot: Shot, step: int) -> Grey:
    """The picture as `shrink` makes it; a JPEG is decoded small: its decoder takes the same means."""
    if not isinstance(shot, Packed):
        return shrink(shot, step)
    reduced = next(by for by in _REDUCED if step % by == 0)
    width, height = (side // step for side in shot.size)
    picture = cv2.imdecode(shot.data, _REDUCED[reduced])
    if picture is None:
        return np.zeros((height, width), np.uint8)
    grey = np.asarray(picture[: height * step // reduced, : width * step // reduced], np.uint8)
    return shrink(grey, step // reduced)
