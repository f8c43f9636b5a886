"""A first guess at the board that needs no colour: its wires meet in the bull, its rings differ from the singles.

The straight edges of a picture that meet in one point give the bull and the directions of the wires. Of all boards
with these wires, the best is the one in whose rings each bed differs from the single beside it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from scharten.vision.model import Floats, Image, Points, transform

Mask = NDArray[np.bool_]

_WIDTH = 800  # every camera's picture is made at most so wide for a guess: a share of its width
_SEGMENTS, _PAIRED = (
    260,
    110,
)  # of the longest straight edges, how many are looked at, how many are intersected
_LEAST_SEGMENT = 0.012  # of the picture's width
_OFF_RAD = 0.022  # an edge leads to a point when it misses it by no more,
_BINS = 36  # directions of wires
_BULLS, _APART = 4, 0.02  # points tried, of the picture's width apart
_LEAST_DIRECTIONS = 0.22  # of all directions in which edges must lead to the bull
_SMOOTH_DEG = 2.0  # an edge so far off its wire, as on the board, hardly counts
_PENCILS = 3
_SECTOR = math.radians(18)
_SECTORS = np.array([0, 1, 4, 5, 8, 9, 12, 13, 16, 17])
_RADII = (70.0, 88.0, 103.0, 117.0, 150.0, 166.0)  # single, single, treble, single, single, double
_FINE = (70.0, 96.5, 100.8, 105.2, 109.5, 159.5, 163.8, 168.2)  # just on both sides of the rings' edges
_STEPS = (
    (False, 0.03),
    (False, 0.02),
    (False, 0.015),
    (True, 0.02),
    (True, 0.012),
    (True, 0.012),
    (True, 0.008),
    (True, 0.008),
    (True, 0.005),
    (True, 0.005),
    (True, 0.003),
    (True, 0.003),
)
_MOVES = 90
_RIDGE = 60.0  # squared levels: what noise adds to the colours of beds
_LEAST_CLEAR, _CLEAR = (
    0.12,
    0.35,
)  # how much clearer rings stand out than singles vary: no board, no need to search on


@dataclass(frozen=True)
class _Segments:
    """Straight edges, longest first: middles (n, 2), unit directions (n, 2), lengths (n,)."""

    middle: Points
    way: Points
    length: Floats


def guess(picture: Image, d20: tuple[float, float]) -> Floats | None:
    """A homography (board mm to pixels, no radial term) good to some pixels, or None where no board is found.

    `picture` is BGR, (height, width, 3); `d20` a pixel inside the double 20.
    """
    factor = min(1.0, _WIDTH / picture.shape[1])
    size = (round(picture.shape[1] * factor), round(picture.shape[0] * factor))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    across, down = size[0] / picture.shape[1], size[1] / picture.shape[0]
    back = np.array([[1 / across, 0, 0.5 / across - 0.5], [0, 1 / down, 0.5 / down - 0.5], [0, 0, 1.0]])
    found = _guess(small)
    return None if found is None else towards(back @ found, d20)


def towards(homography: Floats, d20: tuple[float, float]) -> Floats:
    """Return the turn, of ten that look the same, that brings the sector of the 20 to the point."""
    at: Points = transform(np.linalg.inv(homography), np.array([d20]))[0]
    step = math.tau / 10
    return _turned(homography, round(math.atan2(at[0], at[1]) / step) * step)


def _turned(homography: Floats, clockwise: float) -> Floats:
    c, s = math.cos(clockwise), math.sin(clockwise)
    return np.asarray(homography @ np.array([[c, s, 0], [-s, c, 0], [0, 0, 1.0]]))


def _guess(picture: Image) -> Floats | None:
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 0.8), np.uint8)
    segments = _segments(soft)
    best: tuple[float, Floats] | None = None
    if len(segments.length) < _BINS / 2:
        return None
    colours = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.float32)
    for bull, near in _bulls(segments, picture.shape[1]):
        for pencil in _pencils(segments, bull, near):
            clear, found = _best_board(colours, bull, pencil)
            if best is None or clear > best[0]:
                best = (clear, found)
        if best is not None and best[0] > _CLEAR:
            break
    if best is None or best[0] < _LEAST_CLEAR:
        return None
    return _dark_20(colours, best[1])


def _segments(picture: Image) -> _Segments:
    """The longest straight edges of brightness."""
    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    lines = cv2.createLineSegmentDetector().detect(grey)[0]
    ends = np.zeros((0, 4)) if lines is None else lines.reshape(-1, 4).astype(np.float64)
    off = ends[:, 2:] - ends[:, :2]
    length = np.hypot(*off.T)
    order = np.argsort(-length)[:_SEGMENTS]
    order = order[length[order] > _LEAST_SEGMENT * picture.shape[1]]
    middle = (ends[order, 2:] + ends[order, :2]) / 2
    return _Segments(middle, off[order] / length[order, None], length[order])


def _leads_to(segments: _Segments, points: Points) -> Mask:
    """Whether each edge (columns) leads to each point (rows)."""
    off = points[:, None, :] - segments.middle[None]
    across = np.abs(off[..., 0] * segments.way[:, 1] - off[..., 1] * segments.way[:, 0])
    far = np.hypot(off[..., 0], off[..., 1])
    return np.asarray(across < (_OFF_RAD + 0.6 / segments.length) * np.maximum(far, 1.0))


def _bulls(segments: _Segments, width: int) -> list[tuple[Points, Mask]]:
    """Points to which edges lead from many directions, best first, each with these edges."""
    first, other = np.triu_indices(min(_PAIRED, len(segments.length)), 1)
    a, b = segments.way[first], segments.way[other]
    cross = a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]
    keep = np.abs(cross) > 0.25
    first, other, a, b, cross = first[keep], other[keep], a[keep], b[keep], cross[keep]
    off = segments.middle[other] - segments.middle[first]
    points = segments.middle[first] + ((off[:, 0] * b[:, 1] - off[:, 1] * b[:, 0]) / cross)[:, None] * a
    points = points[(np.abs(points - width / 2) < 0.6 * width).all(axis=1)]
    if not len(points):
        return []
    angle = np.arctan2(segments.way[:, 1], segments.way[:, 0]) % math.pi
    bins = np.zeros((len(angle), _BINS))
    bins[np.arange(len(angle)), (angle / math.pi * _BINS).astype(np.intp) % _BINS] = segments.length
    most = 0.04 * width
    near = _leads_to(segments, points)
    score = np.minimum(near.astype(np.float64) @ bins, most).sum(axis=1) / (most * _BINS)
    found: list[tuple[Points, Mask]] = []
    for index in np.argsort(-score):
        if len(found) == _BULLS or score[index] < _LEAST_DIRECTIONS:
            break
        if all(math.dist(points[index], bull) > _APART * width for bull, _ in found):
            found.append(_settled(segments, points[index]))
    return found


def _settled(segments: _Segments, point: Points) -> tuple[Points, Mask]:
    """The point where the edges that lead there meet best, and these edges."""
    for _ in range(3):
        near = _leads_to(segments, point[None])[0]
        normal = np.column_stack([-segments.way[near, 1], segments.way[near, 0]])
        far = np.maximum(np.hypot(*(segments.middle[near] - point).T), 4.0)
        weight = segments.length[near] / far
        left = (normal * weight[:, None]).T @ normal
        right = (normal * weight[:, None]).T @ (normal * segments.middle[near]).sum(axis=1)
        point = np.linalg.solve(left + 1e-9 * np.eye(2), right)
    return point, near


def _pencils(segments: _Segments, bull: Points, near: Mask) -> list[Floats]:
    """Maps (2x2) of directions at the bull, board to picture, that bring the wires onto the edges; best first."""
    off = segments.middle[near] - bull
    way = off / np.maximum(np.hypot(*off.T), 1e-9)[:, None]
    weight = np.minimum(segments.length[near] / np.median(segments.length[near]), 2.0)
    lean, squeeze = (
        axis.ravel()
        for axis in np.meshgrid(np.radians(np.arange(0, 180, 2.5)), np.geomspace(0.2, 1.0, 30), indexing="ij")
    )
    c, s = np.cos(lean), np.sin(lean)
    along, across = (
        c[:, None] * way[:, 0] + s[:, None] * way[:, 1],
        c[:, None] * way[:, 1] - s[:, None] * way[:, 0],
    )
    angle = np.arctan2(across / squeeze[:, None], along)  # as on the board, but for its turn
    turn = np.angle((weight * np.exp(20j * angle)).sum(axis=1)) / 20
    wire = (angle - turn[:, None]) / _SECTOR
    good = weight * np.exp(-(((wire - np.rint(wire)) * 18 / _SMOOTH_DEG) ** 2) / 2)
    number = np.rint(wire).astype(np.intp) % 10
    score = np.sqrt(np.stack([(good * (number == n)).sum(axis=1) for n in range(10)])).sum(axis=0)
    score *= good.sum(axis=1) / weight.sum()
    found: list[int] = []
    for index in np.argsort(-score):
        if len(found) == _PENCILS or score[index] < 0.6 * score.max():
            break
        shape = np.log(squeeze[index]) * np.array([math.cos(2 * lean[index]), math.sin(2 * lean[index])])
        shapes = [
            np.log(squeeze[o]) * np.array([math.cos(2 * lean[o]), math.sin(2 * lean[o])]) for o in found
        ]
        if all(math.dist(shape, other) > 0.15 for other in shapes):
            found.append(int(index))
    return [_directions(lean[i], squeeze[i], turn[i]) for i in found]


def _directions(lean: float, squeeze: float, turn: float) -> Floats:
    """The map of directions on the board to those in a picture: turned, flipped (y is down), squeezed."""

    def rotation(angle: float) -> Floats:
        c, s = math.cos(angle), math.sin(angle)
        return np.array([[c, -s], [s, c]])

    # a wire is at 9 degrees clockwise from up
    return np.asarray(
        rotation(lean)
        @ np.diag([1.0, squeeze])
        @ rotation(turn - math.pi / 2 - _SECTOR / 2)
        @ np.diag([1.0, -1.0])
    )


def _best_board(colours: Floats, bull: Points, pencil: Floats) -> tuple[float, Floats]:
    """Of the boards with this bull and these wires the clearest, and how clear it is."""
    width = colours.shape[1]
    _, stretch, axes = np.linalg.svd(pencil)
    scales = np.geomspace(0.1, 0.62, 74) * width / 170 / stretch[0]
    tilts, sides = np.arange(-0.57, 0.58, 0.03), (-0.08, -0.03, 0.03, 0.08)
    horizons = np.array([[t, s] for t in tilts for s in sides]) / 170 @ axes[::-1]
    scale, which = (a.ravel() for a in np.meshgrid(scales, np.arange(len(horizons)), indexing="ij"))
    boards = _boards(bull, scale[:, None, None] * pencil, horizons[which.astype(np.intp)])
    clear = _clearness(colours, boards, _SECTORS)
    found = boards[int(clear.argmax())]
    return _improved(colours, found)


def _improved(colours: Floats, board: Floats) -> tuple[float, Floats]:
    """The clearest board near one, and how clear it is: by chance moves that become smaller and sharper."""
    chance = np.random.default_rng(1)  # the same picture gives the same answer
    every = np.arange(20.0)
    unit = np.array([[1, 1, 170.0], [1, 1, 170.0], [1 / 170, 1 / 170, 0]])
    for fine, size in _STEPS:
        best = float(_clearness(colours, board[None], every, fine=fine)[0])
        moves = np.eye(3) + size * chance.standard_normal((_MOVES, 3, 3)) * unit
        tried = board @ moves
        clear = _clearness(colours, tried, every, fine=fine)
        order = np.argsort(-clear)[:5]
        if clear[order[0]] > best:
            board = tried[order[0]] / tried[order[0], 2, 2]
    return float(_clearness(colours, board[None], every)[0]), board


def _boards(bull: Points, linear: Floats, horizon: Points) -> Floats:
    """Homographies (n, 3, 3) with the bull, the map of directions there (n, 2, 2) and the horizon (n, 2)."""
    boards = np.zeros((len(linear), 3, 3))
    boards[:, :2, :2] = linear + bull[:, None] * horizon[:, None, :]
    boards[:, :2, 2] = bull
    boards[:, 2, :2] = horizon
    boards[:, 2, 2] = 1.0
    return boards


def _sampled(
    colours: Floats, boards: Floats, sectors: Floats, radii: tuple[float, ...]
) -> tuple[Floats, Floats]:
    """The colours (n, sectors, radii, 3) of the middles of beds, and the share of them in the picture (n,)."""
    height, width = colours.shape[:2]
    angle = np.radians(18.0 * sectors)
    out = np.stack([np.sin(angle), np.cos(angle)], -1)
    at = (out[:, None, :] * np.array(radii)[:, None]).reshape(-1, 2)
    space = np.column_stack([at, np.ones(len(at))])
    seen = boards @ space.T
    depth = np.where(seen[:, 2] > 0.05, seen[:, 2], np.inf)
    x, y = (seen[:, 0] / depth).astype(np.float32), (seen[:, 1] / depth).astype(np.float32)
    inside = ((x > 1) & (y > 1) & (x < width - 2) & (y < height - 2)).mean(axis=1)
    values = _at(colours, x, y)
    return values.reshape(len(boards), len(sectors), len(radii), 3), inside


def _at(colours: Floats, x: Floats, y: Floats) -> Floats:
    rows = len(x)
    if rows <= 20000:
        return np.asarray(cv2.remap(colours, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE))
    cut = rows // 2
    return np.concatenate([_at(colours, x[:cut], y[:cut]), _at(colours, x[cut:], y[cut:])])


def _clearness(colours: Floats, boards: Floats, sectors: Floats, *, fine: bool = False) -> Floats:
    """How much each board's rings differ from the singles beside them, less what the singles differ: (n,)."""
    if fine:
        sectors = (sectors[:, None] + np.array([-0.36, 0.0, 0.36])).ravel()
    seen, inside = _sampled(colours, boards, sectors, _FINE if fine else _RADII)

    def far(first: int, other: int) -> Floats:
        return np.asarray(np.abs(seen[:, :, first] - seen[:, :, other]).sum(axis=-1))

    singles = seen[:, :, [0, 1, 4, 5] if fine else [0, 1, 3, 4]].mean(axis=2).sum(axis=-1)
    even = np.where(np.rint(sectors) % 2 == 0, 1.0, -1.0)
    sides = np.abs((singles * even).mean(axis=1))
    spread = (2 * sides + 30.0)[:, None]
    if fine:
        gains = [(1, 2), (4, 3), (5, 6), (5, 7)]
        rings = sum(np.clip(far(*pair) / spread, 0, 0.5) for pair in gains) / 2
        rings = rings - np.clip(far(2, 3) / spread, 0, 0.5) - np.clip(far(6, 7) / spread, 0, 0.5)
        vary = (far(0, 1) + far(1, 4) + far(4, 5)) / spread
    else:
        treble = np.minimum(far(2, 1), far(2, 3)) - far(1, 3)
        rings = np.clip(treble / spread, -1, 0.5) + np.clip((far(5, 4) - far(4, 3)) / spread, -1, 0.5)
        vary = (far(0, 1) + far(1, 3) + far(3, 4)) / spread
    alternate = sides / (singles.std(axis=1) + 1e-3)
    return np.where(inside > 0.93, rings.mean(axis=1) * alternate - 0.3 * vary.mean(axis=1), -1.0)


def ring_colours(picture: Image, board: Floats) -> Floats:
    """Weights of blue, green and red whose sum rises into the rings of dark sectors and falls into the others'.

    It is alike on dark and bright singles, whatever colours the board and the light have.
    """
    soft = np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0), np.float32)
    seen, _ = _sampled(soft, board[None], np.arange(20.0), (88.0, 103.0, 117.0, 150.0, 166.0))
    ring, single = (
        [np.median(seen[0, n::2, which].reshape(-1, 3), axis=0) for n in (0, 1)]
        for which in ([1, 4], [0, 2, 3])
    )
    rows = np.array([ring[0] - single[0], single[1] - ring[1], single[1] - single[0]])
    weights = np.linalg.solve(rows.T @ rows + _RIDGE * np.eye(3), rows.T @ np.array([1.0, 1.0, 0.0]))
    return np.asarray(weights / max(float(np.abs(weights).sum()), 1e-9))


def _dark_20(colours: Floats, board: Floats) -> Floats:
    """The board turned by a sector where that brings dark singles to the 20."""
    seen, _ = _sampled(colours, board[None], np.arange(20.0), (70.0, 88.0, 117.0, 150.0))
    light = seen[0].sum(axis=(1, 2))
    return board if light[::2].mean() < light[1::2].mean() else _turned(board, math.radians(18))
