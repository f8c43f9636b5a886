"""From a picture of the empty board and four clicked wires to a camera model: for boards in any colours."""

from __future__ import annotations

import math

import cv2
import numpy as np

from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS
from scharten.errors import Problem
from scharten.vision.calibrate.edges import Sites, View, board_sites, sample
from scharten.vision.calibrate.fit import Calibration, refine, smoothed
from scharten.vision.model import CameraModel, Floats, Image, Points, to_pixels, transform

Wires = tuple[tuple[float, float], ...]
"""Four pixels: where the wires between WIRE_NAMES meet the outer wire of the doubles, in that order."""

WIRE_NAMES = ("20/1", "6/10", "3/19", "11/14")
"""The four wires to click, clockwise as seen from the oche; a quarter turn lies between each two."""

_TURNS = np.radians([9.0, 99.0, 189.0, 279.0])
_PLACES = DOUBLE_OUTER_RADIUS * np.column_stack([np.sin(_TURNS), np.cos(_TURNS)])
_LEAST_SIDE = 0.05  # of the picture's width: clicks closer together than this are on one spot
_BESIDE_MM = 3.5  # so far on both sides of an edge its beds are looked at: inside the narrow rings too
_LEAST_LEVELS = 12.0  # by how much, of 255, two beds must differ to show an edge
_LEAST_SITES = 0.4  # of all sites that must lie between beds that differ
_GREY = np.array([0.114, 0.587, 0.299])


def calibrate_clicks(picture: Image, wires: Wires) -> Calibration | Problem:
    """Fit the camera that took `picture` (BGR, the empty board) from four clicked wires good to some mm.

    The edges between the beds are learned from the picture: no colour of board or light is assumed.
    """
    first = _homography(picture, wires)
    if isinstance(first, Problem):
        return first
    view = _learn(picture, first)
    if isinstance(view, Problem):
        return view
    (double,) = transform(first, np.array([[0.0, 166.0]]))
    return refine(picture, first, (float(double[0]), float(double[1])), view)


def wires_of(model: CameraModel) -> Wires:
    """Return the pixels at which a person would click the four wires, by a model known from before."""
    return tuple((float(x), float(y)) for x, y in to_pixels(model, _PLACES))


def _homography(picture: Image, wires: Wires) -> Floats | Problem:
    height, width = picture.shape[:2]
    at: Points = np.array(wires, np.float64)
    if at.shape != (4, 2) or (at < 0).any() or (at >= [width, height]).any():
        return Problem("wrong_wires", "four points inside the picture are needed")
    sides = np.roll(at, -1, axis=0) - at
    beyond = np.roll(sides, -1, axis=0)
    turns = sides[:, 0] * beyond[:, 1] - sides[:, 1] * beyond[:, 0]
    if (np.hypot(*sides.T) < _LEAST_SIDE * width).any() or (turns <= 0).any():
        return Problem(
            "wrong_wires", f"the points must go round the board clockwise: the wires {', '.join(WIRE_NAMES)}"
        )
    return np.asarray(
        cv2.getPerspectiveTransform(_PLACES.astype(np.float32), at.astype(np.float32)), np.float64
    )


def _learn(picture: Image, first: Floats) -> View | Problem:
    """Learn for each kind of edge which mixture of colours changes across it most, and leave out what shows none."""
    sites, soft = board_sites(), smoothed(picture)
    beside = np.stack([sites.at + sign * _BESIDE_MM * sites.across for sign in (-1.0, 1.0)], axis=1)
    sides = sample(soft, transform(first, beside.reshape(-1, 2)).reshape(beside.shape))
    change = sides[:, 1] - sides[:, 0]
    weights, grows = np.zeros((len(sites.at), 3)), np.zeros(len(sites.at))
    kinds = _kinds(sites)
    for kind in np.unique(kinds):
        these = kinds == kind
        step = np.median(change[these], axis=0)
        if (strength := float(np.linalg.norm(step))) >= _LEAST_LEVELS:
            weights[these], grows[these] = step / strength**2, np.sign(step @ _GREY)
    used = weights.any(axis=1)
    if used.mean() < _LEAST_SITES:
        return Problem("bad_fit", "the beds between the clicked wires hardly differ from each other")
    shown = Sites(
        sites.at[used],
        sites.across[used],
        np.ones(int(used.sum())),
        grows[used],
        sites.colour[used],
        sites.ring[used],
    )
    return View(soft, shown, weights[used])


def _kinds(sites: Sites) -> Floats:
    """Number the kinds of edges: rings and wires, of even and odd sectors, between singles and inside rings."""
    turn = np.arctan2(sites.at[:, 0], sites.at[:, 1]) / math.radians(18)
    straight = sites.ring == sites.ring.max()
    sector = np.where(straight, np.floor(turn), np.rint(turn))
    return np.asarray(sites.ring * 4 + (sector % 2) * 2 + sites.colour)
