"""Cameras look away while the light changes: they report no dart for it, and later darts and takeouts as usual."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from lab.scenes.events import all_taken, dart_comes, hand_waves
from lab.scenes.lights import SIZE, LitStage, changing, evening, figures, some_light
from lab.scenes.lit_throws import figures as lit_figures
from lab.scenes.lit_throws import pairs
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.vision.detect.camera import take_in
from scharten.vision.follow import look_away as look_away_module
from scharten.vision.follow import relight as relight_module
from scharten.vision.follow import takeout as takeout_module
from scharten.vision.follow.judge import Found
from scharten.vision.follow.look_away import Lookout, look_away, waiting, watch
from scharten.vision.follow.takeout import open_tracker
from scharten.vision.follow.throw_states import HappeningKind, TakeoutState


@pytest.fixture(scope="module")
def stand():
    """A rig of two cameras, its calibrated cameras, and its pictures of the empty board."""
    chance = np.random.default_rng(71)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=2)
    empties = tuple(picture(rig, n, (), chance) for n in range(2))
    return rig, open_rig(rig, chance, empties), empties


class Night:
    """Watch a lit stage frame by frame, with changes of light."""

    def __init__(self, stand, seed: int) -> None:
        rig, eyes, empties = stand
        self.stage = LitStage(rig, np.random.default_rng(seed), [], bands=0.02)
        self.lookout, self.t_ms = Lookout(open_tracker(eyes, empties)), 0
        self.see(self.stage.hold(20))

    def see(self, frames) -> list[HappeningKind]:
        reports = []
        for shots in frames:
            self.lookout, happened = watch(self.lookout, shots, self.t_ms)
            reports += [happening.kind for happening in happened]
            self.t_ms += 33
        return reports

    def change(self, seed: int, announced: bool = True) -> list[HappeningKind]:
        light = some_light(np.random.default_rng(seed))
        assert light.any()
        if announced:
            self.lookout = look_away(self.lookout, self.t_ms + 200)
        return self.see(changing(self.stage, light, 90)) + self.see(self.stage.hold(16))


@pytest.mark.long
def test_an_announced_change_of_light_is_no_dart(stand):
    """Light changes on the empty board and on a dart in it; the dart and the takeout are reported once each."""
    night = Night(stand, 3)
    assert night.change(1) == []
    assert night.see(dart_comes(night.stage)) + night.see(night.stage.hold(16)) == [HappeningKind.DART]
    assert night.change(2) == []
    assert night.lookout.tracker.state is TakeoutState.SETTLED
    assert night.see(all_taken(night.stage)) + night.see(night.stage.hold(26)) == [HappeningKind.EMPTY]


@pytest.mark.long
def test_the_empty_board_is_relit_after_a_change_of_light(stand):
    """After a change with a dart in the board the remembered empty board fits the new light. The takeout reveals
    the part behind the dart."""
    night = Night(stand, 3)
    night.see(dart_comes(night.stage))
    night.see(night.stage.hold(16))
    night.change(2)
    camera, now = night.lookout.tracker.calibrated[0], night.stage.shot()[0]
    assert take_in(camera, now).home.noise < 0.6 * take_in(stand[1][0], now).home.noise
    assert np.array_equal(camera.first.grey, stand[1][0].first.grey)
    night.see(all_taken(night.stage))
    night.see(night.stage.hold(26))
    bare = night.stage.shot()[0]
    off = [_off(item, bare) for item in (camera, night.lookout.tracker.calibrated[0])]
    assert not night.lookout.guessed and off[1] <= off[0] + 1  # one grey level is noise


def _off(camera, bare) -> float:
    """Return the difference of the camera's empty board to a picture of it, as the 99.5th percentile of grey levels."""
    seen = take_in(camera, bare)
    return float(np.percentile(np.abs(seen.grey.astype(float) - camera.empty.grey)[camera.within > 0], 99.5))


@pytest.mark.long
def test_light_that_never_settles_is_reported_until_it_does(stand):
    """Ten seconds of changing light give a remark in time. Once the light is steady, a dart is reported."""
    night = Night(stand, 3)
    night.lookout = look_away(night.lookout, night.t_ms + 200, "disco")
    bright = [
        tuple(np.clip(picture * gain, 0, 255).astype(np.uint8) for picture in night.stage.shot())
        for gain in (1, 0.5)
    ]
    striped = [tuple(np.roll(item, 9 * turn, axis=1) for item in bright[0]) for turn in range(2)]
    remarks = []
    for frame in range(300):
        assert night.see([striped[frame % 2]]) == []
        remarks.append(waiting(night.lookout, night.t_ms))
    assert remarks[20] is None
    assert all(item.code == "light_restless" and item.args == {"by": "disco"} for item in remarks[60:])
    assert night.see(night.stage.hold(30)) == [] and waiting(night.lookout, night.t_ms) is None
    assert night.see(dart_comes(night.stage)) + night.see(night.stage.hold(16)) == [HappeningKind.DART]


@pytest.mark.long
def test_a_moth_before_one_of_three_cameras_does_not_stop_the_others():
    """The moth moves before one camera during a change of light; the other cameras report the next dart."""
    chance = np.random.default_rng(72)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=3)
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    night = Night((rig, open_rig(rig, chance, empties), empties), 3)
    night.lookout = look_away(night.lookout, night.t_ms + 200, "projector")

    def with_moth(frames):
        for frame, shots in enumerate(frames):
            seen = shots[0].copy()
            cv2.circle(seen, (200 + 17 * (frame % 5), 180 - 13 * (frame % 3)), 14, (20, 30, 40), -1)
            yield (seen, *shots[1:])

    light = some_light(np.random.default_rng(1))
    assert night.see(with_moth(changing(night.stage, light, 90))) == []
    assert night.see(with_moth(night.stage.hold(50))) == [] and night.lookout.until_ms is None
    report = night.see(with_moth(dart_comes(night.stage))) + night.see(with_moth(night.stage.hold(60)))
    assert report == [HappeningKind.DART]


@pytest.mark.long
def test_a_covered_camera_during_a_change_of_light_learns_no_board(stand):
    """A camera is covered for six seconds around a change. After the cover is removed, a dart is reported."""
    night = Night(stand, 3)
    night.lookout = look_away(night.lookout, night.t_ms + 200)
    covered = np.full_like(stand[2][0], 60)
    for _ in range(30):
        night.see([(covered, night.stage.shot()[1])])
        night.t_ms += 200
    night.see(night.stage.hold(40))
    assert night.see(dart_comes(night.stage)) + night.see(night.stage.hold(16)) == [HappeningKind.DART]


def test_an_unannounced_change_of_light_disturbs_the_cameras(stand):
    """The same pattern without a message gives a report or another state, so messages are needed."""
    night = Night(stand, 4)
    state = night.lookout.tracker.state
    result = night.change(1, announced=False)
    assert result or night.lookout.tracker.state is not state


@pytest.mark.long
@pytest.mark.parametrize(("shown", "state"), [(2, TakeoutState.MOTION), (6, TakeoutState.HAND)])
def test_a_takeout_during_a_change_of_light_is_reported_once(stand, shown: int, state: TakeoutState):
    """It is reported after hand and change are over, even if the hand was not yet recognized."""
    night = Night(stand, 5)
    night.see(dart_comes(night.stage))
    assert night.see(night.stage.hold(16)) == [HappeningKind.DART]
    frames = list(all_taken(night.stage))
    assert night.see(frames[:shown]) == [] and night.lookout.tracker.state is state
    night.lookout = look_away(night.lookout, night.t_ms + 200)
    night.stage.project(some_light(np.random.default_rng(2)))
    assert night.see(frames[shown:]) + night.see(night.stage.hold(30)) == [HappeningKind.EMPTY]


@pytest.mark.long
@pytest.mark.parametrize("taken", [True, False])
def test_a_wrong_guess_of_the_board_behind_a_dart_does_no_harm(stand, taken: bool):
    """A hand that takes the dart empties the board, and one that takes nothing changes nothing."""
    night = Night(stand, 3)
    night.see(dart_comes(night.stage))
    night.see(night.stage.hold(16))
    assert night.change(2) == []
    tracker, wide = night.lookout.tracker, np.ones((5, 5), np.uint8)
    (dart,) = tracker.darts
    near = [cv2.dilate(own, wide) > 0 for own in dart.prints]
    wrong = tuple(np.where(at, bare + 100, bare) for bare, at in zip(tracker.bare, near, strict=True))
    night.lookout = replace(night.lookout, tracker=replace(tracker, bare=wrong))
    result = night.see(all_taken(night.stage) if taken else hand_waves(night.stage))
    result += night.see(night.stage.hold(26))
    assert result == ([HappeningKind.EMPTY] if taken else [])
    assert len(night.lookout.tracker.darts) == (not taken)


def test_a_faint_dart_on_an_unknown_board_is_no_takeout(stand, monkeypatch):
    """The light changed on a board that did not look empty. A dart that then arrives is reported as a dart."""
    monkeypatch.setattr(look_away_module, "_DART_SHARE", 1.0)
    night = Night(stand, 3)
    night.lookout = replace(night.lookout, tracker=replace(night.lookout.tracker, state=TakeoutState.QUIET))
    assert night.change(1) == [] and night.lookout.guessed
    assert night.see(dart_comes(night.stage)) + night.see(night.stage.hold(16)) == [HappeningKind.DART]


def test_a_dart_while_the_cameras_look_away_raises_a_question(stand):
    """The cameras disagree about the change they see, so it is not only light."""
    night = Night(stand, 7)
    night.lookout = look_away(night.lookout, night.t_ms + 400)
    night.stage.project(some_light(np.random.default_rng(7)))
    report = night.see(dart_comes(night.stage)) + night.see(night.stage.hold(24))
    assert report == [HappeningKind.UNCLEAR]


@pytest.mark.long
@pytest.mark.parametrize("held", [0, 12])
def test_an_unreported_dart_before_a_change_of_light_raises_a_question(stand, monkeypatch, held: int):
    """The dart has just landed, or was seen but not recognized, when the light changes."""
    monkeypatch.setattr(relight_module, "_DART_MM2", 1e9)
    monkeypatch.setattr(takeout_module, "find", lambda *parts, **more: Found(None, 0.0, (), unclear=True))
    night = Night(stand, 7)
    report = night.see(dart_comes(night.stage)) + night.see(night.stage.hold(held))
    assert report == [] and night.lookout.tracker.state is TakeoutState.MOTION
    assert night.change(1) == [HappeningKind.UNCLEAR]
    assert night.lookout.tracker.state is TakeoutState.EMPTY and night.change(2) == []


@pytest.mark.long
def test_changes_of_light_in_a_short_evening_report_nothing():
    """Six changes by the code of `make bench ARGS=light` reach its targets for false darts and questions."""
    lit = evening(6, 8, lit=True, cameras=2)
    false, asked, *_ = figures(lit, lit)
    assert lit.changes == 6 and false.reached and asked.reached


@pytest.mark.long
def test_the_lit_stage_throws_the_same_darts_in_any_light(stand):
    """Changes of light leave the darts the same, so the cost of projected light is counted dart by dart."""
    thrown = []
    for changes in (0, 3):
        stage = LitStage(stand[0], np.random.default_rng(4), [], thrower=np.random.default_rng(5))
        for _ in range(3):
            for _ in range(changes):
                list(changing(stage, some_light(stage.chance), 40))
            stage.darts.append(stage.some_dart())
        thrown.append([dart.tip for dart in stage.darts])
    assert thrown[0] == thrown[1]


@pytest.mark.long
def test_most_throws_are_right_with_and_without_projected_light():
    """At least four of six throws, by the code of `make bench ARGS="light --throws N"`, are right in each."""
    found = list(pairs(6, 8, cameras=2))
    assert sum(item.lit for item in found) >= 4 and sum(item.dark for item in found) >= 4
    assert lit_figures(found)[1].hits == sum(item.dark for item in found)
