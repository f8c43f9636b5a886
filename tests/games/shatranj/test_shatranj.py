"""Shatranj by its own page of rules (games 4, 7)."""

from __future__ import annotations

import pytest

from games.any_game import BY_KEY, drawn, goals, options, play, refused, stand, state
from scharten.errors import Problem
from scharten.game.basics import End, Foul, LostDart, Move, Reason, Side, move_from_text
from scharten.game.protocol import Played

GAME = BY_KEY["shatranj"]
SILENT = options(GAME)
SWAPS = options(GAME, pat_swap="on")
LOUD = options(GAME, kind="loud")

MIDDLE = """
8  . . . . k . . .
7  . . . . . . . .
6  . . . . . p . .
5  . . . . p . . .
4  . . . E G . . .
3  . . . . P . . .
2  . . . . . p . .
1  R . . . K . . .
"""

STALEMATED = """
8  . . . . . . . k
7  . . . . . K . .
6  . . . . . . G p
5  . . . . . . . P
4  . . . . . . . .
3  . . . . . . . .
2  . . . . . . . .
1  . . . . . . . .
"""

BARED = """
8  . . . . . . . .
7  . . . . . . . .
6  . . . . . . . .
5  . . . k . . . .
4  . . . R . . . .
3  . . . . . . . .
2  . . . . . . . .
1  K . . . . . . .
"""


def test_the_opening_has_the_kings_on_one_line() -> None:
    """Kings on e by default; with `king_on` d they change places with the generals on both sides."""
    assert GAME.situation(GAME.begin(SILENT), SILENT).text == (
        "rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR w 0 1"
    )
    other = options(GAME, king_on="d")
    assert GAME.situation(GAME.begin(other), other).text.startswith("rnekgenr/")


def test_elephants_jump_and_generals_step() -> None:
    """An elephant goes exactly two fields diagonally over any piece, a general one."""
    position = stand(GAME, drawn(MIDDLE.replace("2  . . . . . p", "2  . . . . . ."), "w 0 9"), SILENT)
    assert goals(GAME, position, "d4", SILENT) == {"b2", "b6", "f2", "f6"}
    assert goals(GAME, position, "e4", SILENT) == {"d5", "f5", "d3", "f3"}
    assert refused(GAME, position, "e3e4", SILENT).code == "blocked"
    assert refused(GAME, position, "e3e5", SILENT).args["reason"] == "no_two_step"
    assert refused(GAME, position, "e3d4", SILENT).code == "blocked"
    assert refused(GAME, position, "e3f4", SILENT).args["reason"] == "nothing_to_take"
    assert refused(GAME, position, "d4e5", SILENT).args == {
        "move": "d4e5",
        "reason": "not_how_it_moves",
        "piece": "E",
    }


def test_a_pawn_checks_and_the_king_may_not_stay() -> None:
    """The black pawn on f2 checks Ke1: moves that leave the check are refused and the checker is named."""
    position = stand(GAME, drawn(MIDDLE, "w 0 9"), SILENT)
    assert GAME.situation(position, SILENT).check == ("e1",)
    why = refused(GAME, position, "a1b1", SILENT)
    assert (why.code, why.args["checkers"]) == ("leaves_check", [{"field": "f2", "supporters": []}])


def test_a_pawn_becomes_a_general_without_a_question() -> None:
    """`e7e8` promotes; a letter behind it is no move of this game."""
    position = stand(GAME, "8/4P3/8/8/k7/8/7r/K7 w 0 40", SILENT)
    assert "e7e8" in GAME.situation(position, SILENT).moves
    assert refused(GAME, position, "e7e8q", SILENT).args["reason"] == "no_such_promotion"
    later = play(GAME, position, "e7e8", SILENT).position
    assert GAME.man_at(later, "e8").letter == "G"
    assert GAME.write(position, move_from_text("e7e8"), SILENT) == "e8G"


def test_stalemate_loses_unless_a_swap_saves() -> None:
    """The stalemated side loses; with `pat_swap` its king may change places with the one man he may."""
    text = drawn(STALEMATED, "b 0 40")
    found = GAME.situation(stand(GAME, text, SILENT), SILENT)
    assert (found.end, found.moves) == (End(Side.WHITE, Reason.STALEMATE), ())
    position = stand(GAME, text, SWAPS)
    assert GAME.situation(position, SWAPS).moves == ("h8h6",)
    assert GAME.write(position, move_from_text("h8h6"), SWAPS) == "K<>h6"
    later = play(GAME, position, "h8h6", SWAPS).position
    assert GAME.situation(later, SWAPS).text == "7p/5K2/6Gk/7P/8/8/8/8 w 1 41"


def test_a_pawn_is_not_swapped_onto_its_last_row() -> None:
    """A stalemated king on his pawns' last row may not change places with a pawn, and so he loses."""
    position = stand(GAME, "K7/2k5/p7/Pn6/8/8/8/8 w 0 40", SWAPS)
    assert state(GAME, position, SWAPS) == "stalemate"


def test_a_bared_king_has_one_answer() -> None:
    """Taking the last man draws, every other move loses; a further man takes the answer away."""
    position = stand(GAME, drawn(BARED, "b 0 40"), SILENT)
    found = GAME.situation(position, SILENT)
    assert (len(found.moves), found.end) == (5, None)
    drawn_end = GAME.situation(play(GAME, position, "d5d4", SILENT).position, SILENT).end
    assert drawn_end == End(None, Reason.BOTH_BARE)
    for move in set(found.moves) - {"d5d4"}:
        later = play(GAME, position, move, SILENT).position
        assert GAME.situation(later, SILENT).end == End(Side.WHITE, Reason.BARE_KING)
    guarded = stand(GAME, drawn(BARED.replace("2  . . . . . . . .", "2  . . . . G . . ."), "b 0 40"), SILENT)
    assert GAME.situation(guarded, SILENT).end == End(Side.WHITE, Reason.BARE_KING)


def test_a_bared_kings_lost_dart_loses() -> None:
    """In a loud game the answer needs a dart, one: in check or not, if it is lost the king is bare."""
    position = stand(GAME, drawn(BARED, "b 0 40 0/0"), LOUD)
    found = GAME.situation(position, LOUD)
    assert found.needs_dart == {"d5d4"} and found.check == ("d5",)
    lost = GAME.play(position, LostDart(Foul.WRONG_COLOUR, Move("d5", "d4"), "F1"), LOUD)
    assert isinstance(lost, Played) and lost.end == End(Side.WHITE, Reason.BARE_KING)


@pytest.mark.parametrize(
    ("text", "move", "lost_text"),
    [
        ("4k3/8/8/3p4/4P3/8/8/4K2R w 3 10 0/0", "e4d5", "4k3/8/8/3p4/4P3/8/8/4K2R b 4 10 1/0"),
        ("4k3/8/8/3p4/4P3/8/8/4K2R b 3 10 0/0", "d5e4", "4k3/8/8/3p4/4P3/8/8/4K2R w 4 11 0/1"),
        ("4k3/8/8/8/8/8/4r3/R3K3 w 3 10 0/0", "e1e2", "4k3/8/8/8/8/8/4r3/R3K3 w 3 10 1/0"),
    ],
)
def test_a_lost_dart_counts_as_a_half_move(text: str, move: str, lost_text: str) -> None:
    """A lost dart adds a half-move without progress and gives the turn away; in check it does neither."""
    lost = GAME.play(stand(GAME, text, LOUD), LostDart(Foul.WRONG_COLOUR, move_from_text(move), "F1"), LOUD)
    assert isinstance(lost, Played) and lost.end is None
    assert GAME.situation(lost.position, LOUD).text == lost_text


@pytest.mark.parametrize(("clock", "claims", "end"), [(139, (), None), (140, (Reason.SEVENTY_MOVES,), None)])
def test_seventy_moves_may_be_claimed(clock: int, claims: tuple[Reason, ...], end: End | None) -> None:
    """70 moves by each side without capture or pawn move allow a claim."""
    found = GAME.situation(stand(GAME, f"rk6/8/8/8/8/8/8/RK6 w {clock} 90", SILENT), SILENT)
    assert (found.claims, found.end) == (claims, end)


def test_a_hundred_moves_end_the_game_unless_it_is_mate() -> None:
    """100 moves by each side are a draw by themselves; checkmate on the last one goes first."""
    quiet = GAME.situation(stand(GAME, "rk6/8/8/8/8/8/8/RK6 w 200 120", SILENT), SILENT)
    assert quiet.end == End(None, Reason.HUNDRED_MOVES)
    mated = GAME.situation(stand(GAME, "R6k/8/6K1/8/8/8/8/g7 b 200 120", SILENT), SILENT)
    assert mated.end == End(Side.WHITE, Reason.CHECKMATE)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("8/8/8/8/8/8/8/K7 w 0 1", "kings"),
        ("k7/8/8/8/8/8/8/KQ6 w 0 1", "pieces"),
        ("k7/8/8/8/8/8/8/K5 w 0 1", "row_length"),
        ("k7/8/8/8/8/8/K7 w 0 1", "rows"),
        ("k7/8/8/8/8/8/8/K7 w 0 1 0/0", "parts"),
        ("k6P/8/8/8/8/8/8/K7 w 0 1", "pawn_on_last_row"),
        ("k7/8/8/8/8/8/8/K6r b 0 1", "side_in_check"),
        ("k7/8/8/8/8/8/8/K7 x 0 1", "side"),
        ("k7/8/8/8/8/8/8/K7 w -1 1", "clock"),
        ("k7/8/8/8/8/8/8/K7 w 0 0", "move_number"),
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", "parts"),
    ],
)
def test_a_wrong_position_is_refused_by_name(text: str, code: str) -> None:
    """Each wrong position is refused with a code, words, and the wrong part."""
    found = GAME.read(text, SILENT)
    assert isinstance(found, Problem) and found.code == code and found.words and found.args["part"]


def test_pawns_of_a_swap_may_stand_on_their_own_first_row() -> None:
    """A white pawn on row 1 is allowed and goes on one field at a time."""
    position = stand(GAME, "k7/8/8/8/8/8/7r/K2P4 w 0 1", SILENT)
    assert goals(GAME, position, "d1", SILENT) == {"d2"}


def test_a_lost_dart_is_a_half_move_without_progress() -> None:
    """A lost dart gives the turn away and adds a half-move; the move number grows after Black (games 4)."""
    position = stand(GAME, "r3k3/8/8/8/8/8/8/R3K3 w 5 9 0/0", LOUD)
    texts = []
    for move in ("a1a8", "a8a1"):
        lost = GAME.play(position, LostDart(Foul.WRONG_COLOUR, move_from_text(move), "F1"), LOUD)
        assert isinstance(lost, Played) and lost.end is None
        position = lost.position
        texts.append(GAME.situation(position, LOUD).text)
    assert texts == ["r3k3/8/8/8/8/8/8/R3K3 b 6 9 1/0", "r3k3/8/8/8/8/8/8/R3K3 w 7 10 1/1"]
