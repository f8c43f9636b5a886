"""Rules 3, moves without captures (§6): sliding, pawns, promotion and the seam."""

from __future__ import annotations

import pytest

from games.scharten.asking import at, goals, legal_moves, move, play, refused
from games.scharten.boards import SILENT, board, game_options
from scharten.game.basics import Side
from scharten.games.scharten.board import Piece, PieceKind
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.options import Options

HOME_ROW = game_options(double_step="home_row")
PAWN = """
    8  . . . . . k . . . .
    {}
    1  . . . . . K . . . .
"""


def test_two_paths_to_a_field_are_one_move() -> None:
    """A rook alone reaches 19 fields of its ring and 7 of its line, b6 by both: 25 moves."""
    drawn = board("""
        8  . . . . . k . . . .
        3  . . R . . . . . . .
        1  . . . . . K . . . .
    """)
    found = [m for m in legal_moves(drawn, SILENT) if m.origin == "b3"]
    assert len(found) == len(set(found)) == 19 + 7 - 1
    assert refused(drawn, "b3b3").code == "not_a_move"


def test_a_rook_goes_round_the_ring_as_far_as_the_path_is_free() -> None:
    """Barred on one side it still comes to the fields behind the bar from the other."""
    drawn = board("""
        8  . . . . . k . . . .
        3  . P R P . . . . . .
        1  . . . . . K . . . .
    """)
    assert goals(drawn, "b3") == {"b1", "b2", "b4", "b5", "b6", "b7", "b8"}
    assert refused(drawn, "b3e3").args == {"field": "c3"}


@pytest.mark.parametrize(
    ("row", "origin", "options", "expected"),
    [
        ("2  . . . P* . . . . . .", "c2", SILENT, "c3 c4"),
        ("2  . . . P . . . . . .", "c2", SILENT, "c3"),
        ("4  . . . P* . . . . . .", "c4", SILENT, "c5 c6"),
        ("4  . . . P* . . . . . .", "c4", HOME_ROW, "c5"),
        ("2  . . . P* . . . . . .", "c2", HOME_ROW, "c3 c4"),
        ("1  . . . P* . K . . . .", "c1", SILENT, "c2 c3"),
        ("1  . . . P* . K . . . .", "c1", HOME_ROW, "c2"),
        ("3  P* . . . . . . . . .", "o3", SILENT, "o4 o5"),
    ],
)
def test_the_two_step_of_an_unmoved_pawn(row: str, origin: str, options: Options, expected: str) -> None:
    """Any unmoved pawn by default, wherever it stands; with `home_row` only on row 2 (7 for Black)."""
    drawing = f"8 . . . . . k . . . .\n{row}" + ("" if row.startswith("1") else "\n1 . . . . . K . . . .")
    assert goals(board(drawing), origin, options) == set(expected.split())


def test_both_fields_of_the_two_step_must_be_free() -> None:
    """A piece on either field stops it; a pawn does not capture straight ahead."""
    drawn = board("""
        8  . . . . . k . . . .
        4  . . . p . . . . . .
        3  . P . . . n . . . .
        2  . P* . P* . P* . . . .
        1  . . . . . K . . . .
    """)
    assert goals(drawn, "a2") == set()
    assert goals(drawn, "c2") == {"c3"}
    assert goals(drawn, "e2") == set()
    assert refused(drawn, "c2c4").args == {"field": "c4"}
    assert refused(drawn, "e2e4").args == {"field": "e3"}


@pytest.mark.parametrize(
    ("row", "origin", "to", "side"),
    [("7  P . . . . . . . . .", "o7", "o8", "w"), ("2  . . . . . . . . . p", "i2", "i1", "b")],
)
def test_promotion_on_the_last_row_is_at_once_and_unmoved(row: str, origin: str, to: str, side: str) -> None:
    """Queen, rook, bishop or knight, as one chooses; the new piece counts as unmoved."""
    drawn = board(PAWN.format(row), side)
    assert refused(drawn, origin + to).args["reason"] == "promotion_missing"
    assert refused(drawn, f"{'e1e2' if side == 'w' else 'e8e7'}q").args["reason"] == "promotion_not_due"
    for letter, kind in zip(
        "qrbn", (PieceKind.QUEEN, PieceKind.ROOK, PieceKind.BISHOP, PieceKind.KNIGHT), strict=True
    ):
        stepped = play(drawn, origin + to + letter)
        assert stepped.piece_at(at(to)) == Piece(Side(side), kind, moved=False)


def test_promotion_by_a_two_step_gives_no_en_passant_right() -> None:
    """An unmoved pawn thrown onto row 6 may go to row 8 at once."""
    drawn = board(PAWN.format("6  . . . P* . . . . . ."))
    stepped = play(drawn, "c6c8n")
    assert stepped.ep == NO_FIELD
    assert stepped.piece_at(at("c8")) == Piece(Side.WHITE, PieceKind.KNIGHT, moved=False)


def test_promotion_by_a_capture() -> None:
    """A pawn takes over the seam onto its last row: i7 takes h8; on o8 it would be its last row too."""
    drawn = board("""
        8  r . . . . k . . n .
        7  . . . . . . . . . P
        1  . . . . . K . . . .
    """)
    assert {m.promotion for m in legal_moves(drawn) if m.to == "h8"} == set("qrbn")


def test_a_pawn_over_the_seam_onto_the_far_first_row_does_not_promote() -> None:
    """o7xi1 and i7xo1 by White: no promotion, and the pawn goes on from row 1, having moved."""
    drawn = board("""
        8  . . . . . k . . . .
        7  P . . . . . . . . P
        4  . . . . . K . . . .
        1  n . . . . . . . . n
    """)
    stepped = play(drawn, "o7i1")
    assert stepped.piece_at(at("i1")) == Piece(Side.WHITE, PieceKind.PAWN, moved=True)
    assert goals(play(stepped, "e8d8"), "i1") == {"i2"}
    assert refused(drawn, "o7i1q").args["reason"] == "promotion_not_due"
    assert play(drawn, "i7o1").piece_at(at("o1")) == Piece(Side.WHITE, PieceKind.PAWN, moved=True)


def test_a_pawn_over_the_seam_goes_on_to_row_eight() -> None:
    """A white pawn that captures from i2 to o6 goes on to o7 and o8."""
    drawn = board("""
        8  . . . . . k . . . .
        6  n . . . . . . . . .
        2  . . . . . . . . . P
        1  . . . . . K . . . .
    """)
    stepped = play(drawn, "i2o6 e8d8 o6o7 d8e8 o7o8q")
    assert stepped.piece_at(at("o8")) == Piece(Side.WHITE, PieceKind.QUEEN, moved=False)


def test_pawns_do_not_go_back_or_aside() -> None:
    """Every other step is no move of a pawn."""
    drawn = board(PAWN.format("3  . . . P . . . . . ."))
    for text in ("c3c2", "c3b3", "c3d4", "c3c6", "c3c5"):
        assert refused(drawn, text).code == "not_a_move"
    assert move("c3c4") in legal_moves(drawn, SILENT)
