"""The life of a throw: the real sequences, the table, and synthetic ones frame by frame."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from scharten.bench.replays import frames_of, open_board, watch
from scharten.bench.scene_events import SEQUENCES, SIZE, Stage, dart_comes, play
from scharten.bench.scene_visits import open_rig
from scharten.bench.scenes import RANGES, make_rig, picture
from scharten.vision.takeout import TABLE, News, Sight, State, open_gaze, step

EVENTS = Path(__file__).parents[2].parent / "shared" / "darts" / "events"


@pytest.fixture(scope="module")
def stand():
    """A rig of two cameras, its eyes, and its pictures of the empty board."""
    chance = np.random.default_rng(71)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    return rig, open_rig(rig, chance, empties), empties


@pytest.fixture(scope="module")
def board():
    """The empty board of the real sequences, and the camera that is calibrated from it."""
    if not EVENTS.is_dir():
        pytest.skip("the shared photographs are not here")
    empty = frames_of(EVENTS / "bounce_out")[0]
    return empty, open_board(empty)


@pytest.mark.darts
@pytest.mark.parametrize(
    ("sequence", "told"),
    [
        ("bounce_out", [News.BOUNCED]),
        ("edge_impact", [News.SURROUND]),
        ("impact_behind", [News.DART]),
    ],
)
def test_real_sequences_tell_what_happened(board, sequence, told):
    """A bounce-out and a dart in the surround are lost darts, an impact behind other darts is one dart."""
    empty, eye = board
    happened = watch(eye, empty, frames_of(EVENTS / sequence))
    assert [each.kind for each in happened] == told


@pytest.mark.parametrize("which", [3, 5, 9], ids=lambda n: SEQUENCES[n][0])
def test_synthetic_sequences_tell_what_happened(stand, which):
    """Partial takeout, a bounce-out beside a dart, and a nudged camera: told exactly, no more and no less."""
    rig, eyes, empties = stand
    played = play(rig, eyes, empties, which, np.random.default_rng([9, which]))
    assert [each.kind for each in played.told] == list(played.wanted)


def test_nothing_counts_while_a_hand_is_in_the_board():
    """From the state `hand` the table leads to no dart and no lost dart, whatever is seen."""
    lost_or_counted = {News.DART, News.SURROUND, News.BOUNCED}
    assert not {news for (state, _), (_, news) in TABLE.items() if state is State.HAND} & lost_or_counted


def test_a_dart_comes_only_from_motion():
    """Only what moved and came to rest is a dart: no other state tells one."""
    assert [key for key, (_, news) in TABLE.items() if news is News.DART] == [(State.MOTION, Sight.NEW)]


def test_every_state_can_be_left_and_reached():
    """No state of the table is a dead end, and none is out of reach."""
    left = {state for state, _ in TABLE}
    reached = {state for state, _ in TABLE.values() if state} | {State.WAKING}
    assert left == reached == set(State)


def test_any_frame_rate_will_do(stand):
    """At 10 frames a second, with uneven times, a dart is told once all the same."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(3), [])
    shots = [*stage.hold(8), *dart_comes(stage), *stage.hold(8)]
    gaze, told, at = open_gaze(eyes, empties), [], 0
    for number, shot in enumerate(shots):
        at += 80 + 40 * (number % 2)
        gaze, happened = step(gaze, shot, at)
        told.extend(each.kind for each in happened)
    assert told == [News.EMPTY, News.DART]
    assert gaze.state is State.SETTLED


def test_a_dart_that_is_in_the_board_at_the_start_is_none(stand):
    """What was there before anyone looked is quiet, not thrown; taken out, the board is empty."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(4), [])
    list(dart_comes(stage))
    gaze, told = open_gaze(eyes, empties), []
    for number, shot in enumerate(stage.hold(18)):
        gaze, happened = step(gaze, shot, 33 * number)
        told.extend(happened)
    assert gaze.state is State.QUIET
    assert not told
