"""The board's notices about contacts beside its hits, and how far they make a contact near a wire trusted."""

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


def send_notice(bench: Bench, beside: HitNotice, number: int | None = None) -> None:
    """Send the board's notice of this kind about its last hit, or about hit `number`."""
    receipt = Receipt(1, bench.number if number is None else number)
    bench.apply(on_hit_notice(bench.state, receipt, beside))


def sure_of(bench: Bench, name: str, *seen: tuple[str, float], notice: HitNotice | None) -> bool:
    """Return whether a dart is sure in this contact's bed, given the board's notice and the beds the cameras saw."""
    bench.hit(name)
    if notice is not None:
        send_notice(bench, notice)
    bench.now += 320
    bench.see(*seen, ago=350, at=AT)
    sure = bench.last.confidence >= SURE and bench.last.beds[0][0] == bed(name)
    bench.empty()
    bench.now += 5000
    return sure


def test_a_lone_contact_overrules_cameras_that_only_lean_to_the_next_bed(
    bench: Bench,
) -> None:
    """A dart at a wire closes both contacts. If only one closed, the other would have had to fail."""
    seen = ("L7", 0.8), ("L19", 0.2)
    for notice, sure in ((None, False), (HitNotice.ALONE, True), (HitNotice.CLEAR, False)):
        assert sure_of(bench, "L19", *seen, notice=notice) is sure


def test_cameras_sure_of_the_bed_beside_a_lone_contact_raise_a_question(bench: Bench) -> None:
    """The sensors disagree, so a person decides."""
    assert not sure_of(bench, "L19", ("L7", 0.93), ("L19", 0.07), notice=HitNotice.ALONE)
    assert not sure_of(bench, "L12", ("T12", 0.89), ("F12", 0.1), notice=HitNotice.ALONE)


def test_a_hit_without_notice_counts_as_closing_both_contacts(bench: Bench) -> None:
    """This holds only for a board that has sent notices before: wavering cameras then raise a question. An older
    board is trusted as before."""
    seen = ("L19", 0.7), ("L7", 0.3)
    assert sure_of(bench, "L19", *seen, notice=None)
    assert sure_of(bench, "L19", *seen, notice=HitNotice.CLEAR)
    assert not sure_of(bench, "L19", *seen, notice=None)
    assert sure_of(bench, "L19", ("L19", 0.97), ("L7", 0.03), notice=None)


def test_a_notice_about_another_hit_is_not_used(bench: Bench) -> None:
    """A late or repeated notice names its own hit by number."""
    bench.hit("D3")
    bench.now += 320
    bench.see(("D3", 0.99), ago=350, at=(80.0, -145.0))
    bench.empty()
    bench.now += 5000
    bench.hit("L19")
    send_notice(bench, HitNotice.ALONE, bench.number - 1)
    bench.now += 320
    bench.see(("L7", 0.7), ("L19", 0.3), ago=350, at=AT)
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_a_reconnected_board_may_be_another_one(bench: Bench) -> None:
    """The host forgets that the board sends notices, and trusts its next hits as those of a board without them."""
    assert not sure_of(bench, "L19", ("L7", 0.7), ("L19", 0.3), notice=HitNotice.CLEAR)
    bench.set_board_state(SensorState.LOST)
    bench.set_board_state(SensorState.FOUND)
    assert sure_of(bench, "L19", ("L19", 0.7), ("L7", 0.3), notice=None)


def test_a_dart_may_jolt_the_contact_of_a_standing_dart(bench: Bench) -> None:
    """A new dart beside it may have closed no contact of its own, so the lone contact proves nothing."""
    bench.hit("L19")
    bench.now += 320
    bench.see(("L19", 0.99), ago=350, at=(-50.0, -60.0))
    bench.track("settled")
    bench.now += 5000
    assert not sure_of(bench, "L19", ("L7", 0.7), ("L19", 0.3), notice=HitNotice.ALONE)


class _Cameras(KeepsNothing):
    """Cameras whose readings the test emits."""

    def __init__(
        self, setup: SensorSetup, _settings: CameraSection, tracked: Callable[[str, int, int], object]
    ) -> None:
        self.emit, self.tracked = setup.emit, tracked

    def start(self) -> None:
        self.emit(SensorNews(unix_ms(), CAMERA, SensorChanged(SensorState.FOUND)))
        self.tracked("empty", unix_ms(), unix_ms())

    def stop(self, *, for_good: bool) -> None: ...


def test_a_notice_on_the_serial_line_reaches_the_combined_sensor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The simulated board on its pty reports a lone contact, which overrules cameras that lean to the next bed."""
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
