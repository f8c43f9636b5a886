"""Alignment finds shift, turn and light between two pictures within 0.1 px, with or without darts."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.vision.detect.difference import novelty
from scharten.vision.detect.register import Alignment, align, moved, reference, soft_grey

_PX_PER_MM = 1.5
_EVERYWHERE = np.ones((240, 320), bool)


def _board() -> np.ndarray:
    """Return a picture with edges in every direction, like a dartboard."""
    picture = np.full((240, 320), 40, np.uint8)
    for turn in range(0, 360, 36):
        cv2.ellipse(picture, (160, 120), (140, 100), 0, turn, turn + 18, 190, -1)
    cv2.circle(picture, (160, 120), 60, 110, 6)
    return np.asarray(cv2.GaussianBlur(picture, (0, 0), 1.0))


def _nudged(picture: np.ndarray, dx: float, dy: float, turn: float, gain: float) -> np.ndarray:
    matrix = np.array([[1, -turn, dx + turn * 120], [turn, 1, dy - turn * 160]])
    level = cv2.warpAffine(picture.astype(np.float32), matrix, (320, 240), borderMode=cv2.BORDER_REPLICATE)
    return np.clip(np.rint(level * gain), 0, 255).astype(np.uint8)


def _new(
    before: np.ndarray, later: np.ndarray, by: Alignment, within: np.ndarray | None = None
) -> np.ndarray:
    """Return the new pixels in the whole picture."""
    everywhere = np.full(later.shape, 255, np.uint8) if within is None else within
    piece, (left, top) = novelty(before, later, by, everywhere, _PX_PER_MM)
    whole = np.zeros_like(later)
    whole[top : top + piece.shape[0], left : left + piece.shape[1]] = piece
    return whole


shift = st.floats(-2.5, 2.5)


@settings(max_examples=25, deadline=None)
@given(shift, shift, st.floats(-0.003, 0.003), st.floats(0.9, 1.1))
def test_a_nudge_is_found_within_a_tenth_of_a_pixel(dx: float, dy: float, turn: float, gain: float) -> None:
    """Shift, turn and light are found together, with a dart over part of the picture."""
    before = _board()
    later = _nudged(before, dx, dy, turn, gain)
    cv2.rectangle(later, (200, 20), (240, 150), 5, -1)
    found = align(reference(soft_grey(before), _EVERYWHERE), soft_grey(later))
    corners = np.array([[60.0, 60.0], [260.0, 60.0], [160.0, 200.0]])
    off = corners - [160, 120]
    expected = corners + [dx, dy] + turn * np.stack([-off[:, 1], off[:, 0]], axis=1)
    assert np.abs(found.forward(corners) - expected).max() < 0.1
    assert np.abs(found.back(found.forward(corners)) - corners).max() < 0.01
    assert all(abs(found.gain * level + found.lift - gain * level) < 5 for level in (40, 110, 190))


@settings(max_examples=25, deadline=None)
@given(shift, shift)
def test_a_nudge_alone_leaves_no_new_pixels(dx: float, dy: float) -> None:
    """After alignment at most 0.2 % of a nudged and dimmed picture is new; a dart in it is still seen."""
    before = soft_grey(_board())
    later = _nudged(_board(), dx, dy, 0.0, 0.95)
    by = align(reference(before, _EVERYWHERE), soft_grey(later))
    inner = np.s_[8:-8, 8:-8]
    assert (_new(before, soft_grey(later), by)[inner] > 0).mean() < 0.002
    cv2.line(later, (100, 60), (120, 160), 0, 7)
    assert (_new(before, soft_grey(later), by) > 0).sum() > 300


@pytest.mark.parametrize("size", [(320, 240), (321, 241)], ids=["even", "odd"])
@pytest.mark.parametrize(
    ("flight", "tip"),
    [((100, 60), (120, 160)), ((0, 3), (25, 70)), ((310, 239), (250, 200)), ((3, 239), (300, 2))],
    ids=["middle", "upper left", "lower right", "across"],
)
@pytest.mark.parametrize(
    ("dx", "turn"), [(0.0, 0.0), (0.6, 0.0), (-0.8, 0.004)], ids=["still", "moved", "turned"]
)
def test_a_dart_anywhere_in_the_picture_is_new(
    size: tuple[int, int], flight: tuple[int, int], tip: tuple[int, int], dx: float, turn: float
) -> None:
    """Only the dart is new, and all of it: at the edge, in odd sizes, with a turned camera, in noise."""
    chance = np.random.default_rng(7)
    plain = cv2.copyMakeBorder(_board(), 0, size[1] - 240, 0, size[0] - 320, cv2.BORDER_REPLICATE)
    matrix = np.array([[1, -turn, dx + turn * 120], [turn, 1, -turn * 160]])
    later = cv2.warpAffine(plain.astype(np.float32), matrix, size, borderMode=cv2.BORDER_REPLICATE) * 0.95
    drawn = np.zeros(size[::-1], np.uint8)
    cv2.line(drawn, flight, tip, 255, 7)
    later[drawn > 0] = np.where(later[drawn > 0] > 100, 10.0, 230.0)
    before, seen = (
        soft_grey(np.clip(np.rint(p + chance.normal(0, 1.5, p.shape)), 0, 255).astype(np.uint8))
        for p in (plain.astype(np.float32), later)
    )
    inside = np.ones(size[::-1], bool)
    new = _new(before, seen, align(reference(before, inside), seen))
    assert new[drawn > 0].mean() > 0.9 * 255
    beside = cv2.dilate(drawn, np.ones((7, 7), np.uint8)) == 0
    assert (new[beside] > 0).mean() < 0.001


def test_nothing_outside_the_region_is_new() -> None:
    """An object outside the region is left out, and so is the outer part of one at its edge."""
    before = soft_grey(_board())
    later = _board()
    cv2.line(later, (100, 60), (120, 160), 0, 7)
    by = Alignment((0.0, 0.0), 0.0, (160.0, 120.0), 1.0, 0.0, 1.0, 1.0)
    within = np.zeros((240, 320), np.uint8)
    assert novelty(before, soft_grey(later), by, within, _PX_PER_MM)[0].size == 0
    within[100:] = 255
    new = _new(before, soft_grey(later), by, within)
    assert not new[:100].any()
    assert new[104:150].any(axis=1).all()


@pytest.mark.parametrize("turn", [0.0, 0.0004, 0.004])
@pytest.mark.parametrize("box", [(0, 0, 90, 60), (100, 80, 61, 47), (230, 150, 90, 90)])
def test_a_moved_piece_equals_that_part_of_the_moved_picture(
    turn: float, box: tuple[int, int, int, int]
) -> None:
    """They agree except at the piece's edge, and differ from the unmoved picture."""
    picture = soft_grey(_board())
    by = Alignment((0.7, -1.3), turn, (160.0, 120.0), 0.97, 3.0, 1.0, 1.0)
    left, top, width, height = box
    whole, still = (
        p[top : top + height, left : left + width].astype(float) for p in (moved(picture, by), picture)
    )
    piece = moved(picture, by, box).astype(float)
    assert piece.shape == (height, width)
    inner = np.s_[3:-3, 3:-3]
    assert np.abs(piece - whole)[inner].max() <= 3
    assert np.abs(piece - still)[inner].max() > 20


def test_alignments_in_sequence_add_up() -> None:
    """Aligning before to after by way of the empty board equals aligning directly."""
    first = Alignment((0.7, -0.4), 0.001, (160.0, 120.0), 0.95, 2.0, 1.0, 1.0)
    second = Alignment((-0.5, 0.9), -0.002, (160.0, 120.0), 1.05, -1.0, 1.0, 1.0)
    corners = np.array([[10.0, 20.0], [300.0, 200.0]])
    by = second.relative_to(first)
    assert np.abs(by.forward(first.forward(corners)) - second.forward(corners)).max() < 0.01
    assert abs(by.gain * (first.gain * 100 + first.lift) + by.lift - (second.gain * 100 + second.lift)) < 1e-9


@given(st.floats(-2.9, 2.9), st.floats(-2.9, 2.9))
def test_a_sloping_picture_moves_by_fractions_of_a_pixel(dx: float, dy: float) -> None:
    """A slanting plane of grey moved by fractions of a pixel has the expected levels, within 1.01."""
    rows, columns = np.mgrid[:40, :60]
    plane = (20 + 2 * columns + rows).astype(np.uint8)
    by = Alignment((dx, dy), 0.0, (30.0, 20.0), 1.0, 0.0, 1.0, 1.0)
    expected = plane - 2 * dx - dy
    assert np.abs(moved(plane, by).astype(float) - expected)[5:-5, 5:-5].max() <= 1.01
