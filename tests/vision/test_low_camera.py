"""A webcam close to the board's plane, as on other people's rigs: sharp edges, clipped white, a near horizon."""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import replace

import cv2
import numpy as np
import pytest

from lab.scenes.darts import DartShape
from lab.scenes.pictures import RANGES, Rig, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.dartboard.locate import BOARD_RADIUS
from scharten.vision.detect.camera import CalibratedCamera, find_novelty, take_in
from scharten.vision.detect.pose import scale
from scharten.vision.model import Image, matrix

FAR_MM = 420.0


def _low(elevation_deg: float, chance: np.random.Generator) -> tuple[Rig, CalibratedCamera, Image]:
    elevation = math.radians(elevation_deg)
    along, height = FAR_MM * math.cos(elevation), FAR_MM * math.sin(elevation)
    ranges = replace(
        RANGES, distance=(along, along), height=(height, height), board_width_px=(420.0, 420.0), k1=(0.0, 0.0)
    )
    rig = make_rig(chance, ranges, cameras=1)
    empty = _webcam(picture(rig, 0, (), chance))
    return rig, open_rig(rig, chance, (empty,))[0], empty


def _webcam(seen: Image) -> Image:
    """Return a picture with more contrast and sharp edges."""
    light = 1.5 * seen.astype(np.float32)
    sharp = light + 2 * (light - cv2.GaussianBlur(light, (0, 0), 1.2))
    return np.asarray(np.clip(sharp, 0, 255), np.uint8)


def _horizon(eye: CalibratedCamera) -> int:
    """Return the picture's row, in the middle column, at which the board's plane ends."""
    back = np.linalg.inv(matrix(eye.work))[2]
    return int(np.interp(0, back @ [[eye.work.width / 2] * 600, range(600), [1] * 600], range(600)))


@pytest.mark.parametrize("elevation", [12.0, 16.0, 20.0])
def test_a_dart_above_the_horizon_is_no_smaller_than_at_the_far_rim(elevation: float) -> None:
    """Every row, the horizon's too, has the scale of a place on the board, measured with the rig's own camera."""
    rig, eye, _ = _low(elevation, np.random.default_rng(5))
    camera, step = rig.cameras[0].camera, 0.1
    angle = np.linspace(0, math.tau, 72, endpoint=False)
    rim = BOARD_RADIUS * np.column_stack([np.sin(angle), np.cos(angle), np.zeros(72)])
    moved = [
        np.linalg.norm(camera.pixels(rim + step * axis) - camera.pixels(rim), axis=1)
        for axis in np.eye(3)[:2]
    ]
    least, most = np.max(moved, axis=0).min() / step, np.max(moved, axis=0).max() / step
    assert _horizon(eye) > 50
    for row in range(0, 600, 3):
        assert 0.95 * least < scale(eye.work, np.array([400.0, row])) < 1.5 * most


def test_a_hand_across_the_horizon_costs_little_memory() -> None:
    """Where the board's plane ends nothing has a size, and a search by that size once took gigabytes."""
    _, eye, empty = _low(16.0, np.random.default_rng(5))
    row, hand = _horizon(eye), empty.copy()
    cv2.rectangle(hand, (330, row - 40), (470, row + 40), (90, 120, 200), -1)
    tracemalloc.start()
    try:
        find_novelty(eye, take_in(eye, empty), take_in(eye, hand)).lines()
        assert tracemalloc.get_traced_memory()[1] < 100e6
    finally:
        tracemalloc.stop()


def _dart(x_mm: float, y_mm: float, lean: float = 0.1) -> DartShape:
    axis = np.array([0.05, lean, 1.0]) / math.hypot(0.05, lean, 1.0)
    return DartShape((x_mm, y_mm, 0.0), (float(axis[0]), float(axis[1]), float(axis[2])), 0.3)


def test_edges_that_tremble_cover_no_dart() -> None:
    """A lone dart's end is free, wherever it is, in pictures that are sharper and farther apart than most."""
    rig, eye, _ = _low(20.0, np.random.default_rng(5))
    for seed, at in enumerate(((0.0, 100.0), (60.0, -60.0), (-90.0, 30.0), (20.0, 20.0), (-30.0, -120.0))):
        chance = np.random.default_rng(seed)
        before, later = (_webcam(picture(rig, 0, darts, chance)) for darts in ((), (_dart(*at),)))
        lines = find_novelty(eye, take_in(eye, before), take_in(eye, later)).lines()
        assert [line.shaft.covered_px for line in lines] == [0.0] * len(lines)
        assert lines


def test_a_dart_behind_another_is_covered() -> None:
    """By the rig's own camera the earlier dart's barrel is before the later one's point."""
    rig, eye, _ = _low(20.0, np.random.default_rng(5))
    chance, camera = np.random.default_rng(1), rig.cameras[0].camera
    for at in ((0.0, 60.0), (60.0, -60.0), (-60.0, 20.0)):
        to_eye = camera.place - [*at, 0.0]
        front = at + 55 * (to_eye / to_eye[2])[:2] - 55 * np.array([0.05, 0.1])
        first, second = _dart(float(front[0]), float(front[1])), _dart(*at, lean=0.35)
        darts = ((first,), (first, second))
        before, later = (_webcam(picture(rig, 0, some, chance)) for some in darts)
        new = find_novelty(eye, take_in(eye, before), take_in(eye, later))
        assert new.lines()[-1].shaft.covered_px > 0
        assert new.lone().confidence <= 0.85
