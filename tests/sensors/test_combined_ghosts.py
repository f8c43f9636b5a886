"""A contact that closed without any dart: taken back only where cameras and piezo both prove it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from scharten.dartboard.beds import SURE
from scharten.dartboard.lines import HitNotice
from scharten.match.events import Happened, HitReport
from scharten.match.inputs import NoDart, Receipt, SensorChanged, SensorNews, SensorState
from scharten.sensors.camera_process import Looked
from scharten.sensors.combined.automaton import on_cameras, on_hit_notice, on_truth
from scharten.sensors.truths import TruthListener
from sensors.combined_bench import Bench
from sensors.contacts import bed, contact

BEDS = ("D3", "F7", "T19", "L5", "D20", "F1", "L12", "T6", "F9")


def hit(bench: Bench, name: str, *, by_piezo: bool) -> None:
    """A lone contact, and whether the piezo received a blow."""
    bench.hit(name)
    for notice in (HitNotice.ALONE, *(() if by_piezo else (HitNotice.UNHEARD,))):
        bench._then(on_hit_notice(bench.state, Receipt(1, bench.number), notice))


def darts(bench: Bench, *by_piezo: bool) -> None:
    """Darts that both noticed, taken out one after another, and whether the piezo received them."""
    for name, item in zip(BEDS, by_piezo, strict=False):
        hit(bench, name, by_piezo=item)
        bench.track("motion")
        bench.now += 320
        bench.see((name, 0.99), ago=350)
        bench.track("settled")
        bench.now += 3000
        bench.empty()
        bench.track("empty")
        bench.now += 6000


@pytest.fixture
def bench() -> Bench:
    """Nine darts were thrown, and the piezo received them all."""
    made = Bench()
    darts(made, *[True] * 9)
    return made


def taken_back(bench: Bench, *, by_piezo: bool = False, meanwhile: Callable[[], None] = lambda: None) -> bool:
    """Whether the contact of D16, of which the cameras see nothing, is taken back and not asked about."""
    hit(bench, "D16", by_piezo=by_piezo)
    bench.wait(200)
    meanwhile()
    bench.wait(2800)
    last = bench.readings[-1]
    assert last.revises and last.sensor == "board"
    if isinstance(last.what, NoDart):
        assert last.what == NoDart(contact("D16"), bed("D16"))
        return True
    assert bench.last.confidence < SURE and [opinion.bed for opinion in bench.last.opinions] == [
        bed("D16"),
        None,
    ]
    return False


def test_a_contact_that_neither_cameras_nor_piezo_noticed_is_taken_back(bench: Bench) -> None:
    """It had counted at once; the second word is that there was no dart."""
    assert taken_back(bench)


def test_a_blow_that_the_piezo_noticed_was_a_dart(bench: Bench) -> None:
    """Cameras that saw nothing of it may be frozen: a person says."""
    assert not taken_back(bench, by_piezo=True)


def test_something_that_moved_before_a_camera_may_have_been_a_dart(bench: Bench) -> None:
    """A hand, or a dart that fell too fast to be reported."""

    def moves() -> None:
        bench.track("motion")
        bench.now += 40
        bench.track("empty")

    assert not taken_back(bench, meanwhile=moves)


def test_cameras_that_looked_away_prove_nothing(bench: Bench) -> None:
    """As while the projector changes the board's light, or when pictures stopped for a while."""

    def away() -> None:
        bench.looking_ms = bench.now

    assert not taken_back(bench, meanwhile=away)


def test_cameras_that_have_something_to_say_about_themselves_prove_nothing(bench: Bench) -> None:
    """One is lost, left out, or the lamps flicker."""
    found = SensorChanged(SensorState.FOUND, "camera 2 left out")
    bench._then(on_cameras(bench.state, SensorNews(bench.now, "camera", found), bench.now))
    assert not taken_back(bench)


def test_of_two_in_a_row_the_second_is_asked_about(bench: Bench) -> None:
    """Cameras that saw nothing of the one before are no witness until they see a dart again."""
    assert taken_back(bench)
    bench.now += 5000
    assert not taken_back(bench)
    bench.now += 5000
    darts(bench, True)
    assert taken_back(bench)


def test_a_piezo_that_misses_darts_or_is_not_known_yet_proves_nothing() -> None:
    """Its word is worth what it received of the darts that both noticed; eight at least."""
    for by_piezo, proves in ((True,) * 7, False), ((False,) * 9, False), ((True,) * 8, True):
        bench = Bench()
        darts(bench, *by_piezo)
        assert taken_back(bench) is proves, by_piezo


def test_a_contact_that_darts_have_used_often_is_asked_about(bench: Bench) -> None:
    """The more darts it informed of truly, the less likely a ghost is, down to what cameras may overlook."""
    for _ in range(390):
        bench.state = on_truth(bench.state, contact("D16"), bed("D16"))
    assert not taken_back(bench)


def test_what_the_sensors_took_back_themselves_is_not_learnt_from_people() -> None:
    """A dart that is put right later is another one."""
    said: list[tuple[HitReport, str | None]] = []
    listener = TruthListener(lambda dart, name: said.append((dart, name)))
    for code in ("no_dart_came", "placed"):
        listener.on_event(
            HitReport(1, "board", bed("D16"), (bed("D16"),), (1.0,), counted=True, why="", confidence=1.0)
        )
        listener.on_event(Happened(code, {"bed": "D16"}))
        listener.on_event(Happened("corrected", {"bed": "F16"}))
    assert [name for _, name in said] == ["F16"]


def test_a_break_in_looking_is_known() -> None:
    """Pictures that stop for half a second, and cameras that look away however shortly, begin again."""
    looked = Looked()
    for now, away, newest, since in (
        (10_000, False, 10_000, 10_000),
        (10_033, False, 10_033, 10_000),
        (10_400, False, 10_400, 10_000),
        (10_433, True, 10_400, 10_433),
        (10_466, False, 10_466, 10_433),
        (11_000, False, 11_000, 11_000),
    ):
        looked = looked.updated(now, away=away)
        assert (looked.newest_ms, looked.since_ms) == (newest, since)
