"""How each kind of edge looks on one board: no colour of board or light is assumed, only where the board is."""

from __future__ import annotations

import math

import numpy as np

from scharten.errors import Problem
from scharten.vision.calibrate.edges import Sites, View, board_sites, sample, smoothed
from scharten.vision.model import Floats, Image, transform

_BESIDE_MM = 3.5  # so far on both sides of an edge its beds are looked at: inside the narrow rings too
_LEAST_LEVELS = 12.0  # by how much, of 255, two beds must differ to show an edge
LEAST_SHOWN = 0.4
"""Of all places on a board, how many must lie between beds that differ, where a person says that it is one."""
_GREY = np.array([0.114, 0.587, 0.299])


def learn(picture: Image, first: Floats, least: float = LEAST_SHOWN) -> View | Problem:
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
    if used.mean() < least:
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
