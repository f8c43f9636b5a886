"""Asking where to aim: who may, when, and that nothing of the game changes."""

from __future__ import annotations

from match.driver import Table
from scharten.match.digest import digest


def test_advice_is_asked_for_by_who_throws() -> None:
    """An event says so, the answer comes at once, and neither position nor `seq` changes."""
    table = Table(kind="loud")
    before = digest(table.match), table.match.seq
    table.ok("advise", "seat1")
    assert table.event_codes() == ["advice_asked"] and (digest(table.match), table.match.seq) == before
    table.ok("announce_throw")
    table.ok("advise", "table")
    assert table.refused("advise", "seat2") == "not_your_turn"


def test_no_advice_in_a_rated_or_a_silent_game() -> None:
    """A rated game is played alone; where nothing is thrown nothing is advised."""
    assert Table(kind="loud", rated=True).refused("advise") == "not_allowed"
    assert Table(kind="silent").refused("advise") == "not_allowed"
    assert Table(begin=False).refused("advise") == "wrong_phase"
