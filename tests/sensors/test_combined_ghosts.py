"""Ghosts, contacts that close without a dart: withdrawn only if cameras and piezo both prove it."""

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
    """Close a lone contact; `by_piezo` is whether the piezo felt a blow."""
    bench.hit(name)
    for notice in (HitNotice.ALONE, *(() if by_piezo else (HitNotice.UNHEARD,))):
        bench.apply(on_hit_notice(bench.state, Receipt(1, bench.number), notice))


def darts(bench: Bench, *by_piezo: bool) -> None:
    """Throw darts that both sensors notice, and take each out; `by_piezo` is whether the piezo felt it."""
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
    """A bench after nine darts that the piezo all felt."""
    made = Bench()
    darts(made, *[True] * 9)
    return made


def withdrawn(bench: Bench, *, by_piezo: bool = False, meanwhile: Callable[[], None] = lambda: None) -> bool:
    """Close the contact of D16 without a dart; return whether it is withdrawn, rather than asked about."""
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


def test_a_contact_that_neither_cameras_nor_piezo_noticed_is_withdrawn(bench: Bench) -> None:
    """The contact counted at once; the revision reports that no dart came."""
    assert withdrawn(bench)


def test_a_blow_that_the_piezo_noticed_was_a_dart(bench: Bench) -> None:
    """Cameras that saw nothing of it may be frozen, so a person decides."""
    assert not withdrawn(bench, by_piezo=True)


def test_motion_before_a_camera_may_have_been_a_dart(bench: Bench) -> None:
    """It may be a hand, or a dart that fell too fast to be reported."""

    def move() -> None:
        bench.track("motion")
        bench.now += 40
        bench.track("empty")

    assert not withdrawn(bench, meanwhile=move)


def test_cameras_that_looked_away_prove_nothing(bench: Bench) -> None:
    """They look away while the projector changes the light on the board, or when their pictures stop."""

    def look_away() -> None:
        bench.looking_ms = bench.now

    assert not withdrawn(bench, meanwhile=look_away)


def test_cameras_that_report_trouble_prove_nothing(bench: Bench) -> None:
    """A camera is lost or left out, or the lamps flicker."""
    found = SensorChanged(SensorState.FOUND, "camera 2 left out")
    bench.apply(on_cameras(bench.state, SensorNews(bench.now, "camera", found), bench.now))
    assert not withdrawn(bench)


def test_the_second_ghost_in_a_row_raises_a_question(bench: Bench) -> None:
    """Cameras that missed one contact prove nothing until they see a dart again."""
    assert withdrawn(bench)
    bench.now += 5000
    assert not withdrawn(bench)
    bench.now += 5000
    darts(bench, True)
    assert withdrawn(bench)


def test_a_piezo_that_misses_darts_or_is_unproven_proves_nothing() -> None:
    """The piezo counts only if it felt the darts that both sensors noticed, eight at least."""
    for by_piezo, proves in ((True,) * 7, False), ((False,) * 9, False), ((True,) * 8, True):
        bench = Bench()
        darts(bench, *by_piezo)
        assert withdrawn(bench) is proves, by_piezo


def test_a_contact_that_darts_often_closed_raises_a_question(bench: Bench) -> None:
    """The more real darts closed it, the less likely a ghost is, down to the rate at which cameras overlook darts."""
    for _ in range(390):
        bench.state = on_truth(bench.state, contact("D16"), bed("D16"))
    assert not withdrawn(bench)


def test_a_withdrawal_by_the_sensors_is_not_learnt_as_a_correction() -> None:
    """A correction after the withdrawal belongs to the next dart, so the table learns only that one."""
    truths: list[tuple[HitReport, str | None]] = []
    listener = TruthListener(lambda dart, name: truths.append((dart, name)))
    for code in ("no_dart_came", "placed"):
        listener.on_event(
            HitReport(1, "board", bed("D16"), (bed("D16"),), (1.0,), counted=True, why="", confidence=1.0)
        )
        listener.on_event(Happened(code, {"bed": "D16"}))
        listener.on_event(Happened("corrected", {"bed": "F16"}))
    assert [name for _, name in truths] == ["F16"]


def test_a_gap_between_pictures_restarts_the_watch() -> None:
    """Pictures that stop for half a second, or cameras that look away however briefly, restart `since_ms`."""
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
