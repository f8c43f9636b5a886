"""A board and cameras as one sensor: what each noticed of a throw, in its own time, and what the referee gets."""

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
    """No waiting while both agree: the reading goes out with its receipt, the second word adds the millimetres."""
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


def test_a_bounce_out_that_closed_a_contact_is_known_as_one(bench: Bench) -> None:
    """The cameras saw it fall: the second word says where it touched, and that it did not stay."""
    bench.hit("D16")
    bench.now += 300
    bench.see(("MISS", 1.0), ago=330, at=None, bounced=True)
    assert (bench.last.bounced, str(bench.last.beds[0][0]), bench.readings[-1].revises) == (True, "D16", True)


def test_a_knock_witnesses_a_miss(bench: Bench) -> None:
    """Nothing is reported until the cameras had time to see a dart; then the knock is, with its receipt."""
    bench.board(Knock(400))
    assert bench.inputs == []
    bench.wait(1500)
    (reading,) = bench.readings
    assert reading.what == Knock(400) and reading.receipt == Receipt(1, 1)


def test_a_knock_and_a_dart_that_no_contact_felt(bench: Bench) -> None:
    """The cameras' dart counts, and the knock's line is acknowledged with it."""
    bench.board(Knock(400))
    bench.now += 320
    bench.see(("F7", 0.98), ("F19", 0.02), ago=350)
    (reading,) = bench.readings
    assert (str(bench.last.beds[0][0]), reading.receipt, reading.sensor) == ("F7", Receipt(1, 1), "camera")
    assert bench.last.confidence >= SURE


def test_a_contact_that_fails_leaves_the_dart_to_the_cameras(bench: Bench) -> None:
    """A first dart in the board that no contact felt is as sure as the cameras are."""
    bench.see(("F7", 0.98), ("F19", 0.02), ago=300)
    assert bench.last.confidence >= SURE and bench.last.contact is None


def test_a_hand_before_the_board_makes_no_darts(bench: Bench) -> None:
    """Contacts while darts are taken out wait for the cameras, who see none come."""
    bench.track("hand")
    bench.hit("T20")
    bench.hit("T5")
    assert bench.inputs == []
    bench.wait(1000)
    bench.track("empty")
    bench.wait(800)
    assert [type(reading.what) for reading in bench.readings] == [NoDart, NoDart]
    assert [reading.receipt for reading in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_lines_of_the_board_keep_their_order(bench: Bench) -> None:
    """A button behind a contact that waits for the cameras waits, too: the board forgets in order."""
    bench.track("hand")
    bench.hit("T20")
    bench.now += 400
    bench.board(Button(ButtonName.READY))
    assert bench.inputs == []
    bench.track("empty")
    bench.wait(1500)
    assert [reading.receipt for reading in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_two_contacts_of_one_dart_are_one_dart(bench: Bench) -> None:
    """The second within a moment is stored and counts for nothing; which was right, the cameras say."""
    bench.hit("T20")
    bench.now += 60
    bench.hit("F20")
    assert [type(reading.what) for reading in bench.readings] == [Dart, NoDart]
    bench.now += 280
    bench.see(("T20", 0.98), ("F20", 0.02), ago=370)
    assert str(bench.last.beds[0][0]) == "T20" and bench.last.confidence >= SURE


def test_a_shared_single_is_reported_apart_by_the_cameras() -> None:
    """A switch of both singles waits for the cameras, and is asked about only when they are away."""
    bench = Bench(SHARED)
    bench.hit("F20")
    assert bench.inputs == []
    bench.now += 320
    bench.see(("F20", 0.95), ("T20", 0.05), ago=350)
    assert (str(bench.last.beds[0][0]), bench.last.confidence >= SURE) == ("F20", True)
    bench.cameras_are(SensorState.LOST)
    bench.hit("F20")
    assert bench.last.beds == ((bed("F20"), 0.5), (bed("L20"), 0.5))


def test_a_bounce_out_needs_no_sure_bed() -> None:
    """One switch for two beds, and the dart fell: it is lost, no one is asked which it touched."""
    bench = Bench(SHARED)
    bench.hit("F20")
    bench.now += 320
    bench.see(("MISS", 1.0), ago=350, at=None, bounced=True)
    assert bench.last.bounced and bench.last.opinions == ()


@pytest.mark.parametrize("state", [SensorState.LOST, SensorState.SILENT])
def test_without_cameras_the_board_goes_on_as_if_alone(bench: Bench, state: SensorState) -> None:
    """Nothing waits any more, what waited is reported as the board has it, and the board is taken for empty at last."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T20", 0.97), ago=350)
    bench.board(Knock(300))
    bench.cameras_are(state)
    bench.wait(200)
    assert bench.readings[-1].what == Knock(300)
    bench.wait(6000)
    assert bench.readings[-1].what == Cleared()
    bench.hit("D5")
    assert str(bench.last.beds[0][0]) == "D5"
    bench.wait(8000)
    assert len([reading for reading in bench.readings if reading.what == Cleared()]) == 1


def test_without_the_board_the_cameras_go_on_alone(bench: Bench) -> None:
    """A board that is unplugged is not a witness against a dart near another one."""
    bench.board_is(SensorState.LOST)
    for x in (0.0, 10.0):
        bench.see(("F20", 0.99), ago=300, at=(x, 140.0))
        assert bench.last.confidence >= SURE


def test_cameras_that_see_nothing_are_left_out_and_said_to_be(bench: Bench) -> None:
    """After contacts of three beds that they did not see the board goes on alone, until they see a dart."""
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


def test_of_a_sensor_that_is_left_out_it_goes_on_being_said_until_it_comes_back(bench: Bench) -> None:
    """Other news of it changes nothing; one that was away and is there again is asked again."""
    for name in ("T20", "D5", "F7"):
        bench.hit(name)
        bench.wait(3000)
    bench.cameras_are(SensorState.FOUND)
    assert bench.states == [("camera", SensorState.SILENT)] * 2
    for state in (SensorState.LOST, SensorState.FOUND):
        bench.cameras_are(state)
    assert bench.states[-1] == ("camera", SensorState.FOUND) and bench.state.cameras_usable


def test_a_board_that_feels_nothing_is_left_out_and_said_to_be(bench: Bench) -> None:
    """After darts in three beds that no contact felt; a contact that is known to be stuck tells nothing about it."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F6"), bed("F6"), stuck=True))
    bench._then(on_board(bench.state, stuck, bench.now))
    for name, at in (("T20", (0, 103)), ("F6", (135, 0)), ("D5", (-50, 158)), ("F3", (0, -135))):
        bench.see((name, 0.97), ago=300, at=at)
        bench.now += 9000
    assert bench.states == [("board", SensorState.SILENT)]
    bench.board_is(SensorState.FOUND)
    assert bench.states == [("board", SensorState.SILENT)] * 2
    bench.hit("T20")
    assert bench.states[-1] == ("board", SensorState.FOUND)


def test_a_contact_that_comes_late_is_no_second_dart(bench: Bench) -> None:
    """The line was unplugged; the board's dart of the cameras' time is stored and acknowledged, and that is all."""
    bench.see(("T20", 0.97), ago=300)
    at = bench.now - 270
    bench.now += 4000
    given = Reading(bench.now, at, "board", dart_of_contact(contact("T20"), PROFILE), Receipt(1, 9))
    bench._then(on_board(bench.state, given, bench.now))
    assert bench.readings[-1].what == NoDart(contact("T20"), bed("T20"))
    assert bench.readings[-1].receipt == Receipt(1, 9)


def test_the_window_is_measured(bench: Bench) -> None:
    """Wide until enough darts were noticed by both; then a dart outside it is another one."""
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


def test_cameras_that_are_set_to_another_rate_are_measured_again(bench: Bench) -> None:
    """A dart in the contact's bed outside the window is still its dart, and widens the window, but in that bed only."""
    bench.hit("T20")
    bench.now += 900
    bench.see(("T20", 0.97), ago=500)
    assert bench.readings[-1].revises and bench.state.timing.fit(400)
    narrow = Bench()
    narrow.hit("T20")
    narrow.now += 900
    narrow.see(("D3", 0.97), ago=500)
    assert not narrow.readings[-1].revises and narrow.last.contact is None
