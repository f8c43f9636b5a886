"""The joint verdict of all sensors on a dart that the board reported first: it stands, is asked about, or fell."""

from __future__ import annotations

from typing import Any

import pytest

from match.driver import Table
from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.profile import Contact
from scharten.match.dart import Dart, Opinion
from scharten.match.events import HitReport
from scharten.match.inputs import Cleared, NoDart, Reading
from scharten.match.phases import PhaseName

AT = Contact(1, 2)


def bed(name: str) -> Bed:
    found = parse_bed(name)
    assert found is not None
    return found


def word(table: Table, *beds: tuple[str, float], later_ms: int = 400, **more: Any) -> HitReport:
    """Give the joint verdict on the last dart, `later_ms` after it."""
    thrown = table.t
    table.t += later_ms
    dart = Dart(
        tuple((bed(name), share) for name, share in beds), 3.0, 4.0, contact=AT, seen_ms=thrown - 20, **more
    )
    table.give(Reading(table.t, thrown, "board", dart, revises=True))
    return next(event for event in table.events if isinstance(event, HitReport))


@pytest.fixture
def thrown() -> Table:
    """White's pawn stands on the field of F17, by the board's reading alone; cameras are present too."""
    table = Table(arming="auto", bounce_counts=False)
    assert table.hit("F17") == ""
    assert len(table.match.turns) == 1
    return table


def test_sensors_that_agree_add_the_millimetres_and_wait_for_the_cameras(thrown: Table) -> None:
    """The dart stands and `seq` stays, so that no command becomes stale. Only the cameras end the settling."""
    before = thrown.match
    report = word(thrown, ("F17", 0.999))
    (turn,) = thrown.match.turns
    assert (turn.dart.x_mm, turn.dart.seen_ms) == (3.0, before.turns[0].at_ms - 20)
    assert (report.counted, report.revises, thrown.match.seq) == (True, True, before.seq)
    thrown.wait(60_000)
    assert thrown.match.phase.name is PhaseName.SETTLING
    thrown.t += 1
    thrown.give(Reading(thrown.t, thrown.t, "camera", Cleared()))
    assert thrown.match.phase.name is PhaseName.TURN


def test_sensors_that_disagree_are_asked_about_with_both_opinions(thrown: Table) -> None:
    """The turn is undone and White is asked. The answer counts as if the sensors had read it at once."""
    opinions = (Opinion("board", bed("F17"), 0.98), Opinion("camera", bed("F2"), 0.99))
    report = word(thrown, ("F2", 0.6), ("F17", 0.4), opinions=opinions)
    assert (report.why, thrown.match.turns) == ("in_doubt", ())
    question = thrown.match.question
    assert question is not None and question.dart is not None and question.dart.opinions == opinions
    assert {str(choice.bed) for choice in question.choices} == {"F2", "F17"}
    thrown.ok("choose_bed", bed="F2")
    assert str(thrown.match.turns[0].bed) == "F2"
    assert thrown.match.phase.name is PhaseName.SETTLING


def test_a_verdict_that_is_sure_of_another_bed_counts_there(thrown: Table) -> None:
    """With a contact beside a stuck contact, the turn is replayed in the cameras' bed, with a message."""
    report = word(thrown, ("F2", 0.95), ("F17", 0.05))
    assert (report.why, thrown.match.question) == ("", None)
    assert [str(turn.bed) for turn in thrown.match.turns] == ["F2"]
    assert any(getattr(event, "code", "") == "revised" for event in thrown.events)


def test_a_dart_that_fell_out_is_lost(thrown: Table) -> None:
    """The board reported a contact and the cameras saw the dart fall: a bounce-out, unless `bounce_counts` is set."""
    word(thrown, ("F17", 0.98), bounced=True)
    assert [turn.foul for turn in thrown.match.turns] == ["bounce_out"]
    counting = Table(arming="auto", bounce_counts=True)
    counting.hit("F17")
    word(counting, ("F17", 0.98), bounced=True)
    assert [turn.foul for turn in counting.match.turns] == [None]


def test_an_announced_dart_is_due_again(thrown: Table) -> None:
    """With `announce`, when the answer is that no dart came, White may throw without another announcement."""
    table = Table(arming="announce", bounce_counts=False)
    table.ok("announce_throw", side="white")
    assert table.hit("F17") == ""
    word(table, ("F17", 0.5), ("MISS", 0.5))
    table.ok("choose_bed", bed=None)
    assert table.match.phase.name is PhaseName.THROWING


def other_side_moved(table: Table) -> tuple[int, list[str]]:
    """Let Black throw after White's dart; return the time of White's dart and the chain of each turn."""
    at = table.t
    table.t += 2000
    table.wait()
    assert table.hit("F3") == ""
    return at, [turn.chain for turn in table.match.turns]


def test_a_late_verdict_changes_nothing(thrown: Table) -> None:
    """Once the other side has moved, the verdict is only shown with the reason, and the game continues."""
    at, chains = other_side_moved(thrown)
    dart = Dart(((bed("F2"), 0.99),), contact=AT, seen_ms=at)
    thrown.give(Reading(thrown.t, at, "board", dart, revises=True))
    report = next(event for event in thrown.events if isinstance(event, HitReport))
    assert (report.counted, report.why) == (False, "second_word")
    assert [turn.chain for turn in thrown.match.turns] == chains


def no_dart(table: Table, at_ms: int) -> list[str]:
    """Give the joint verdict that no dart came with the contact; return the message codes."""
    table.t += 1200
    table.give(Reading(table.t, at_ms, "board", NoDart(AT, bed("F17")), revises=True))
    return [getattr(event, "code", "") for event in table.events]


def test_a_contact_without_a_dart_undoes_its_turn(thrown: Table) -> None:
    """The message names the bed, and a person can still enter the dart."""
    assert no_dart(thrown, thrown.t) == ["no_dart_came"]
    assert thrown.match.turns == () and thrown.match.question is None
    assert thrown.match.message is not None and thrown.match.message.args["bed"] == "F17"
    thrown.ok("add_dart", bed="F17")
    assert [str(turn.bed) for turn in thrown.match.turns] == ["F17"]


def test_an_announced_throw_is_still_due_after_a_false_contact() -> None:
    """White may throw without another announcement."""
    table = Table(arming="announce", bounce_counts=False)
    table.ok("announce_throw", side="white")
    assert table.hit("F17") == ""
    no_dart(table, table.t)
    assert table.match.phase.name is PhaseName.THROWING and table.hit("F17") == ""


def test_a_late_verdict_of_no_dart_is_only_noted(thrown: Table) -> None:
    """Once the other side has moved, the game continues unchanged."""
    at, chains = other_side_moved(thrown)
    assert no_dart(thrown, at) == ["contact_without_dart"]
    assert [turn.chain for turn in thrown.match.turns] == chains


def test_a_contact_without_a_dart_never_counts() -> None:
    """The verdict is only noted."""
    table = Table(arming="auto")
    table.t += 5000
    table.give(Reading(table.t, table.t, "board", NoDart(AT, bed("F17"))))
    assert table.match.turns == ()
    assert [getattr(event, "code", "") for event in table.events] == ["contact_without_dart"]
