"""The life of a throw: the table of states, and synthetic sequences. test_replays has the real ones."""

import math
from dataclasses import replace
from itertools import chain

import cv2
import numpy as np
import pytest

from lab.scenes.darts import some_dart
from lab.scenes.events import (
    CALM,
    SEQUENCES,
    SEQUENCES_PER_RIG,
    SIZE,
    Stage,
    all_taken,
    dart_comes,
    flight,
    hand_waves,
    one_taken,
    play,
)
from lab.scenes.pictures import RANGES, Change, drawn, make_rig, picture, taken
from lab.scenes.visits import open_rig
from scharten.dartboard.locate import bed_at
from scharten.vision.follow.judge import Sight
from scharten.vision.follow.remarks import remark
from scharten.vision.follow.takeout import open_tracker, step
from scharten.vision.follow.throw_states import TABLE, HappeningKind, TakeoutState
from scharten.vision.shots import packed


@pytest.fixture(scope="module")
def stand():
    """A rig of two cameras, its calibrated cameras, and its pictures of the empty board."""
    chance = np.random.default_rng(71)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    return rig, open_rig(rig, chance, empties), empties


@pytest.mark.long
def test_a_bounce_out_beside_a_dart_is_reported_as_bounced(stand):
    """The reports are the dart, the bounce-out and the takeout, and nothing else."""
    rig, eyes, empties = stand
    played = play(rig, eyes, empties, 5, np.random.default_rng([9, 5]))
    assert [happening.kind for happening in played.reported] == list(played.wanted)


@pytest.mark.long
def test_a_nudge_of_one_of_two_cameras_stops_counting(stand):
    """One camera is too few to judge a dart: an alarm is reported, and nothing else."""
    rig, eyes, empties = stand
    played = play(rig, eyes, empties, 9, np.random.default_rng([9, 9]))
    assert [happening.kind for happening in played.reported] == [HappeningKind.ASKEW]


@pytest.mark.long
@pytest.mark.parametrize(
    ("seed", "index"),
    [(2026, 3), (2026, 9), (2026, 24), (2026, 41)],
    ids=[
        "a hand that two of three cameras see in part",
        "nudged",
        "shadows in all cameras",
        "a fall near a camera",
    ],
)
def test_sequences_that_were_once_misread_are_now_right(seed, index):
    """Each sequence gives exactly its expected reports; the parameters' ids name the difficulty."""
    chance = np.random.default_rng([seed, 1, index // SEQUENCES_PER_RIG * SEQUENCES_PER_RIG])
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    eyes = open_rig(rig, chance, empties)
    played = play(rig, eyes, empties, index % len(SEQUENCES), np.random.default_rng([seed, 2, index]))
    assert [happening.kind for happening in played.reported] == list(played.wanted)


@pytest.mark.long
@pytest.mark.parametrize("px", [0.3, 0.8])
def test_cameras_moved_by_less_than_a_pixel_see_an_empty_board(px):
    """Each camera moved in another direction since its calibration. The empty board is reported once, without
    unknown darts."""
    chance = np.random.default_rng([77, 5])
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    eyes = open_rig(rig, chance, empties)
    ways = np.random.default_rng([78, 5]).uniform(0, 2 * np.pi, 3)
    seen = [drawn(rig, n, ()) for n in range(3)]

    def shot():
        parts = zip(rig.cameras, seen, ways, strict=True)
        nudged = (
            (eye, board, Change((px * np.cos(way), px * np.sin(way)), 1.0, CALM)) for eye, board, way in parts
        )
        return tuple(taken(eye, board, chance, change) for eye, board, change in nudged)

    shots, tracker, report = [shot() for _ in range(4)], open_tracker(eyes, empties), []
    for frame in range(16):
        tracker, happened = step(tracker, shots[frame % 4], 33 * frame)
        report.extend(item.kind for item in happened)
    assert report == [HappeningKind.EMPTY]


def test_a_hand_leads_to_a_dart_only_if_a_dart_was_added():
    """From the state `hand` the table counts a throw only for the sight `ADDED`."""
    counted = {HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED}
    report = {
        sight for (state, sight), (_, news) in TABLE.items() if state is TakeoutState.HAND and news in counted
    }
    assert report == {Sight.ADDED}


def test_a_dart_is_reported_only_after_motion_or_a_hand():
    """The table reports a dart for a new object after motion, and for an added one after a hand."""
    assert [key for key, (_, news) in TABLE.items() if news is HappeningKind.DART] == [
        (TakeoutState.MOTION, Sight.NEW),
        (TakeoutState.HAND, Sight.ADDED),
    ]


def test_every_state_can_be_left_and_reached():
    """The table has no dead end and no unreachable state."""
    left = {state for state, _ in TABLE}
    reached = {state for state, _ in TABLE.values() if state} | {TakeoutState.WAKING}
    assert left == reached == set(TakeoutState)


def test_a_low_and_uneven_frame_rate_suffices(stand):
    """At 10 frames a second on average, with uneven times, a dart is reported once."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(3), [])
    shots = [*stage.hold(8), *dart_comes(stage), *stage.hold(8)]
    tracker, report, at = open_tracker(eyes, empties), [], 0
    for number, shot in enumerate(shots):
        at += 80 + 40 * (number % 2)
        tracker, happened = step(tracker, shot, at)
        report.extend(item.kind for item in happened)
    assert report == [HappeningKind.EMPTY, HappeningKind.DART]
    assert tracker.state is TakeoutState.SETTLED


@pytest.mark.long
def test_cameras_continue_after_a_hand_that_stayed(stand):
    """A person who stands before the board for over five seconds causes an alarm. Afterwards a dart is reported."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(5), [])
    comes = list(all_taken(stage))[: len(list(all_taken(stage))) // 2]
    shots = [*stage.hold(12), *comes, *[comes[-1]] * 90, *stage.hold(20), *dart_comes(stage), *stage.hold(12)]
    tracker, report = open_tracker(eyes, empties), []
    for number, shot in enumerate(shots):
        tracker, happened = step(tracker, shot, 80 * number)
        report.extend(item.kind for item in happened)
    alarm = [HappeningKind.ASKEW, HappeningKind.STRAIGHT, HappeningKind.EMPTY]
    assert report == [HappeningKind.EMPTY, *alarm, HappeningKind.DART]
    assert tracker.state is TakeoutState.SETTLED


@pytest.mark.long
@pytest.mark.parametrize("level", [5, 90], ids=["black", "grey"])
def test_covered_lenses_cause_an_alarm_until_they_are_uncovered(stand, level):
    """Flat pictures show no board in any light: an alarm comes within three seconds, not a question."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(5), [])
    lid = [tuple(np.full_like(picture, level) for picture in empties)] * 50
    tracker, report = open_tracker(eyes, empties), []
    for number, shot in enumerate(
        [*stage.hold(12), *lid, *stage.hold(20), *dart_comes(stage), *stage.hold(24)]
    ):
        tracker, happened = step(tracker, shot, 80 * number)
        report.extend((item.kind, 80 * number) for item in happened)
    alarm = [HappeningKind.ASKEW, HappeningKind.STRAIGHT, HappeningKind.EMPTY]
    *before, dart = (kind for kind, _ in report)
    assert before == [HappeningKind.EMPTY, *alarm]
    assert dart in (HappeningKind.DART, HappeningKind.UNCLEAR), "the next dart is reported or asked about"
    assert report[1][1] - 80 * 12 < 3000


@pytest.mark.long
def test_two_cameras_continue_while_the_third_is_covered():
    """The covered camera is left out without a report, and the other two report the next dart."""
    chance = np.random.default_rng(72)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=3)
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    stage = Stage(rig, np.random.default_rng(5), [])
    tracker, report = open_tracker(open_rig(rig, chance, empties), empties), []
    for number, shot in enumerate([*stage.hold(12), *stage.hold(50), *dart_comes(stage), *stage.hold(12)]):
        seen = (*shot[:2], np.full_like(shot[2], 90)) if number >= 12 else shot
        tracker, happened = step(tracker, seen, 80 * number)
        report.extend(item.kind for item in happened)
    assert report == [HappeningKind.EMPTY, HappeningKind.DART]
    assert [camera.left_out for camera in tracker.cameras] == [False, False, True]


def test_one_small_picture_is_decoded_at_a_time_while_nothing_moves(stand, monkeypatch):
    """In two seconds each frame costs one reduced picture; whole pictures are decoded once, to renew the reference."""
    _, eyes, empties = stand
    shots = tuple(packed(cv2.imencode(".jpg", picture)[1]) for picture in empties)
    tracker, decoded, imdecode = open_tracker(eyes, empties), [], cv2.imdecode
    monkeypatch.setattr(cv2, "imdecode", lambda data, how: decoded.append(how) or imdecode(data, how))
    for number in range(80):
        if number == 20:
            assert tracker.state is TakeoutState.EMPTY
            decoded.clear()
        tracker, _ = step(tracker, shots, 33 * number)
    assert decoded.count(cv2.IMREAD_COLOR) == 2
    assert len(decoded) <= 60 + 2 + 2


def test_a_dart_from_before_the_start_is_not_reported(stand):
    """With a dart in the board at the start the state is `QUIET`, without any report."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(4), [])
    list(dart_comes(stage))
    tracker, report = open_tracker(eyes, empties), []
    for number, shot in enumerate(stage.hold(18)):
        tracker, happened = step(tracker, shot, 33 * number)
        report.extend(happened)
    assert tracker.state is TakeoutState.QUIET
    assert not report


def throw_dart(stage, x, y):
    """Play the frames of a dart that lands here."""
    dart = some_dart(stage.chance, x, y, stage.darts[0] if stage.darts else None)
    yield from flight(stage, dart)
    stage.darts.append(dart)


def lean(stage, by=0.15):
    """Push the first dart: its flight swings aside, its tip stays in its hole."""
    first = stage.darts[0]
    axis = np.array(first.axis) + np.array([by, 0.4 * by, 0.0])
    stage.darts[0] = replace(first, axis=tuple(axis / np.linalg.norm(axis)))


def push(stage, x, y):
    """Play a dart that lands here and pushes the first one."""
    yield from throw_dart(stage, x, y)
    lean(stage)


def glance_off(stage, x, y):
    """Play a dart that hits the first one and falls."""
    yield from flight(stage, some_dart(stage.chance, x, y, stage.darts[0]))
    lean(stage)


def watch_acts(stand, seed, *acts):
    """Play these acts in turn; return the stage, the tracker at the end, and the reports."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(seed), [])
    tracker, report, frames = open_tracker(eyes, empties), [], 0
    for act in (lambda stage: (), *acts):
        for shots in (act(stage), stage.hold(16)):
            for shot in shots:
                tracker, happened = step(tracker, shot, 33 * frames)
                report.extend(happened)
                frames += 1
    return stage, tracker, report[1:]


def distances_to_known(tracker, stage):
    """Return for each dart of the stage the distance in mm to the nearest known dart."""
    places = [(item.dart.x_mm, item.dart.y_mm) for item in tracker.darts]
    return [min(math.dist(place, dart.tip[:2]) for place in places) for dart in stage.darts]


@pytest.mark.long
@pytest.mark.parametrize("place", [(-52.0, 62.0), (60.0, -75.0)], ids=["beside it", "far from it"])
def test_a_dart_that_pushes_an_earlier_one_is_reported_in_its_own_bed(stand, place):
    """Two regions change: only the new dart is reported, and both are known at their present places."""
    stage, tracker, report = watch_acts(
        stand, 21, lambda s: throw_dart(s, -66.0, 70.0), lambda s: push(s, *place)
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART]
    assert report[1].dart.bed == bed_at(*place)
    assert math.dist((report[1].dart.x_mm, report[1].dart.y_mm), place) < 4
    assert len(tracker.darts) == 2 and max(distances_to_known(tracker, stage)) < 6


@pytest.mark.long
def test_a_hand_right_after_a_pushing_dart_does_not_hide_it(stand):
    """Darts moved and none was taken: after the hand the new dart is reported in its bed, and both are known."""
    _, tracker, report = watch_acts(
        stand, 21, lambda s: throw_dart(s, -66.0, 70.0), lambda s: chain(push(s, 60.0, -75.0), hand_waves(s))
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART]
    assert report[1].dart.bed == bed_at(60.0, -75.0)
    assert len(tracker.darts) == 2 and tracker.state is TakeoutState.SETTLED


@pytest.mark.long
def test_a_dart_that_glances_off_another_is_a_bounce_out(stand):
    """The earlier dart leans differently and no other stays: a bounce-out is reported, and no new dart."""
    stage, tracker, report = watch_acts(
        stand, 26, lambda s: throw_dart(s, -66.0, 70.0), lambda s: glance_off(s, -60.0, 80.0)
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.BOUNCED]
    assert len(tracker.darts) == 1 and max(distances_to_known(tracker, stage)) < 6
    assert tracker.state is TakeoutState.SETTLED


@pytest.mark.long
def test_a_dart_that_sags_causes_only_a_remark(stand):
    """A dart that sags by itself is neither new nor lost. For ten seconds a remark reports that it moved."""

    def sag(stage):
        lean(stage, 0.08)
        return ()

    _, tracker, report = watch_acts(stand, 23, lambda s: throw_dart(s, 30.0, 70.0), sag)
    assert [item.kind for item in report] == [HappeningKind.DART]
    assert len(tracker.darts) == 1
    assert tracker.sagged_ms is not None
    assert "moved" in str(remark(tracker, tracker.sagged_ms + 9_000))
    assert not remark(tracker, tracker.sagged_ms + 11_000)


@pytest.mark.long
def test_a_hand_that_only_one_camera_sees_whole_is_no_bounce_out():
    """To two of three cameras the hand looks as small and fast as a dart: no report may come of it."""
    chance = np.random.default_rng([2026, 1, 10])
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    played = play(rig, open_rig(rig, chance, empties), empties, 8, np.random.default_rng([2026, 2, 18]))
    assert played.name == "a dart, a hand that takes nothing"
    assert played.good


@pytest.mark.long
def test_a_dart_that_falls_out_without_a_hand_raises_a_question(stand):
    """One of two darts falls and no hand took it: a person decides, and the other dart is still known."""

    def fall(stage):
        del stage.darts[0]
        return ()

    _, tracker, report = watch_acts(
        stand, 27, lambda s: throw_dart(s, 90.0, 60.0), lambda s: throw_dart(s, -66.0, -60.0), fall
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART, HappeningKind.UNCLEAR]
    assert tracker.state is TakeoutState.PARTLY_OUT
    assert len(tracker.darts) == 1


@pytest.mark.long
def test_the_only_dart_that_falls_out_raises_a_question(stand):
    """No hand took it, so it is no takeout: a person decides, and the board counts as empty."""

    def fall(stage):
        stage.darts.clear()
        return ()

    _, tracker, report = watch_acts(stand, 27, lambda s: throw_dart(s, 90.0, 60.0), fall)
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.UNCLEAR]
    assert tracker.state is TakeoutState.EMPTY
    assert not tracker.darts


@pytest.mark.long
def test_a_partial_takeout_leaves_the_other_dart_known(stand):
    """A hand takes the first of two darts. A new dart that pushes the other is reported in its bed."""
    stage, tracker, report = watch_acts(
        stand,
        24,
        lambda s: throw_dart(s, 90.0, 60.0),
        lambda s: throw_dart(s, -66.0, -60.0),
        one_taken,
    )
    assert tracker.state is TakeoutState.PARTLY_OUT
    assert len(tracker.darts) == 1 and distances_to_known(tracker, stage)[0] < 4
    frames = 1000
    for shots in (push(stage, -48.0, -66.0), stage.hold(16), all_taken(stage), stage.hold(18)):
        for shot in shots:
            tracker, happened = step(tracker, shot, 33 * frames)
            report.extend(happened)
            frames += 1
    assert [item.kind for item in report] == [
        HappeningKind.DART,
        HappeningKind.DART,
        HappeningKind.DART,
        HappeningKind.EMPTY,
    ]
    assert report[2].dart.bed == bed_at(-48.0, -66.0)
    assert not tracker.darts
