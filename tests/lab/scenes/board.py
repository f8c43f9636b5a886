"""The face of a dartboard as a flat picture: beds, wires, numbers, wear, surround and wall."""

from __future__ import annotations

import math
from functools import lru_cache

import cv2
import numpy as np

from scharten.dartboard.beds import NUMBERS
from scharten.dartboard.locate import (
    BOARD_RADIUS,
    BULL_RADIUS,
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
)
from scharten.vision.model import Floats, Image, Points

REACH_MM = 420.0  # half the picture's side, from the bull
SCALE = 2.5  # pixels per mm
SURROUND_RADIUS = 345.0
_BITS = 4
_WIRE_MM = 0.9
_RED, _GREEN, _WHITE, _BLACK = (38, 34, 178), (62, 128, 24), (188, 204, 212), (30, 28, 26)
Colour = tuple[int, int, int]  # BGR
Palette = tuple[Colour, Colour, Colour, Colour]
"""Dark singles, their rings, light singles, their rings."""
USUAL: Palette = (_BLACK, _RED, _WHITE, _GREEN)
PALETTES: tuple[Palette, ...] = (
    USUAL,
    ((34, 34, 34), (44, 60, 190), (120, 168, 196), (80, 120, 40)),  # tan, orange red
    ((36, 34, 32), (60, 40, 150), (150, 190, 214), (90, 110, 60)),  # worn
    ((90, 40, 20), (230, 225, 220), (205, 205, 205), (110, 50, 20)),  # blue and white
    ((24, 24, 26), (40, 200, 225), (60, 205, 230), (30, 28, 26)),  # yellow and black
)
_WIRE, _NUMBER = (150, 150, 152), (176, 178, 180)


def _pixels(at: Points) -> Floats:
    return np.column_stack([(at[:, 0] + REACH_MM) * SCALE, (REACH_MM - at[:, 1]) * SCALE])


def _ring(inner: float, outer: float, sector: int) -> Points:
    """Return the outline of a bed, (n, 2) in mm."""
    angle = np.radians(sector * 18 + np.linspace(-9, 9, 13))
    out = np.column_stack([np.sin(angle), np.cos(angle)])
    return np.concatenate([inner * out, outer * out[::-1]])


def _fill(picture: Image, outline: Points, colour: tuple[int, int, int]) -> None:
    at = np.rint(_pixels(outline) * 2**_BITS).astype(np.int32)
    cv2.fillPoly(picture, [at], colour, cv2.LINE_AA, _BITS)


def _disc(picture: Image, radius: float, colour: tuple[int, int, int]) -> None:
    angle = np.linspace(0, math.tau, 181)
    _fill(picture, radius * np.column_stack([np.sin(angle), np.cos(angle)]), colour)


@lru_cache(maxsize=4)
def board_texture(seed: int, palette: Palette = USUAL) -> Image:
    """Return a board with its wear drawn from the seed, BGR, SCALE pixels per mm, 20 upwards."""
    chance = np.random.default_rng(seed)
    side = int(2 * REACH_MM * SCALE)
    wall = tuple(int(v) for v in chance.integers(40, 170, 3))
    picture = np.full((side, side, 3), wall, np.uint8)
    surround = int(chance.integers(18, 60))
    _disc(picture, SURROUND_RADIUS, (surround, surround, surround))
    _disc(picture, BOARD_RADIUS, palette[0])
    for sector in range(20):
        dark = sector % 2 == 0
        single, ring = palette[:2] if dark else palette[2:]
        _fill(picture, _ring(OUTER_BULL_RADIUS, DOUBLE_INNER_RADIUS, sector), single)
        _fill(picture, _ring(TREBLE_INNER_RADIUS, TREBLE_OUTER_RADIUS, sector), ring)
        _fill(picture, _ring(DOUBLE_INNER_RADIUS, DOUBLE_OUTER_RADIUS, sector), ring)
    _disc(picture, OUTER_BULL_RADIUS, palette[3])
    _disc(picture, BULL_RADIUS, palette[1])
    worn = _worn(picture, chance)
    _wires(worn)
    _numbers(worn)
    return worn


def _worn(picture: Image, chance: np.random.Generator) -> Image:
    """Make the sisal speckled, bleached in places and full of old holes."""
    side = picture.shape[0]
    fine = cv2.GaussianBlur(chance.normal(0, 1, (side, side)).astype(np.float32), (0, 0), 1.2)
    coarse = cv2.resize(
        chance.normal(0, 1, (24, 24)).astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC
    )
    level = 1 + 0.12 * fine + 0.05 * coarse
    worn = np.asarray(np.clip(picture * level[..., None], 0, 255), np.uint8)
    for _ in range(1500):
        radius, angle = 170 * math.sqrt(chance.uniform()), chance.uniform(0, math.tau)
        at = _pixels(np.array([[radius * math.sin(angle), radius * math.cos(angle)]]))[0]
        cv2.circle(worn, (int(at[0]), int(at[1])), 1, (70, 72, 74), -1, cv2.LINE_AA)
    return worn


def _line(picture: Image, points: Points, colour: tuple[int, int, int], width_mm: float) -> None:
    at = np.rint(_pixels(points) * 2**_BITS).astype(np.int32)
    cv2.polylines(picture, [at], False, colour, max(1, round(width_mm * SCALE)), cv2.LINE_AA, _BITS)


def _wires(picture: Image) -> None:
    angle = np.linspace(0, math.tau, 361)
    circle = np.column_stack([np.sin(angle), np.cos(angle)])
    for radius in (
        BULL_RADIUS,
        OUTER_BULL_RADIUS,
        TREBLE_INNER_RADIUS,
        TREBLE_OUTER_RADIUS,
        DOUBLE_INNER_RADIUS,
        DOUBLE_OUTER_RADIUS,
    ):
        _line(picture, radius * circle, _WIRE, _WIRE_MM)
    for wire in range(20):
        turn = math.radians(wire * 18 + 9)
        out = np.array([[math.sin(turn), math.cos(turn)]])
        _line(picture, np.concatenate([OUTER_BULL_RADIUS * out, 176 * out]), _WIRE, _WIRE_MM)


def _numbers(picture: Image) -> None:
    """Draw the numbers' wire: each number upright, turned into its place."""
    for sector, number in enumerate(NUMBERS):
        patch = np.zeros((110, 150, 3), np.uint8)
        (width, height), _ = cv2.getTextSize(str(number), cv2.FONT_HERSHEY_SIMPLEX, 2.2, 5)
        origin = ((150 - width) // 2, (110 + height) // 2)
        cv2.putText(patch, str(number), origin, cv2.FONT_HERSHEY_SIMPLEX, 2.2, _NUMBER, 5, cv2.LINE_AA)
        angle = math.radians(sector * 18)
        centre = _pixels(np.array([[198 * math.sin(angle), 198 * math.cos(angle)]]))[0]
        turn = cv2.getRotationMatrix2D((75, 55), -math.degrees(angle), 1.0)
        turn[:, 2] += centre - (75, 55)
        drawn = cv2.warpAffine(patch, turn, picture.shape[1::-1])
        np.maximum(picture, drawn, out=picture)
