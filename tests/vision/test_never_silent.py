"""No throw is silent: any object that stays before the board causes a report or a message within 3 s."""

from dataclasses import replace

import cv2
import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from lab.eyes.run import WORDS_MS
from lab.scenes.darts import some_dart
from lab.scenes.events import FRAME_MS
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.dartboard.locate import BOARD_RADIUS
from scharten.sensors.camera_process import aside
from scharten.vision.detect.light import shrink
from scharten.vision.follow.judge import sizeable
from scharten.vision.follow.motion import changes, open_watch
from scharten.vision.follow.remarks import trouble
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import RESTING, HappeningKind, TakeoutState
from scharten.vision.model import to_pixels

_SIZE, _WAKES, _FLIES = (480, 360), 16, 3
_place = st.tuples(st.floats(0.0, 0.95), st.floats(0.0, 2 * np.pi))
"""A share of the board's radius, and an angle in radians."""


@pytest.fixture(scope="module")
def board():
    """Two cameras, their pictures of the empty board, and a tracker that knows it."""
    chance = np.random.default_rng(19)
    rig = make_rig(chance, replace(RANGES, size=_SIZE), cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    eyes = open_rig(rig, chance, empties)
    tracker = open_tracker(eyes, empties)
    for frame in range(_WAKES):
        tracker, _ = step(tracker, empties, frame * FRAME_MS)
    assert tracker.state is TakeoutState.EMPTY
    return rig, eyes, empties, tracker


def _mm(place):
    return BOARD_RADIUS * place[0] * np.array([np.sin(place[1]), np.cos(place[1])])


def _first_report(board, later, flies):
    """Return the first reports or messages about pictures that stay, "" without any, and the tracker after them."""
    *_, tracker = board
    for frame in range(WORDS_MS // FRAME_MS):
        t_ms = (_WAKES + frame) * FRAME_MS
        tracker, report = step(tracker, flies[frame] if frame < len(flies) else later, t_ms)
        found = [happening.kind.value for happening in report] or [
            trouble(tracker, t_ms),
            aside(tracker, t_ms),
        ]
        if any(found) or tracker.state is TakeoutState.ASKEW:
            return found, tracker
    return "", tracker


def _exceeds_noise(eyes, empties, later):
    """Return whether a camera's small picture changes by as much as a dart changes it; less is noise."""
    for eye, old, new in zip(eyes, empties, later, strict=True):
        watch = open_watch(eye, old)
        if sizeable(watch, changes(shrink(old, watch.shrinks), shrink(new, watch.shrinks), watch.board)):
            return True
    return False


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(_place, st.integers(0, 2**16))
@example((0.75, 2.0), 225)  # its flight is close to a camera and looks as large as a hand
@example((0.948, 1.959), 9447)  # its flight leaves the picture
def test_a_dart_anywhere_is_reported_within_three_seconds(board, place, seed):
    """A dart of any make and lean, in a bed or the surround, causes a report or a message."""
    rig, eyes, empties, _ = board
    chance = np.random.default_rng(seed)
    dart = some_dart(chance, *_mm(place))
    later = tuple(picture(rig, n, (dart,), chance) for n in range(2))
    assume(_exceeds_noise(eyes, empties, later))
    reports, tracker = _first_report(board, later, ())
    assert reports
    assert tracker.state in (*RESTING, TakeoutState.ASKEW)


def _wake(eyes, empties, first, later):
    """Show the first pictures for four frames, then the later ones while the cameras wake; return kinds and reports."""
    tracker, reported = open_tracker(eyes, empties), []
    for frame in range(4 + _WAKES):
        tracker, news = step(tracker, first if frame < 4 else later, frame * FRAME_MS)
        reported += news
    assert tracker.state in RESTING
    return [happening.kind for happening in reported], reported


def test_a_dart_while_the_cameras_wake_raises_a_question(board):
    """So does a dart beside an earlier one. Darts that stood there before, or that a hand hid at first, cause no
    report."""
    rig, eyes, empties, _ = board
    chance = np.random.default_rng(3)
    old, new = some_dart(chance, -60.0, 40.0), some_dart(chance, 50.0, -30.0)
    alone, pair = (tuple(picture(rig, n, darts, chance) for n in range(2)) for darts in ((old,), (old, new)))
    kinds, reported = _wake(eyes, empties, empties, alone)
    assert kinds == [HappeningKind.UNCLEAR] and len(reported[0].before) == len(reported[0].current) == 2
    assert _wake(eyes, empties, alone, pair)[0] == [HappeningKind.UNCLEAR]
    assert _wake(eyes, empties, pair, pair)[0] == []
    at = [
        tuple(np.rint(to_pixels(eye.model, np.array([[-60.0, 40.0]]))[0]).astype(int).tolist())
        for eye in eyes
    ]
    size = (_SIZE[0] // 4, _SIZE[0] // 5)
    hand = tuple(
        cv2.ellipse(shot.copy(), where, size, 20, 0, 360, (110, 140, 190), -1)
        for shot, where in zip(alone, at, strict=True)
    )
    assert _wake(eyes, empties, hand, alone)[0] == []


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(
    _place,
    st.floats(8.0, 160.0),
    st.floats(0.15, 1.0),
    st.floats(0.0, 180.0),
    st.integers(0, 255),
    st.sampled_from(((0,), (1,), (0, 1))),
    st.integers(0, _FLIES),
)
@example((0.4, 1.0), 120.0, 0.9, 0.0, 20, (0, 1), 2)  # as large as a hand, in both pictures
@example((0.2, 0.0), 14.0, 0.3, 45.0, 255, (0,), 0)  # a speck before one camera
def test_any_object_that_stays_before_the_board_causes_a_report(
    board, place, wide_mm, slim, turn, level, seen_by, flies
):
    """An ellipse of any size and shade appears or flies in before one camera or both: a report or message comes."""
    _, eyes, empties, _ = board

    def shown(off_mm):
        shots = []
        for n, (eye, picture_of) in enumerate(zip(eyes, empties, strict=True)):
            shot = picture_of.copy()
            if n in seen_by:
                x, y = to_pixels(eye.model, (_mm(place) + off_mm)[None])[0]
                half = wide_mm * eye.px_per_mm / 2
                axes = (max(1, round(half)), max(1, round(slim * half)))
                cv2.ellipse(shot, (round(x), round(y)), axes, turn, 0, 360, (level,) * 3, -1, cv2.LINE_AA)
            shots.append(shot)
        return tuple(shots)

    later = shown(0.0)
    assume(_exceeds_noise(eyes, empties, later))
    reports, tracker = _first_report(board, later, [shown(50.0 * (flies - n)) for n in range(flies)])
    assert reports
    assert tracker.state in (*RESTING, TakeoutState.ASKEW, TakeoutState.MOTION, TakeoutState.HAND)
