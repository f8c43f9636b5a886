"""How a picture lies over another of the same camera: a small shift and turn, and a change of light."""

from __future__ import annotations

from dataclasses import dataclass, replace

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.detect.light import SATURATED, Grey
from scharten.vision.model import Floats, Points

Box = tuple[int, int, int, int]  # left, top, width, height

_POINTS = 500
_FLAT_POINTS, _LEAST_FLAT, _LEAST_EDGES = 200, 50, 50
_ROUNDS = 8
STILL_PX = 0.03  # smaller shifts are not worth a new picture
_SHARP = 0.05  # px: steps smaller than this end the search
_GAINS = (0.05, 20.0)
LEAST_NOISE = 1.5
"""Grey levels: what JPEG, and light that is evened row by row, do to a still picture."""


@dataclass(frozen=True)
class Reference:
    """The points of a picture that tell a shift best, and others that tell its light: whole pixels, grey levels."""

    at: Points
    level: Floats
    basis: Floats  # (5, n): what shift in x and y, turn, gain and lift do to each level
    across: Points  # where a turn about the middle moves each point
    uphill: Points  # unit direction in which the level rises
    steep: Floats  # by so much per pixel
    middle: tuple[float, float]
    flat: Points  # where the level hardly changes from pixel to pixel, so that a soft picture is as bright
    flat_level: Floats


@dataclass(frozen=True)
class Alignment:
    """A point p of the reference lies at p + shift + turn x (p - middle) in the picture; level' = gain level + lift."""

    shift: tuple[float, float]
    turn: float
    middle: tuple[float, float]
    gain: float
    lift: float
    noise: float  # grey levels left over, robust standard deviation
    matched: float  # share of the points that fit
    sharp: float = 1.0  # how steep edges are beside those of the reference, in the same light

    def forward(self, points: Points) -> Points:
        """Points of the reference to points of the picture."""
        p = np.asarray(points, np.float64)
        off = p - self.middle
        return np.asarray(p + self.shift + self.turn * np.stack([-off[..., 1], off[..., 0]], axis=-1))

    def back(self, points: Points) -> Points:
        """Points of the picture to points of the reference."""
        p = np.asarray(points, np.float64) - self.shift
        off = p - self.middle
        return np.asarray(p - self.turn * np.stack([-off[..., 1], off[..., 0]], axis=-1))

    def relative_to(self, first: Alignment) -> Alignment:
        """From the picture that `first` leads to, to the picture that this one leads to."""
        turn = self.turn - first.turn
        start = first.forward(np.array([self.middle]))[0]
        end = self.forward(np.array([self.middle]))[0]
        gain = self.gain / first.gain
        return Alignment(
            (float(end[0] - start[0]), float(end[1] - start[1])),
            turn,
            (float(start[0]), float(start[1])),
            gain,
            self.lift - gain * first.lift,
            max(self.noise, first.noise),
            min(self.matched, first.matched),
            self.sharp / max(first.sharp, 1e-3),
        )

    def inverse(self) -> Alignment:
        """From the picture back to the reference: its place alone, the light stays."""
        (dx, dy), (x, y) = self.shift, self.middle
        return replace(self, shift=(-dx, -dy), turn=-self.turn, middle=(x + dx, y + dy), gain=1.0, lift=0.0)

    def affine(self) -> Floats:
        """The 2x3 matrix of `forward`."""
        (dx, dy), (mx, my), t = self.shift, self.middle, self.turn
        return np.array([[1, -t, dx + t * my], [t, 1, dy - t * mx]])


def still(ref: Reference) -> Alignment:
    """The reference's picture itself."""
    return Alignment((0.0, 0.0), 0.0, ref.middle, 1.0, 0.0, LEAST_NOISE, 1.0)


def soft_grey(grey: Grey) -> Grey:
    """A grey picture slightly smoothed, so that between pixels it may be interpolated."""
    return np.asarray(cv2.GaussianBlur(grey, (3, 3), 0.85), np.uint8)


def reference(grey: Grey, inside: NDArray[np.bool_]) -> Reference:
    """The points to align by: the steepest ones `inside` the board, spread over it, none of them saturated."""
    dx = cv2.Sobel(grey, cv2.CV_32F, 1, 0, scale=1 / 8)
    dy = cv2.Sobel(grey, cv2.CV_32F, 0, 1, scale=1 / 8)
    inner = inside.copy()
    inner[:6], inner[-6:], inner[:, :6], inner[:, -6:] = False, False, False, False
    steep = (dx * dx + dy * dy)[inner]
    ys, xs = np.nonzero(inner)
    if not len(ys):
        return _reference(np.empty((0, 2)), np.empty(0), np.empty((0, 2)), np.empty((0, 2)), np.empty(0))
    edges = _spread(np.flatnonzero(steep > max(9.0, float(np.percentile(steep, 80)))), _POINTS)
    flats = _spread(np.flatnonzero(steep <= np.percentile(steep, 40)), _FLAT_POINTS)
    at, flat = (np.column_stack([xs[i], ys[i]]).astype(np.float64) for i in (edges, flats))
    level = grey[ys, xs].astype(np.float64)
    slope = np.column_stack([dx[ys[edges], xs[edges]], dy[ys[edges], xs[edges]]]).astype(np.float64)
    return _reference(at, level[edges], slope, flat, level[flats])


def _reference(at: Points, level: Floats, slope: Points, flat: Points, flat_level: Floats) -> Reference:
    """With what every alignment uses; `slope` in grey levels per pixel."""
    middle = (float(at[:, 0].mean()), float(at[:, 1].mean())) if len(at) else (0.0, 0.0)
    off = at - middle
    across = np.column_stack([-off[:, 1], off[:, 0]])
    moved_by = (slope * across).sum(axis=1)
    steep = np.maximum(np.hypot(slope[:, 0], slope[:, 1]), 1e-6)
    basis = np.stack([-slope[:, 0], -slope[:, 1], -moved_by, level, np.ones(len(at))])
    return Reference(at, level, basis, across, slope / steep[:, None], steep, middle, flat, flat_level)


def _spread(found: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """Choose at most this many of them, evenly."""
    return found[np.linspace(0, len(found) - 1, min(most, len(found))).astype(np.intp)]


def sample(grey: Grey, points: Points) -> Floats:
    """Grey levels between pixels (bilinear); points outside are moved to the edge."""
    height, width = grey.shape
    x = np.clip(points[:, 0], 0.0, width - 1.001)
    y = np.clip(points[:, 1], 0.0, height - 1.001)
    column, row = x.astype(np.intp), y.astype(np.intp)
    fx, fy = x - column, y - row
    at = row * width + column
    flat = grey.reshape(-1)
    left = flat.take(at) * (1 - fy) + flat.take(at + width) * fy
    right = flat.take(at + 1) * (1 - fy) + flat.take(at + width + 1) * fy
    return np.asarray(left + (right - left) * fx)


def _median(values: Floats) -> float:
    return float(np.partition(values, len(values) // 2)[len(values) // 2])


def align(ref: Reference, grey: Grey) -> Alignment:
    """Where the reference lies in another picture: least squares on grey levels, outliers (darts, hands) left out."""
    shift, turn, gain, lift, noise = np.zeros(2), 0.0, 1.0, 0.0, 10.0
    if len(ref.at) < _LEAST_EDGES:
        return Alignment((0.0, 0.0), 0.0, ref.middle, 1.0, 0.0, noise, 0.0)
    gain = float(np.clip(_median(sample(grey, ref.at)) / max(_median(ref.level), 1.0), *_GAINS))
    for _ in range(_ROUNDS):
        expected = gain * ref.level + lift
        unsaturated = expected < SATURATED
        if unsaturated.sum() < _LEAST_EDGES:
            return Alignment((0.0, 0.0), 0.0, ref.middle, gain, 0.0, noise, 0.0)
        left = sample(grey, ref.at + shift + turn * ref.across) - expected
        noise = max(1.4826 * _median(np.abs(left[unsaturated] - _median(left[unsaturated]))), 0.5)
        weight = unsaturated / (1 + (left / (2 * noise)) ** 2) ** 2
        weighted = ref.basis * weight
        step = np.linalg.solve(weighted @ ref.basis.T + 1e-9 * np.eye(5), weighted @ left)
        shift, turn = shift + step[:2] / gain, turn + float(step[2]) / gain
        gain, lift = max(gain + float(step[3]), 0.05), lift + float(step[4])
        if np.abs(step[:2]).max() < _SHARP:
            break
    matched = float((np.abs(left[unsaturated]) < 2 * max(noise, LEAST_NOISE * gain)).mean())
    found = Alignment((float(shift[0]), float(shift[1])), turn, ref.middle, gain, lift, noise, matched)
    return _with_sharpness(_with_light(found, ref, grey), ref, grey)


def _with_sharpness(by: Alignment, ref: Reference, grey: Grey) -> Alignment:
    """With how steep the edges are: a picture that moved while it was taken has flat ones."""
    at = by.forward(ref.at)
    rise = sample(grey, at + ref.uphill) - sample(grey, at - ref.uphill)
    unsaturated = by.gain * ref.level + by.lift < SATURATED
    if unsaturated.sum() < _LEAST_EDGES:
        return by
    return replace(by, sharp=_median((rise / (2 * by.gain * ref.steep))[unsaturated]))


def _with_light(by: Alignment, ref: Reference, grey: Grey) -> Alignment:
    """With gain and lift from where neighbouring pixels are alike: edges look paler in a softer picture."""
    if len(ref.flat) < _LEAST_FLAT:
        return by
    seen = sample(grey, by.forward(ref.flat))
    unsaturated = by.gain * ref.flat_level + by.lift < SATURATED
    if unsaturated.sum() < _LEAST_FLAT:
        return by
    seen, level = seen[unsaturated], ref.flat_level[unsaturated]
    columns = np.column_stack([level, np.ones(len(seen))])
    gain, lift = by.gain, by.lift
    for _ in range(3):
        left = seen - gain * level - lift
        weighted = columns / (1 + (left / (2 * max(_median(np.abs(left)), 1.0))) ** 2)[:, None] ** 2
        gain, lift = (
            float(v) for v in np.linalg.solve(weighted.T @ columns + 1e-6 * np.eye(2), weighted.T @ seen)
        )
    return replace(by, gain=gain, lift=lift) if _GAINS[0] < gain < _GAINS[1] else by


def halved(by: Alignment) -> Alignment:
    """The same alignment for pictures of half the size, each pixel the mean of four."""
    (dx, dy), (mx, my) = by.shift, by.middle
    return replace(by, shift=(dx / 2, dy / 2), middle=(mx / 2 - 0.25, my / 2 - 0.25))


def moved(grey: Grey, by: Alignment, box: Box | None = None, still_px: float = STILL_PX) -> Grey:
    """The picture as it would look in the place and the light of the one that `by` leads to, or a piece of that.

    A turn that moves nothing by more than `still_px` is left out.
    """
    left, top, width, height = box or (0, 0, grey.shape[1], grey.shape[0])
    (dx, dy), half = by.shift, max(width, height) / 2
    # over a piece of a picture a small turn is hardly more than a shift, that of its middle
    off = np.array([left + width / 2, top + height / 2]) - by.middle
    dx, dy = dx - by.turn * float(off[1]), dy + by.turn * float(off[0])
    if abs(by.turn) * half > still_px:
        matrix = by.affine() - [[0, 0, left], [0, 0, top]]
        level = cv2.warpAffine(
            grey, matrix, (width, height), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
        )
        return np.asarray(cv2.convertScaleAbs(level, alpha=by.gain, beta=by.lift), np.uint8)
    piece = grey[top : top + height, left : left + width]
    if max(abs(dx), abs(dy)) <= STILL_PX:
        return np.asarray(cv2.convertScaleAbs(piece, alpha=by.gain, beta=by.lift), np.uint8)
    kernel = np.outer(_taps(dy), _taps(dx) * by.gain)
    level = cv2.filter2D(piece, cv2.CV_8U, kernel, delta=by.lift, borderType=cv2.BORDER_REPLICATE)
    return np.asarray(level, np.uint8)


def _taps(shift: float) -> NDArray[np.float32]:
    """A filter that moves a row by a fraction of a pixel (or some): weights at -reach to +reach."""
    reach = int(np.ceil(abs(shift)))
    whole = int(np.floor(shift))
    taps = np.zeros(2 * reach + 1, np.float32)
    # the new level at x is the old one at x - shift
    taps[reach - whole] = 1 - (shift - whole)
    if shift > whole:
        taps[reach - whole - 1] = shift - whole
    return taps
