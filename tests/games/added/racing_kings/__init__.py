"""Racing Kings, as a package of somebody else adds it: the first king on row 8 wins, and no move may give check.

If White's king arrives first, Black draws by reaching row 8 with the next move.
"""

from __future__ import annotations

from typing import Final

import chess
from chess.variant import RacingKingsBoard

from scharten.errors import Problem
from scharten.game.basics import Move
from scharten.games.chess import Chess
from scharten.games.chess_position import Position
from scharten.games.loud import SquareOptions
from scharten.games.square_game import Why
from scharten.games.squares import wrong


class RacingKings(Chess):
    """The game of python-chess, with its own refusal of moves and positions with a check."""

    key = "racing_kings"
    men = "KQRBN"
    board_type = RacingKingsBoard
    pgn_variants = frozenset({"racing kings", "racingkings"})

    def impossible(self, board: chess.Board) -> Problem | None:
        """Refuse pawns and checks besides what chess refuses."""
        if board.pawns or board.is_check():
            return wrong("race", "Racing Kings has no pawns and no check", "PIECES")
        return super().impossible(board)

    def why_not(self, position: Position, move: Move, options: SquareOptions) -> Why:
        """Name a check that the move would give."""
        given = chess.Move.from_uci(move.text)
        if chess.Board.is_legal(position.board, given):
            return "not_a_move", {"reason": "gives_check", "field": move.to}
        return super().why_not(position, move, options)


RACING_KINGS: Final = RacingKings()
