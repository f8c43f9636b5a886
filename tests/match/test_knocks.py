"""A knock in `auto`, where every dart counts: it asks, loses the dart, or is only shown (rules 6, §4)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from match.driver import Table
from match.test_darts import begun
from scharten.match.referee import lamp


@pytest.mark.parametrize(
    ("meaning", "fouls", "asked"), [("ask", 0, "lost_dart"), ("lost", 1, None), ("ignore", 0, None)]
)
def test_a_knock_in_auto_asks_loses_or_is_only_shown(meaning: str, fouls: int, asked: str | None) -> None:
    """`knock_in_auto` decides about a knock where every dart counts; the lamp shows the question as a lost dart."""
    table = begun(arming="auto", knock_in_auto=meaning)
    table.knock()
    match = table.match
    assert len(match.turns) == fouls
    assert (match.question.code if match.question else None) == asked
    if asked:
        assert lamp(match) == 3
        table.ok("choose_bed", bed="MISS")
    if meaning != "ignore":
        assert (table.match.turns[-1].foul, table.match.turns[-1].bed) == ("bounce_out", None)


def test_a_hand_that_takes_the_dart_out_loses_no_dart() -> None:
    """A knock within 2 s after the takeout button is only shown; a later knock asks."""
    table = begun(arming="auto", settle_ms=60_000)
    table.hit("T17")
    assert table.match.phase.name == "settling"
    table.press("ready")
    for later_ms, asked in ((1999, None), (1, "lost_dart")):
        table.t += later_ms - 5000  # `knock` comes 5 s after the last input
        table.knock()
        assert (table.match.question.code if table.match.question else None) == asked


@pytest.mark.parametrize(("computer", "asked"), [("seat1", None), ("seat2", "lost_dart")])
def test_a_knock_in_the_computers_turn_asks_nothing(computer: str, asked: str | None) -> None:
    """The computer throws no real dart, so a knock in its turn can be no bounce-out."""
    table = begun(arming="auto")
    table.ok("set_computer", seat=computer, level=3)
    table.knock()
    assert (table.match.question.code if table.match.question else None) == asked
    assert not table.match.turns


def test_a_knock_in_a_silent_game_or_an_old_one_changes_nothing() -> None:
    """A silent game has no throws, and a game of the second edition replays as it was played."""
    silent = Table(arming="auto", kind="silent")
    old = begun(arming="auto")
    old.match = replace(old.match, start=old.match.start.model_copy(update={"edition": 2}))
    for table in (silent, old):
        table.knock()
        assert table.match.question is None and not table.match.turns
