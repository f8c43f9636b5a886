"""Rules 5, castling (§6): four directions, thrown and promoted rooks, and what forbids it."""

from __future__ import annotations

import pytest

from games.scharten.asking import at, goals, play, refused
from games.scharten.boards import LOUD, board
from scharten.game.basics import Side
from scharten.games.scharten.board import Piece, PieceKind


def test_castling_on_the_ring_both_ways() -> None:
    """From the silent opening's places: the king goes two fields, the rook to the field passed over, both moved."""
    drawn = board("""
        7  . . . . . k . . . .
        1  . R* . . . K* . . . R*
    """)
    assert {"c1", "g1"} <= goals(drawn, "e1")
    stepped = play(drawn, "e1g1")
    assert stepped.piece_at(at("f1")) == Piece(Side.WHITE, PieceKind.ROOK, moved=True)
    assert stepped.piece_at(at("g1")) == Piece(Side.WHITE, PieceKind.KING, moved=True)
    assert stepped.piece_at(at("i1")) is None
    assert stepped.clocks == (1, 1)


def test_castling_both_ways_round_with_the_same_rook() -> None:
    """With the ring free the one rook is the first piece met either way round."""
    drawn = board("""
        7  . . . . . k . . . .
        1  . . . . . K* . . R* .
    """)
    assert {"c1", "g1"} <= goals(drawn, "e1")
    assert play(drawn, "e1c1").piece_at(at("d1")) == Piece(Side.WHITE, PieceKind.ROOK, moved=True)


def test_castling_along_the_e_line_with_a_rook_promoted_on_e8() -> None:
    """A promoted rook is unmoved: e1 to e3, rook to e2."""
    drawn = board("""
        7  . . . . . P . . . .
        6  . . k . . . . . . .
        1  . . . . . K* . . . .
    """)
    stepped = play(drawn, "e7e8r b6b5")
    assert "e3" in goals(stepped, "e1")
    castled = play(stepped, "e1e3")
    assert castled.piece_at(at("e2")) == Piece(Side.WHITE, PieceKind.ROOK, moved=True)
    assert castled.piece_at(at("e8")) is None


def test_castling_with_a_thrown_rook() -> None:
    """The fourteenth piece thrown is a rook: thrown onto the ring it may castle at once."""
    drawn = board(
        """
        7  p . . . . k . . . .
        1  . . . . . K* . . . .
        """,
        options=LOUD,
        placed="13/17",
    )
    stepped = play(drawn, "@h1 o7o6", LOUD)
    assert {"c1", "g1"} <= goals(stepped, "e1", LOUD)


@pytest.mark.parametrize(
    ("rows", "to", "code", "said"),
    [
        ("1  . . . . . K . . R* .", "g1", "not_a_move", {"castling": "king_moved"}),
        ("1  . . . . . K* . . R .", "g1", "not_a_move", {"castling": "rook_moved"}),
        ("1  . . . . . K* . . N* .", "g1", "not_a_move", {"castling": "no_rook"}),
        ("1  . . . . . K* . . r* .", "g1", "not_a_move", {"castling": "no_rook"}),
        ("1  . . . . . K* . R* . .", "g1", "blocked", {"field": "g1"}),
        ("1  . . . . . K* N . R* .", "g1", "blocked", {"field": "f1"}),
        ("1  . . . . . K* . . N* R*", "g1", "not_a_move", {"castling": "no_rook"}),
        (
            "5  . . . . . . r . . .\n1  . r . . . K* . . R* .",
            "g1",
            "leaves_check",
            {"castling": "through_check"},
        ),
        (
            "5  . . . . . . . r . .\n1  . r . . . K* . . R* .",
            "g1",
            "leaves_check",
            {"castling": "into_check"},
        ),
        ("5  . . . . . r . . . .\n1  . r . . . K* . . R* .", "g1", "leaves_check", {"castling": "in_check"}),
        ("1  . . . . . K* . . R* .", "h1", "not_a_move", {"reason": "pattern"}),
    ],
)
def test_what_forbids_castling(rows: str, to: str, code: str, said: dict[str, str]) -> None:
    """Each condition of section 5 by itself, with its reason."""
    drawn = board(f"7  . . k . . . . . . p\n{rows}")
    found = refused(drawn, f"e1{to}")
    assert found.code == code
    assert said.items() <= found.args.items()


def test_the_value_of_the_passed_field_counts() -> None:
    """On e2 (fat) one attacker is a check; on f1 (double) the same attacker alone is none."""
    along_the_line = board("""
        7  . . . . . . . k . .
        5  . . . . . R* . . . .
        2  . . . . . . . . r .
        1  . . . . . K* . . . .
    """)
    assert refused(along_the_line, "e1e3").args["castling"] == "through_check"
    along_the_ring = board("""
        7  . . . k . . . . . .
        4  . . . . . . r . . .
        1  . . . . . K* . . R* .
    """)
    assert "g1" in goals(along_the_ring, "e1")


def test_the_rook_may_pass_attacked_fields() -> None:
    """The source says so: only the king's fields matter."""
    drawn = board("""
        7  . . . k . . . . . p
        4  . . . . . . . . . r
        1  . . . . . K* . . . R*
    """)
    assert "g1" in goals(drawn, "e1")


def test_castling_is_only_with_two_free_fields_between() -> None:
    """A rook three fields away is near enough, one two fields away is too near."""
    assert "g1" in goals(board("7  . k . . . . . . . p\n1  . . . . . K* . . R* ."), "e1")
    assert "g1" not in goals(board("7  . k . . . . . . . p\n1  . . . . . K* . R* . ."), "e1")
