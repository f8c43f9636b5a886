"""Lines of several cameras meet at the dart, and the probabilities belong to the beds around it."""

from __future__ import annotations

import math
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, MISS, NUMBERS, SURE, Bed, BedKind
from scharten.dartboard.locate import bed_at
from scharten.vision.detect import camera
from scharten.vision.detect.fuse import LEAST, Beds, bed_indices, fuse, fuse_agreeing, posterior
from scharten.vision.detect.shaft import Scene, Shaft, find_shafts
from scharten.vision.detect.sighting import Sighting
from scharten.vision.model import transform

_TURNS = (90.0, 210.0, 330.0)


def _homography(turn: float) -> np.ndarray:
    """Return a camera that sees the board foreshortened from one side."""
    c, s = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    turned = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]])
    return np.array([[1.5, 0, 400], [0, -1.0, 300], [0, 0.0011, 1]]) @ turned


def _sighting(turn: float, at: tuple[float, float], **changes: object) -> Sighting:
    homography = _homography(turn)
    tip = transform(homography, np.array([at]))[0]
    direction = np.array([0.1, 0.995])
    middle = tip - 40 * direction
    shaft = Shaft((middle[0], middle[1]), (direction[0], direction[1]), 40.0, 0.0, 0.4, 0.01, 60, 1.5)
    return Sighting(replace(shaft, **changes), homography)  # type: ignore[arg-type]


places = st.tuples(st.floats(-170, 170), st.floats(-170, 170)).filter(lambda p: 3 < math.hypot(*p) < 168)


@settings(max_examples=60, deadline=None)
@given(places, st.integers(1, 3))
def test_exact_lines_meet_at_the_dart(place: tuple[float, float], cameras: int) -> None:
    """Two or three exact lines give the place within 1.5 mm, a single line within 6 mm."""
    seen = tuple((_sighting(turn, place),) for turn in _TURNS[:cameras])
    dart = fuse(seen)
    assert dart is not None
    assert math.hypot(dart.x_mm - place[0], dart.y_mm - place[1]) < (1.5 if cameras > 1 else 6)
    assert bed_at(dart.x_mm, dart.y_mm) == dart.bed
    _assert_posterior(dart.beds)


def _assert_posterior(beds: Beds) -> None:
    """Each bed appears once, the likeliest first; each after the first has more than 1 %, and the sum is at most 1."""
    assert len({bed for bed, _ in beds}) == len(beds)
    shares = [share for _, share in beds]
    assert shares == sorted(shares, reverse=True) and sum(shares) <= 1 + 1e-9
    assert all(share > LEAST for share in shares[1:])


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(places, st.floats(0.3, 1.0))
def test_a_less_certain_dart_gives_probability_to_the_beds_around_it(
    place: tuple[float, float], confidence: float
) -> None:
    """A partly hidden dart is less sure: its bed stays the likeliest, and only nearby beds gain."""
    dart = fuse(tuple((_sighting(turn, place),) for turn in _TURNS))
    assert dart is not None
    beds = posterior(dart, min(confidence, dart.confidence))
    _assert_posterior(beds)
    assert beds[0] == (dart.bed, min(confidence, dart.confidence))
    if confidence < 0.85 and dart.confidence > 0.95:
        assert len(beds) > 1
        nearby = {bed_at(place[0] + x, place[1] + y) for x in range(-27, 28) for y in range(-27, 28)}
        assert {bed for bed, _ in beds} <= nearby


def test_an_object_that_shows_no_dart_may_be_in_any_bed() -> None:
    """Half the probability is a miss, half is spread over the board by area. No large bed is left out of the
    question."""
    beds = posterior(None, 0.5)
    _assert_posterior(beds)
    assert beds[0] == (MISS, 0.5)
    assert {Bed(BedKind.FAT, number) for number in NUMBERS} <= {bed for bed, _ in beds}
    assert posterior(None, 1.0) == ((MISS, 1.0),)


def test_two_cameras_outvote_one_that_sees_another_object() -> None:
    """Two lines meet in the treble 20, the third is 40 mm off: the two win."""
    right = ((_sighting(turn, (0.0, 103.0)),) for turn in _TURNS[:2])
    seen = (*right, (_sighting(330, (40.0, 60.0)),))
    assert fuse_agreeing(seen) is None
    dart = fuse(seen)
    assert dart is not None
    assert str(dart.bed) == "T20"
    assert dart.cameras == 2


def test_a_camera_s_second_line_is_used_if_it_agrees() -> None:
    """The first line of one camera is another object; its second line agrees with the other cameras."""
    odd = (_sighting(330, (40.0, 60.0)), _sighting(330, (0.0, 103.0)))
    seen = (*((_sighting(turn, (0.0, 103.0)),) for turn in _TURNS[:2]), odd)
    dart = fuse(seen)
    assert dart is not None
    assert (str(dart.bed), dart.cameras) == ("T20", 3)


@pytest.mark.parametrize(("cameras", "spread_mm", "sure"), [(3, 2.0, True), (3, 3.0, False), (2, 6.0, True)])
def test_three_lines_that_leave_the_place_open_are_in_doubt(
    monkeypatch: pytest.MonkeyPatch, cameras: int, spread_mm: float, sure: bool
) -> None:
    """A dart whose three lines meet only within 3 mm is not sure: one of them is wrong. Two may be nearly parallel."""
    lines = tuple((_sighting(turn, (0.0, 135.0)),) for turn in _TURNS)
    dart = fuse(lines)
    assert dart is not None and dart.confidence > SURE
    monkeypatch.setattr(
        camera, "fuse_agreeing", lambda _: replace(dart, cameras=cameras, spread_mm=spread_mm)
    )
    seen = SimpleNamespace(first=lambda: lines[0])
    found = camera.settle((seen, seen, seen))  # type: ignore[arg-type]
    assert found is not None and found.bed == dart.bed
    assert (found.confidence >= SURE) == sure


def test_two_equally_likely_places_leave_the_dart_in_doubt() -> None:
    """Two cameras with lines to both places cannot decide; a third camera with one line can."""
    here, present = (0.0, 130.0), (130.0, 0.0)
    first, other = (tuple(_sighting(turn, at) for at in (here, present)) for turn in _TURNS[:2])
    for seen in ((first, other[::-1]), (first, other[::-1], ())):
        dart = fuse(seen)
        assert dart is not None
        assert str(dart.bed) in {str(bed_at(*here)), str(bed_at(*present))}
        assert 0.4 < dart.confidence < 0.6
        _assert_posterior(dart.beds)
        assert {str(dart.bed), str(dart.second)} == {str(bed_at(*here)), str(bed_at(*present))}
    result = fuse((first, other[::-1], (_sighting(330, here),)))
    assert result is not None
    assert result.bed == bed_at(*here)
    assert result.confidence > 0.9


def test_a_dart_on_a_wire_is_in_doubt_between_both_beds() -> None:
    """On the wire between double and single of the 6, the first two beds are these."""
    seen = tuple((_sighting(turn, (162.0, 0.0)),) for turn in _TURNS)
    dart = fuse(seen)
    assert dart is not None
    assert dart.confidence < 0.9
    assert {str(dart.bed), str(dart.second)} == {"D6", "F6"}
    assert dart.wire_mm < 0.5


def test_a_covered_tip_makes_a_lone_camera_less_sure() -> None:
    """A line whose end another dart covers spreads over 1.5 times as far as one seen to its end."""
    clear, covered = (fuse(((_sighting(90, (0.0, 103.0), covered_px=c),),)) for c in (0.0, 30.0))
    assert clear is not None
    assert covered is not None
    assert covered.confidence < clear.confidence
    assert covered.spread_mm > 1.5 * clear.spread_mm


@pytest.mark.parametrize("covered_px", [30.0, 90.0])
@pytest.mark.parametrize("seen_px", [-20.0, 0.0])
def test_a_lone_line_that_ends_behind_another_dart_is_uncertain(covered_px: float, seen_px: float) -> None:
    """The tip may be anywhere behind the earlier dart: no bed is sure, and the place spreads over 10 mm."""
    dart = fuse_agreeing(((_sighting(90, (0.0, 60.0), covered_px=covered_px, tip_px=seen_px),),))
    assert dart is not None
    assert dart.confidence < 0.75
    assert dart.spread_mm > 10


@pytest.mark.parametrize("changes", [{"rows": 45}, {"flight": 0.7}])
def test_a_lone_line_with_interchangeable_ends_is_in_doubt(changes: dict[str, object]) -> None:
    """A dart that points at the only camera, or looks wider at the board, is never sure. A second camera makes it
    sure."""
    whole, doubtful = (fuse_agreeing(((_sighting(90, (0.0, 135.0), **more),),)) for more in ({}, changes))
    assert whole is not None and doubtful is not None
    assert doubtful.confidence < SURE < whole.confidence
    others = ((_sighting(90, (0.0, 135.0), **changes),), (_sighting(210, (0.0, 135.0)),))
    both = fuse_agreeing(others)
    assert both is not None and both.confidence >= SURE


@pytest.mark.parametrize("place", [(0.0, 135.0), (135.0, 0.0), (55.0, 0.0), (0.0, -60.0)])
def test_a_lone_line_seen_to_its_end_in_mid_bed_is_sure(place: tuple[float, float]) -> None:
    """One camera that sees the whole dart far from all wires is sure, but less than two cameras."""
    dart = fuse_agreeing(((_sighting(90, place),),))
    both = fuse_agreeing(((_sighting(90, place),), (_sighting(210, place),)))
    assert dart is not None
    assert both is not None
    assert dart.bed == both.bed == bed_at(*place)
    assert 0.9 < dart.confidence < both.confidence
    assert math.hypot(dart.x_mm - place[0], dart.y_mm - place[1]) < 3


def test_missing_or_distant_lines_are_no_dart() -> None:
    """Cameras without lines, and lines that meet far from the board, return None."""
    assert fuse(((), (), ())) is None
    assert fuse(((_sighting(90, (900.0, 900.0)),),)) is None


@settings(max_examples=200, deadline=None)
@given(st.floats(-230, 230), st.floats(-230, 230))
def test_bed_indices_agree_with_bed_at(x: float, y: float) -> None:
    """`bed_indices` gives for arrays the beds that `bed_at` gives for single places, away from the middle of wires."""
    near = {str(bed_at(x + dx, y + dy)) for dx in (-1e-6, 1e-6) for dy in (-1e-6, 1e-6)}
    assert str(ALL_BEDS[int(bed_indices(np.array([[x, y]]))[0])]) in near


def _drawn(tip: np.ndarray, direction: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the pixels of a dart: point, barrel, shaft, and a flight four times as wide."""
    along = rng.uniform(0, 130, 6000)
    half = np.select([along < 15, along < 55, along < 90], [1.5, 4.5, 2.5], 18.0)
    across = rng.uniform(-1, 1, 6000) * half
    normal = np.array([-direction[1], direction[0]])
    return np.unique(np.rint(tip - along[:, None] * direction + across[:, None] * normal), axis=0)


@settings(max_examples=30, deadline=None)
@given(st.floats(-0.6, 0.6), st.integers(0, 1000))
def test_the_line_follows_the_shaft_despite_a_wide_flight(tilt: float, seed: int) -> None:
    """At any lean the line passes the tip within a pixel, though the flight is far bigger."""
    rng = np.random.default_rng(seed)
    direction, tip = np.array([math.sin(tilt), math.cos(tilt)]), rng.uniform(200, 300, 2)
    scene = Scene(np.array([0.0, 1.0]), 1.3, lambda at: np.zeros(len(at), bool))
    (shaft, *_) = find_shafts(_drawn(tip, direction, rng), scene, 1)
    normal = np.array([-shaft.direction[1], shaft.direction[0]])
    assert abs((tip - shaft.point) @ normal) < 1.0
    end = np.array(shaft.point) + shaft.tip_px * np.array(shaft.direction)
    assert np.hypot(*(end - tip)) < 3.0


@pytest.mark.parametrize("pixels", [np.empty((0, 2)), np.zeros((5, 2)), np.zeros((400, 2))])
def test_too_few_pixels_are_no_shaft(pixels: np.ndarray) -> None:
    """No pixels, five, or many at one spot give no shaft and no error."""
    scene = Scene(np.array([0.0, 1.0]), 1.3, lambda at: np.zeros(len(at), bool))
    assert find_shafts(pixels, scene, 2) == ()
