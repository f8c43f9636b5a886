"""Settling: the wait while a player removes a dart, and how it ends."""

from __future__ import annotations

from match.test_darts import begun


def test_settling_ends_settle_ms_after_the_last_contact() -> None:
    """In auto, contacts during the takeout are shown and restart the wait."""
    table = begun(arming="auto", settle_ms=1500)
    table.hit("T17")
    assert (table.match.phase.name, table.due) == ("settling", 1500)
    assert table.hit("F17", later_ms=1000) == "still_settling"
    assert table.due == 1500
    table.wait(1499)
    assert table.match.phase.name == "settling"
    table.wait(1)
    assert (table.match.phase.name, table.due) == ("turn", None)
    assert table.message == "placed"


def test_settling_ends_on_time_even_if_no_tick_came() -> None:
    """A dart after the wait counts for the other side, although the busy host gave no tick."""
    table = begun(arming="auto", settle_ms=1500)
    table.hit("T17")
    assert table.hit("T1", later_ms=1500) == ""
    assert table.match.turns[-1].text == "@d6"


def test_settling_in_announce_mode_waits_for_the_ready_button() -> None:
    """Time does not end settling here: only the button, an announcement or a move does."""
    table = begun()
    table.ok("announce_throw")
    table.hit("T17")
    table.wait(600_000)
    assert table.match.phase.name == "settling"
    table.press("ready")
    assert table.match.phase.name == "turn"


def test_settling_after_a_seen_dart_waits_for_an_empty_board() -> None:
    """With cameras in auto only their report of an empty board ends it; a dart before that does not count."""
    table = begun(arming="auto", settle_ms=1500)
    table.seen("T17")
    table.wait(60_000)
    assert table.match.phase.name == "settling"
    assert table.seen("T1") == "still_settling"
    table.empty()
    assert table.match.phase.name == "turn"
    assert table.seen("T1") == ""


def test_in_settling_the_opponent_may_already_move_or_announce() -> None:
    """The referee accepts a move or an announcement before the thrower has removed the dart."""
    table = begun()
    table.ok("announce_throw")
    table.hit("T17")
    table.ok("move", "seat2", move="e8d8")
    assert (table.match.phase.name, len(table.match.turns)) == ("turn", 2)
    table.ok("announce_throw", "seat1")
    table.hit("T15")
    table.ok("announce_throw", "seat2")
    assert table.match.phase.name == "throwing"


def test_a_move_during_the_takeout_does_not_end_the_wait_in_auto() -> None:
    """Otherwise the contacts of the takeout would count for the player who threw the dart."""
    table = begun(arming="auto", settle_ms=1500)
    table.hit("T17")
    table.t += 300
    table.ok("move", move="e8d8")
    assert table.match.phase.name == "settling"
    assert table.hit("T17", later_ms=200) == "still_settling"
