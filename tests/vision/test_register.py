"""Alignment: shift, turn and light between two pictures are found below a tenth of a pixel, darts or no darts."""

from __future__ import annotations

import cv2
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.vision.difference import novelty
from scharten.vision.register import Alignment, align, moved, reference, soft_grey

_EVERYWHERE = np.ones((240, 320), bool)


def _board() -> np.ndarray:
    """A picture with edges in every direction, as a dartboard has them."""
    picture = np.full((240, 320), 40, np.uint8)
    for turn in range(0, 360, 36):
        cv2.ellipse(picture, (160, 120), (140, 100), 0, turn, turn + 18, 190, -1)
    cv2.circle(picture, (160, 120), 60, 110, 6)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0))


def _nudged(picture: np.ndarray, dx: float, dy: float, turn: float, gain: float) -> np.ndarray:
    matrix = np.array([[1, -turn, dx + turn * 120], [turn, 1, dy - turn * 160]])
    level = cv2.warpAffine(picture.astype(np.float32), matrix, (320, 240), borderMode=cv2.BORDER_REPLICATE)
    return np.clip(np.rint(level * gain), 0, 255).astype(np.uint8)


shift = st.floats(-2.5, 2.5)


@settings(max_examples=25, deadline=None)
@given(shift, shift, st.floats(-0.003, 0.003), st.floats(0.9, 1.1))
def test_a_nudge_is_found_below_a_tenth_of_a_pixel(dx: float, dy: float, turn: float, gain: float) -> None:
    """Shift, turn and light together, with a dart in the way of a tenth of the picture."""
    before = _board()
    after = _nudged(before, dx, dy, turn, gain)
    cv2.rectangle(after, (200, 20), (240, 150), 5, -1)
    found = align(reference(soft_grey(before), _EVERYWHERE), soft_grey(after))
    corners = np.array([[60.0, 60.0], [260.0, 60.0], [160.0, 200.0]])
    off = corners - [160, 120]
    expected = corners + [dx, dy] + turn * np.stack([-off[:, 1], off[:, 0]], axis=1)
    assert np.abs(found.forward(corners) - expected).max() < 0.1
    assert np.abs(found.back(found.forward(corners)) - corners).max() < 0.01
    assert all(abs(found.gain * level + found.lift - gain * level) < 5 for level in (40, 110, 190))


@settings(max_examples=25, deadline=None)
@given(shift, shift)
def test_a_nudge_alone_shows_nothing_new(dx: float, dy: float) -> None:
    """After alignment a nudged and dimmed picture holds next to no new pixels; a dart is still seen whole."""
    before = soft_grey(_board())
    after = _nudged(_board(), dx, dy, 0.0, 0.95)
    by = align(reference(before, _EVERYWHERE), soft_grey(after))
    inner = np.s_[8:-8, 8:-8]
    assert (novelty(before, soft_grey(after), by)[inner] > 0).mean() < 0.002
    cv2.line(after, (100, 60), (120, 160), 0, 7)
    assert (novelty(before, soft_grey(after), by) > 0).sum() > 300


def test_steps_add_up() -> None:
    """From before to after by way of the empty board is the same as going there at once."""
    first = Alignment((0.7, -0.4), 0.001, (160.0, 120.0), 0.95, 2.0, 1.0, 1.0)
    second = Alignment((-0.5, 0.9), -0.002, (160.0, 120.0), 1.05, -1.0, 1.0, 1.0)
    corners = np.array([[10.0, 20.0], [300.0, 200.0]])
    by = second.after(first)
    assert np.abs(by.forward(first.forward(corners)) - second.forward(corners)).max() < 0.01
    assert abs(by.gain * (first.gain * 100 + first.lift) + by.lift - (second.gain * 100 + second.lift)) < 1e-9


@given(st.floats(-2.9, 2.9), st.floats(-2.9, 2.9))
def test_moving_a_slope_moves_it_by_the_fraction(dx: float, dy: float) -> None:
    """A slanting plane moved by fractions of a pixel has the levels that it should have."""
    rows, columns = np.mgrid[:40, :60]
    plane = (20 + 2 * columns + rows).astype(np.uint8)
    by = Alignment((dx, dy), 0.0, (30.0, 20.0), 1.0, 0.0, 1.0, 1.0)
    expected = plane - 2 * dx - dy
    assert np.abs(moved(plane, by).astype(float) - expected)[5:-5, 5:-5].max() <= 1.01
