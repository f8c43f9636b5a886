"""The board's notices about contacts beside its hits, and the trust in a contact near a wire that follows."""

from __future__ import annotations

import queue
from collections.abc import Callable
from pathlib import Path

import pytest

from conformance.simulated import SimulatedDriver
from lab.daemon_process import wait_for
from scharten.dartboard.beds import SURE
from scharten.dartboard.lines import HitNotice
from scharten.match.dart import Dart
from scharten.match.inputs import Input, Reading, Receipt, SensorChanged, SensorNews, SensorState
from scharten.sensors.combined import sensor as combined
from scharten.sensors.combined.automaton import on_hit_notice
from scharten.sensors.sensor import CAMERA, KeepsNothing, SensorSetup
from scharten.sensors.serial import SerialSensor
from scharten.sensors.settings import CameraSection, SerialSection
from sensors.combined_bench import Bench
from sensors.contacts import bed, contact
from sensors.serial_bench import unix_ms

AT = (-40.0, -82.0)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def noticed(bench: Bench, beside: HitNotice, number: int | None = None) -> None:
    """The board says it of its last hit, or of that number."""
    receipt = Receipt(1, bench.number if number is None else number)
    bench._then(on_hit_notice(bench.state, receipt, beside))


def sure_of(bench: Bench, name: str, *seen: tuple[str, float], says: HitNotice | None) -> bool:
    """Whether a dart is sure of which this contact closed, beside which the board says this, seen so."""
    bench.hit(name)
    if says is not None:
        noticed(bench, says)
    bench.now += 320
    bench.see(*seen, ago=350, at=AT)
    sure = bench.last.confidence >= SURE and bench.last.beds[0][0] == bed(name)
    bench.empty()
    bench.now += 5000
    return sure


def test_a_contact_that_closed_alone_is_believed_where_cameras_only_lean_to_the_bed_beside(
    bench: Bench,
) -> None:
    """Both close at a wire; where only one did, the other contact would have had to fail as well."""
    seen = ("L7", 0.8), ("L19", 0.2)
    for says, sure in ((None, False), (HitNotice.ALONE, True), (HitNotice.CLEAR, False)):
        assert sure_of(bench, "L19", *seen, says=says) is sure


def test_cameras_that_are_sure_of_the_bed_beside_a_lone_contact_are_asked_about(bench: Bench) -> None:
    """They disagree, and a person says."""
    assert not sure_of(bench, "L19", ("L7", 0.93), ("L19", 0.07), says=HitNotice.ALONE)
    assert not sure_of(bench, "L12", ("T12", 0.89), ("F12", 0.1), says=HitNotice.ALONE)


def test_a_hit_of_which_the_board_says_nothing_closed_both_alike(bench: Bench) -> None:
    """Only with a board that has said it of others: then cameras that waver ask. Of an older one all is as it was."""
    seen = ("L19", 0.7), ("L7", 0.3)
    assert sure_of(bench, "L19", *seen, says=None)
    assert sure_of(bench, "L19", *seen, says=HitNotice.CLEAR)
    assert not sure_of(bench, "L19", *seen, says=None)
    assert sure_of(bench, "L19", ("L19", 0.97), ("L7", 0.03), says=None)


def test_what_was_said_of_another_hit_says_nothing_of_this_one(bench: Bench) -> None:
    """A notice that comes late, or again after a hello, names its own hit."""
    bench.hit("D3")
    bench.now += 320
    bench.see(("D3", 0.99), ago=350, at=(80.0, -145.0))
    bench.empty()
    bench.now += 5000
    bench.hit("L19")
    noticed(bench, HitNotice.ALONE, bench.number - 1)
    bench.now += 320
    bench.see(("L7", 0.7), ("L19", 0.3), ago=350, at=AT)
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_another_board_may_be_at_the_line_after_it_was_away(bench: Bench) -> None:
    """The host discards the old board's notices; its later darts are as those of a board without notices."""
    assert not sure_of(bench, "L19", ("L7", 0.7), ("L19", 0.3), says=HitNotice.CLEAR)
    bench.board_is(SensorState.LOST)
    bench.board_is(SensorState.FOUND)
    assert sure_of(bench, "L19", ("L19", 0.7), ("L7", 0.3), says=None)


def test_a_lone_contact_of_a_dart_that_stands_may_have_been_jolted(bench: Bench) -> None:
    """A dart that comes down beside it closes nothing of its own, so that it was alone says nothing."""
    bench.hit("L19")
    bench.now += 320
    bench.see(("L19", 0.99), ago=350, at=(-50.0, -60.0))
    bench.track("settled")
    bench.now += 5000
    assert not sure_of(bench, "L19", ("L7", 0.7), ("L19", 0.3), says=HitNotice.ALONE)


class _Cameras(KeepsNothing):
    """Cameras that tell what the test says."""

    def __init__(
        self, setup: SensorSetup, _settings: CameraSection, tracked: Callable[[str, int, int], object]
    ) -> None:
        self.emit, self.tracked = setup.emit, tracked

    def start(self) -> None:
        self.emit(SensorNews(unix_ms(), CAMERA, SensorChanged(SensorState.FOUND)))
        self.tracked("empty", unix_ms(), unix_ms())

    def stop(self, *, for_good: bool) -> None: ...


def test_what_a_board_on_its_line_says_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The simulated board on its pty: a lone contact, reported in time, against cameras that lean to the bed beside."""
    monkeypatch.setattr(combined, "CameraSensor", _Cameras)
    board, inputs = SimulatedDriver(), queue.Queue[Input]()
    setup = SensorSetup(tmp_path, "simulated", inputs.put, lambda name, value: None, unix_ms)
    port = SerialSection(port=board.name)
    both = combined.CombinedSensor(setup, lambda own: SerialSensor(own, port), CameraSection())
    both.start()
    try:
        while not isinstance(given := inputs.get(timeout=40), SensorNews) or given.sensor == CAMERA:
            pass
        at = contact("L19")
        board.press(at.drive, at.sense)
        first = _dart(inputs)
        wait_for(lambda: both._state.notices, 5, "the notice")
        seen = Dart(((bed("L7"), 0.8), (bed("L19"), 0.2)), *AT)
        both._cameras.emit(Reading(unix_ms(), first.at_ms, CAMERA, seen))
        second = _dart(inputs)
        assert isinstance(second.what, Dart) and second.revises
        assert second.what.beds[0][0] == bed("L19") and second.what.confidence >= SURE
    finally:
        both.stop(for_good=True)
        board.close()


def _dart(inputs: queue.Queue[Input]) -> Reading:
    while not isinstance(given := inputs.get(timeout=40), Reading) or not isinstance(given.what, Dart):
        pass
    return given
