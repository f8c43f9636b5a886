"""What a legal move does besides moving its piece: which field loses a piece, which rook castles (rules 4, 5)."""

from __future__ import annotations

from scharten.games.scharten.board import Field, Kind, line_of
from scharten.games.scharten.geometry import KING_STEPS, LINE_PATHS, PAWN_FORWARD, ring_paths
from scharten.games.scharten.moves import Move
from scharten.games.scharten.position import Position


def captured_field(position: Position, move: Move) -> Field | None:
    """The field whose piece this move takes: its goal, or beside it for en passant; None if it takes nothing."""
    if position.piece_at(move.to) is not None:
        return move.to
    if not is_en_passant(position, move):
        return None
    return PAWN_FORWARD[position.side.other][move.to]


def is_en_passant(position: Position, move: Move) -> bool:
    """Whether this legal move captures en passant."""
    moved = position.piece_at(move.origin)
    is_pawn = moved is not None and moved.kind is Kind.PAWN
    return is_pawn and move.to == position.ep and line_of(move.origin) != line_of(move.to)


def castling_rook(position: Position, move: Move) -> Field | None:
    """The field of the rook that castles with this king's move of two fields; None if it is no castling."""
    moved = position.piece_at(move.origin)
    if moved is None or moved.kind is not Kind.KING or move.to in KING_STEPS[move.origin]:
        return None
    for path in (*ring_paths(move.origin), *LINE_PATHS[move.origin]):
        if len(path) > 2 and path[1] == move.to:
            return next((field for field in path[2:] if position.piece_at(field) is not None), None)
    return None
