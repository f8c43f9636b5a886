"""Real throws for the live loop: photographs in order, and darts cut out of them to be placed elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import cv2
import numpy as np

from scharten.dartboard.locate import BOARD_RADIUS, bed_at
from scharten.sensors.photo_sets import PhotoSet, calibrated_cameras, pictures_of, read_set
from scharten.vision.detect.camera import CalibratedCamera, find_novelty, settle, take_in
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.detect.pose import projection
from scharten.vision.model import CameraModel, Floats, Image, bend, to_board, to_pixels

SETS = ("single", "pairs")
_MATTE_LEVELS = 28.0  # grey levels by which a dart differs from the board behind it
_MARGIN_PX = 7

Pictures = tuple[Image, ...]


@dataclass(frozen=True)
class Throw:
    """One real dart: the cameras' pictures of the empty board, before it and after it, and its bed."""

    eyes: tuple[CalibratedCamera, ...]
    empties: Pictures
    before: Pictures
    with_dart: Pictures
    bed: str

    def seen(self) -> SeenDart | None:
        """The detector's result for the dart without any fault."""
        trios = zip(self.eyes, self.before, self.with_dart, strict=True)
        return settle(
            tuple(find_novelty(eye, take_in(eye, old), take_in(eye, new)) for eye, old, new in trios)
        )


def real_throws(folder: Path, count: int) -> Iterator[Callable[[], Throw]]:
    """Yield this many throws, spread over the sets; each is read on demand."""
    found: list[Callable[[], Throw]] = []
    for name in SETS:
        photos, eyes = _opened(folder / name)
        found += [_reader(photos, eyes, index) for index in range(len(photos.throws))]
    for index in np.linspace(0, len(found), count, endpoint=False).astype(int):
        yield found[index]


@cache
def _opened(folder: Path) -> tuple[PhotoSet, dict[int, CalibratedCamera]]:
    photos = read_set(folder)
    return photos, calibrated_cameras(photos, tuple(sorted(photos.rig)))


def _reader(photos: PhotoSet, eyes: dict[int, CalibratedCamera], index: int) -> Callable[[], Throw]:
    def read() -> Throw:
        throw = photos.throws[index]
        shots = pictures_of(throw, eyes)
        empties = tuple(_picture(photos.rig[camera][0]) for camera, _, _ in shots)
        before, later = tuple(old for _, old, _ in shots), tuple(new for _, _, new in shots)
        return Throw(
            tuple(eyes[camera] for camera, _, _ in shots), empties, before, later, photos.truth[throw.name]
        )

    return read


def _picture(path: Path) -> Image:
    return np.asarray(cv2.imread(str(path)), np.uint8)


@dataclass(frozen=True)
class Cutout:
    """A real dart without its board: its look in each camera, its share of each pixel, and its point."""

    eyes: tuple[CalibratedCamera, ...]
    looks: Pictures
    mattes: tuple[Floats, ...]
    at: tuple[float, float]  # mm
    axis: Floats  # unit, out of the board

    def onto(
        self,
        pictures: Pictures,
        at: tuple[float, float],
        lean_deg: float = 0.0,
        way: float = 0.0,
        height_mm: float = 0.0,
    ) -> Pictures:
        """Return the pictures with this dart at a place of the board (mm), leaning by some degrees in direction
        `way` (radians).

        `height_mm` is the distance of its point from the board along the dart's axis.
        """
        parts = zip(self.eyes, pictures, self.looks, self.mattes, strict=True)
        return tuple(self._one(*part, at, lean_deg, way, height_mm) for part in parts)

    def _one(
        self, eye: CalibratedCamera, picture: Image, shown: Image, matte: Floats,
        at: tuple[float, float], lean_deg: float, way: float, height_mm: float,
    ) -> Image:  # fmt: skip
        aside = np.array([np.cos(way), np.sin(way), 0.0])
        axis = self.axis + np.tan(np.radians(lean_deg)) * aside
        old, new = (
            _in_picture(eye, np.array([*place, 0.0]) + np.array([start * along, (start + 60) * along]))
            for place, along, start in (
                (self.at, self.axis, 0.0),
                (at, axis / np.linalg.norm(axis), height_mm),
            )
        )
        to = _similarity(old, new)
        size = (picture.shape[1], picture.shape[0])
        cover = cv2.warpAffine(matte, to, size)[..., None]
        moved = cv2.warpAffine(shown, to, size, borderMode=cv2.BORDER_REPLICATE)
        return np.asarray(np.rint(picture + cover * (moved.astype(np.float32) - picture)), np.uint8)


def _in_picture(eye: CalibratedCamera, space: Floats) -> Floats:
    seen = np.column_stack([space, np.ones(len(space))]) @ projection(eye.model).T
    return bend(seen[:, :2] / seen[:, 2:], eye.model.width, eye.model.height, eye.model.k1)


def _similarity(old: Floats, new: Floats) -> Floats:
    """Return the 2x3 matrix that moves two points onto two others by turning, scaling and shifting."""
    a, b = (complex(*(item[1] - item[0])) for item in (old, new))
    turn = b / a
    rows = np.array([[turn.real, -turn.imag], [turn.imag, turn.real]])
    return np.column_stack([rows, new[0] - rows @ old[0]])


def cut_out(throw: Throw) -> Cutout | None:
    """Return the dart of a throw, or None if it was not found in its bed."""
    dart = throw.seen()
    if dart is None or str(dart.bed) != throw.bed:
        return None
    mattes, planes = [], []
    for eye, old, new in zip(throw.eyes, throw.before, throw.with_dart, strict=True):
        found = find_novelty(eye, take_in(eye, old), take_in(eye, new))
        (line,) = found.first() or (None,)
        if line is None:
            return None
        new_at = np.zeros(old.shape[:2], np.uint8)
        at = found.at.astype(int)
        new_at[at[:, 1], at[:, 0]] = 255
        near = cv2.dilate(new_at, np.ones((_MARGIN_PX, _MARGIN_PX), np.uint8)) > 0
        differs = cv2.absdiff(old, new).max(axis=2).astype(np.float32)
        soft = cv2.GaussianBlur(np.minimum(differs / _MATTE_LEVELS, 1) * near, (3, 3), 0.8)
        mattes.append(
            np.asarray(np.maximum(soft, 0.9 * (cv2.erode(new_at, np.ones((3, 3), np.uint8)) > 0)), np.float32)
        )
        normal = np.array([-line.shaft.direction[1], line.shaft.direction[0]])
        planes.append((np.append(normal, -normal @ np.array(line.shaft.point)) @ projection(eye.work))[:3])
    unit = np.array([plane / np.linalg.norm(plane) for plane in planes])
    axis = np.linalg.svd(unit)[2][-1]
    return Cutout(throw.eyes, throw.with_dart, tuple(mattes), (dart.x_mm, dart.y_mm), axis * np.sign(axis[2]))


def shadow(
    throw_eyes: tuple[CalibratedCamera, ...],
    pictures: Pictures,
    at: tuple[float, float],
    way: float,
    long_mm: float,
) -> Pictures:
    """Return the pictures with the shadow of a dart at a place: a shaft and a flight, flat on the board."""
    along, across = np.array([np.cos(way), np.sin(way)]), np.array([-np.sin(way), np.cos(way)])
    outline = [(0, 1.2), (0.15, 3.0), (0.5, 3.0), (0.62, 2.0), (0.68, 14.0), (1.0, 14.0)]
    rim = [np.array(at) + long_mm * s * along + w * across for s, w in outline]
    rim += [np.array(at) + long_mm * s * along - w * across for s, w in reversed(outline)]
    shaded = []
    for eye, picture in zip(throw_eyes, pictures, strict=True):
        cover = np.zeros(picture.shape[:2], np.float32)
        corners = to_pixels(eye.model, np.array(rim))
        cv2.fillPoly(cover, [np.rint(corners * 16).astype(np.int32)], 1.0, cv2.LINE_AA, 4)
        light = 1 - 0.45 * cv2.GaussianBlur(cover, (0, 0), 1.2)
        shaded.append(np.asarray(picture * light[..., None], np.uint8))
    return tuple(shaded)


def hung_turned(eyes: tuple[CalibratedCamera, ...], pictures: Pictures, degrees: float) -> Pictures:
    """Return the pictures with the board turned about its bull, counter-clockwise; the wall around it stays."""
    return tuple(_turned(eye.model, picture, degrees) for eye, picture in zip(eyes, pictures, strict=True))


def _turned(model: CameraModel, picture: Image, degrees: float) -> Image:
    rows, columns = np.mgrid[: model.height, : model.width]
    pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    mm, angle = to_board(model, pixels), np.radians(degrees)
    back = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    on_board = np.hypot(*mm.T)[:, None] < BOARD_RADIUS
    source = np.where(on_board, to_pixels(model, mm @ back), pixels).astype(np.float32)
    at = source.reshape(model.height, model.width, 2)
    seen = cv2.remap(picture, at, None, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)  # type: ignore[call-overload]
    return np.asarray(seen, np.uint8)


def bed_of(at: tuple[float, float]) -> str:
    """Return the bed at a place."""
    return str(bed_at(*at))
