"""Faults of light, hands, insects and cameras over a drawn throw: each is reported, right or as text."""

from dataclasses import replace
from itertools import chain

import numpy as np
import pytest

from lab.eyes import cameras, faults
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
from scharten.vision.follow.takeout import open_tracker, step
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
def test_a_dart_is_reported_in_its_bed_whatever_the_light_a_hand_or_a_camera_does(throw, fault):
    """The right bed, surely, once."""
    assert reported(fault(throw, np.random.default_rng(3))).how == "right"


@pytest.mark.parametrize("fault", [faults.hand_at_rim, faults.one_blurred])
def test_with_a_camera_less_a_dart_is_reported_or_asked_about(throw, fault):
    """A hand or blur before one of three cameras: never silence, never a wrong bed that is called sure."""
    assert reported(fault(throw, np.random.default_rng(3))).how in ("right", "doubt", "asked")


@pytest.mark.long
def test_a_patch_of_sun_is_no_dart_and_its_edge_makes_no_dart_sure(throw):
    """Its colours distinguish light that moves over the board from a dart: nothing sure comes of it."""
    sunlit = cameras.sun(1.0)(throw, np.random.default_rng(3))
    assert reported(sunlit).how in ("right", "doubt", "asked")
    eye, old = throw.eyes[0], throw.before[0]
    patch = old.copy()
    patch[:, 200:300] = np.clip(patch[:, 200:300] * 1.35, 0, 255).astype(np.uint8)
    before = take_in(eye, old)
    assert is_only_light(find_novelty(eye, before, take_in(eye, patch)))
    assert not is_only_light(find_novelty(eye, before, take_in(eye, throw.with_dart[0])))


@pytest.mark.long
@pytest.mark.parametrize("everywhere", [False, True], ids=["one camera", "all cameras"])
def test_an_insect_is_no_dart(throw, everywhere):
    """It flies, sits for a second, and flies on: nothing is reported, or it is asked about; no dart came of it."""
    assert reported(faults.insect(everywhere)(throw, np.random.default_rng(5))).how == "right"


def test_lamps_that_flicker_too_much_are_reported_in_words(throw):
    """With bands of 30 % no dart is reported wrong, and within three seconds the page says what to do."""
    assert reported(faults.bands(0.3)(throw, np.random.default_rng(3))).how in ("asked", "right")


def test_something_that_stays_and_is_no_dart_is_asked_about_and_forgotten_when_it_goes(throw):
    """A patch on one camera's glass: asked about once; when it is wiped off nothing was thrown or taken."""
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
def test_something_unclear_that_a_hand_takes_away_is_a_takeout(throw):
    """It stood long enough to count as part of the board: no dart is reported when the board is bare again."""
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
def test_a_dart_too_faint_for_the_small_pictures_is_asked_about_within_three_seconds(throw, share, flies):
    """One camera sees hardly a change where the dart is: a look at the whole picture tells it, never surely.

    Seen in flight it is looked for when all is still again, and no bounce-out is made of it.
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


def test_swapped_cameras_are_named(throw):
    """The page says which cameras changed places, by their numbers in the configuration."""
    tracker = open_tracker(throw.eyes, throw.empties)
    for number in range(20):
        tracker, _ = step(tracker, (throw.before[1], throw.before[0], throw.before[2]), 33 * number)
    assert tracker.order == (1, 0, 2)
    (swapped,) = aside(tracker, 660)
    assert (swapped.code, swapped.args) == ("swapped", {"cameras": [1, 2]})
    assert swapped.words.startswith("camera 1 and 2 changed places")


def test_the_light_of_rows_is_found_beside_a_dart(throw):
    """Bands are reported to 2 % row by row, with a dart in the picture; even light is even."""
    before, later = (np.ascontiguousarray(p[::3, ::3, 1]) for p in (throw.before[0], throw.with_dart[0]))
    region = np.full_like(before, 255)
    assert bands(light(before, later, region)) < 0.01
    wave = 1 + 0.15 * np.sin(np.arange(len(later)) / 8)
    found = light(before, lit(later, wave), region)
    assert np.abs(found / wave - 1)[5:-5].mean() < 0.02


def test_one_row_that_is_lit_alone_between_two_hard_bands_is_no_motion(throw):
    """Bands with hard edges that move by a row leave single rows brighter: those are lit, nothing moved there."""
    watch = open_watch(throw.eyes[0], throw.before[0])
    seen = shrink(throw.with_dart[0], watch.shrinks)
    rows = np.ones(len(seen))
    rows[len(rows) // 2] = 1.13
    assert not sizeable(watch, changes(seen, lit(seen, rows), watch.board))
    assert not sizeable(watch, changes(lit(seen, rows), seen, watch.board))


@pytest.mark.long
@pytest.mark.parametrize("degrees", [2.0, -1.25])
def test_a_board_turned_on_its_hook_is_reported_until_it_hangs_straight(throw, degrees):
    """The alarm names the degrees; no dart counts meanwhile, and the first one after it does."""
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
