"""Rules 2, pieces and opening positions (§2, §3, §4)."""

from __future__ import annotations

from collections import Counter

from games.scharten.asking import at
from games.scharten.boards import LOUD, SILENT, board
from scharten.game.basics import Side
from scharten.games.scharten.board import Kind
from scharten.games.scharten.position import initial_position, next_kind, to_throw


def test_the_silent_opening_drawn() -> None:
    """Double ring R N B Q K Q B N R on a to i, pawns in front, the o-line empty; everything unmoved."""
    assert initial_position(SILENT) == board("""
        8  . r* n* b* q* k* q* b* n* r*
        7  . p* p* p* p* p* p* p* p* p*
        2  . P* P* P* P* P* P* P* P* P*
        1  . R* N* B* Q* K* Q* B* N* R*
    """)


def test_each_side_has_eighteen_pieces() -> None:
    """One king, two of each officer, nine pawns."""
    held = Counter((p.side, p.kind) for p in initial_position(SILENT).board if p)
    for side in Side:
        assert held[side, Kind.KING] == 1
        assert held[side, Kind.PAWN] == 9
        assert all(held[side, kind] == 2 for kind in (Kind.QUEEN, Kind.ROOK, Kind.BISHOP, Kind.KNIGHT))


def test_the_loud_opening_has_only_the_kings() -> None:
    """Kings on e1 and e8, seventeen pieces to throw for each side, pawns first."""
    opening = initial_position(LOUD)
    assert [opening.king(side) for side in Side] == [at("e1"), at("e8")]
    assert sum(p is not None for p in opening.board) == 2
    assert [to_throw(opening, side) for side in Side] == [17, 17]


def test_the_order_of_the_throws() -> None:
    """Nine pawns, two knights, two bishops, two rooks, two queens, then nothing."""
    order = []
    for placed in range(18):
        drawn = board("8 . . . . . k . . . .\n1 . . . . . K . . . .", options=LOUD, placed=f"{placed}/3")
        kind = next_kind(drawn, Side.WHITE)
        order.append(kind.value if kind else "-")
        assert next_kind(drawn, Side.BLACK) is Kind.PAWN
    assert "".join(order) == "PPPPPPPPPNNBBRRQQ-"
