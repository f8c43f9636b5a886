"""No throw is ever silent: whatever comes before the board and stays is reported, asked about or said within 3 s."""

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
from scharten.vision.follow.takeout import open_tracker, step, trouble
from scharten.vision.follow.throw_states import RESTING, HappeningKind, TakeoutState
from scharten.vision.model import to_pixels

_SIZE, _WAKES, _FLIES = (480, 360), 16, 3
_place = st.tuples(st.floats(0.0, 0.95), st.floats(0.0, 2 * np.pi))  # of the board's radius, and the angle


@pytest.fixture(scope="module")
def board():
    """Two cameras, the empty board in their pictures, and a tracker that knows it."""
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


def _word(board, later, flies):
    """The first reports or messages about pictures that stay, "" without any, and the tracker after them."""
    *_, tracker = board
    for frame in range(WORDS_MS // FRAME_MS):
        t_ms = (_WAKES + frame) * FRAME_MS
        tracker, report = step(tracker, flies[frame] if frame < len(flies) else later, t_ms)
        words = [happening.kind.value for happening in report] or [
            trouble(tracker, t_ms),
            aside(tracker, t_ms),
        ]
        if any(words) or tracker.state is TakeoutState.ASKEW:
            return words, tracker
    return "", tracker


def _big_enough(eyes, empties, later):
    """Whether a camera's small picture shows as much as a dart: what is less is noise."""
    for eye, old, new in zip(eyes, empties, later, strict=True):
        watch = open_watch(eye, old)
        if sizeable(watch, changes(shrink(old, watch.shrinks), shrink(new, watch.shrinks), watch.board)):
            return True
    return False


@pytest.mark.long
@settings(max_examples=8, deadline=None)
@given(_place, st.integers(0, 2**16))
@example((0.75, 2.0), 225)  # its flight is near to a camera, as large as a hand on the board
@example((0.948, 1.959), 9447)  # and it goes beyond the picture
def test_a_dart_anywhere_is_reported_within_three_seconds(board, place, seed):
    """In a bed or in the surround, of any make and lean: something is informed of it."""
    rig, eyes, empties, _ = board
    chance = np.random.default_rng(seed)
    dart = some_dart(chance, *_mm(place))
    later = tuple(picture(rig, n, (dart,), chance) for n in range(2))
    assume(_big_enough(eyes, empties, later))
    word, tracker = _word(board, later, ())
    assert word
    assert tracker.state in (*RESTING, TakeoutState.ASKEW)


def _awake(eyes, empties, first, later):
    """Wake the cameras by four frames of the first pictures, then the later ones; return the reports."""
    tracker, reported = open_tracker(eyes, empties), []
    for frame in range(4 + _WAKES):
        tracker, news = step(tracker, first if frame < 4 else later, frame * FRAME_MS)
        reported += news
    assert tracker.state in RESTING
    return [happening.kind for happening in reported], reported


def test_a_dart_that_comes_while_the_cameras_wake_is_asked_about(board):
    """Alone, or beside one that stood there before; one that stood there, or that a hand hid at first, is no news."""
    rig, eyes, empties, _ = board
    chance = np.random.default_rng(3)
    old, new = some_dart(chance, -60.0, 40.0), some_dart(chance, 50.0, -30.0)
    alone, pair = (tuple(picture(rig, n, darts, chance) for n in range(2)) for darts in ((old,), (old, new)))
    kinds, reported = _awake(eyes, empties, empties, alone)
    assert kinds == [HappeningKind.UNCLEAR] and len(reported[0].before) == len(reported[0].current) == 2
    assert _awake(eyes, empties, alone, pair)[0] == [HappeningKind.UNCLEAR]
    assert _awake(eyes, empties, pair, pair)[0] == []
    at = [
        tuple(np.rint(to_pixels(eye.model, np.array([[-60.0, 40.0]]))[0]).astype(int).tolist())
        for eye in eyes
    ]
    size = (_SIZE[0] // 4, _SIZE[0] // 5)
    hand = tuple(
        cv2.ellipse(shot.copy(), where, size, 20, 0, 360, (110, 140, 190), -1)
        for shot, where in zip(alone, at, strict=True)
    )
    assert _awake(eyes, empties, hand, alone)[0] == []


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
def test_whatever_stays_before_the_board_is_reported_or_said(
    board, place, wide_mm, slim, turn, level, seen_by, flies
):
    """An ellipse of any size and shade before one camera or both, that flies in or is there at once."""
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
    assume(_big_enough(eyes, empties, later))
    word, tracker = _word(board, later, [shown(50.0 * (flies - n)) for n in range(flies)])
    assert word
    assert tracker.state in (*RESTING, TakeoutState.ASKEW, TakeoutState.MOTION, TakeoutState.HAND)
