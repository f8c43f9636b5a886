"""One calibrated camera at work: what is new between two of its pictures, as lines of darts."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.beds import MISS
from scharten.dartboard.locate import BOARD_RADIUS, DOUBLE_OUTER_RADIUS
from scharten.vision.detect import shadow
from scharten.vision.detect.difference import differs, novelty
from scharten.vision.detect.fuse import SeenDart, fuse, fuse_agreeing, posterior
from scharten.vision.detect.light import (
    SATURATED,
    SMALL_WIDTH,
    Grey,
    Mask,
    bands,
    by_mean,
    light,
    lit,
    shrink,
)
from scharten.vision.detect.point import find_point
from scharten.vision.detect.pose import outwards, projection, scale
from scharten.vision.detect.register import Alignment, Reference, align, moved, reference, sample, soft_grey
from scharten.vision.detect.shaft import LEAST_MM2, Scene, Shaft, alike, find_shafts
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import (
    CameraModel,
    Floats,
    Image,
    Points,
    bend,
    matrix,
    reduced,
    straighten,
    to_board,
    to_straight,
)

_CANDIDATES = 2
_AROUND_MM = 65.0  # an earlier dart this far from what is new may hide its end
_ON_MM, _SOLID_MM = 2.0, 8.0  # half width of a point, and the length of its end that is looked at
_LIT_MM = 50.0  # length of the end of a line that only light may have changed
_SOLID = 0.22  # of what is new there: of a point that ends in its own hole's shadow
_LONE_SURE = 0.97  # one camera alone is sure of a bed from this probability, by held-out rendered darts
_LONE_SHADED = 0.85  # its highest confidence below that, and where what it sees may not end in the point
_LOOSE_MM = 2.5  # where three lines leave the place so open one is wrong: true ones leave 2.0 at most
_BANDS = 0.012  # of the light: rows that differ by less are lit alike
_DART_MM = 200.0  # no dart is longer
_PIXEL_MM = 0.9  # of the board in one pixel: pictures are halved as long as each shows no more


@dataclass(frozen=True)
class EmptyBoard:
    """The empty board in some light, in the place where a camera saw it when it was calibrated."""

    grey: Grey  # at the working size
    small: Grey  # the same, small, to tell the light by
    points: Reference  # points of it to align pictures by
    range: tuple[float, float]  # grey levels of its dark and of its bright beds


@dataclass(frozen=True)
class CalibratedCamera:
    """A camera model, its picture of the empty board, and values computed from them once, at the working size."""

    model: CameraModel  # of the pictures as they come
    reduction: int  # pixels that become one of the working size, in width and height
    work: CameraModel  # at the working size, as all that follows
    first: EmptyBoard  # at its calibration: locates the board
    empty: EmptyBoard  # in the light as it is
    region: Mask  # where board and darts are, small
    within: NDArray[np.uint8]  # 255 where a dart in the board can be seen
    projection: Floats  # 3x4
    px_per_mm: float  # at the bull, at the working size


@dataclass(frozen=True)
class View:
    """A picture as a camera takes it in: grey levels, and how it lies over the picture of the empty board."""

    picture: Image  # BGR, as it came
    grey: Grey  # at the working size, without bands
    rows: Floats | None  # how bright each row was beside the others, where there were bands
    home: Alignment


def calibrated_camera(model: CameraModel, empty: Image) -> CalibratedCamera:
    """A camera from a model and the BGR picture of the empty board that it was made of."""
    reduction = _reduction(scale(model, to_straight(model, np.zeros(2))))
    work = reduced(model, reduction)
    camera = projection(work)
    within = _reach(work, camera)
    seen = _empty_board(work, _grey(empty, reduction))
    region, mm = shrink(within, step_of(work)), scale(work, to_straight(work, np.zeros(2)))
    return CalibratedCamera(model, reduction, work, seen, seen, region, within, camera, mm)


def in_light(camera: CalibratedCamera, empty: Image) -> CalibratedCamera:
    """The camera with the empty board in the light of a BGR picture of it, and in the place where it was calibrated."""
    grey = _grey(empty, camera.reduction)
    back = align(camera.first.points, grey).inverse()
    return replace(camera, empty=_empty_board(camera.work, moved(grey, back)))


def _empty_board(work: CameraModel, grey: Grey) -> EmptyBoard:
    rows, columns = np.mgrid[: work.height, : work.width]
    at = to_board(work, np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64))
    board = (np.hypot(at[:, 0], at[:, 1]) < DOUBLE_OUTER_RADIUS + 10).reshape(work.height, work.width)
    dark, bright = np.percentile(grey[board], (10, 90))
    return EmptyBoard(grey, shrink(grey, step_of(work)), reference(grey, board), (float(dark), float(bright)))


def _reduction(px_per_mm: float) -> int:
    """By how much pictures are made smaller: halved as often as enough remains."""
    return 1 << max(0, int(math.log2(px_per_mm * _PIXEL_MM)))


def _grey(picture: Image, reduction: int) -> Grey:
    """The grey levels of a BGR picture at the working size."""
    return soft_grey(shrink(picture, reduction))


def step_of(model: CameraModel) -> int:
    """How many pixels become one of a small picture."""
    return max(1, round(model.width / SMALL_WIDTH))


def _reach(model: CameraModel, camera: Floats) -> NDArray[np.uint8]:
    """255 at the pixels that a dart in the board can cover."""
    angle = np.linspace(0, math.tau, 48, endpoint=False)
    rim = BOARD_RADIUS * np.column_stack([np.sin(angle), np.cos(angle)])
    corners = []
    for height in (0.0, _DART_MM / 2, _DART_MM):
        space = np.column_stack([rim, np.full(len(rim), height), np.ones(len(rim))]) @ camera.T
        ahead = space[space[:, 2] * camera[2, 3] > 0]  # on the camera's side, as the bull is
        corners.append(ahead[:, :2] / ahead[:, 2:])
    straight = np.clip(np.concatenate(corners), -4 * model.width, 4 * model.width)
    hull = cv2.convexHull(bend(straight, model.width, model.height, model.k1).astype(np.float32))
    within = np.zeros((model.height, model.width), np.uint8)
    cv2.fillConvexPoly(within, np.rint(hull).astype(np.int32), 255)
    return within


def take_in(camera: CalibratedCamera, picture: Image) -> View:
    """A BGR picture of the camera, aligned with the empty board, bands of light taken out."""
    grey = _grey(picture, camera.reduction)
    step = step_of(camera.work)
    small = shrink(grey, step)
    rows = light(camera.empty.small, small, camera.region)
    if bands(rows) < _BANDS:
        return View(picture, grey, None, align(camera.empty.points, grey))
    at = (np.arange(len(grey)) + 0.5) / step - 0.5
    even = np.interp(at, np.arange(len(rows)), rows / np.median(rows))
    grey = lit(grey, 1 / even)
    return View(picture, grey, even, align(camera.empty.points, grey))


@dataclass(frozen=True)
class Novelty:
    """New pixels (n, 2) in a picture of one camera, raw and undistorted, and both pictures."""

    camera: CalibratedCamera
    before: View
    current: View
    at: Points
    pixels: Points

    def first(self) -> tuple[Sighting, ...]:
        """The clearest line, or none."""
        return self._sightings(find_shafts(self.pixels, self._scene(), 1) if self.enough() else ())

    def all(self) -> tuple[Sighting, ...]:
        """Return further lines too, and the lines without pixels that may be a shadow."""
        if not self.enough():
            return ()
        scene = self._scene()
        shafts = find_shafts(self.pixels, scene, _CANDIDATES)
        for solid in find_shafts(self.pixels[~shadow.is_shade(self.change())], scene, _CANDIDATES):
            if not any(alike(solid, shaft) for shaft in shafts):
                shafts += (solid,)
        return self._sightings(shafts)

    def lone(self) -> SeenDart | None:
        """The dart as this camera alone sees it, in doubt if another dart may cover its point, or beside the board."""
        lines = self.lines() if self.enough() else ()
        dart = find_point(lines, self.camera.projection, self.look)
        if dart is None:
            return None
        uncovered = lines[-1].shaft.covered_px <= 0 and dart.bed != MISS
        if uncovered and dart.confidence >= _LONE_SURE:
            return dart
        return replace(dart, beds=posterior(dart, min(dart.confidence, _LONE_SHADED)))

    def lines(self) -> tuple[Sighting, ...]:
        """The line by all that is new, and those without what may be a shadow, which may lengthen the line or be it."""
        change, scene = self.change(), self._scene()
        shades = (shadow.is_shade(change, shadow.ONE_LAMP), shadow.is_shadow(change))
        return tuple(
            line
            for pixels in (self.pixels, *(self.pixels[~shade] for shade in shades))
            for line in self._sightings(find_shafts(pixels, scene, 1))
        )

    def look(self, straight: Points) -> tuple[Floats, Floats]:
        """Return the colours (..., 3) at straight pixels (..., 2): before, in the light of now, and now."""
        work = self.camera.work
        home = bend(straight, work.width, work.height, work.k1)
        gain = self.current.home.relative_to(self.before.home).gain
        return gain * _sampled(self.before, home), _sampled(self.current, home)

    def enough(self) -> bool:
        """Whether there are pixels enough for a dart."""
        return len(self.pixels) >= LEAST_MM2 * self.camera.px_per_mm**2

    def is_end_solid(self, shaft: Shaft) -> bool:
        """Whether the line's end differs from the board in more than light: a shadow may run on beyond a point."""
        off = self.pixels - shaft.point
        direction, mm = np.array(shaft.direction), shaft.px_per_mm
        from_end = shaft.tip_px - off @ direction
        on_line = np.abs(off @ np.array([-direction[1], direction[0]])) < _ON_MM * mm
        near = on_line & (from_end >= 0) & (from_end < _SOLID_MM * mm)
        if not near.any():
            return False
        return bool(1 - shadow.is_shade(self.change())[near].mean() >= _SOLID)

    def is_lit_at(self, line: Sighting) -> bool:
        """Whether only light changed along the last part of a line, as along the edge of a patch of sun."""
        off, shaft = self.pixels - line.shaft.point, line.shaft
        direction, mm = np.array(shaft.direction), shaft.px_per_mm
        from_end = shaft.tip_px - off @ direction
        on_line = np.abs(off @ np.array([-direction[1], direction[0]])) < _ON_MM * mm
        near = on_line & (from_end >= 0) & (from_end < _LIT_MM * mm)
        return not near.any() or shadow.is_only_light(self.change().only(near))

    def change(self) -> shadow.Change:
        """Return how the colours of the new pixels changed."""
        height, width = self.before.grey.shape
        by = self.current.home.relative_to(self.before.home)
        at = np.clip(np.rint(by.back(self.at)), 0, [width - 1, height - 1]).astype(np.intp)
        then, now = _colours(self.before, at), _colours(self.current, self.at.astype(np.intp))
        return shadow.Change(then * by.gain + shadow.DARKNESS, now + shadow.DARKNESS, then >= SATURATED)

    def _scene(self) -> Scene:
        middle = self.pixels.mean(axis=0)
        inwards = -outwards(self.camera.projection[:, 2], middle)
        return Scene(
            inwards, scale(self.camera.work, middle), _earlier(self.camera, self.before, self.pixels)
        )

    def _sightings(self, shafts: tuple[Shaft, ...]) -> tuple[Sighting, ...]:
        camera = self.camera
        return tuple(Sighting(shaft, matrix(camera.work), lambda at: _shine(camera, at)) for shaft in shafts)


def find_novelty(camera: CalibratedCamera, before: View, current: View) -> Novelty:
    """Find the pixels in `after` that are not in `before`, where a dart in the board can be visible."""
    by = current.home.relative_to(before.home)
    new, (left, top) = novelty(before.grey, current.grey, by, camera.within, camera.px_per_mm)
    rows, columns = np.divmod(np.flatnonzero(new.view(np.bool_)), max(new.shape[1], 1))
    at = np.column_stack([columns + left, rows + top]).astype(np.float64)
    pixels = straighten(current.home.back(at), camera.work.width, camera.work.height, camera.work.k1)
    return Novelty(camera, before, current, at, pixels)


def is_only_light(new: Novelty) -> bool:
    """Whether nearly all new pixels show the same colours in more or less light, as where a patch of sun moves."""
    return not len(new.at) or shadow.is_only_light(new.change())


def _colours(view: View, at: NDArray[np.intp]) -> Floats:
    """Return a view's BGR values at whole pixels (n, 2) of the working size, without flicker bands."""
    step = len(view.picture) // len(view.grey)
    x, y = (at * step + step // 2).T
    seen = view.picture[y, x].astype(np.float32)
    return np.asarray(seen if view.rows is None else seen / view.rows[at[:, 1], None])


def _sampled(view: View, home: Points) -> Floats:
    """Return a view's BGR values at points of the empty board's picture, without flicker bands."""
    height = len(view.grey)
    picture = by_mean(view.picture, len(view.picture) // height)
    x, y = np.moveaxis(view.home.forward(home).astype(np.float32), -1, 0)
    seen = cv2.remap(picture, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE).astype(np.float64)
    if view.rows is None:
        return np.asarray(seen)
    return np.asarray(seen / view.rows[np.clip(np.rint(y), 0, height - 1).astype(np.intp)][..., None])


def settle(news: tuple[Novelty, ...]) -> SeenDart | None:
    """Return the dart that explains the new pixels of every camera, or None: by the clearest lines, else by others."""
    firsts = tuple(new.first() for new in news)
    seeing = [new for new, lines in zip(news, firsts, strict=True) if lines]
    if len(seeing) == 1 and (alone := seeing[0].lone()):
        return alone
    dart = fuse_agreeing(firsts) or fuse(tuple(new.all() for new in news))
    if dart is None or dart.confidence <= _LONE_SHADED:
        return dart
    if dart.cameras > 1:  # two lines may be nearly parallel, and right
        good = dart.cameras == 2 or dart.spread_mm < _LOOSE_MM
    else:
        good = all(new.is_end_solid(s.shaft) for new, lines in zip(news, firsts, strict=True) for s in lines)
    return dart if good else replace(dart, beds=posterior(dart, _LONE_SHADED))


def detect(
    cameras: tuple[CalibratedCamera, ...], before: tuple[Image, ...], current: tuple[Image, ...]
) -> SeenDart | None:
    """The dart that came between two sets of pictures, one per camera, or None."""
    pairs = zip(cameras, before, current, strict=True)
    return settle(
        tuple(find_novelty(camera, take_in(camera, old), take_in(camera, new)) for camera, old, new in pairs)
    )


def _shine(camera: CalibratedCamera, straight: Points) -> Floats:
    """How bright the empty board is at straight pixels, beside its dark and its bright beds."""
    dark, bright = camera.empty.range
    home = bend(straight, camera.work.width, camera.work.height, camera.work.k1)
    return np.asarray((sample(camera.empty.grey, home) - dark) / max(bright - dark, 1.0))


def _earlier(camera: CalibratedCamera, before: View, pixels: Points) -> Callable[[Points], NDArray[np.bool_]]:
    """Return a test of straight pixels near the new ones: whether `before` shows an earlier dart there."""
    around, size = _AROUND_MM * camera.px_per_mm, np.array(before.grey.shape[::-1])
    shown = _in_view(camera, before, pixels)
    left, top = np.clip(shown.min(axis=0) - around, 0, size).astype(np.intp)
    right, bottom = np.clip(shown.max(axis=0) + around, 0, size).astype(np.intp)
    piece = before.grey[top:bottom, left:right]
    new = np.pad(differs(camera.empty.grey, piece, before.home, (left, top), camera.px_per_mm), 1)

    def covered(straight: Points) -> NDArray[np.bool_]:
        at = np.rint(_in_view(camera, before, straight)) - [left - 1, top - 1]
        x, y = np.clip(at, 0, np.array(new.shape[::-1]) - 1).astype(np.intp).T
        return np.asarray(new[y, x] > 0)

    return covered


def _in_view(camera: CalibratedCamera, view: View, straight: Points) -> Points:
    """Return where straight pixels lie in a view."""
    return view.home.forward(bend(straight, camera.work.width, camera.work.height, camera.work.k1))
