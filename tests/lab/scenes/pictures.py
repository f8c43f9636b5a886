"""Synthetic pictures of a dartboard with exact truth: the room, its cameras, and the effects of lens and sensor.

All random values come from one seeded generator and the ranges of `SceneRanges`, which were fixed before the
detector was tried on a single scene. Changing one makes earlier figures incomparable.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.scenes.board import REACH_MM, SCALE, USUAL, Palette, board_texture
from lab.scenes.darts import Camera, DartShape, draw_dart, draw_shadow
from scharten.vision.model import Floats, Image, straighten, transform

Range = tuple[float, float]


@dataclass(frozen=True)
class SceneRanges:
    """Ranges of random values, uniform unless called sigma. Lengths in mm, angles in degrees."""

    size: tuple[int, int] = (800, 600)
    azimuths: tuple[float, ...] = (75.0, 195.0, 315.0)  # of the cameras, clockwise from the 20
    azimuth_jitter: Range = (-8.0, 8.0)
    distance: Range = (330.0, 400.0)  # distance from the bull, along the board
    height: Range = (270.0, 360.0)  # before the board
    aim: Range = (-12.0, 12.0)  # distance of a camera's aim from the bull
    roll: Range = (-4.0, 4.0)
    board_width_px: Range = (520.0, 590.0)  # diameter of the double ring, at 800 pixels
    k1: Range = (0.0, 0.05)
    exposure: Range = (0.75, 1.05)
    black: Range = (4.0, 22.0)  # grey level of black: stray light
    vignette: Range = (0.0, 0.35)  # loss at the corners
    lights: tuple[int, int] = (2, 5)  # lamps around the board, one shadow each
    light_height: Range = (150.0, 500.0)
    light_distance: Range = (250.0, 450.0)
    shadow: Range = (0.25, 0.6)  # share of the light lost where all lamps are covered
    blur_px: Range = (0.45, 0.9)  # sigma
    noise: Range = (1.0, 2.6)  # sigma, grey levels
    jpeg: Range = (75.0, 95.0)
    nudge_px: float = 0.35  # sigma, each frame, each axis
    nudge_turn: float = 0.02  # sigma, each frame
    flicker: float = 0.015  # sigma of the gain, each frame
    visits_per_rig: int = 20
    palette: Palette = USUAL


RANGES = SceneRanges()


def draw(chance: np.random.Generator, within: Range) -> float:
    """Return a random number from a range."""
    return float(chance.uniform(*within))


@dataclass(frozen=True)
class Lamp:
    """A lamp before the board: its place (x, y, z) and its share of all light."""

    at: tuple[float, float, float]
    share: float


@dataclass(frozen=True)
class SceneCamera:
    """One camera of a rig: its geometry, its picture of the bare board, and its faults."""

    camera: Camera
    base: Image
    blur_px: float
    noise: float
    jpeg: int

    @property
    def d20(self) -> tuple[float, float]:
        """The pixel that a person would click in the double 20."""
        at = self.camera.pixels(np.array([[0.0, 166.0, 0.0]]))[0]
        return float(at[0]), float(at[1])


@dataclass(frozen=True)
class Rig:
    """Three cameras around one board in one light."""

    cameras: tuple[SceneCamera, ...]
    lamps: tuple[Lamp, ...]
    shadow: float


def make_rig(chance: np.random.Generator, ranges: SceneRanges = RANGES, *, cameras: int = 3) -> Rig:
    """Return a random rig: no two are alike."""
    count = int(chance.integers(ranges.lights[0], ranges.lights[1] + 1))
    turn, shares = draw(chance, (0.0, 360.0)), chance.uniform(0.5, 1.0, count)
    lamps = []
    for index, share in enumerate(shares / shares.sum()):
        angle = math.radians(turn + 360 * index / count + draw(chance, (-15.0, 15.0)))
        far = draw(chance, ranges.light_distance)
        place = (far * math.sin(angle), far * math.cos(angle), draw(chance, ranges.light_height))
        lamps.append(Lamp(place, float(share)))
    board = _lit(board_texture(int(chance.integers(4)), ranges.palette), lamps)
    eyes = tuple(_camera(chance, ranges, azimuth, board) for azimuth in ranges.azimuths[:cameras])
    return Rig(eyes, tuple(lamps), draw(chance, ranges.shadow))


def _lit(texture: Image, lamps: Sequence[Lamp]) -> Image:
    """Return the board's surface as the lamps light it, brighter near each of them."""
    rows, columns = np.mgrid[: texture.shape[0] : 16, : texture.shape[1] : 16]
    x, y = columns / SCALE - REACH_MM, REACH_MM - rows / SCALE
    light = np.zeros(x.shape)
    for lamp in lamps:
        away = (x - lamp.at[0]) ** 2 + (y - lamp.at[1]) ** 2 + lamp.at[2] ** 2
        light += lamp.share * lamp.at[2] / away**1.5
    middle = light[light.shape[0] // 2, light.shape[1] // 2]
    smooth = cv2.resize((light / middle).astype(np.float32), texture.shape[1::-1])
    return np.asarray(np.clip(texture * np.clip(smooth, 0.4, 1.6)[..., None], 0, 255), np.uint8)


def _camera(chance: np.random.Generator, ranges: SceneRanges, azimuth: float, board: Image) -> SceneCamera:
    angle = math.radians(azimuth + draw(chance, ranges.azimuth_jitter))
    far = draw(chance, ranges.distance)
    place = np.array([far * math.sin(angle), far * math.cos(angle), draw(chance, ranges.height)])
    aim = np.array([draw(chance, ranges.aim), draw(chance, ranges.aim), 0.0])
    camera = _looking(ranges, place, aim, chance)
    exposure, black = draw(chance, ranges.exposure), draw(chance, ranges.black)
    picture = _bare(camera, board).astype(np.float32) * exposure
    picture = picture * _vignette(ranges.size, draw(chance, ranges.vignette))[..., None] + black
    return SceneCamera(
        camera,
        np.asarray(np.clip(picture, 0, 255), np.uint8),
        draw(chance, ranges.blur_px),
        draw(chance, ranges.noise),
        int(draw(chance, ranges.jpeg)),
    )


def _looking(ranges: SceneRanges, place: Floats, aim: Floats, chance: np.random.Generator) -> Camera:
    width, height = ranges.size
    roll = math.radians(draw(chance, ranges.roll))
    forward = (aim - place) / np.linalg.norm(aim - place)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    right, down = (
        math.cos(roll) * right + math.sin(roll) * down,
        math.cos(roll) * down - math.sin(roll) * right,
    )
    turned = np.stack([right, down, forward])
    angle = np.linspace(0, math.tau, 72, endpoint=False)
    rim = np.column_stack([170 * np.sin(angle), 170 * np.cos(angle), np.zeros(72)])
    seen = (rim - place) @ turned.T
    flat = seen[:, :2] / seen[:, 2:]
    reach = np.ptp(flat[:, 0])
    wanted = draw(chance, ranges.board_width_px) * width / 800
    focal = min(wanted / reach, 0.9 * height / np.ptp(flat[:, 1]))
    middle = (flat.max(axis=0) + flat.min(axis=0)) / 2 * focal
    shift = np.array([draw(chance, (-10.0, 10.0)), draw(chance, (0.0, 14.0))]) - middle
    # The picture's centre is the lens's: the camera turns a little so that the ring lies in the centre.
    turned = _turn(turned, shift / focal)
    lens = np.array([[focal, 0, (width - 1) / 2], [0, focal, (height - 1) / 2], [0, 0, 1.0]])
    matrix = lens @ np.column_stack([turned, -turned @ place])
    return Camera(matrix / matrix[2, 3], place, width, height, draw(chance, ranges.k1))


def _turn(axes: Floats, by: Floats) -> Floats:
    """Turn axes (right, down, forward) so that the point ahead lies at `by` (tangents, right and down)."""
    forward = axes[2] - by[0] * axes[0] - by[1] * axes[1]
    forward /= np.linalg.norm(forward)
    right = axes[0] - (axes[0] @ forward) * forward
    right /= np.linalg.norm(right)
    return np.stack([right, np.cross(forward, right), forward])


def _bare(camera: Camera, board: Image) -> Image:
    """Return the board as the camera sees it; the part above its plane's horizon is the room, dim."""
    width, height = camera.width, camera.height
    rows, columns = np.mgrid[:height, :width]
    pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
    back = np.linalg.inv(camera.matrix[:, [0, 1, 3]])
    straight = straighten(pixels, width, height, camera.k1)
    depth = straight @ back[2, :2] + back[2, 2]
    at = transform(back, straight)
    far = (depth * np.sign(back[2, :2] @ straight[len(straight) // 2] + back[2, 2]) <= 0) | (
        np.abs(at) > REACH_MM
    ).any(axis=1)
    at = np.clip(at, -REACH_MM, REACH_MM)
    x = ((at[:, 0] + REACH_MM) * SCALE).reshape(height, width).astype(np.float32)
    y = ((REACH_MM - at[:, 1]) * SCALE).reshape(height, width).astype(np.float32)
    seen = cv2.remap(board, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    seen[far.reshape(height, width)] = (38, 44, 48)
    return np.asarray(seen, np.uint8)


def _vignette(size: tuple[int, int], loss: float) -> NDArray[np.float32]:
    width, height = size
    x, y = np.linspace(-1, 1, width), np.linspace(-1, 1, height)
    return np.asarray(1 - loss * (x[None, :] ** 2 + y[:, None] ** 2) / 2, np.float32)


def picture(rig: Rig, index: int, darts: Sequence[DartShape], chance: np.random.Generator) -> Image:
    """Return camera `index`'s picture of these darts now, with random nudge and flicker."""
    return taken(rig.cameras[index], drawn(rig, index, darts), chance)


def drawn(rig: Rig, index: int, darts: Sequence[DartShape]) -> Image:
    """Return the scene of camera `index`: the board, the darts' shadows, and the darts, far ones first."""
    eye = rig.cameras[index]
    seen = eye.base.copy()
    for dart in darts:
        for lamp in rig.lamps:
            draw_shadow(seen, eye.camera, dart, lamp.at, strength=rig.shadow * lamp.share)
    for dart in sorted(darts, key=lambda d: -float(np.linalg.norm(d.middle - eye.camera.place))):
        draw_dart(seen, eye.camera, dart)
    return seen


@dataclass(frozen=True)
class Change:
    """Differences of a picture: a shift in px, a gain, and its share of the random trembling.

    Frames of one sequence tremble less than pictures of different evenings.
    """

    nudge: tuple[float, float] = (0.0, 0.0)
    gain: float = 1.0
    calm: float = 1.0


AS_EVER = Change()


def taken(eye: SceneCamera, seen: Image, chance: np.random.Generator, change: Change = AS_EVER) -> Image:
    """Turn a scene into a picture, with the effects of lens, sensor and JPEG."""
    height, width = seen.shape[:2]
    shift = np.array(change.nudge) + change.calm * chance.normal(0, RANGES.nudge_px, 2)
    turn = change.calm * math.radians(float(chance.normal(0, RANGES.nudge_turn)))
    move = np.array([[1, -turn, shift[0] + turn * height / 2], [turn, 1, shift[1] - turn * width / 2]])
    soft = cv2.GaussianBlur(seen, (0, 0), eye.blur_px)
    moved = cv2.warpAffine(
        soft, move, (width, height), flags=cv2.INTER_CUBIC, borderMode=cv2.BORDER_REPLICATE
    )
    light = change.gain * (1 + change.calm * float(chance.normal(0, RANGES.flicker)))
    top, left = (int(chance.integers(0, 256)) for _ in range(2))
    rows, columns = np.arange(top, top + height), np.arange(left, left + width)
    grain = np.ascontiguousarray(_grain().take(rows, 0, mode="wrap").take(columns, 1, mode="wrap"))
    mixed = cv2.addWeighted(moved, light, grain, eye.noise / _GRAIN_SIGMA, 0.0, dtype=cv2.CV_8U)
    ok, packed = cv2.imencode(".jpg", mixed, (cv2.IMWRITE_JPEG_QUALITY, eye.jpeg))
    assert ok, "OpenCV writes JPEG"
    return np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)


_GRAIN_SIGMA = 20.0


@cache
def _grain() -> NDArray[np.int8]:
    """Return a large field of sensor noise, from which each picture cuts its piece."""
    chance = np.random.default_rng(1)
    field = np.rint(_GRAIN_SIGMA * chance.standard_normal((1400, 1600, 3), np.float32))
    return np.asarray(np.clip(field, -127, 127), np.int8)
