"""Advice on the aim: who may ask, when, and that it leaves the game unchanged."""

from __future__ import annotations

from match.driver import Table
from scharten.match.digest import digest


def test_the_throwing_side_asks_for_advice() -> None:
    """An event reports the request, the answer comes at once, and neither position nor `seq` changes."""
    table = Table(kind="loud")
    before = digest(table.match), table.match.seq
    table.ok("advise", "seat1")
    assert table.event_codes() == ["advice_asked"] and (digest(table.match), table.match.seq) == before
    table.ok("announce_throw")
    table.ok("advise", "table")
    assert table.refused("advise", "seat2") == "not_your_turn"


def test_no_advice_in_a_rated_or_a_silent_game() -> None:
    """Advice is refused in a rated game, and in a silent game."""
    assert Table(kind="loud", rated=True).refused("advise") == "not_allowed"
    assert Table(kind="silent").refused("advise") == "not_allowed"
    assert Table(begin=False).refused("advise") == "wrong_phase"
