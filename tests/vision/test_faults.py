"""Faults of light, hands, insects and cameras over a rendered throw: the dart is reported right, or a message is."""

from dataclasses import replace
from itertools import chain

import cv2
import numpy as np
import pytest

from lab.eyes import cameras, faults, people
from lab.eyes.run import reported
from lab.eyes.throws import Throw, hung_turned
from lab.scenes.darts import some_dart
from lab.scenes.events import SIZE
from lab.scenes.pictures import RANGES, make_rig, picture
from lab.scenes.visits import open_rig
from scharten.dartboard.locate import bed_at
from scharten.sensors.camera_remarks import aside
from scharten.vision.detect.camera import find_novelty, is_only_light, take_in
from scharten.vision.detect.light import bands, light, lit, shrink
from scharten.vision.follow.judge import sizeable
from scharten.vision.follow.motion import changes, open_watch
from scharten.vision.follow.takeout import BLUR_MS, open_tracker, step
from scharten.vision.follow.throw_states import HappeningKind, TakeoutState


@pytest.fixture(scope="module")
def throw():
    """A dart in F13 before three cameras."""
    chance = np.random.default_rng(71)
    rig = make_rig(chance, replace(RANGES, size=SIZE), cameras=3)
    empties = tuple(picture(rig, n, (), chance) for n in range(3))
    dart = some_dart(chance, 120.0, 50.0)
    later = tuple(picture(rig, n, (dart,), chance) for n in range(3))
    return Throw(open_rig(rig, chance, empties), empties, empties, later, str(bed_at(120.0, 50.0)))


@pytest.mark.parametrize(
    "fault",
    [
        faults.bands(0.12),
        cameras.square_bands,
        faults.exposure(1.6),
        faults.exposure(0.5),
        faults.dimmed,
        faults.hand_after,
        faults.shaken,
        faults.swapped,
    ],
    ids=lambda fault: fault.__qualname__.split(".")[0] if hasattr(fault, "__qualname__") else None,
)
def test_a_dart_is_right_despite_a_fault_of_light_hand_or_camera(throw, fault):
    """The dart is reported once, in its bed, and sure."""
    assert reported(fault(throw, np.random.default_rng(3))).how == "right"


@pytest.mark.parametrize("fault", [faults.hand_at_rim, faults.one_blurred, cameras.defocus(4.0)])
def test_a_dart_that_cameras_see_badly_is_reported_or_asked_about(throw, fault):
    """With a hand or blur before one of three cameras, or no focus in all, the result is never silence or a sure wrong
    bed."""
    assert reported(fault(throw, np.random.default_rng(3))).how in ("right", "doubt", "asked")


@pytest.mark.parametrize(("blur_px", "how"), [(2.0, "right"), (5.5, "doubt")])
def test_no_dart_is_sure_while_all_cameras_are_far_out_of_focus(throw, blur_px, how):
    """A slight loss of focus changes nothing; a heavy one makes the dart a question."""
    assert reported(cameras.defocus(blur_px)(throw, np.random.default_rng(3))).how == how


def test_a_blurred_camera_is_waited_for_and_then_left_out(throw):
    """The dart is reported late, by the two sharp cameras."""
    laid = faults.one_blurred(throw, np.random.default_rng(3))
    tracker, darts = open_tracker(throw.eyes, throw.empties), []
    for number, shot in enumerate(laid.frames):
        tracker, happened = step(tracker, shot, number * faults.FRAME_MS)
        darts += [(number, item.dart.cameras) for item in happened if item.kind is HappeningKind.DART]
    ((number, seen_by),) = darts
    assert seen_by == 2 and (number - laid.starts) * faults.FRAME_MS > BLUR_MS


@pytest.mark.long
def test_a_patch_of_sun_is_no_dart(throw):
    """Its colours distinguish moving light from a dart. A dart in the sun gets no sure wrong bed."""
    sunlit = cameras.sun(1.0)(throw, np.random.default_rng(3))
    assert reported(sunlit).how in ("right", "doubt", "asked")
    eye, old = throw.eyes[0], throw.before[0]
    patch = old.copy()
    patch[:, 200:300] = np.clip(patch[:, 200:300] * 1.35, 0, 255).astype(np.uint8)
    before = take_in(eye, old)
    assert is_only_light(find_novelty(eye, before, take_in(eye, patch)))
    assert not is_only_light(find_novelty(eye, before, take_in(eye, throw.with_dart[0])))


@pytest.mark.long
def test_what_two_of_three_cameras_see_as_light_raises_a_question(throw):
    """One camera sees a dart, the others see light in its shape. Edges of moving light meet so; it was once sure."""
    shots = [throw.with_dart[0]]
    for old, new in zip(throw.before[1:], throw.with_dart[1:], strict=True):
        shape = (cv2.absdiff(old, new).max(axis=2) > 20)[..., None]
        shots.append(np.asarray(np.where(shape, np.clip(1.35 * old, 0, 255), old), np.uint8))
    item = replace(throw, with_dart=tuple(shots))
    assert reported(faults.Laid(item, faults.plain(item, stands=60), item.bed)).how == "asked"


@pytest.mark.long
@pytest.mark.parametrize("everywhere", [False, True], ids=["one camera", "all cameras"])
def test_an_insect_is_no_dart(throw, everywhere):
    """It flies, sits for a second, and flies on: the result has no dart, at most a question."""
    assert reported(faults.insect(everywhere)(throw, np.random.default_rng(5))).how == "right"


@pytest.mark.long
def test_darts_taken_out_one_after_the_other_are_no_new_darts(throw):
    """Three darts stand close together. What a taken dart hid is not reported, and the last hand is the takeout."""
    assert reported(people.taken_in_turn(throw, np.random.default_rng(3))).how == "right"


def test_strong_flicker_gives_a_message_and_no_wrong_dart(throw):
    """Under bands of 30 % the dart is right, or a message or question comes within three seconds."""
    assert reported(faults.bands(0.3)(throw, np.random.default_rng(3))).how in ("asked", "right")


def test_a_smear_on_a_lens_raises_one_question(throw):
    """A patch on one camera's glass raises one question. After it is wiped off, no dart or takeout is reported."""
    smeared = throw.before[0].copy()
    smeared[200:240, 250:290] = 30
    dirty = (smeared, *throw.before[1:])
    tracker, happened = open_tracker(throw.eyes, throw.empties), []
    shots = [throw.before] * 20 + [dirty] * 60 + [throw.before] * 30
    for number, pictures in enumerate(shots):
        tracker, new = step(tracker, pictures, 33 * number)
        happened += [happening.kind.value for happening in new]
    assert happened == ["empty", "unclear"]
    assert not tracker.darts


@pytest.mark.long
def test_an_unclear_object_that_a_hand_removes_is_a_takeout(throw):
    """It stayed long enough to count as part of the board: the bare board afterwards is a takeout, not a dart."""
    smeared = throw.before[0].copy()
    smeared[200:240, 250:290] = 30
    dirty = (smeared, *throw.before[1:])
    tracker, happened = open_tracker(throw.eyes, throw.empties), []
    shots = [
        *[throw.before] * 20,
        *[dirty] * 120,
        *faults.hand_comes(dirty, throw.before),
        *[throw.before] * 30,
    ]
    for number, pictures in enumerate(shots):
        tracker, new = step(tracker, pictures, 33 * number)
        happened += [happening.kind.value for happening in new]
    assert happened == ["empty", "unclear", "empty"]
    assert tracker.state is TakeoutState.EMPTY


@pytest.mark.parametrize("flies", [False, True], ids=["unnoticed", "seen in flight"])
@pytest.mark.parametrize("share", [0.07, 0.12])
def test_a_dart_too_faint_for_the_small_pictures_raises_a_question(throw, share, flies):
    """One camera barely sees the dart: a search of the whole picture reports it within three seconds, never as sure.

    A dart seen in flight is searched for when the picture is still again, and does not become a bounce-out.
    """
    eye, before = throw.eyes[0], throw.before[0]
    change = throw.with_dart[0].astype(np.float32) - before
    faint = np.clip(np.rint(before + share * change), 0, 255).astype(np.uint8)
    watch = open_watch(eye, throw.empties[0])
    assert not sizeable(
        watch, changes(shrink(before, watch.shrinks), shrink(faint, watch.shrinks), watch.around)
    )
    item = Throw((eye,), throw.empties[:1], (before,), (faint,), throw.bed)
    flight = faults.held((throw.with_dart[0],), 1) if flies else ()
    frames = chain(faults.held(item.before, faults.WAKES), flight, faults.held(item.with_dart, 95))
    found = reported(faults.Laid(item, frames, item.bed))
    assert found.how in ("doubt", "asked")
    assert found.within_ms - faults.WAKES * faults.FRAME_MS < 3000


def test_swapped_cameras_are_named_by_their_numbers(throw):
    """The message names the two cameras that changed places, by their numbers in the configuration."""
    tracker = open_tracker(throw.eyes, throw.empties)
    for number in range(20):
        tracker, _ = step(tracker, (throw.before[1], throw.before[0], throw.before[2]), 33 * number)
    assert tracker.order == (1, 0, 2)
    (swapped,) = aside(tracker, 660)
    assert (swapped.code, swapped.args) == ("swapped", {"cameras": [1, 2]})
    assert swapped.words.startswith("camera 1 and 2 changed places")


def test_bands_of_light_are_measured_despite_a_dart(throw):
    """The light of each row is measured within 2 % on average, with a dart in the picture. Even light has no bands."""
    before, later = (np.ascontiguousarray(p[::3, ::3, 1]) for p in (throw.before[0], throw.with_dart[0]))
    region = np.full_like(before, 255)
    assert bands(light(before, later, region)) < 0.01
    wave = 1 + 0.15 * np.sin(np.arange(len(later)) / 8)
    found = light(before, lit(later, wave), region)
    assert np.abs(found / wave - 1)[5:-5].mean() < 0.02


def test_a_single_lit_row_between_two_bands_is_no_motion(throw):
    """Bands with hard edges that move by a row leave single rows brighter. Nothing moved there."""
    watch = open_watch(throw.eyes[0], throw.before[0])
    seen = shrink(throw.with_dart[0], watch.shrinks)
    rows = np.ones(len(seen))
    rows[len(rows) // 2] = 1.13
    assert not sizeable(watch, changes(seen, lit(seen, rows), watch.board))
    assert not sizeable(watch, changes(lit(seen, rows), seen, watch.board))


@pytest.mark.long
@pytest.mark.parametrize("degrees", [2.0, -1.25])
def test_a_board_turned_on_its_hook_is_reported_until_it_hangs_straight(throw, degrees):
    """The alarm names the degrees. No dart counts until the board is straight; then the next dart does."""
    turned = hung_turned(throw.eyes, throw.before, degrees)
    turned_dart = hung_turned(throw.eyes, throw.with_dart, degrees)
    shots = chain(
        *(
            faults.held(p, 30)
            for p in (throw.before, turned, turned_dart, turned, throw.before, throw.with_dart)
        )
    )
    tracker, report = open_tracker(throw.eyes, throw.empties), []
    for number, shot in enumerate(shots):
        tracker, happened = step(tracker, shot, 50 * number)
        report.extend(happened)
    alarm = [HappeningKind.ASKEW, HappeningKind.STRAIGHT, HappeningKind.EMPTY]
    assert [item.kind for item in report] == [HappeningKind.EMPTY, *alarm, HappeningKind.DART]
    assert report[1].why.code == "board_turned"
    assert abs(report[1].why.args["degrees"] - abs(degrees)) <= 0.3
    assert str(report[-1].beds[0][0]) == throw.bed
