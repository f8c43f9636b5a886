"""Rules 7, the end of the game as far as the board decides it (§8, §12), and when two positions are the same."""

from __future__ import annotations

from itertools import product

import pytest

from games.scharten.asking import at, in_check, legal_drops, legal_moves, play, state, status, under
from games.scharten.boards import LOUD, SILENT, board, game_options
from scharten.game.basics import Side
from scharten.games.scharten.board import FIELDS, Piece, PieceKind
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_lost_dart, place_pieces
from scharten.games.scharten.status import same_position_key
from scharten.games.scharten.turns import turns_of

SILENT_PROTECTED = game_options(protection="until_moved")
KINGS = "8 . . . . . k . . . .\n1 . . . . . K . . . .\n"


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ("", "dead"),
        ("2 . . B . . . . . . .", "dead"),
        ("7 . . n . . . . . . .", "dead"),
        ("2 . . B . . . . n . .", "ongoing"),
        ("2 . . N . . N . . . .", "ongoing"),
        ("2 . . P . . . . . . .", "ongoing"),
        ("2 . . R . . . . . . .", "ongoing"),
        ("7 . . q . . . . . . .", "ongoing"),
    ],
)
def test_the_dead_positions(row: str, expected: str) -> None:
    """King v king, and one bishop or knight at most; a dead position has no turns."""
    drawn = board(KINGS + row)
    assert state(drawn) == expected
    assert bool(legal_moves(drawn, SILENT)) == (expected == "ongoing")


def test_nothing_is_dead_while_pieces_are_left_to_throw() -> None:
    """Not even when only the other side has some left."""
    for placed, expected in (("17/17", "dead"), ("17/16", "ongoing"), ("0/17", "ongoing")):
        drawn = board(KINGS, options=LOUD, placed=placed)
        assert state(drawn, LOUD) == expected


@pytest.mark.long
@pytest.mark.parametrize("kind", [PieceKind.BISHOP, PieceKind.KNIGHT])
def test_bare_material_can_neither_mate_nor_stalemate(kind: PieceKind) -> None:
    """Counted out: king and bishop or knight against a king on each of the four rings (turning the board adds none)."""
    found = set()
    for king, enemy, third in product(("e1", "e2", "e3", "e4"), FIELDS, FIELDS):
        held: list[Piece | None] = [None] * len(FIELDS)
        held[third], held[enemy] = Piece(Side.WHITE, kind, True), Piece(Side.WHITE, PieceKind.KING, True)
        held[at(king)] = Piece(Side.BLACK, PieceKind.KING, True)
        position = place_pieces(rules_of(SILENT), tuple(held), Side.BLACK)
        kings_in_place = sum(p is not None for p in held) == 3
        if kings_in_place and turns_of(position).stuck and not in_check(position, Side.WHITE, SILENT):
            found.add(position)
    assert not found


def test_checkmate_goes_before_everything() -> None:
    """The mate of figure 4 with nothing but the rook left."""
    found = status(board("1  . . . . . K k R . .", "b"), SILENT)
    assert str(found) == "check=1 moves=0 placements=0 state=checkmate"


def test_stalemate_without_pieces_to_throw() -> None:
    """Not in check and no legal move; in a loud game with all pieces placed it is stalemate too."""
    drawing = """
        8  . . . . N k N . . .
        7  . . . . . B . P . .
        6  . . . K P . . . . .
        5  . P . . . . . . . .
    """
    assert state(board(drawing, "b")) == "stalemate"
    assert state(board(drawing, "b", LOUD, placed="12/17"), LOUD) == "stalemate"
    assert legal_drops(board(drawing, "b", LOUD, placed="12/16"), LOUD)


def is_same(position: Position, other: Position, options: Options = SILENT) -> bool:
    """Return whether these count as the same position."""
    return same_position_key(under(position, options)) == same_position_key(under(other, options))


def test_the_same_position_after_knights_have_come_back() -> None:
    """Pieces and side to move count, clocks and move number do not."""
    first = play(board("8 . . n . . k . . . .\n2 . . . . . P . . . .\n1 . . N . . K . . . ."), "b1c3 b8c6")
    repeated = play(first, "c3b1 c6b8 b1c3 b8c6")
    assert first != repeated
    assert is_same(first, repeated)
    assert not is_same(first, play(first, "c3b1"))


def test_a_lost_castling_right_makes_another_position() -> None:
    """The king that went away and back has moved; without any rook to castle with, that says nothing."""
    with_rook = board("7 . . . . . k . . . .\n1 . . . . . K* . . R* .")
    assert not is_same(with_rook, play(with_rook, "e1d1 e7d7 d1e1 d7e7"))
    without = board("7 . . . . . k . . . .\n1 . . . . . K* . . R .")
    assert is_same(without, play(without, "e1d1 e7d7 d1e1 d7e7"))


def test_marks_count_only_where_they_give_a_right() -> None:
    """An unmoved knight: nothing in an unprotected game, protection where that is on; a pawn: its two-step."""
    marked = board(KINGS + "2 . . N* . . . . . P .")
    moved = board(KINGS + "2 . . N . . . . . P .")
    assert is_same(marked, moved)
    assert not is_same(marked, moved, SILENT_PROTECTED)
    pawn = board(KINGS + "2 . . N . . . . . P* .")
    assert not is_same(pawn, moved)
    high, low = (board(KINGS + f"4 . . . . . . . P{mark} . .") for mark in ("*", ""))
    assert not is_same(high, low)
    assert is_same(high, low, game_options(double_step="home_row"))
    last, done = (board(KINGS + f"7 . . . . . . . P{mark} . .") for mark in ("*", ""))
    assert is_same(last, done)


def test_en_passant_counts_only_when_it_can_be_played() -> None:
    """A two-step past nobody leaves the same position; past an enemy pawn another one."""
    lonely = board(KINGS + "4 . . P . . . . . . .", "b", ep="b3")
    assert is_same(lonely, board(KINGS + "4 . . P . . . . . . .", "b"))
    watched = board(KINGS + "4 . . P p . . . . . .", "b", ep="b3")
    assert not is_same(watched, board(KINGS + "4 . . P p . . . . . .", "b"))


def test_pieces_to_throw_and_lost_darts_count() -> None:
    """PLACED and FOULS belong to the position (§8)."""
    first = board(KINGS, options=LOUD, placed="3/3")
    assert not is_same(first, board(KINGS, options=LOUD, placed="3/4"), LOUD)
    lost = after_lost_dart(after_lost_dart(first))
    assert not is_same(first, lost, LOUD)
