"""Rules 2, pieces and opening positions (§2, §3, §4)."""

from __future__ import annotations

from collections import Counter

from games.scharten.asking import at
from games.scharten.boards import LOUD, SILENT, board, opening_of
from scharten.game.basics import Side
from scharten.games.scharten.board import FIELDS, PieceKind


def test_the_silent_opening_drawn() -> None:
    """Double ring R N B Q K Q B N R on a to i, pawns in front, the o-line empty; everything unmoved."""
    assert opening_of(SILENT) == board("""
        8  . r* n* b* q* k* q* b* n* r*
        7  . p* p* p* p* p* p* p* p* p*
        2  . P* P* P* P* P* P* P* P* P*
        1  . R* N* B* Q* K* Q* B* N* R*
    """)


def test_each_side_has_eighteen_pieces() -> None:
    """One king, two of each officer, nine pawns."""
    opening = opening_of(SILENT)
    held = Counter((p.side, p.kind) for field in FIELDS if (p := opening.piece_at(field)))
    for side in Side:
        assert held[side, PieceKind.KING] == 1
        assert held[side, PieceKind.PAWN] == 9
        assert all(
            held[side, kind] == 2
            for kind in (PieceKind.QUEEN, PieceKind.ROOK, PieceKind.BISHOP, PieceKind.KNIGHT)
        )


def test_the_loud_opening_has_only_the_kings() -> None:
    """Kings on e1 and e8, seventeen pieces to throw for each side, pawns first."""
    opening = opening_of(LOUD)
    assert [opening.king(side) for side in Side] == [at("e1"), at("e8")]
    assert opening.occupied.bit_count() == 2
    assert [opening.to_throw(side) for side in Side] == [17, 17]


def test_the_order_of_the_throws() -> None:
    """Nine pawns, two knights, two bishops, two rooks, two queens, then nothing."""
    order = []
    for placed in range(18):
        drawn = board("8 . . . . . k . . . .\n1 . . . . . K . . . .", options=LOUD, placed=f"{placed}/3")
        kind = drawn.next_kind(Side.WHITE)
        order.append(kind.value if kind else "-")
        assert drawn.next_kind(Side.BLACK) is PieceKind.PAWN
    assert "".join(order) == "PPPPPPPPPNNBBRRQQ-"
