"""The life of a throw: the table, and synthetic sequences frame by frame; the real ones are in test_replays."""

import math
from dataclasses import replace
from itertools import chain

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
from scharten.vision.follow.takeout import open_tracker, remark, step
from scharten.vision.follow.throw_states import TABLE, HappeningKind, TakeoutState


@pytest.fixture(scope="module")
def stand():
    """A rig of two cameras, its eyes, and its pictures of the empty board."""
    chance = np.random.default_rng(71)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    return rig, open_rig(rig, chance, empties), empties


@pytest.mark.long
def test_a_bounce_out_beside_a_dart_is_reported_as_such(stand):
    """The dart, the bounce-out and the takeout: no more and no less."""
    rig, eyes, empties = stand
    played = play(rig, eyes, empties, 5, np.random.default_rng([9, 5]))
    assert [happening.kind for happening in played.reported] == list(played.wanted)


@pytest.mark.long
def test_one_of_two_cameras_that_is_nudged_stops_counting(stand):
    """Too few cameras remain to judge a dart: an alarm, and nothing else."""
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
def test_sequences_that_were_once_misread_are_reported(seed, index):
    """A dart taken from before another, one that two cameras see while the third is askew, one whose shadows run on in
    its line, one that falls past a camera.
    """
    chance = np.random.default_rng([seed, 1, index // SEQUENCES_PER_RIG * SEQUENCES_PER_RIG])
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    eyes = open_rig(rig, chance, empties)
    played = play(rig, eyes, empties, index % len(SEQUENCES), np.random.default_rng([seed, 2, index]))
    assert [happening.kind for happening in played.reported] == list(played.wanted)


@pytest.mark.long
@pytest.mark.parametrize("px", [0.3, 0.8])
def test_cameras_that_moved_by_less_than_a_pixel_see_the_empty_board(px):
    """Since their calibration, each another way: the board is empty, reported once, and not one of unknown darts."""
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


def test_nothing_counts_while_a_hand_is_in_the_board():
    """From the state `hand` the table leads to a dart only where one was added and none was taken or moved."""
    counted = {HappeningKind.DART, HappeningKind.SURROUND, HappeningKind.BOUNCED}
    report = {
        sight for (state, sight), (_, news) in TABLE.items() if state is TakeoutState.HAND and news in counted
    }
    assert report == {Sight.ADDED}


def test_a_dart_comes_only_from_motion():
    """Only what moved and came to rest is a dart, or what is there after a hand came in between."""
    assert [key for key, (_, news) in TABLE.items() if news is HappeningKind.DART] == [
        (TakeoutState.MOTION, Sight.NEW),
        (TakeoutState.HAND, Sight.ADDED),
    ]


def test_every_state_can_be_left_and_reached():
    """No state of the table is a dead end, and none is out of reach."""
    left = {state for state, _ in TABLE}
    reached = {state for state, _ in TABLE.values() if state} | {TakeoutState.WAKING}
    assert left == reached == set(TakeoutState)


def test_any_frame_rate_will_do(stand):
    """At 10 frames a second, with uneven times, a dart is reported once all the same."""
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
def test_a_hand_that_stays_and_then_goes_leaves_cameras_that_see(stand):
    """A person before the board for longer than five seconds is an alarm; afterwards darts are reported."""
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
def test_a_lid_before_the_lenses_is_an_alarm_until_it_is_taken_off(stand, level):
    """Flat pictures hold no board in any light: reported within three seconds, not asked about."""
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
def test_with_a_lid_on_one_of_three_the_others_go_on():
    """It is left out without a word of darts, and the next dart is reported by the two that see."""
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


def test_a_dart_that_is_in_the_board_at_the_start_is_none(stand):
    """A dart from before the start is quiet, not thrown; taken out, the board is empty."""
    rig, eyes, empties = stand
    stage = Stage(rig, np.random.default_rng(4), [])
    list(dart_comes(stage))
    tracker, report = open_tracker(eyes, empties), []
    for number, shot in enumerate(stage.hold(18)):
        tracker, happened = step(tracker, shot, 33 * number)
        report.extend(happened)
    assert tracker.state is TakeoutState.QUIET
    assert not report


def thrown(stage, x, y):
    """A dart that lands here."""
    dart = some_dart(stage.chance, x, y, stage.darts[0] if stage.darts else None)
    yield from flight(stage, dart)
    stage.darts.append(dart)


def lean(stage, by=0.15):
    """The first dart is pushed: its flight swings aside, its point stays in its hole."""
    first = stage.darts[0]
    axis = np.array(first.axis) + np.array([by, 0.4 * by, 0.0])
    stage.darts[0] = replace(first, axis=tuple(axis / np.linalg.norm(axis)))


def push(stage, x, y):
    """A dart that lands here and pushes the first one."""
    yield from thrown(stage, x, y)
    lean(stage)


def glance_off(stage, x, y):
    """A dart that hits the first one and falls."""
    yield from flight(stage, some_dart(stage.chance, x, y, stage.darts[0]))
    lean(stage)


def watched(stand, seed, *acts):
    """Play these acts in turn; return the stage, the tracker at the end, and the happenings."""
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


def known(tracker, stage):
    """For each dart of the stage how far from it, in mm, a known dart is."""
    places = [(item.dart.x_mm, item.dart.y_mm) for item in tracker.darts]
    return [min(math.dist(place, dart.tip[:2]) for place in places) for dart in stage.darts]


@pytest.mark.long
@pytest.mark.parametrize("place", [(-52.0, 62.0), (60.0, -75.0)], ids=["beside it", "far from it"])
def test_a_dart_that_pushes_an_earlier_one_is_one_dart_at_its_own_place(stand, place):
    """Two darts look new then; reported is the one that came, and both are known where they stand now."""
    stage, tracker, report = watched(stand, 21, lambda s: thrown(s, -66.0, 70.0), lambda s: push(s, *place))
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART]
    assert report[1].dart.bed == bed_at(*place)
    assert math.dist((report[1].dart.x_mm, report[1].dart.y_mm), place) < 4
    assert len(tracker.darts) == 2 and max(known(tracker, stage)) < 6


@pytest.mark.long
def test_a_hand_right_after_a_dart_that_pushed_another_does_not_hide_it(stand):
    """Darts moved and none was taken: the new dart is reported in its bed after the hand; both are known."""
    _, tracker, report = watched(
        stand, 21, lambda s: thrown(s, -66.0, 70.0), lambda s: chain(push(s, 60.0, -75.0), hand_waves(s))
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART]
    assert report[1].dart.bed == bed_at(60.0, -75.0)
    assert len(tracker.darts) == 2 and tracker.state is TakeoutState.SETTLED


@pytest.mark.long
def test_a_dart_that_glances_off_an_earlier_one_is_lost_and_the_pushed_one_is_not_new(stand):
    """The earlier dart leans elsewhere, nothing else came: a bounce-out, and no dart."""
    stage, tracker, report = watched(
        stand, 26, lambda s: thrown(s, -66.0, 70.0), lambda s: glance_off(s, -60.0, 80.0)
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.BOUNCED]
    assert len(tracker.darts) == 1 and max(known(tracker, stage)) < 6
    assert tracker.state is TakeoutState.SETTLED


@pytest.mark.long
def test_a_pushed_dart_alone_is_only_remarked_on(stand):
    """A dart that sags by itself is no new dart and no lost one; the page says for ten seconds that one moved."""

    def sag(stage):
        lean(stage, 0.08)
        return ()

    _, tracker, report = watched(stand, 23, lambda s: thrown(s, 30.0, 70.0), sag)
    assert [item.kind for item in report] == [HappeningKind.DART]
    assert len(tracker.darts) == 1
    assert tracker.sagged_ms is not None
    assert "moved" in str(remark(tracker, tracker.sagged_ms + 9_000))
    assert not remark(tracker, tracker.sagged_ms + 11_000)


@pytest.mark.long
def test_a_hand_that_only_one_camera_sees_whole_is_no_bounce_out():
    """To two of three cameras it looks as small and as fast as a dart: nothing is informed of it."""
    chance = np.random.default_rng([2026, 1, 10])
    rig = make_rig(chance, replace(RANGES, size=SIZE))
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    played = play(rig, open_rig(rig, chance, empties), empties, 8, np.random.default_rng([2026, 2, 18]))
    assert played.name == "a dart, a hand that takes nothing"
    assert played.good


@pytest.mark.long
def test_a_dart_that_falls_out_without_a_hand_is_asked_about(stand):
    """Less is in the board and nobody took it: a person says what came of it; the other dart is still known."""

    def fall(stage):
        del stage.darts[0]
        return ()

    _, tracker, report = watched(
        stand, 27, lambda s: thrown(s, 90.0, 60.0), lambda s: thrown(s, -66.0, -60.0), fall
    )
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.DART, HappeningKind.UNCLEAR]
    assert tracker.state is TakeoutState.PARTLY_OUT
    assert len(tracker.darts) == 1


@pytest.mark.long
def test_the_only_dart_that_falls_out_without_a_hand_is_asked_about_and_is_no_takeout(stand):
    """Nobody took it: a person says what came of it, and the turn goes on before the empty board."""

    def fall(stage):
        stage.darts.clear()
        return ()

    _, tracker, report = watched(stand, 27, lambda s: thrown(s, 90.0, 60.0), fall)
    assert [item.kind for item in report] == [HappeningKind.DART, HappeningKind.UNCLEAR]
    assert tracker.state is TakeoutState.EMPTY
    assert not tracker.darts


@pytest.mark.long
def test_partly_out_knows_which_darts_are_left(stand):
    """A hand takes the first of two darts: the other is still known, and one that pushes it is judged by it."""
    stage, tracker, report = watched(
        stand,
        24,
        lambda s: thrown(s, 90.0, 60.0),
        lambda s: thrown(s, -66.0, -60.0),
        one_taken,
    )
    assert tracker.state is TakeoutState.PARTLY_OUT
    assert len(tracker.darts) == 1 and known(tracker, stage)[0] < 4
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
