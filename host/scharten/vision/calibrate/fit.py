"""From a picture of the empty board and one point in the double 20 to a camera model, or the reason why not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import cv2
import numpy as np

from scharten.dartboard.locate import DOUBLE_INNER_RADIUS, DOUBLE_OUTER_RADIUS
from scharten.errors import Problem
from scharten.vision.calibrate.edges import Edges, Sites, View, board_sites, find_edges, smoothed
from scharten.vision.calibrate.learn import learn
from scharten.vision.calibrate.leftover import Leftover, leftover
from scharten.vision.calibrate.wires import guess, ring_colours
from scharten.vision.model import (
    CameraModel,
    Floats,
    Image,
    Points,
    bend,
    d20_turn,
    to_board,
    to_pixels,
    transform,
)

MAX_RESIDUAL_MM = 1.0
"""The median distance of the edges from where the model has them may be so large."""
_DARK_LEVEL = 45  # of 255: the 99th percentile of brightness below which nothing is recognisable
_BLUR_MM = 2.0  # standard deviation of an edge's slope that is still sharp enough
_LENS = 1.5  # times what one pixel shows: no lens draws a sharper edge, however small the picture
_LEAST_FOUND = 0.65  # of all the places looked at
_LEAST_SHOWN = 0.9  # of these, that show an edge in its own colours: a wheel has no rings
_WELL_FOUND = 0.85  # with fewer, the board may have other colours than those that are looked for
_GREY = (0.114, 0.587, 0.299)  # of blue, green and red in brightness, ITU-R BT.601
_FOUND_MM = 2.0  # an edge farther from its place is another one
_MEASURED_MM = 5.2  # so far an edge is looked for when the fit is judged
_ROUNDS_MM = (6.5, 4.0, 2.6, 2.0, 2.0)  # how far from the model an edge is looked for, round by round
_FEWEST_EDGES = 40
_TUNING_MM = 0.65  # residuals beyond this weigh less and less
_SPREAD_MM = 1.3  # at most so far light and colour spread over an edge


@dataclass(frozen=True)
class Calibration:
    """A usable model, with the facts that a person checks before accepting it."""

    model: CameraModel
    found: float  # share of the places on the board where an edge was found
    worst_px: float  # 95th percentile of the residuals
    blur_mm: float
    leftover: Leftover | None  # what looks like a dart in the board that should be empty


@dataclass(frozen=True)
class _Fit:
    homography: Floats
    k1: float


def calibrate(picture: Image, d20: tuple[float, float]) -> Calibration | Problem:
    """Fit the camera that took `picture` (BGR, (height, width, 3), the empty board); `d20` is a pixel in D20."""
    light = float(np.percentile(picture[::4, ::4].max(axis=2), 99))
    if light < _DARK_LEVEL:
        return Problem("too_dark", f"the picture is too dark: its brightest parts reach {light:.0f} of 255")
    first = guess(picture, d20)
    if first is None:
        return Problem(
            "no_board",
            "no dartboard was found: straight wires that meet in the bull, and two rings of other colours around it",
        )
    usual = refine(picture, first, d20)
    if usual.found >= _WELL_FOUND if isinstance(usual, Calibration) else usual.code != "bad_fit":
        return usual
    return _in_other_colours(picture, first, d20, usual)


def _in_other_colours(
    picture: Image, first: Floats, d20: tuple[float, float], usual: Calibration | Problem
) -> Calibration | Problem:
    """The calibration by edges as this board shows them, where that finds more of them than the usual one."""
    view = learn(picture, first, _LEAST_SHOWN)
    if isinstance(view, Problem):
        return usual
    learned = refine(picture, first, d20, view)
    if isinstance(learned, Problem) or (isinstance(usual, Calibration) and usual.found >= learned.found):
        return usual
    return learned


def refine(
    picture: Image, first: Floats, d20: tuple[float, float], view: View | None = None
) -> Calibration | Problem:
    """Fit the camera from a homography good to some mm, by the edges of `view`: the usual board's by default."""
    view = view or _usual_view(picture, first)
    fit, edges = _refine(view, _Fit(first, 0.0))
    if len(edges.site) < _FEWEST_EDGES:
        return Problem("bad_fit", "hardly any edge of a bed is where a dartboard would have it")
    judged = _judge(fit, edges, view.sites, (picture.shape[1], picture.shape[0]), d20)
    if isinstance(judged, Problem):
        return judged
    return replace(judged, leftover=leftover(picture, judged.model))


def _usual_view(picture: Image, first: Floats) -> View:
    """Rings by the colours of this board, wires between singles by brightness."""
    sites = board_sites()
    weights = np.where(sites.colour[:, None], ring_colours(picture, first), np.array(_GREY))
    return View(smoothed(picture), sites, weights)


def _expected(fit: _Fit, points: Points, size: tuple[int, int]) -> Points:
    return bend(transform(fit.homography, points), *size, fit.k1)


def _refine(view: View, fit: _Fit) -> tuple[_Fit, Edges]:
    sites, size = view.sites, (view.picture.shape[1], view.picture.shape[0])

    def seen(fit: _Fit, reach: float) -> Edges:
        pixel, beyond = _expected(fit, sites.at, size), _expected(fit, sites.at + sites.across, size)
        found = find_edges(view, pixel=pixel, beyond=beyond, reach_mm=reach, px_per_mm=_px_per_mm(fit))
        edges = _clear(found, sites)
        return _without_spread(fit, edges, sites, size) if len(edges.site) >= _FEWEST_EDGES else edges

    for reach in _ROUNDS_MM:
        edges = seen(fit, reach)
        if len(edges.site) < _FEWEST_EDGES:
            return fit, edges
        fit = _least_squares(fit, edges, sites.at[edges.site], size)
    return fit, seen(fit, _MEASURED_MM)


def _px_per_mm(fit: _Fit) -> float:
    """Pixels per mm at the bull, in the direction in which the board is seen largest."""
    at = transform(fit.homography, np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    return float(np.linalg.svd(at[1:] - at[0], compute_uv=False)[0])


def _without_spread(fit: _Fit, edges: Edges, sites: Sites, size: tuple[int, int]) -> Edges:
    """Return the edges moved back by the spread of light and colour, equal all over the board."""
    off = _residuals(_pack(fit, size), edges, sites.at[edges.site], size)
    pixel, most = edges.pixel.copy(), _SPREAD_MM * _px_per_mm(fit)
    for colour in (True, False):
        grows = sites.spread[edges.site] * (sites.colour[edges.site] == colour)
        sides = [np.median(off[grows == sign]) for sign in (1.0, -1.0) if (grows == sign).sum() > 20]
        if len(sides) == 2:
            pixel -= (np.clip((sides[0] - sides[1]) / 2, -most, most) * grows)[:, None] * edges.normal
    return replace(edges, pixel=pixel)


def _clear(edges: Edges, sites: Sites) -> Edges:
    """Without the edges that are faint beside others of their kind."""
    keep = np.zeros(len(edges.site), bool)
    for colour in (True, False):
        kind = sites.colour[edges.site] == colour
        if kind.any():
            keep |= kind & (edges.contrast > 0.25 * np.median(edges.contrast[kind]))
    return Edges(
        edges.site[keep], edges.pixel[keep], edges.normal[keep], edges.contrast[keep], edges.width[keep]
    )


def _residuals(parameters: Floats, edges: Edges, at: Points, size: tuple[int, int]) -> Floats:
    fit = _unpack(parameters, size)
    return np.asarray(((edges.pixel - _expected(fit, at, size)) * edges.normal).sum(axis=1))


def _unpack(parameters: Floats, size: tuple[int, int]) -> _Fit:
    """Nine numbers of like magnitude: a homography from double radii to half widths, and the radial term."""
    board = np.diag([1 / DOUBLE_OUTER_RADIUS, 1 / DOUBLE_OUTER_RADIUS, 1.0])
    half = size[0] / 2
    picture = np.array([[half, 0, (size[0] - 1) / 2], [0, half, (size[1] - 1) / 2], [0, 0, 1.0]])
    homography = picture @ np.append(parameters[:8], 1.0).reshape(3, 3) @ board
    return _Fit(homography / homography[2, 2], float(parameters[8]))


def _pack(fit: _Fit, size: tuple[int, int]) -> Floats:
    half = size[0] / 2
    picture = np.array([[half, 0, (size[0] - 1) / 2], [0, half, (size[1] - 1) / 2], [0, 0, 1.0]])
    board = np.diag([DOUBLE_OUTER_RADIUS, DOUBLE_OUTER_RADIUS, 1.0])
    scaled = np.linalg.inv(picture) @ fit.homography @ board
    return np.append((scaled / scaled[2, 2]).ravel()[:8], fit.k1)


def _least_squares(fit: _Fit, edges: Edges, at: Points, size: tuple[int, int]) -> _Fit:
    """Levenberg-Marquardt with Cauchy weights on the distances across the edges."""
    parameters, damping = _pack(fit, size), 1e-3
    tuning = _TUNING_MM * _px_per_mm(fit)

    def cost(residual: Floats) -> float:
        return float(np.log1p((residual / tuning) ** 2).sum())

    residual = _residuals(parameters, edges, at, size)
    for _ in range(25):
        jacobian = np.column_stack(
            [(_residuals(parameters + 1e-6 * unit, edges, at, size) - residual) / 1e-6 for unit in np.eye(9)]
        )
        weight = 1 / (1 + (residual / tuning) ** 2)
        normal = jacobian.T @ (weight[:, None] * jacobian)
        step = np.linalg.solve(normal + damping * np.diag(np.diag(normal)), -jacobian.T @ (weight * residual))
        tried = _residuals(parameters + step, edges, at, size)
        if cost(tried) < cost(residual):
            parameters, residual, damping = parameters + step, tried, damping / 4
            if np.abs(step).max() < 1e-7:
                break
        else:
            damping *= 8
    return _unpack(parameters, size)


def _judge(
    fit: _Fit, edges: Edges, sites: Sites, size: tuple[int, int], d20: tuple[float, float]
) -> Calibration | Problem:
    off = np.abs(((edges.pixel - _expected(fit, sites.at[edges.site], size)) * edges.normal).sum(axis=1))
    mm = _px_per_mm(fit)
    found, median = float((off < _FOUND_MM * mm).sum()) / len(sites.at), float(np.median(off))
    blur = float(np.median(edges.width)) / mm
    angle = np.linspace(0, math.tau, 72, endpoint=False)
    rim = _expected(fit, DOUBLE_OUTER_RADIUS * np.column_stack([np.sin(angle), np.cos(angle)]), size)
    if (rim < 0).any() or (rim > np.array(size) - 1).any():
        return Problem("not_whole", "the board is not whole in view: the double ring leaves the picture")
    sharp = max(_BLUR_MM, _LENS / mm)
    if blur > sharp:
        return Problem(
            "blurred", f"the picture is blurred: edges are {blur:.1f} mm wide, {round(sharp, 1):g} may be"
        )
    if median > MAX_RESIDUAL_MM * mm or found < _LEAST_FOUND:
        return Problem(
            "bad_fit",
            f"the board does not fit: median residual {median / mm:.2f} mm (at most {MAX_RESIDUAL_MM:g}), "
            f"{found:.0%} of the edges found (at least {_LEAST_FOUND:.0%})",
        )
    model = CameraModel(
        *size,
        tuple(float(v) for v in fit.homography.ravel()),
        fit.k1,
        round(d20_turn(fit.homography), 1),
        median,
        0.0,
    )
    model = _with_mm(model, edges, sites)
    at = to_board(model, np.array([d20]))[0]
    radius, turn = math.hypot(*at), math.degrees(math.atan2(at[0], at[1]))
    if not DOUBLE_INNER_RADIUS - 6 < radius < DOUBLE_OUTER_RADIUS + 6:
        return Problem(
            "wrong_point", f"the point must be inside the double 20, but is {radius:.0f} mm from the bull"
        )
    if abs(turn) > 9:
        return Problem(
            "wrong_point", "the point must be inside the double 20, which is red: it is in a green double"
        )
    return Calibration(model, found, float(np.percentile(off, 95)), blur, None)


def _with_mm(model: CameraModel, edges: Edges, sites: Sites) -> CameraModel:
    """The model with its residual in mm on the board, across the edges."""
    off = ((to_board(model, edges.pixel) - sites.at[edges.site]) * sites.across[edges.site]).sum(axis=1)
    return replace(model, residual_mm=float(np.median(np.abs(off))))


def overlay(picture: Image, model: CameraModel, leftover: Leftover | None = None) -> Image:
    """The picture with the model's rings and wires drawn on it, the wires of the 20 in yellow, and a ring about what
    looks like a dart."""
    drawn = picture.copy()
    angle = np.linspace(0, math.tau, 181)
    circle = np.column_stack([np.sin(angle), np.cos(angle)])
    for radius in (6.35, 15.9, 99.0, 107.0, 162.0, 170.0):
        _line(drawn, to_pixels(model, radius * circle), (255, 0, 255))
    for wire in range(20):
        turn = (wire + 0.5) * math.radians(18)
        out = np.array([[math.sin(turn), math.cos(turn)]])
        _line(
            drawn,
            to_pixels(model, np.linspace(15.9, 178, 12)[:, None] * out),
            (0, 255, 255) if wire in (0, 19) else (255, 0, 255),
        )
    if leftover is not None:
        at = np.array([leftover.x_mm, leftover.y_mm])
        for radius in (24.0, 25.0):
            _line(drawn, to_pixels(model, at + radius * circle), (0, 255, 255))
    return drawn


def _line(picture: Image, points: Points, colour: tuple[int, int, int]) -> None:
    cv2.polylines(picture, [np.rint(points * 16).astype(np.int32)], False, colour, 1, cv2.LINE_AA, 4)
