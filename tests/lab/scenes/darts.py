"""Darts of synthetic scenes: point, barrel, shaft and four wings, at any tilt, with their shadows on the board."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scharten.vision.model import Floats, Image, Points, bend

Colour = tuple[float, float, float]  # BGR
_FINE = 3  # darts are drawn this many times larger, then shrunk


@dataclass(frozen=True)
class Camera:
    """The geometry of a scene's camera: a 3x4 matrix from (x, y, z, 1) in mm to straight pixels, and its radial
    term."""

    matrix: Floats
    place: Floats
    width: int
    height: int
    k1: float

    def pixels(self, space: Points) -> Points:
        """Return points (n, 3) in mm as pixels (n, 2)."""
        seen = space @ self.matrix[:, :3].T + self.matrix[:, 3]
        return bend(seen[:, :2] / seen[:, 2:], self.width, self.height, self.k1)


@dataclass(frozen=True)
class DartShape:
    """A dart: the point where its axis meets the board (or its tip in the air), direction, measures in mm, colours."""

    tip: tuple[float, float, float]
    axis: tuple[float, float, float]  # unit, from tip to flight
    roll: float  # radians, of the flight about the axis
    point_mm: float = 30.0
    barrel_mm: float = 48.0
    shaft_mm: float = 38.0
    flight_mm: float = 38.0
    barrel_radius: float = 3.3
    wing_mm: float = 17.0
    barrel: Colour = (120.0, 122.0, 124.0)
    shaft: Colour = (40.0, 40.0, 40.0)
    flight: Colour = (60.0, 60.0, 200.0)
    point: Colour = (95.0, 96.0, 98.0)
    point_radius: float = 1.1
    rings: int = 12  # of the barrel's grip, every second one darker
    ring_shade: float = 0.72
    nose: float = 1.0  # radius of the barrel at the point, as a share of the rest

    @property
    def length(self) -> float:
        """The length from the tip to the end of the flight."""
        return self.point_mm + self.barrel_mm + self.shaft_mm + self.flight_mm

    @property
    def middle(self) -> Floats:
        """The middle of the dart."""
        return self.at(self.length / 2)

    def at(self, along: float) -> Floats:
        """Return the point of the axis at this distance from the tip, (x, y, z)."""
        return np.array(self.tip) + along * np.array(self.axis)


TILT_SIGMA_DEG = (5.0, 8.0)  # sideways, and up or down
DROOP_DEG = 6.0  # flights hang a little above the point, on average
POINTS, BARRELS, SHAFTS, RADII = (26.0, 34.0), (42.0, 54.0), (28.0, 48.0), (2.9, 3.7)
_PALETTE: tuple[Colour, ...] = (
    (30.0, 30.0, 32.0),
    (205.0, 205.0, 205.0),
    (40.0, 40.0, 190.0),
    (180.0, 80.0, 30.0),
    (40.0, 160.0, 60.0),
    (40.0, 170.0, 210.0),
    (110.0, 110.0, 112.0),
)


def some_dart(
    chance: np.random.Generator, x_mm: float, y_mm: float, model: DartShape | None = None
) -> DartShape:
    """Return a dart in the board at this place, of random make or of the make of `model`."""
    side, up = chance.normal(0, TILT_SIGMA_DEG[0]), chance.normal(DROOP_DEG, TILT_SIGMA_DEG[1])
    lean = np.array([math.tan(math.radians(side)), math.tan(math.radians(up)), 1.0])
    axis = lean / np.linalg.norm(lean)
    make = model or _make(chance)
    return replace(
        make,
        tip=(x_mm, y_mm, 0.0),
        axis=(float(axis[0]), float(axis[1]), float(axis[2])),
        roll=float(chance.uniform(0, math.pi / 2)),
    )


def random_colour(chance: np.random.Generator) -> Colour:
    """Return a usual colour of shafts and flights, or any other."""
    if chance.uniform() < 0.5:
        return _PALETTE[int(chance.integers(len(_PALETTE)))]
    blue, green, red = (float(v) for v in chance.uniform(10, 240, 3))
    return blue, green, red


def _make(chance: np.random.Generator) -> DartShape:
    colours = chance.integers(0, len(_PALETTE), 2)
    steel = float(chance.uniform(60, 170))
    point, barrel, shaft = (float(chance.uniform(*within)) for within in (POINTS, BARRELS, SHAFTS))
    return DartShape(
        (0.0, 0.0, 0.0),
        (0.0, 0.0, 1.0),
        0.0,
        point,
        barrel,
        shaft,
        flight_mm=float(chance.uniform(34, 42)),
        barrel_radius=float(chance.uniform(*RADII)),
        wing_mm=float(chance.uniform(14, 19)),
        barrel=(steel, steel + 1, steel + 3),
        shaft=_PALETTE[colours[0]],
        flight=_PALETTE[colours[1]],
    )


@dataclass(frozen=True)
class Layer:
    """A layer for a picture: colour (h, w, 3), cover 0 to 1 (h, w), and its corner at (left, top)."""

    left: int
    top: int
    colour: Image
    cover: Floats

    def onto(self, picture: Image) -> None:
        """Return the picture covered by the layer."""
        height, width = self.cover.shape
        part = picture[self.top : self.top + height, self.left : self.left + width]
        cover = self.cover.astype(np.float32)
        part[:] = cv2.blendLinear(self.colour, np.ascontiguousarray(part), cover, 1 - cover)


class _Sheet:
    """A finely drawn part of a picture, around the given pixels."""

    def __init__(self, camera: Camera, around: Points, margin: int) -> None:
        limit = np.array([camera.width, camera.height])
        low = np.clip(np.floor(around.min(axis=0)) - margin, 0, limit).astype(int)
        high = np.clip(np.ceil(around.max(axis=0)) + margin, 0, limit).astype(int)
        self.camera, self.low, self.size = camera, low, high - low
        fine = (int(self.size[1]) * _FINE, int(self.size[0]) * _FINE)
        self.colour, self.cover = np.zeros((*fine, 3), np.uint8), np.zeros(fine, np.uint8)

    @property
    def empty(self) -> bool:
        """Whether no part of it lies in the picture."""
        return bool((self.size <= 0).any())

    def fill(self, space: Points, colour: Colour) -> None:
        """Draw a polygon in space, (n, 3) mm, in one colour."""
        at = (self.camera.pixels(space) - self.low + 0.5) * _FINE - 0.5
        outline = np.rint(at * 16).astype(np.int32)
        if np.abs(outline).max() < 2**18:
            cv2.fillPoly(self.colour, [outline], tuple(min(255.0, c) for c in colour), cv2.LINE_8, 4)
            cv2.fillPoly(self.cover, [outline], 255, cv2.LINE_8, 4)

    def layer(self) -> Layer:
        """Return the drawn layer at the size of the picture."""
        size = (int(self.size[0]), int(self.size[1]))
        cover = cv2.resize(self.cover, size, interpolation=cv2.INTER_AREA).astype(np.float64) / 255
        mixed = cv2.resize(self.colour, size, interpolation=cv2.INTER_AREA)
        colour = np.clip(mixed / np.maximum(cover, 1 / 16)[..., None], 0, 255)
        return Layer(int(self.low[0]), int(self.low[1]), np.asarray(colour, np.uint8), np.asarray(cover))


def _extent(camera: Camera, dart: DartShape) -> Points:
    ends = np.array([dart.at(0.0), dart.at(dart.length), dart.at(dart.length - dart.flight_mm)])
    wide = np.concatenate(
        [ends + dart.wing_mm * sign * np.eye(3)[axis] for sign in (-1, 1) for axis in (0, 1, 2)]
    )
    return camera.pixels(np.concatenate([ends, wide]))


def draw_dart(picture: Image, camera: Camera, dart: DartShape) -> None:
    """Draw a dart into a picture of this camera."""
    layer = dart_layer(camera, dart)
    if layer is not None:
        layer.onto(picture)


def dart_layer(camera: Camera, dart: DartShape) -> Layer | None:
    """Return a dart as a layer, or None if it is outside the picture."""
    sheet = _Sheet(camera, _extent(camera, dart), 3)
    if sheet.empty:
        return None
    _wings(sheet, dart)
    _rod(sheet, dart)
    return sheet.layer()


def _rod(sheet: _Sheet, dart: DartShape) -> None:
    """Draw point, barrel with grip, and shaft; strips across make them look round."""
    axis, view = np.array(dart.axis), sheet.camera.place - dart.middle
    side = np.cross(axis, view)
    side /= np.linalg.norm(side)
    start = 0.0
    grip = [1.0 if ring % 2 else dart.ring_shade for ring in range(dart.rings)]
    parts: list[tuple[float, float, Colour]] = [(dart.point_mm, dart.point_radius, dart.point)]
    for ring, shade in enumerate(grip):
        radius = dart.barrel_radius * min(1.0, dart.nose + 4 * ring / dart.rings)
        parts.append((dart.barrel_mm / dart.rings, radius, tuple(c * shade for c in dart.barrel)))  # type: ignore[arg-type]
    parts.append((dart.shaft_mm + dart.flight_mm / 2, 2.4, dart.shaft))
    for length, radius, colour in parts:
        for strip in np.linspace(-0.8, 0.8, 5):
            light = 0.55 + 0.75 * math.sqrt(1 - (strip - 0.25) ** 2 / 1.6)
            edges = radius * (strip - 0.2) * side, radius * (strip + 0.2) * side
            corners = [dart.at(start) + edges[0], dart.at(start + length) + edges[0]]
            corners += [dart.at(start + length) + edges[1], dart.at(start) + edges[1]]
            sheet.fill(np.array(corners), tuple(c * light for c in colour))  # type: ignore[arg-type]
        start += length


def _wings(sheet: _Sheet, dart: DartShape) -> None:
    """Draw four wings, the farther ones first."""
    axis = np.array(dart.axis)
    first = np.cross(axis, [0.0, 1.0, 0.0])
    first /= np.linalg.norm(first)
    second = np.cross(axis, first)
    start = dart.length - dart.flight_mm
    view = sheet.camera.place - dart.middle
    wings = []
    for quarter in range(4):
        angle = dart.roll + quarter * math.pi / 2
        out = math.cos(angle) * first + math.sin(angle) * second
        wings.append((float(out @ view), out))
    for _, out in sorted(wings, key=lambda wing: wing[0]):
        outline = [(0.0, 0.0), (0.3, 1.0), (0.85, 1.0), (1.0, 0.75), (1.0, 0.0)]
        corners = [
            dart.at(start + along * dart.flight_mm) + far * dart.wing_mm * out for along, far in outline
        ]
        normal = np.cross(axis, out)
        light = 0.55 + 0.45 * abs(float(normal @ view)) / float(np.linalg.norm(view))
        sheet.fill(np.array(corners), tuple(c * light for c in dart.flight))  # type: ignore[arg-type]


def draw_shadow(
    picture: Image, camera: Camera, dart: DartShape, lamp: tuple[float, float, float], *, strength: float
) -> None:
    """Darken the board where the dart blocks the lamp, softer with distance from the point."""
    start = dart.length - dart.flight_mm
    for begin, end, radius, soft in (
        (0.0, dart.point_mm, dart.point_radius + 0.2, 0.7),
        (dart.point_mm, start, dart.barrel_radius, 1.5),
        (start, dart.length, dart.wing_mm, 3.5),
    ):
        a, b = _down(dart.at(begin), np.array(lamp)), _down(dart.at(end), np.array(lamp))
        along = b - a
        if np.abs(b[:2]).max() > 600 or np.linalg.norm(along) < 1e-6:
            continue
        side = np.cross(along / np.linalg.norm(along), [0.0, 0.0, 1.0]) * radius
        outline = camera.pixels(np.array([a - side, b - side, b + side, a + side]))
        _darken(picture, outline, strength, soft)


def _down(at: Floats, lamp: Floats) -> Floats:
    """Return the place on the board where the shadow of a point falls."""
    return np.asarray(at + at[2] / max(lamp[2] - at[2], 1.0) * (at - lamp))


def _darken(picture: Image, outline: Points, strength: float, soft: float) -> None:
    limit = np.array(picture.shape[1::-1])
    low = np.clip(np.floor(outline.min(axis=0)) - 12, 0, limit).astype(int)
    high = np.clip(np.ceil(outline.max(axis=0)) + 12, 0, limit).astype(int)
    if (high <= low).any():
        return
    part = picture[low[1] : high[1], low[0] : high[0]]
    cover = np.zeros(part.shape[:2], np.uint8)
    at = np.rint((outline - low) * 16).astype(np.int32)
    cv2.fillPoly(cover, [at], round(255 * strength), cv2.LINE_AA, 4)
    light = 255 - cv2.GaussianBlur(cover, (0, 0), soft)
    part[:] = cv2.multiply(np.ascontiguousarray(part), cv2.merge([light, light, light]), scale=1 / 255)
