"""`make bench ARGS=rooms`: calibration in rendered rooms with other people's boards, light, lenses and sizes."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import cv2
import numpy as np

from lab.figures import commit, percentile
from lab.scenes.board import PALETTES
from lab.scenes.pictures import RANGES, SceneRanges, draw, make_rig, picture
from lab.scenes.visits import Figure
from scharten.vision.calibrate.fit import Calibration, calibrate
from scharten.vision.model import Image, to_board

SIZES = ((360, 320), (640, 360), (640, 480), (800, 600), (1280, 720), (1600, 1200), (2560, 1440))
KELVIN = (2500.0, 9000.0)  # colour temperature, for a camera with white balance for daylight
TILT_DEG = (30.0, 70.0)  # elevation of the camera above the board's plane
FAR_MM = (380.0, 700.0)
FOUND_AIM = 0.98
RESIDUAL_AIM_MM = 1.0
FALSE_MM = 5.0
"""A calibration that misplaces the double ring by more than this anywhere is false."""
_GAMMA = 2.2


@dataclass(frozen=True)
class Room:
    """One camera's picture of an empty board, and the result of its calibration."""

    name: str
    reason: str  # why it was refused, or empty
    off_mm: float  # largest error of the model at the double ring
    residual_mm: float  # by the calibration itself, as a person sees it
    seconds: float  # of CPU


def light_of(kelvin: float) -> tuple[float, float, float]:
    """Return blue, green and red of a lamp of this temperature relative to daylight of 6,500 K."""
    warm = math.log(6500 / kelvin)
    return math.exp(-1.1 * warm), math.exp(-0.25 * warm), math.exp(0.25 * warm)


def cast(seen: Image, light: tuple[float, float, float]) -> Image:
    """Return the picture as a camera without white balance takes it."""
    linear = (seen / 255.0) ** _GAMMA * np.array(light)
    return np.asarray(255 * np.clip(linear, 0, 1) ** (1 / _GAMMA), np.uint8)


def ranges_of(size: tuple[int, int], number: int, chance: np.random.Generator) -> SceneRanges:
    """Return the ranges for one room: its board, its camera's size and place."""
    tilt, far = math.radians(draw(chance, TILT_DEG)), draw(chance, FAR_MM)
    away, height = far * math.cos(tilt), far * math.sin(tilt)
    return replace(
        RANGES,
        size=size,
        azimuths=(draw(chance, (0.0, 360.0)),),
        distance=(away, away),
        height=(height, height),
        board_width_px=(420.0, 620.0),
        palette=PALETTES[number % len(PALETTES)],
    )


def room(number: int, seed: int) -> Room:
    """Calibrate in a random room."""
    chance = np.random.default_rng([seed, number])
    size = SIZES[number % len(SIZES)]
    rig = make_rig(chance, ranges_of(size, number, chance), cameras=1)
    kelvin = math.exp(chance.uniform(*np.log(KELVIN)))
    seen = cast(picture(rig, 0, (), chance), light_of(kelvin))
    point = rig.cameras[0].d20
    start = time.process_time()
    found = calibrate(seen, point)
    spent = time.process_time() - start
    name = f"{size[0]}x{size[1]}, board {number % len(PALETTES)}, {kelvin:.0f} K"
    if not isinstance(found, Calibration):
        return Room(name, found.code, 0.0, 0.0, spent)
    angle = np.linspace(0, math.tau, 40, endpoint=False)
    rim = 166 * np.column_stack([np.sin(angle), np.cos(angle), 0 * angle])
    off = to_board(found.model, rig.cameras[0].camera.pixels(rim)) - rim[:, :2]
    return Room(name, "", float(np.hypot(*off.T).max()), found.model.residual_mm, spent)


def rooms(count: int, seed: int) -> Iterator[Room]:
    """Calibrate in this many rooms."""
    cv2.setNumThreads(1)
    for number in range(count):
        yield room(number, seed)


def run(count: int, seed: int) -> int:
    """Print the figures beside their aims; return 0 if each is met."""
    print(f"calibration in rendered rooms, seed {seed}, commit {commit()}")
    tried = []
    for trial in rooms(count, seed):
        tried.append(trial)
        if trial.reason or trial.off_mm > FALSE_MM:
            print(f"  {trial.name}: {trial.reason or f'{trial.off_mm:.1f} mm off'}")
    good = [trial for trial in tried if not trial.reason]
    figures = (
        Figure("calibrated", len(good), count, FOUND_AIM),
        Figure(
            "false calibrations", sum(trial.off_mm > FALSE_MM for trial in good), count, 0.0, at_most=True
        ),
        Figure(
            f"residual of {RESIDUAL_AIM_MM:g} mm or more",
            sum(trial.residual_mm >= RESIDUAL_AIM_MM for trial in good),
            len(good),
            0.0,
            at_most=True,
        ),
    )
    for figure in figures:
        print(figure.words())
    off = [trial.off_mm for trial in good]
    residual = [trial.residual_mm for trial in good]
    print(f"residual: p50 {percentile(residual, 50):.2f} mm, p95 {percentile(residual, 95):.2f} mm")
    print(f"worst of a double ring: p50 {percentile(off, 50):.2f} mm, p95 {percentile(off, 95):.2f} mm")
    spent = [trial.seconds for trial in tried]
    print(
        f"CPU of a calibration: p50 {percentile(spent, 50):.2f} s, p95 {percentile(spent, 95):.2f} s (aim 1)"
    )
    return 0 if all(figure.reached is not False for figure in figures) else 1
