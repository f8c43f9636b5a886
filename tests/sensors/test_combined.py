"""A board and cameras as one sensor: what each noticed of a throw, in their own time, and what the referee is told."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from scharten.dartboard.beds import MISS, SURE, parse_bed
from scharten.dartboard.profile import BoardProfile, Contact
from scharten.match.inputs import (
    Button,
    ButtonName,
    Cleared,
    ContactStuck,
    Dart,
    Input,
    Knock,
    NoDart,
    Reading,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.moments import ENOUGH, Moments
from scharten.sensors.combined.state import Watched, taken
from scharten.sensors.combined.watch import elapsed, from_board, from_cameras, told_by_person, tracked
from scharten.sensors.sensor import dart_of_contact
from sensors.contacts import MEASURED, PROFILE, bed, contact

SHARED = replace(
    PROFILE,
    separate_singles=False,
    beds={Contact(0, 0): parse_bed("S20"), Contact(0, 1): parse_bed("T20")},
)


@dataclass
class Bench:
    """Both sensors on one clock."""

    profile: BoardProfile = PROFILE
    moments: Moments = MEASURED
    watched: Watched = field(init=False)
    now: int = 1_000_000
    number: int = 0
    told: list[Input] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.watched = Watched(ContactTable(self.profile), self.moments)
        self.board_is(SensorState.FOUND)
        self.cameras_are(SensorState.FOUND)
        self.track("empty")
        self.told.clear()

    def _then(self, watched: Watched) -> None:
        self.watched, told = taken(watched)
        self.told += told

    def board_is(self, state: SensorState) -> None:
        self._then(from_board(self.watched, SensorNews(self.now, "board", SensorChanged(state)), self.now))

    def cameras_are(self, state: SensorState) -> None:
        self._then(from_cameras(self.watched, SensorNews(self.now, "camera", SensorChanged(state)), self.now))

    def track(self, state: str) -> None:
        self._then(tracked(self.watched, state, self.now))

    def board(self, what: Any) -> None:
        """Something on the board now, on the next numbered line."""
        self.number += 1
        given = Reading(self.now, self.now, "board", what, Receipt(1, self.number))
        self._then(from_board(self.watched, given, self.now))

    def hit(self, name: str) -> None:
        self.board(dart_of_contact(contact(name, self.profile), self.profile))

    def see(
        self, *beds: tuple[str, float], ago: int, at: tuple[float, float] | None = (5.0, 5.0), **more: Any
    ) -> None:
        """Cameras tell of a dart that came `ago` ms before."""
        x, y = at or (None, None)
        dart = Dart(tuple((bed(name), share) for name, share in beds), x, y, **more)
        self._then(from_cameras(self.watched, Reading(self.now, self.now - ago, "camera", dart), self.now))

    def empty(self) -> None:
        self._then(from_cameras(self.watched, Reading(self.now, self.now, "camera", Cleared()), self.now))

    def wait(self, ms: int) -> None:
        """Time passes; the cameras look on."""
        for _ in range(ms // 100):
            self.now += 100
            self.track(self.watched.tracking)
            self._then(elapsed(self.watched, self.now))

    @property
    def readings(self) -> list[Reading]:
        return [each for each in self.told if isinstance(each, Reading)]

    @property
    def last(self) -> Dart:
        what = self.readings[-1].what
        assert isinstance(what, Dart)
        return what

    @property
    def states(self) -> list[tuple[str, SensorState]]:
        news = [each for each in self.told if isinstance(each, SensorNews)]
        return [(each.sensor, each.news.state) for each in news if isinstance(each.news, SensorChanged)]


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_a_contact_is_told_at_once_and_the_cameras_confirm_it(bench: Bench) -> None:
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


def test_cameras_in_doubt_are_settled_by_the_contact(bench: Bench) -> None:
    """A dart at a wire: 55 to 45 by the cameras is sure with the contact of the second."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("F20", 0.55), ("T20", 0.45), ago=350)
    assert bench.last.confidence >= SURE and str(bench.last.beds[0][0]) == "T20"


def test_sensors_that_disagree_are_asked_about(bench: Bench) -> None:
    """Both are sure of different beds: no bed is sure, and the opinion of each goes with the question."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T5", 0.99), ("F5", 0.01), ago=350)
    assert bench.last.confidence < SURE
    assert [(each.sensor, str(each.bed)) for each in bench.last.opinions] == [
        ("board", "T20"),
        ("camera", "T5"),
    ]
    assert {"T20", "T5"} <= {str(each) for each, _ in bench.last.beds}


def test_a_bounce_out_that_closed_a_contact_is_known_as_one(bench: Bench) -> None:
    """The cameras saw it fall: the second word says where it touched, and that it did not stay."""
    bench.hit("D16")
    bench.now += 300
    bench.see(("MISS", 1.0), ago=330, at=None, bounced=True)
    assert (bench.last.bounced, str(bench.last.beds[0][0]), bench.readings[-1].revises) == (True, "D16", True)


def test_a_knock_witnesses_a_miss(bench: Bench) -> None:
    """Nothing is told until the cameras had time to see a dart; then the knock is, with its receipt."""
    bench.board(Knock(400))
    assert bench.told == []
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


def test_a_dart_that_may_hang_in_another_is_asked_about(bench: Bench) -> None:
    """No contact, and a dart stands 30 mm from where the cameras place it; a miss is one of the answers."""
    bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.99), ago=350, at=(-90.0, -60.0))
    bench.now += 9000
    bench.see(("F16", 0.99), ago=300, at=(-70.0, -80.0))
    assert bench.last.confidence < SURE and MISS in dict(bench.last.beds)
    assert [each.bed for each in bench.last.opinions] == [None, bed("F16")]
    bench.empty()
    bench.see(("F16", 0.99), ago=300, at=(-70.0, -80.0))
    assert bench.last.confidence >= SURE


def test_a_dart_that_jolts_the_contact_of_another_is_asked_about(bench: Bench) -> None:
    """The contact of a bed in which a dart stands, and a new one within 10 mm: it may hang in that one."""
    for at in ((0.0, 103.0), (3.0, 100.0)):
        bench.hit("T20")
        bench.now += 320
        bench.see(("T20", 0.99), ago=350, at=at)
        bench.now += 5000
    assert bench.last.confidence < SURE


def test_a_contact_and_something_unclear_is_a_dart_on_a_bare_board_only(bench: Bench) -> None:
    """Nothing else is there that could have been hit; with darts in the board it may be one that hangs in another."""
    bench.hit("T20")
    bench.now += 1300
    bench.see(ago=1330, at=None)
    assert bench.readings[-1].revises and bench.last.confidence >= SURE
    bench.track("settled")
    bench.hit("T20")
    bench.now += 1300
    bench.see(ago=1330, at=None)
    assert bench.last.confidence < SURE and MISS in dict(bench.last.beds)
    assert [each.bed for each in bench.last.opinions] == [bed("T20"), None]


def test_something_unclear_beside_darts_of_other_beds_is_where_its_contact_says(bench: Bench) -> None:
    """A dart that hangs closes the contact of the one it hangs in: a far bed's contact is its own."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T20", 0.99), ago=350, at=(0.0, 103.0))
    bench.track("settled")
    for name, sure in (("D3", True), ("F20", False)):  # the second touches the bed of the dart that stands
        bench.now += 5000
        bench.hit(name)
        bench.now += 1300
        bench.see(ago=1330, at=None)
        assert (bench.last.confidence >= SURE) is sure


def test_cameras_that_hardly_lean_to_the_bed_beside_are_settled_by_the_contact(bench: Bench) -> None:
    """At a wire both contacts close: where the cameras find the bed beside half as likely again, a person is asked."""
    for share, sure in ((0.55, True), (0.62, False), (0.88, False), (SURE + 0.02, False)):
        bench.hit("L19")
        bench.now += 320
        bench.see(("L7", share), ("L19", 1 - share), ago=350, at=(-40.0, -82.0))
        assert (bench.last.confidence >= SURE) is sure
        bench.empty()
        bench.now += 5000


def test_against_the_contact_only_cameras_that_are_sure_are_believed(bench: Bench) -> None:
    """A contact that is in neither of the beds that cameras waver between: asked, whatever their shares make of it."""
    bench.hit("L12")
    bench.now += 320
    bench.see(("T12", 0.8983), ("F12", 0.0972), ago=350, at=(-59.0, 81.0))
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_a_stuck_contact_is_known_to_be_deaf(bench: Bench) -> None:
    """Cameras lean to its bed: no other contact confirms that, and the one beside it does not say the contrary."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F13"), bed("F13"), stuck=True))
    bench._then(from_board(bench.watched, stuck, bench.now))
    bench.see(("F13", 0.785), ("F6", 0.215), ago=300, at=(143.9, 23.6))
    assert bench.last.beds[0][0] == bed("F13") and bench.last.confidence >= SURE
    bench.empty()
    bench.now += 5000
    bench.hit("T13")
    bench.now += 320
    bench.see(("F13", 0.8924), ("T13", 0.1076), ago=350, at=(99.7, 40.4))
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_of_a_dart_that_no_contact_felt_cameras_must_be_surer_while_others_stand(bench: Bench) -> None:
    """It may hang, and what hangs is seen elsewhere by chance; on a bare board their word is enough."""
    for share, sure in ((0.92, False), (0.99, True)):
        bench.empty()
        bench.now += 5000
        bench.see(("F13", 0.92), ("F4", 0.02), ago=300, at=(140.0, 23.6))
        assert bench.last.confidence >= SURE
        bench.now += 5000
        bench.see(("F17", share), ("F3", 1 - share), ago=300, at=(40.0, -125.0))
        assert (bench.last.confidence >= SURE) is sure


def test_no_contact_does_not_make_a_dart_on_the_rim_a_sure_miss(bench: Bench) -> None:
    """Contacts fail: cameras that see the double rather than the surround are asked about, not overruled."""
    bench.see(("D2", 0.58), ("MISS", 0.42), ago=300, at=(110.0, -128.0))
    assert bench.last.confidence < SURE


def test_a_ghost_is_asked_about_and_learnt(bench: Bench) -> None:
    """A contact and no dart: asked; after a person says that none came, that contact waits for the cameras."""
    bench.hit("D3")
    bench.wait(1500)
    assert bench.readings[-1].revises and bench.last.confidence < SURE
    assert [str(each.bed) for each in bench.last.opinions] == ["D3", "None"]
    bench.watched = told_by_person(bench.watched, contact("D3"), None)
    count = len(bench.told)
    bench.hit("D3")
    assert len(bench.told) == count
    bench.wait(1500)
    assert bench.readings[-1].what == NoDart(contact("D3"), bed("D3"))
    bench.hit("D3")
    bench.now += 320
    bench.see(("D3", 0.97), ago=350)
    assert bench.last.confidence >= SURE and not bench.readings[-1].revises


def test_a_hand_before_the_board_makes_no_darts(bench: Bench) -> None:
    """Contacts while darts are taken out wait for the cameras, who see none come."""
    bench.track("hand")
    bench.hit("T20")
    bench.hit("T5")
    assert bench.told == []
    bench.wait(1000)
    bench.track("empty")
    bench.wait(800)
    assert [type(each.what) for each in bench.readings] == [NoDart, NoDart]
    assert [each.receipt for each in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_lines_of_the_board_keep_their_order(bench: Bench) -> None:
    """A button behind a contact that waits for the cameras waits, too: the board forgets in order."""
    bench.track("hand")
    bench.hit("T20")
    bench.now += 400
    bench.board(Button(ButtonName.READY))
    assert bench.told == []
    bench.track("empty")
    bench.wait(1500)
    assert [each.receipt for each in bench.readings] == [Receipt(1, 1), Receipt(1, 2)]


def test_two_contacts_of_one_dart_are_one_dart(bench: Bench) -> None:
    """The second within a moment is stored and counts for nothing; which was right, the cameras say."""
    bench.hit("T20")
    bench.now += 60
    bench.hit("F20")
    assert [type(each.what) for each in bench.readings] == [Dart, NoDart]
    bench.now += 280
    bench.see(("T20", 0.98), ("F20", 0.02), ago=370)
    assert str(bench.last.beds[0][0]) == "T20" and bench.last.confidence >= SURE


def test_a_shared_single_is_told_apart_by_the_cameras() -> None:
    """A switch of both singles waits for the cameras, and is asked about only when they are away."""
    bench = Bench(SHARED)
    bench.hit("F20")
    assert bench.told == []
    bench.now += 320
    bench.see(("F20", 0.95), ("T20", 0.05), ago=350)
    assert (str(bench.last.beds[0][0]), bench.last.confidence >= SURE) == ("F20", True)
    bench.cameras_are(SensorState.LOST)
    bench.hit("F20")
    assert bench.last.beds == ((bed("F20"), 0.5), (bed("L20"), 0.5))


def test_a_bounce_out_needs_no_sure_bed() -> None:
    """One switch for two beds, and the dart fell: it is lost, nobody is asked which it touched."""
    bench = Bench(SHARED)
    bench.hit("F20")
    bench.now += 320
    bench.see(("MISS", 1.0), ago=350, at=None, bounced=True)
    assert bench.last.bounced and bench.last.opinions == ()


@pytest.mark.parametrize("state", [SensorState.LOST, SensorState.SILENT])
def test_without_cameras_the_board_goes_on_as_if_alone(bench: Bench, state: SensorState) -> None:
    """Nothing waits any more, what waited is told as the board has it, and the board is taken for empty at last."""
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
    assert len([each for each in bench.readings if each.what == Cleared()]) == 1


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
    count = len(bench.told)
    bench.hit("D1")
    bench.wait(3000)
    assert len(bench.told) == count + 1 and bench.last.confidence >= SURE
    bench.see(("D1", 0.97), ago=300)
    assert bench.states[-1] == ("camera", SensorState.FOUND)


def test_a_board_that_feels_nothing_is_left_out_and_said_to_be(bench: Bench) -> None:
    """After darts in three beds that no contact felt; a contact that is known to be stuck tells nothing about it."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F6"), bed("F6"), stuck=True))
    bench._then(from_board(bench.watched, stuck, bench.now))
    for name, at in (("T20", (0, 103)), ("F6", (135, 0)), ("D5", (-50, 158)), ("F3", (0, -135))):
        bench.see((name, 0.97), ago=300, at=at)
        bench.now += 9000
    assert bench.states == [("board", SensorState.SILENT)]
    bench.hit("T20")
    assert bench.states[-1] == ("board", SensorState.FOUND)


def test_a_contact_that_comes_late_is_no_second_dart(bench: Bench) -> None:
    """The line was unplugged; the board's dart of the cameras' time is stored and acknowledged, and that is all."""
    bench.see(("T20", 0.97), ago=300)
    at = bench.now - 270
    bench.now += 4000
    given = Reading(bench.now, at, "board", dart_of_contact(contact("T20"), PROFILE), Receipt(1, 9))
    bench._then(from_board(bench.watched, given, bench.now))
    assert bench.readings[-1].what == NoDart(contact("T20"), bed("T20"))
    assert bench.readings[-1].receipt == Receipt(1, 9)


def test_the_window_is_measured(bench: Bench) -> None:
    """Wide until enough darts were noticed by both; then a dart outside it is another one."""
    bench = Bench(moments=Moments())
    assert bench.watched.moments.fit(1400)
    for name in ("T20", "F20", "D20", "T1", "F1", "D1", "T18", "F18"):
        bench.hit(name)
        bench.now += 300
        bench.see((name, 0.97), ago=340, at=None)
        bench.now += 5000
        bench.empty()
    assert bench.watched.moments.measured and len(bench.watched.moments.apart) == ENOUGH
    assert bench.watched.moments.fit(-40) and not bench.watched.moments.fit(400)
    assert bench.watched.moments.word_ms < 600


def test_cameras_that_are_set_to_another_rate_are_measured_anew(bench: Bench) -> None:
    """A dart in the contact's bed outside the window is still its dart, and widens the window, but in that bed only."""
    bench.hit("T20")
    bench.now += 900
    bench.see(("T20", 0.97), ago=500)
    assert bench.readings[-1].revises and bench.watched.moments.fit(400)
    narrow = Bench()
    narrow.hit("T20")
    narrow.now += 900
    narrow.see(("D3", 0.97), ago=500)
    assert not narrow.readings[-1].revises and narrow.last.contact is None
