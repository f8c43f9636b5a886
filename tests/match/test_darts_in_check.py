"""A dart thrown in check: it ends the check or the game."""

from __future__ import annotations

from games.scharten.boards import LOUD, board
from match.driver import Table

# The Rh4 and the Ke4 stand on the little ring, which requires no support. White is in check along the
# ring from one side only: the pawn on d4 blocks the other way round.
CHECKED = board("""
    8  . . . . . k . . . .
    7  . . . . . . . . . .
    6  . . . . . . . . . .
    5  . . . . . . . . . .
    4  . . . . P K . . r .
    3  . . . . . . . . . .
    2  . . . . . . . . . .
    1  . . . . . . . . . .
""", options=LOUD, placed="1/12")  # fmt: skip


def test_a_throw_in_check_that_does_not_end_it_loses_at_once() -> None:
    """A lost dart, or a dart on a free field of the zone that leaves the check, places no piece and loses."""
    for bed in ("MISS", "T17"):
        table = Table()
        table.set_up(CHECKED)
        assert table.match.situation.check
        table.throw(bed)
        assert table.ended == ("0-1", "missed_in_check")
        assert table.match.position.sets == CHECKED.sets
        assert table.match.position.placed == (1, 12)


def test_a_throw_in_check_that_ends_it_goes_on() -> None:
    """A pawn on f4 or g4 blocks the line between the rook and the king."""
    table = Table()
    table.set_up(CHECKED)
    table.throw("L17")
    assert table.ended == (None, None)
    assert table.match.turns[-1].text == "@f4"


def test_a_doubtful_dart_in_check_is_asked_about_if_one_reading_saves() -> None:
    """L17 (f4) ends the check and F17 (f2) does not. Where neither does, the game is lost without a question."""
    table = Table()
    table.set_up(CHECKED)
    table.ok("announce_throw")
    table.hit("S17")
    assert table.match.question is not None
    lost = Table()
    lost.set_up(CHECKED)
    lost.ok("announce_throw")
    lost.hit("S16")
    assert lost.ended == ("0-1", "missed_in_check")
