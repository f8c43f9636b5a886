"""The opinion that the other side answers threats, or throws and ignores them; and what a level makes of it."""

from __future__ import annotations

import pytest

from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.play.attention import Attention
from scharten.play.evaluate import MATE
from scharten.play.player import Mind
from scharten.play.search import Darts, Search

LOUD = rules_of(Options())
START = "5K*9k*4/20/20/20 w - 2/2 0/0 0/0 5"
THREW, LOST = "5K*9k*4/20/20/20 w - 3/3 0/0 0/0 6", "5K*9k*4/20/20/20 w - 3/2 0/1 0/0 6"
MOVED = "5K*9k4/20/20/20 w - 3/2 0/0 0/0 6"
LEFT_A_QUEEN = "5K*9k*4/13q6/20/14N5 w - 3/3 0/0 0/0 6"
LEFT_MY_QUEEN = "5K*9k*4/13n*6/20/14Q5 w - 3/3 0/0 0/0 6"


def position(text: str) -> Position:
    found = parse_position(text, LOUD)
    assert isinstance(found, Position)
    return found


def opinion_after(*texts: str) -> float:
    """Return what White thinks of Black after these positions, White to move in each."""
    attention = Attention()
    for text in texts:
        attention.notice(position(text), (3, 3))
    return attention.ignores


def test_only_a_side_that_throws_is_taken_to_throw() -> None:
    """Nothing at first; more after a dart, lost or not, most where it left something to take; less after a move."""
    assert opinion_after() == opinion_after(START) == 0
    assert 0.1 < opinion_after(START, MOVED) < 0.3
    assert 0.5 < opinion_after(START, LOST) == opinion_after(START, THREW) < 0.6
    assert opinion_after(START, LEFT_A_QUEEN) == opinion_after(START, LEFT_MY_QUEEN) > 0.8


@pytest.mark.parametrize(
    ("before", "later"),
    [
        (START, START),
        (START, "5K*9k*4/20/20/20 w - 3/4 0/0 0/0 7"),
        ("5K*9k*4/20/20/20 w - 2/2 0/2 0/0 5", THREW),
        ("5K*9k*4/20/20/20 w - 2/17 0/0 0/0 5", "5K*9k4/20/20/20 w - 3/17 0/0 0/0 6"),
        (THREW.replace(" w ", " b "), MOVED),
    ],
    ids=["the same again", "two turns later", "its last dart", "nothing to throw", "the other side"],
)
def test_a_turn_without_a_choice_is_not_judged(before: str, later: str) -> None:
    """Only a single turn in which the other side could move, or throw without danger to its game, counts."""
    assert opinion_after(before, later) == 0


def test_opinions_are_never_certain() -> None:
    """Two moves after sixteen darts bring the opinion down to about one half."""
    throws = [f"5K*9k*4/20/20/20 w - 0/{placed} 0/0 0/0 {placed + 1}" for placed in range(17)]
    moves = [f"5K*9k*4/20/20/20 w - 0/16 0/0 0/0 {number}" for number in (18, 19)]
    assert opinion_after(*throws) > 0.9 and opinion_after(*throws, *moves) < 0.6


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("5K*9k*4/13q6/20/14N5 b - 12/12 0/0 0/0 20", True),
        ("5K*9k*4/13q6/20/14N5 b - 12/12 0/2 0/0 20", False),
        ("5K*9k*4/13q6/20/14N5 b - 12/17 0/0 0/0 20", False),
        ("5K*14/13q1k3R/20/14N5 b - 12/12 0/0 0/0 20", False),
    ],
    ids=["attacked queen", "last dart", "nothing to throw", "check"],
)
def test_a_threat_counts_against_a_side_that_throws(text: str, counts: bool) -> None:
    """An attacked queen is worth more the likelier her side throws, unless it has no dart, may not lose one or is in
    check."""
    values = [
        Search(Darts(0.9, (3, 3), ignores=ignores)).value_after(position(text), 2)
        for ignores in (0.0, 0.5, 0.9)
    ]
    assert (values[0] + 100 < values[1] < values[2] - 100) if counts else values[1] == values[2]


def test_a_plan_of_two_turns_counts_against_a_side_that_surely_throws() -> None:
    """A knight that needs two moves to attack a queen wins something only where two darts in a row are expected."""
    planned = position("5K*9k*4/13q6/20/2N17 b - 12/12 0/0 0/0 20")
    answered, perhaps, surely = (
        Search(Darts(0.9, (3, 3), ignores=ignores)).value_after(planned, 2) for ignores in (0.0, 0.8, 0.9)
    )
    assert answered < perhaps < answered + 100 < surely - 500


def test_the_second_answer_to_a_plan_counts() -> None:
    """Against a loose queen and rook a plan is worth three pawns if nothing is answered, and less than two in truth."""
    planned = position("5K*9k*4/11N6B1/20/7q8r3 b - 12/12 0/0 0/0 20")
    assert 50 < Search(Darts(0.9, (3, 3), ignores=0.9)).value_after(planned, 2) < 200


@pytest.mark.parametrize("ignores", [0.5, 0.9])
def test_a_narrow_window_gives_the_same_value(ignores: float) -> None:
    """The mean of a dart and the best answer does not depend on the bounds around it."""
    here = position("5K*9k*4/13q6/20/14N5 b - 12/12 0/0 0/0 20")
    darts = Darts(0.9, (3, 3), ignores=ignores)
    value = Search(darts).value_after(here, 2)
    assert Search(darts).value_after(here, 2, value - 5, value + 5) == value
    assert Search(darts).value_after(here, 2, value + 5, value + 9) <= value + 5
    assert Search(darts).value_after(here, 2, value - 9, value - 5) >= value - 5


def test_being_mated_is_certain() -> None:
    """Nobody hopes that the other side overlooks its own mate: its value is that of the mate."""
    mating = position("3q8K7/20/9q5r4/2k17 b - 17/12 0/0 0/0 20")
    value = Search(Darts(0.9, (3, 3), ignores=0.9)).value_after(mating, 2)
    assert value == 2 - MATE


def test_a_quiet_mate_of_the_next_turn_counts() -> None:
    """A mate without a capture is seen behind a dart that ignores it, and never taken for a forced one."""
    mating = position("5K*8n*k*n*3/19R/14N5/17Q2 b - 12/12 0/0 0/0 20")
    answered, ignored = (
        Search(Darts(0.9, (3, 3), ignores=ignores)).value_after(mating, 2) for ignores in (0.0, 0.8)
    )
    assert answered + 1000 < ignored < MATE // 2


@pytest.mark.parametrize(("level", "threw", "moves"), [(2, True, False), (5, False, False), (5, True, True)])
def test_levels_from_3_threaten_a_side_that_only_throws(level: int, threw: bool, moves: bool) -> None:
    """After a side's five darts level 5 attacks its moved queen with a knight; after five moves, and on level 2, it
    throws."""
    mind = Mind(SCHARTEN, Options(), level, 3, gauss=lambda *_: 0.0, divided_by=10_000)
    for turn in range(6):
        placed = turn if threw else 0
        text = f"5K*9k*4/13q6/3N16/20 w - 12/{placed} 0/0 0/0 {turn + 1}"
        intent = mind.think(position(text), 60.0, lambda: 0.0)
    assert intent is not None and (intent.move is not None) == moves
