"""Synthetic scenes: a seed repeats its scene, and the truth is the place where the dart was drawn."""

import math

import cv2
import numpy as np
import pytest

from lab.scenes.darts import some_dart
from lab.scenes.pictures import drawn, make_rig, picture
from lab.scenes.visits import Tried, open_rig, place, visits
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.locate import wire_distance
from scharten.vision.detect.fuse import SeenDart
from scharten.vision.model import to_pixels


@pytest.fixture(scope="module")
def rig():
    """A rig of three cameras."""
    return make_rig(np.random.default_rng(12))


@pytest.mark.long
def test_the_same_seed_draws_the_same_scene():
    """Two runs with one seed give the same pixels; another seed gives others."""
    first, repeated, other = (
        picture(make_rig(np.random.default_rng(n), cameras=1), 0, (), np.random.default_rng(1))
        for n in (5, 5, 6)
    )
    assert (first == repeated).all()
    assert (first != other).any()


def test_the_tip_of_a_dart_is_drawn_at_its_true_place(rig):
    """In every camera the changed pixels come within 2.5 px of the point where the dart meets the board."""
    dart = some_dart(np.random.default_rng(2), 60.0, -70.0)
    for index, eye in enumerate(rig.cameras):
        changed = cv2.absdiff(drawn(rig, index, (dart,)), eye.base).max(axis=2) > 12
        rows, columns = np.nonzero(changed)
        at = eye.camera.pixels(np.array([dart.tip]))[0]
        assert np.hypot(columns - at[0], rows - at[1]).min() < 2.5


@pytest.mark.long
def test_calibration_of_a_scene_agrees_with_its_geometry(rig):
    """The calibration from the picture and the renderer's own camera agree within 1.2 px (median)."""
    chance = np.random.default_rng(3)
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    angle = np.linspace(0, math.tau, 24, endpoint=False)
    ring = 150 * np.column_stack([np.sin(angle), np.cos(angle)])
    for eye, scene in zip(open_rig(rig, chance, empties), rig.cameras, strict=True):
        true = scene.camera.pixels(np.column_stack([ring, np.zeros(24)]))
        assert np.median(np.hypot(*(to_pixels(eye.model, ring) - true).T)) < 1.2


def test_darts_are_uniform_over_the_board_and_avoid_wires():
    """A quarter of the area holds a quarter of the darts; none is within 0.5 mm of a wire."""
    chance = np.random.default_rng(8)
    places = [place(chance, []) for _ in range(2000)]
    inner = sum(math.hypot(*p) < 85 for p in places)
    assert 420 < inner < 580
    assert min(wire_distance(*p) for p in places) > 0.5


@pytest.mark.long
def test_a_visit_is_seen_dart_by_dart():
    """Of three darts through renderer, calibration and detector, at least two are in their bed."""
    tried = list(visits(3, 1))
    assert [t.order for t in tried] == [0, 1, 2]
    assert sum(t.exact for t in tried) >= 2


def _tried(x, y, bed, confidence):
    seen = SeenDart(x, y, ((parse_bed(bed), confidence),), parse_bed("F1"), 3.0, 3, 0.5)
    return Tried(x, y, seen, 0.01, 0)
