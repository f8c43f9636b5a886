"""A board and cameras that disagree about a dart: which darts raise a question, and which sensor is believed."""

from __future__ import annotations

import pytest

from scharten.dartboard.beds import MISS, SURE
from scharten.match.inputs import (
    ContactStuck,
    NoDart,
    SensorNews,
)
from scharten.sensors.combined.automaton import on_board, on_truth
from sensors.combined_bench import Bench
from sensors.contacts import bed, contact


@pytest.fixture
def bench() -> Bench:
    return Bench()


def test_cameras_in_doubt_are_settled_by_the_contact(bench: Bench) -> None:
    """A dart at a wire: the cameras give 55 to 45, and the contact of the second bed makes that bed sure."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("F20", 0.55), ("T20", 0.45), ago=350)
    assert bench.last.confidence >= SURE and str(bench.last.beds[0][0]) == "T20"


def test_sensors_that_disagree_raise_a_question(bench: Bench) -> None:
    """Both are sure of different beds: no bed is sure, and the question carries both opinions."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T5", 0.99), ("F5", 0.01), ago=350)
    assert bench.last.confidence < SURE
    assert [(item.sensor, str(item.bed)) for item in bench.last.opinions] == [
        ("board", "T20"),
        ("camera", "T5"),
    ]
    assert {"T20", "T5"} <= {str(item) for item, _ in bench.last.beds}


def test_a_dart_that_may_hang_in_another_raises_a_question(bench: Bench) -> None:
    """No contact closed and a dart stands in the board: a miss is a possible answer. On the empty board the dart is
    sure."""
    bench.hit("F7")
    bench.now += 320
    bench.see(("F7", 0.99), ago=350, at=(-90.0, -60.0))
    bench.now += 9000
    bench.see(("F16", 0.99), ago=300, at=(-70.0, -80.0))
    assert bench.last.confidence < SURE and MISS in dict(bench.last.beds)
    assert [item.bed for item in bench.last.opinions] == [None, bed("F16")]
    bench.empty()
    bench.see(("F16", 0.99), ago=300, at=(-70.0, -80.0))
    assert bench.last.confidence >= SURE


def test_a_dart_that_jolts_the_contact_of_another_raises_a_question(bench: Bench) -> None:
    """A new dart beside one in the same bed may hang in it, unless the cameras are sure of its bed."""
    for share, sure in ((0.6, False), (0.99, True)):
        bench.empty()
        for item, at in ((0.99, (0.0, 103.0)), (share, (3.0, 100.0))):
            bench.hit("T20")
            bench.now += 320
            bench.see(("T20", item), ("F20", 1 - item), ago=350, at=at)
            bench.now += 5000
        assert (bench.last.confidence >= SURE) is sure


def test_a_contact_makes_an_unclear_object_a_dart_on_a_bare_board_only(bench: Bench) -> None:
    """A bare board has nothing else that could be hit. With a dart in the board, the new dart may hang in it."""
    bench.hit("T20")
    bench.now += 1300
    bench.see(ago=1330, at=None)
    assert bench.readings[-1].revises and bench.last.confidence >= SURE
    bench.track("settled")
    bench.hit("T20")
    bench.now += 1300
    bench.see(ago=1330, at=None)
    assert bench.last.confidence < SURE and MISS in dict(bench.last.beds)
    assert [item.bed for item in bench.last.opinions] == [bed("T20"), None]


def test_the_contact_places_an_unclear_dart_beside_darts_in_other_beds(bench: Bench) -> None:
    """A hanging dart closes only the contact of the dart it hangs in. Any other contact is its own."""
    bench.hit("T20")
    bench.now += 320
    bench.see(("T20", 0.99), ago=350, at=(0.0, 103.0))
    bench.track("settled")
    for name, sure in (("D3", True), ("F20", True), ("T20", False)):
        bench.now += 5000
        bench.hit(name)
        bench.now += 1300
        bench.see(ago=1330, at=None)
        assert (bench.last.confidence >= SURE) is sure


def test_a_dart_placed_by_its_contact_casts_doubt_on_that_contact_only(bench: Bench) -> None:
    """The cameras found no place for the first dart. A dart hanging in it closes the same contact again, and no
    other."""
    for name, sure in (("T20", True), ("D3", True), ("T20", False)):
        bench.hit(name)
        bench.now += 1300
        bench.see(ago=1330, at=None)
        assert (bench.last.confidence >= SURE) is sure
        bench.track("settled")
        bench.now += 5000


def test_the_contact_settles_cameras_that_hardly_lean_to_the_next_bed(bench: Bench) -> None:
    """A dart at a wire closes both contacts: cameras that give the next bed 0.62 or more raise a question, 0.55 does
    not."""
    for share, sure in ((0.55, True), (0.62, False), (0.88, False), (SURE + 0.02, False)):
        bench.hit("L19")
        bench.now += 320
        bench.see(("L7", share), ("L19", 1 - share), ago=350, at=(-40.0, -82.0))
        assert (bench.last.confidence >= SURE) is sure
        bench.empty()
        bench.now += 5000


def test_cameras_in_doubt_never_overrule_the_contact(bench: Bench) -> None:
    """The contact's bed is neither of the two that the cameras waver between: the dart raises a question."""
    bench.hit("L12")
    bench.now += 320
    bench.see(("T12", 0.8983), ("F12", 0.0972), ago=350, at=(-59.0, 81.0))
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_a_stuck_contact_proves_nothing_by_not_closing(bench: Bench) -> None:
    """Without any contact, cameras that lean to the stuck bed are believed. With the contact beside it, a question is
    raised."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F13"), bed("F13"), stuck=True))
    bench.apply(on_board(bench.state, stuck, bench.now))
    bench.see(("F13", 0.785), ("F6", 0.215), ago=300, at=(143.9, 23.6))
    assert bench.last.beds[0][0] == bed("F13") and bench.last.confidence >= SURE
    bench.empty()
    bench.now += 5000
    bench.hit("T13")
    bench.now += 320
    bench.see(("F13", 0.8924), ("T13", 0.1076), ago=350, at=(99.7, 40.4))
    assert bench.last.confidence < SURE and len(bench.last.opinions) == 2


def test_cameras_sure_of_a_stuck_bed_overrule_the_contact_beside_it(bench: Bench) -> None:
    """At a wire only the other contact can close, so it does not contradict the cameras."""
    for stuck in (False, True):
        news = SensorNews(bench.now, "board", ContactStuck(contact("F13"), bed("F13"), stuck=stuck))
        bench.apply(on_board(bench.state, news, bench.now))
        bench.hit("T13")
        bench.now += 320
        bench.see(("F13", 0.96), ("T13", 0.04), ago=350, at=(107.5, 40.4))
        assert (bench.last.beds[0][0] == bed("F13") and bench.last.confidence >= SURE) is stuck
        assert bench.readings[-1].revises
        bench.empty()
        bench.now += 5000


def test_cameras_place_darts_beside_each_other_in_a_stuck_bed(bench: Bench) -> None:
    """The other bed's contact would have closed; the stuck one cannot, whether the dart hangs or not."""
    stuck = SensorNews(bench.now, "board", ContactStuck(contact("F13"), bed("F13"), stuck=True))
    bench.apply(on_board(bench.state, stuck, bench.now))
    for at in ((143.9, 23.6), (150.0, 24.0)):
        bench.see(("F13", 0.785), ("F6", 0.215), ago=300, at=at)
        assert bench.last.beds[0][0] == bed("F13") and bench.last.confidence >= SURE
        bench.now += 9000


def test_a_dart_without_contact_raises_a_question_while_others_stand(bench: Bench) -> None:
    """It may hang in another, and cameras place hanging darts wrongly. On a bare board the cameras are enough."""
    for share in (0.85, 0.92, 0.999):
        bench.empty()
        bench.now += 5000
        bench.see(("F13", 0.92), ("F4", 0.02), ago=300, at=(140.0, 23.6))
        assert bench.last.confidence >= SURE
        bench.now += 5000
        bench.see(("F17", share), ("F3", 0.0009), ago=300, at=(40.0, -125.0))
        assert bench.last.confidence < SURE and MISS in dict(bench.last.beds)


def test_a_contact_known_to_fail_proves_nothing_by_not_closing(bench: Bench) -> None:
    """People corrected 120 darts without contact in its bed: the cameras are believed even beside other darts."""
    for _ in range(120):
        bench.state = on_truth(bench.state, None, bed("F17"))
    bench.see(("F13", 0.99), ago=300, at=(140.0, 23.6))
    bench.now += 5000
    bench.see(("F17", 0.97), ("F3", 0.03), ago=300, at=(40.0, -125.0))
    assert bench.last.confidence >= SURE


def test_missing_contacts_do_not_make_doubtful_cameras_sure(bench: Bench) -> None:
    """The probability that the cameras leave to unnamed beds is doubt as well."""
    bench.see(("F9", 0.85), ("F14", 0.0764), ago=300, at=(-90.0, 60.0))
    assert bench.last.confidence < SURE


def test_a_dart_may_hang_in_darts_that_only_the_cameras_see(bench: Bench) -> None:
    """Darts may have landed before the start or while the cameras were covered. A dart without contact then raises a
    question."""
    for state, sure in (("empty", True), ("quiet", False)):
        bench.empty()
        bench.track(state)
        bench.see(("F13", 0.92), ("F4", 0.02), ago=300, at=(140.0, 23.6))
        assert (bench.last.confidence >= SURE) is sure
        bench.now += 5000


def test_no_contact_does_not_make_a_dart_on_the_rim_a_sure_miss(bench: Bench) -> None:
    """Contacts fail: cameras that prefer the double to the surround raise a question, and are not overruled."""
    bench.see(("D2", 0.58), ("MISS", 0.42), ago=300, at=(110.0, -128.0))
    assert bench.last.confidence < SURE


def test_cameras_do_not_overrule_a_contact_that_waited_for_them(bench: Bench) -> None:
    """A contact known to close by itself waits for the cameras. Cameras sure of the next bed still raise a question."""
    bench.state = on_truth(bench.state, contact("T1"), None)
    for name, sure in (("F1", False), ("T1", True)):
        count = len(bench.inputs)
        bench.hit("T1")
        assert len(bench.inputs) == count
        bench.now += 320
        bench.see((name, 0.995), ago=350, at=(28.6, 105.0))
        assert (bench.last.confidence >= SURE) is sure and bool(bench.last.opinions) is not sure
        bench.empty()
        bench.now += 5000


def test_a_ghost_contact_raises_a_question_and_is_learnt(bench: Bench) -> None:
    """A contact without a dart raises a question. Once a person answers that no dart came, that contact waits for the
    cameras."""
    bench.hit("D3")
    bench.wait(1500)
    assert bench.readings[-1].revises and bench.last.confidence < SURE
    assert [str(item.bed) for item in bench.last.opinions] == ["D3", "None"]
    bench.state = on_truth(bench.state, contact("D3"), None)
    count = len(bench.inputs)
    bench.hit("D3")
    assert len(bench.inputs) == count
    bench.wait(1500)
    assert bench.readings[-1].what == NoDart(contact("D3"), bed("D3"))
    bench.hit("D3")
    bench.now += 320
    bench.see(("D3", 0.97), ago=350)
    assert bench.last.confidence >= SURE and not bench.readings[-1].revises
