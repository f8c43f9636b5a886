"""A projector with keystone and lens distortion lights a rendered board, and its cameras see the result."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from functools import cached_property

import cv2
import numpy as np
from numpy.typing import NDArray

from lab.scenes.events import SIZE
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.vision.detect.camera import CalibratedCamera
from scharten.vision.model import Image, straighten, transform
from scharten_calibration.projector_fit import ProjectorModel

WINDOW = (960, 600)


def skewed(
    width_mm: float = 620.0, keystone: float = 0.12, k1: float = 0.02, turn_deg: float = 4.0
) -> ProjectorModel:
    """Return the true map: a projector on a shelf whose picture has this width on the board's plane."""
    width, height = WINDOW
    scale = width / width_mm
    c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
    flat = np.array(
        [
            [scale * c, scale * s, width / 2],
            [scale * s, -scale * c, height / 2],
            [keystone / 400, keystone / 300, 1.0],
        ]
    )
    return ProjectorModel(width, height, tuple(float(v) for v in flat.ravel()), k1)


@dataclass
class Booth:
    """Cameras at a board that a projector lights; `room` is the room's light relative to the projector's white."""

    rig: Rig
    eyes: tuple[CalibratedCamera, ...]
    empties: tuple[Image, ...]
    truth: ProjectorModel
    room: float = 0.5
    noise: float = 2.0
    kept: dict[int, tuple[NDArray[np.float32], NDArray[np.float32]]] = field(default_factory=dict)

    def see(self, number: int, pattern: NDArray[np.uint8], chance: np.random.Generator) -> Image:
        """Return the grey picture of camera `number` while the projector shows this grey picture."""
        eye = self.rig.cameras[number]
        light = pattern.astype(np.float32) / 255
        present = cv2.remap(light, *self._places(number), cv2.INTER_LINEAR, borderValue=0)
        soft = cv2.GaussianBlur(present, (0, 0), eye.blur_px)
        grey = cv2.cvtColor(eye.base, cv2.COLOR_BGR2GRAY)
        seen = grey * ((self.room + 0.02 + soft) / (self.room + 1))
        by = int(chance.integers(grey.size))
        return np.asarray(np.clip(seen + np.roll(self._grain, by).reshape(grey.shape), 0, 255), np.uint8)

    @cached_property
    def _grain(self) -> NDArray[np.float32]:
        camera = self.rig.cameras[0].camera
        chance = np.random.default_rng(1)
        return self.noise * chance.standard_normal(camera.width * camera.height, np.float32)

    def _places(self, number: int) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        if number in self.kept:
            return self.kept[number]
        camera = self.rig.cameras[number].camera
        rows, columns = np.mgrid[: camera.height, : camera.width]
        pixels = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.float64)
        flat = np.linalg.inv(camera.matrix[:, [0, 1, 3]])
        at = self.truth.pixels(transform(flat, straighten(pixels, camera.width, camera.height, camera.k1)))
        shape = (camera.height, camera.width)
        x, y = (at[:, n].reshape(shape).astype(np.float32) for n in (0, 1))
        self.kept[number] = x, y
        return x, y


def booth(truth: ProjectorModel, *, seed: int = 5, cameras: int = 2) -> Booth:
    """Return cameras calibrated from their pictures of the empty board in the room's light."""
    chance = np.random.default_rng(seed)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=cameras)
    empties = tuple(picture(rig, n, (), chance) for n in range(cameras))
    return Booth(rig, open_rig(rig, chance, empties), empties, truth)
