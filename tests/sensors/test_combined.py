"""A board and cameras as one sensor: how their reports of one throw become the referee's readings."""

from __future__ import annotations

from dataclasses import replace

import pytest

from scharten.dartboard.beds import SURE, parse_bed
from scharten.dartboard.profile import Contact
from scharten.match.dart import Dart
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    ContactStuck,
    Knock,
    NoDart,
    Reading,
    Receipt,
    SensorNews,
    SensorState,
)
from scharten.sensors.combined.automaton import on_board
from scharten.sensors.combined.evidence import ENOUGH, Timing
from scharten.sensors.sensor import dart_of_contact
from sensors.combined_bench import Bench
from sensors.contacts import PROFILE, bed, contact

SHARED = replace(
    PROFILE,
    separate_singles=False,
    beds={Contact(0, 0): parse_bed("S20"), Contact(0, 1): parse_bed("T20")},
)


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_contact_is_reported_at_once_and_the_cameras_confirm_it(bench: Bench) -> None:
    """The contact's reading goes out at once with its receipt. The cameras' agreeing reading revises it and adds
    millimetres."""
    bench.hit("T20")
    (first,) = bench.readings
    assert (first.t_ms, first.receipt, first.revises) == (bench.now, Receipt(1, 1), False)
    assert str(bench.last.beds[0][0]) == "T20" and bench.last.confidence >= SURE
    bench.now += 320
    bench.see(("T20", 0.97), ("F20", 0.03), ago=355)
    second = bench.readings[-1]
    assert (second.revises, second.at_ms, second.receipt) == (True, first.at_ms, None)
    assert (str(bench.last.beds[0][0]), bench.last.x_mm) == ("T20", 5.0)
    assert bench.last.confidence >= SURE and bench.last.opinions == ()
    assert bench.last.seen_ms == bench.now - 355


def test_a_bounce_out_that_closed_a_contact_is_recognized(bench: Bench) -> None:
    """The cameras saw the dart fall: the revision keeps the contact's bed and marks the dart as bounced."""
    bench.hit("D16")
    bench.now += 300
    bench.see(("MISS", 1.0), ago=330, at=None, bounced=True)
    assert (bench.last.bounced, str(bench.last.beds[0][0]), bench.readings[-1].revises) == (True, "D16", True)


def test_a_knock_without_a_dart_is_reported_after_a_wait(bench: Bench) -> None:
    """A knock waits until the cameras have had time to see a dart; then it is reported with its receipt."""
    bench.send_from_board(Knock(400))
    assert bench.inputs == []
    bench.wait(1500)
    (reading,) = bench.readings
    assert reading.what == Knock(400) and reading.receipt == Receipt(1, 1)


def test_a_knock_and_a_dart_without_contact_become_one_reading(bench: Bench) -> None:
    """The cameras' dart counts, and its reading acknowledges the knock's line."""
    bench.send_from_board(Knock(400))
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350)
    (reading,) = bench.readings
    assert (str(bench.last.beds[0][0]), reading.receipt, reading.sensor) == ("F7", Receipt(1, 1), "camera")
    assert bench.last.confidence >= SURE


def test_a_dart_without_contact_is_left_to_the_cameras(bench: Bench) -> None:
    """The first dart in the board is as sure as the cameras are, even if no contact closed."""
    bench.see(("F7", 0.98), ("F19", 0.02), ago=300)
    assert bench.last.confidence >= SURE and bench.last.contact is None


def test_a_hand_before_the_board_makes_no_darts(bench: Bench) -> None:
    """Contacts during a takeout wait for the cameras, and become `NoDart` when they see no dart arrive."""
    bench.track("hand")
    bench.hit("T20")
    bench.hit("T5")
    assert bench.inputs == []
    bench.wait(1000)
    bench.track("empty")
    bench.wait(800)
    assert [type(reading.what) for reading in bench.readings] == [NoDart, NoDart]
    assert [reading.receipt for reading in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_lines_from_the_board_keep_their_order(bench: Bench) -> None:
    """A button after a waiting contact waits too, because the board deletes its events in order."""
    bench.track("hand")
    bench.hit("T20")
    bench.now += 400
    bench.send_from_board(Button(ButtonName.READY))
    assert bench.inputs == []
    bench.track("empty")
    bench.wait(1500)
    assert [reading.receipt for reading in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_two_contacts_closed_by_one_dart_count_once(bench: Bench) -> None:
    """A second contact within 60 ms is stored as `NoDart`. The cameras decide which contact was right."""
    bench.hit("T20")
    bench.now += 60
    bench.hit("F20")
    assert [type(reading.what) for reading in bench.readings] == [Dart, NoDart]
    bench.now += 280
    bench.see(("T20", 0.98), ("F20", 0.02), ago=370)
    assert str(bench.last.beds[0][0]) == "T20" and bench.last.confidence >= SURE


def test_cameras_tell_apart_two_singles_that_share_a_contact() -> None:
    """A contact of both singles waits for the cameras. Without cameras both singles have probability 0.5."""
    bench = Bench(SHARED)
    bench.hit("F20")
    assert bench.inputs == []
    bench.now += 320
    bench.see(("F20", 0.95), ("T20", 0.05), ago=350)
    assert (str(bench.last.beds[0][0]), bench.last.confidence >= SURE) == ("F20", True)
    bench.set_cameras_state(SensorState.LOST)
    bench.hit("F20")
    assert bench.last.beds == ((bed("F20"), 0.5), (bed("L20"), 0.5))


def test_a_bounce_out_on_a_shared_contact_raises_no_question() -> None:
    """The dart fell, so the referee needs no bed and gets no opinions to ask about."""
    bench = Bench(SHARED)
    bench.hit("F20")
    bench.now += 320
    bench.see(("MISS", 1.0), ago=350, at=None, bounced=True)
    assert bench.last.bounced and bench.last.opinions == ()


@pytest.mark.parametrize("state", [SensorState.LOST, SensorState.SILENT])
def test_the_board_continues_alone_without_cameras(bench: Bench, state: SensorState) -> None:
    """Waiting readings go out as the board sent them, new ones do not wait, and after a while the board counts as
    cleared."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T20", 0.97), ago=350)
    bench.send_from_board(Knock(300))
    bench.set_cameras_state(state)
    bench.wait(200)
    assert bench.readings[-1].what == Knock(300)
    bench.wait(6000)
    assert bench.readings[-1].what == Cleared()
    bench.hit("D5")
    assert str(bench.last.beds[0][0]) == "D5"
    bench.wait(8000)
    assert len([reading for reading in bench.readings if reading.what == Cleared()]) == 1


def test_the_cameras_continue_alone_without_the_board(bench: Bench) -> None:
    """A missing contact proves nothing while the board is unplugged, even for a dart beside another."""
    bench.set_board_state(SensorState.LOST)
    for x in (0.0, 10.0):
        bench.see(("F20", 0.99), ago=300, at=(x, 140.0))
        assert bench.last.confidence >= SURE


def test_cameras_that_miss_three_darts_are_left_out_and_reported(bench: Bench) -> None:
    """After contacts in three beds without a picture the board counts alone, until the cameras see a dart."""
    for name in ("T20", "D5", "F7"):
        bench.hit(name)
        bench.wait(3000)
    assert bench.states == [("camera", SensorState.SILENT)]
    count = len(bench.inputs)
    bench.hit("D1")
    bench.wait(3000)
    assert len(bench.inputs) == count + 1 and bench.last.confidence >= SURE
    bench.see(("D1", 0.97), ago=300)
    assert bench.states[-1] == ("camera", SensorState.FOUND)


def test_a_sensor_stays_left_out_until_it_was_lost_and_found(bench: Bench) -> None:
    """A repeated `FOUND` leaves the cameras silent; after `LOST` and `FOUND` they are used again."""
    for name in ("T20", "D5", "F7"):
        bench.hit(name)
        bench.wait(3000)
    bench.set_cameras_state(SensorState.FOUND)
    assert bench.states == [("camera", SensorState.SILENT)] * 2
    for state in (SensorState.LOST, SensorState.FOUND):
        bench.set_cameras_state(state)
    assert bench.states[-1] == ("camera", SensorState.FOUND) and bench.state.cameras_usable


def test_a_board_that_misses_three_darts_is_left_out_and_reported(bench: Bench) -> None:
    """Darts in three beds without a contact make the board silent, until a contact closes. A stuck contact does not
    count."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F6"), bed("F6"), stuck=True))
    bench.apply(on_board(bench.state, stuck, bench.now))
    for name, at in (("T20", (0, 103)), ("F6", (135, 0)), ("D5", (-50, 158)), ("F3", (0, -135))):
        bench.see((name, 0.97), ago=300, at=at)
        bench.now += 9000
    assert bench.states == [("board", SensorState.SILENT)]
    bench.set_board_state(SensorState.FOUND)
    assert bench.states == [("board", SensorState.SILENT)] * 2
    bench.hit("T20")
    assert bench.states[-1] == ("board", SensorState.FOUND)


@pytest.mark.parametrize("late_ms", [4000, 40_000])
def test_a_late_contact_is_no_second_dart(bench: Bench, late_ms: int) -> None:
    """A contact delayed by an unplugged line, but dated like the cameras' dart, becomes an acknowledged `NoDart`, also
    after a later dart that only the cameras saw."""
    bench.see(("T20", 0.97), ago=300)
    at = bench.now - 270
    bench.now += late_ms
    bench.see(("F3", 0.97), ago=300, at=(0.0, -135.0))
    given = Reading(bench.now, at, "board", dart_of_contact(contact("T20"), PROFILE), Receipt(1, 9))
    bench.apply(on_board(bench.state, given, bench.now))
    assert bench.readings[-1].what == NoDart(contact("T20"), bed("T20"))
    assert bench.readings[-1].receipt == Receipt(1, 9)


def test_the_time_window_is_learnt_from_shared_darts(bench: Bench) -> None:
    """The window between contact and picture starts wide. It narrows once enough darts were noticed by both."""
    bench = Bench(timing=Timing())
    assert bench.state.timing.fit(1400)
    for name in ("T20", "F20", "D20", "T1", "F1", "D1", "T18", "F18"):
        bench.hit(name)
        bench.now += 300
        bench.see((name, 0.97), ago=340, at=None)
        bench.now += 5000
        bench.empty()
    assert bench.state.timing.measured and len(bench.state.timing.apart) == ENOUGH
    assert bench.state.timing.fit(-40) and not bench.state.timing.fit(400)
    assert bench.state.timing.word_ms < 600


def test_cameras_that_become_slower_widen_the_time_window(bench: Bench) -> None:
    """A picture outside the window is still the contact's dart if the beds agree, and widens the window. Otherwise it
    is another dart."""
    bench.hit("T20")
    bench.now += 900
    bench.see(("T20", 0.97), ago=500)
    assert bench.readings[-1].revises and bench.state.timing.fit(400)
    narrow = Bench()
    narrow.hit("T20")
    narrow.now += 900
    narrow.see(("D3", 0.97), ago=500)
    assert not narrow.readings[-1].revises and narrow.last.contact is None
