"""Edges of beds in a picture, to a fraction of a pixel, looked for where a model of the camera expects them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.locate import (
    BULL_RADIUS,
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
)
from scharten.vision.model import Floats, Image, Points

_STEP_MM = 0.16
_SMOOTH_MM = 0.52  # sigma
_OFF_WIRE = 0.72  # how much of a sector is looked at for the rings: the wires at its sides are left out


@dataclass(frozen=True)
class Sites:
    """Points on borders between beds, in board mm, with the direction across (unit, mm) and what changes there."""

    at: Points
    across: Points
    rise: Floats  # +1 where the signal grows along `across`, -1 where it falls
    spread: Floats  # +1 where light or colour grows along `across`: what shines looks larger than it is
    colour: NDArray[np.bool_]  # the signal is a colour there, else brightness
    ring: NDArray[np.int64]  # which radius (0 to 5 from inside), or 6 for a straight wire


@dataclass(frozen=True)
class Edges:
    """Edges found: for each used site its index, the pixel, the direction across in pixels and the strength."""

    site: NDArray[np.int64]
    pixel: Points
    normal: Points
    contrast: Floats
    width: Floats  # pixels over which the step rises


@dataclass(frozen=True)
class View:
    """A picture (float32, BGR, smoothed), the sites to look at, and how each site weighs blue, green and red."""

    picture: NDArray[np.float32]
    sites: Sites
    weights: Floats  # (n, 3)


_Part = tuple[Points, Points, Floats, float, bool, int]


def _ring_sites() -> list[_Part]:
    found: list[_Part] = []
    # radius, its index, change of |red minus green| outwards
    rings = (
        (OUTER_BULL_RADIUS, 1, -1),
        (TREBLE_INNER_RADIUS, 2, 1),
        (TREBLE_OUTER_RADIUS, 3, -1),
        (DOUBLE_INNER_RADIUS, 4, 1),
        (DOUBLE_OUTER_RADIUS, 5, -1),
    )
    for radius, index, change in rings:
        per_sector = 3 if radius < TREBLE_INNER_RADIUS else 7
        offset = np.linspace(-0.5, 0.5, per_sector) * _OFF_WIRE * math.radians(18)
        for sector in range(20):
            angle = sector * math.radians(18) + offset
            out = np.column_stack([np.sin(angle), np.cos(angle)])
            red = -1.0 if index == 1 or sector % 2 else 1.0  # the 25 is green all round
            found.append((radius * out, out, np.full(per_sector, change * red), float(change), True, index))
    angle = np.linspace(0, math.tau, 40, endpoint=False)
    out = np.column_stack([np.sin(angle), np.cos(angle)])
    found.append((BULL_RADIUS * out, out, np.full(40, -1.0), 0.0, True, 0))
    return found


def _wire_sites() -> list[_Part]:
    found: list[_Part] = []
    singles = np.concatenate([np.linspace(24, 92, 12), np.linspace(113, 156, 9)])
    rings = np.array([101.5, 104.5, 164.5, 167.5])
    for wire in range(20):
        angle = (wire + 0.5) * math.radians(18)
        out = np.array([math.sin(angle), math.cos(angle)])
        clockwise = np.array([math.cos(angle), -math.sin(angle)])
        lighter = (
            1.0 if wire % 2 == 0 else -1.0
        )  # after an even sector (black, red) comes a white and green one
        for radii, rise, spread, colour in ((singles, lighter, lighter, False), (rings, -lighter, 0.0, True)):
            across = np.tile(clockwise, (len(radii), 1))
            found.append((radii[:, None] * out, across, np.full(len(radii), rise), spread, colour, 6))
    return found


def board_sites() -> Sites:
    """Every place on a standard board where an edge is looked for."""
    parts = _ring_sites() + _wire_sites()
    return Sites(
        at=np.concatenate([p[0] for p in parts]),
        across=np.concatenate([p[1] for p in parts]),
        rise=np.concatenate([p[2] for p in parts]),
        spread=np.concatenate([np.full(len(p[0]), p[3]) for p in parts]),
        colour=np.concatenate([np.full(len(p[0]), p[4]) for p in parts]),
        ring=np.concatenate([np.full(len(p[0]), p[5]) for p in parts]),
    )


def _kernel() -> Floats:
    """Return the kernel for the slope of a smoothed profile, per step; in steps it is alike at any size."""
    smooth = _SMOOTH_MM / _STEP_MM
    t = np.arange(-math.ceil(3 * smooth), math.ceil(3 * smooth) + 1)
    gauss = np.exp(-((t / smooth) ** 2) / 2)
    return np.asarray(t * gauss / np.sum(t * t * gauss))


def smoothed(picture: Image) -> NDArray[np.float32]:
    """Return the picture as edges are looked for in it: less noise, as numbers to compute with."""
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.7), np.float32)


def find_edges(view: View, *, pixel: Points, beyond: Points, reach_mm: float, px_per_mm: float) -> Edges:
    """Look along each site's direction, `reach_mm` to both sides, for the steepest change of the right sign.

    `pixel` is where the site is expected and `beyond` where the point 1 mm across is; both (n, 2).
    """
    normal = beyond - pixel
    normal = normal / np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
    kernel = _kernel()
    pad = len(kernel) // 2
    step = _STEP_MM * px_per_mm
    steps = round(reach_mm / _STEP_MM) + pad
    offset = step * np.arange(-steps, steps + 1)
    where = pixel[:, None, :] + offset[None, :, None] * normal[:, None, :]
    profile = np.einsum("nsc,nc->ns", sample(view.picture, where), view.weights)
    slope = sum(k * profile[:, i : i + len(offset) - 2 * pad] for i, k in enumerate(kernel))
    rising = np.asarray(slope * view.sites.rise[:, None])
    return _peaks(rising, offset[pad : len(offset) - pad], pixel, normal, view.picture.shape)


def sample(picture: NDArray[np.float32], where: Floats) -> Floats:
    """Return the colours at places between pixels: from (n, s, 2) to (n, s, 3)."""
    at = where.astype(np.float32)
    seen = cv2.remap(picture, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(seen, np.float64)


def _peaks(slope: Floats, offset: Floats, pixel: Points, normal: Points, shape: tuple[int, ...]) -> Edges:
    best = slope.argmax(axis=1)
    row = np.arange(len(slope))
    inner = (best > 0) & (best < len(offset) - 1)
    inside = (pixel > 4).all(axis=1) & (pixel < [shape[1] - 5, shape[0] - 5]).all(axis=1)
    row, best = row[inner & inside], best[inner & inside]
    left, peak, right = slope[row, best - 1], slope[row, best], slope[row, best + 1]
    step = offset[1] - offset[0]
    curve = np.minimum(left - 2 * peak + right, -1e-9)
    shift = np.clip(0.5 * (left - right) / curve, -0.5, 0.5) * step
    at = pixel[row] + (offset[best] + shift)[:, None] * normal[row]
    width = np.sqrt(np.maximum(-peak / curve, 0)) * step
    return Edges(row, at, normal[row], peak, width)
