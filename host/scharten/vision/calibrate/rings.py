"""A first guess at the board: the coloured rings are ellipses, the bull is their centre, the sectors tell the turn."""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS, TREBLE_OUTER_RADIUS
from scharten.vision.model import Floats, Image, Points, transform

_WIDTH = 800  # pixels are enough for a guess; more make outlines ragged
_CLOSINGS = (0.008, 0.015, 0.005, 0.022)  # of the picture's height; wires and glare cut the rings into pieces
_STRICTNESS = (1.0, 0.7, 0.45)  # of Otsu's threshold
_RAYS = 360
_HYPOTHESES = 300
_MOST_POINTS = 1200
_RANSAC = 0.005  # of half the picture: as near to an ellipse a point supports it
_BLOBS = 12
_CLEAR, _FAINT = 0.8, 0.35  # contrast of the sectors, 1 at best: no need to search on, no board


@dataclass(frozen=True)
class Ellipse:
    """An ellipse in the picture: the middle, the half axes in pixels, the turn of the first in radians."""

    x: float
    y: float
    a: float
    b: float
    turn: float

    def conic(self) -> Floats:
        """The symmetric 3x3 matrix that is negative inside."""
        c, s = math.cos(self.turn), math.sin(self.turn)
        to_circle = np.array([[c / self.a, s / self.a, 0], [-s / self.b, c / self.b, 0], [0, 0, 1.0]])
        to_circle = to_circle @ np.array([[1.0, 0, -self.x], [0, 1, -self.y], [0, 0, 1]])
        return np.asarray(to_circle.T @ np.diag([1.0, 1.0, -1.0]) @ to_circle)


def redness(picture: Image) -> NDArray[np.int16]:
    """Red minus green of a BGR picture: high on red beds, low on green ones, near 0 on black and white."""
    return np.asarray(cv2.subtract(picture[:, :, 2], picture[:, :, 1], dtype=cv2.CV_16S), np.int16)


def _ellipses(mask: Image) -> list[Ellipse]:
    """The ellipses among the outlines of a mask, outer and inner ones, largest first."""
    found = []
    outlines, _ = cv2.findContours(mask, cv2.RETR_CCOMP, cv2.CHAIN_APPROX_NONE)
    for outline in outlines:
        if len(outline) < 24:
            continue
        (x, y), (width, height), turn = cv2.fitEllipseDirect(outline)
        if (
            not 4 < min(width, height) <= max(width, height) < 5 * min(width, height)
        ):  # pieces of rings are longer
            continue
        ellipse = Ellipse(x, y, width / 2, height / 2, math.radians(turn))
        points = np.column_stack([outline.reshape(-1, 2), np.ones(len(outline))]).astype(np.float64)
        level = np.einsum("ni,ij,nj->n", points, ellipse.conic(), points)
        off = np.abs(np.sqrt(np.maximum(level + 1, 0)) - 1) * math.sqrt(ellipse.a * ellipse.b)
        if np.mean(off < max(2.0, 0.02 * ellipse.b)) > 0.75:
            found.append(ellipse)
    return sorted(found, key=lambda e: -e.a * e.b)


def _upright(ellipse: Ellipse, bull: tuple[float, float]) -> Floats | None:
    """The homography from board mm (turn unknown) with the ellipse as the double's outer edge."""
    conic = ellipse.conic()
    horizon = conic @ np.array([*bull, 1.0])
    if abs(horizon[2]) < 1e-12:
        return None
    flatten = np.array([[1, 0, 0], [0, 1, 0], horizon / horizon[2]])
    back = np.linalg.inv(flatten)
    flat = back.T @ conic @ back
    middle = -np.linalg.solve(flat[:2, :2], flat[:2, 2])
    scale = -(flat[2, 2] - middle @ flat[:2, :2] @ middle)
    shape = flat[:2, :2] / scale
    values, vectors = np.linalg.eigh(shape)
    if values.min() <= 0:
        return None
    stretch = vectors @ np.diag(1 / np.sqrt(values)) @ vectors.T * (1 / DOUBLE_OUTER_RADIUS)
    to_flat = np.eye(3)
    to_flat[:2, :2] = stretch @ np.diag([1.0, -1.0])  # y up on the board, down in the picture
    to_flat[:2, 2] = middle
    return np.asarray(back @ to_flat)


def _ray_ends(coloured: Image, bull: Ellipse) -> Points:
    """Where coloured runs end on rays from the middle outwards: (n, 2) pixels, n rays times runs."""
    height, width = coloured.shape
    angle = np.linspace(0, math.tau, _RAYS, endpoint=False)
    reach = np.arange(2.0, math.hypot(width, height))
    x = np.rint(bull.x + np.outer(np.cos(angle), reach)).astype(np.intp)
    y = np.rint(bull.y + np.outer(np.sin(angle), reach)).astype(np.intp)
    seen = (x >= 0) & (x < width) & (y >= 0) & (y < height)
    level = np.zeros(x.shape, np.int8)
    level[seen] = coloured[y[seen], x[seen]]
    ray, step = np.nonzero(np.diff(level, axis=1) < 0)
    far = reach[step] > 2.5 * max(bull.a, bull.b)
    ray, step = ray[far], step[far]
    return np.column_stack(
        [bull.x + np.cos(angle[ray]) * reach[step], bull.y + np.sin(angle[ray]) * reach[step]]
    )


def _supported(points: Points, size: tuple[int, int]) -> list[tuple[Ellipse, float]]:
    """Ellipses through many of the points, each with the share of rays that support it (RANSAC)."""
    found: list[tuple[Ellipse, float]] = []
    if len(points) < 40:
        return found
    points = points[:: 1 + len(points) // _MOST_POINTS]
    chosen = np.random.default_rng(len(points))  # the same picture gives the same answer
    half = max(size) / 2
    scaled = (points - [size[0] / 2, size[1] / 2]) / half
    x, y = scaled.T
    rows = np.column_stack([x * x, x * y, y * y, x, y, np.ones(len(x))])
    sets = rows[chosen.integers(0, len(rows), (_HYPOTHESES, 5))]
    conics = np.linalg.svd(np.concatenate([sets, np.zeros((_HYPOTHESES, 1, 6))], axis=1))[2][:, -1]
    level = np.abs(conics @ rows.T)
    slope_x = np.abs(2 * np.outer(conics[:, 0], x) + np.outer(conics[:, 1], y) + conics[:, 3:4])
    slope_y = np.abs(2 * np.outer(conics[:, 2], y) + np.outer(conics[:, 1], x) + conics[:, 4:5])
    near = level / np.maximum(np.hypot(slope_x, slope_y), 1e-9) < _RANSAC
    ellipse_like = 4 * conics[:, 0] * conics[:, 2] > conics[:, 1] ** 2
    support = near.sum(axis=1) * ellipse_like / _RAYS
    for index in np.argsort(-support)[:40]:
        if support[index] < 0.4:
            break
        (cx, cy), (width, height), turn = cv2.fitEllipseDirect(points[near[index]].astype(np.float32))
        if min(width, height) > 10:
            found.append((Ellipse(cx, cy, width / 2, height / 2, math.radians(turn)), float(support[index])))
    return sorted(found, key=lambda e: -e[0].a * e[0].b)


def _candidates(coloured: Image) -> list[Floats]:
    """Upright homographies from blobs that may be the bull, with two rings around them in proportion."""
    found = []
    size = (coloured.shape[1], coloured.shape[0])
    for bull in _ellipses(coloured)[:_BLOBS]:
        ellipses = _supported(_ray_ends(coloured, bull), size)
        for outer, _ in ellipses[:3]:
            upright = _upright(outer, (bull.x, bull.y))
            if upright is not None and _has_treble(upright, [e for e, _ in ellipses]):
                found.append(upright)
                break
    return found


def _has_treble(upright: Floats, ellipses: list[Ellipse]) -> bool:
    angle = np.linspace(0, math.tau, 24, endpoint=False)
    circle = TREBLE_OUTER_RADIUS * np.column_stack([np.sin(angle), np.cos(angle)])
    points = np.column_stack([transform(upright, circle), np.ones(len(circle))])
    for ellipse in ellipses:
        level = np.einsum("ni,ij,nj->n", points, ellipse.conic(), points)
        if np.abs(np.sqrt(np.maximum(level + 1, 0)) - 1).max() < 0.12:
            return True
    return False


def _sector_contrast(picture: Image, upright: Floats) -> tuple[float, float]:
    """The turn (radians, modulo 36°) that puts dark singles at even sectors, and how clear it is (0 to 1)."""
    angle = np.arange(0, math.tau, math.radians(0.5))
    level = np.zeros(len(angle))
    brightness = picture.max(axis=2)
    for radius in (50.0, 75.0, 120.0, 135.0, 150.0):
        at = transform(upright, radius * np.column_stack([np.sin(angle), np.cos(angle)])).astype(np.float32)
        line = cv2.remap(brightness, at[None, :, 0], at[None, :, 1], cv2.INTER_LINEAR)[0].astype(np.float64)
        level += (line > np.median(line)) - 0.5
    wave = np.sum(level * np.exp(-10j * angle))
    return float((np.angle(-wave) / -10) % (math.tau / 10)), float(
        abs(wave) / (len(angle) * 2.5 * 2 / math.pi)
    )


def turned(homography: Floats, clockwise: float) -> Floats:
    """The homography of the board turned by an angle in radians."""
    c, s = math.cos(clockwise), math.sin(clockwise)
    return np.asarray(homography @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]))


def guess(picture: Image, d20: tuple[float, float]) -> Floats | None:
    """A homography (board mm to pixels, no radial term) good to some pixels, or None where no board is found.

    `picture` is BGR, (height, width, 3); `d20` a pixel inside the double 20.
    """
    step = max(1, round(picture.shape[1] / _WIDTH))
    back = np.array([[step, 0, (step - 1) / 2], [0, step, (step - 1) / 2], [0, 0, 1.0]])
    size = (picture.shape[1] // step, picture.shape[0] // step)
    whole = picture[: size[1] * step, : size[0] * step]
    small = np.asarray(cv2.resize(whole, size, interpolation=cv2.INTER_AREA), np.uint8)
    at = transform(np.linalg.inv(back), np.array([d20]))[0]
    found = _guess(small, (float(at[0]), float(at[1])))
    return None if found is None else back @ found


def _guess(picture: Image, d20: tuple[float, float]) -> Floats | None:
    best: tuple[float, Floats] | None = None
    colour = np.abs(redness(np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.uint8)))
    otsu, _ = cv2.threshold(np.minimum(colour, 255).astype(np.uint8), 0, 255, cv2.THRESH_OTSU)
    for strictness in _STRICTNESS:
        coloured = (colour > max(8.0, strictness * otsu)).astype(np.uint8)
        for closing in _CLOSINGS:
            side = 2 * round(closing * len(picture) / 2) + 1
            kernel = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side))
            for upright in _candidates(
                np.asarray(cv2.morphologyEx(coloured, cv2.MORPH_CLOSE, kernel), np.uint8)
            ):
                turn, clarity = _sector_contrast(picture, upright)
                if best is None or clarity > best[0]:
                    best = (clarity, _towards(turned(upright, turn), d20))
            if best is not None and best[0] > _CLEAR:
                return best[1]
    return best[1] if best is not None and best[0] > _FAINT else None


def _towards(homography: Floats, d20: tuple[float, float]) -> Floats:
    """Of the ten turns that look the same, the one that brings the sector of the 20 to the point."""
    at: Points = transform(np.linalg.inv(homography), np.array([d20]))[0]
    step = math.tau / 10
    return turned(homography, round(math.atan2(at[0], at[1]) / step) * step)
