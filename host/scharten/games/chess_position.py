"""A position of chess or of a variant on the board of python-chess: its moves, its end and its text."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import chess

from scharten.game.basics import End, PerSide, Reason, Side
from scharten.games.loud import NO_FOULS
from scharten.games.square_game import Judged
from scharten.games.squares import Grid

GRID: Final = Grid("abcdefgh", 8, chequered=True)


@dataclass(frozen=True)
class Position:
    """A board of python-chess, which must not change, and lost darts in a row."""

    board: chess.Board
    fouls: PerSide = NO_FOULS

    @property
    def side(self) -> Side:
        """The side to move."""
        return Side.WHITE if self.board.turn else Side.BLACK

    @property
    def number(self) -> int:
        """The move number."""
        return self.board.fullmove_number

    @cached_property
    def moves(self) -> dict[str, chess.Move]:
        """The legal moves by their coordinates."""
        return {move.uci(): move for move in self.board.legal_moves}

    @cached_property
    def epd(self) -> str:
        """Men, side to move, castling rights, and en passant where it is legal."""
        board = self.board
        if type(board) is not chess.Board:  # a variant may write more
            return board.epd()
        side = "w" if board.turn else "b"
        passing = chess.SQUARE_NAMES[board.ep_square or 0] if board.has_legal_en_passant() else "-"
        return f"{_men(board)} {side} {board.castling_xfen()} {passing}"

    @cached_property
    def judged(self) -> Judged:
        """Mate, stalemate, a dead position, a variant's own end, or the moves."""
        board, side = self.board, self.side
        if board.is_variant_end():
            winner = side if board.is_variant_win() else side.other if board.is_variant_loss() else None
            return Judged((), state="goal", end=End(winner, Reason.GOAL))
        king = board.king(board.turn)
        if king is None:
            return Judged((), state="drawing")
        check = (GRID.names[king],) if board.is_check() else ()
        moves = tuple(self.moves)
        if not moves and check:
            return Judged((), check, "checkmate", End(side.other, Reason.CHECKMATE))
        if not moves:
            return Judged((), state="stalemate", end=End(None, Reason.STALEMATE))
        if board.is_insufficient_material():
            return Judged((), check, "dead", End(None, Reason.DEAD_POSITION))
        return Judged(moves, check)

    @cached_property
    def successors(self) -> dict[tuple[str, PerSide], Position]:
        """The position after the last move that was tried: play and notation ask for the same."""
        return {}

    def played(self, move: chess.Move) -> chess.Board:
        """Return the board after a move; a null move is a lost turn."""
        board = self.board.copy(stack=False)
        board.push(move)
        return board


def _men(board: chess.Board) -> str:
    """Return the men as a FEN lists them; python-chess asks for each square's man, which takes several times longer."""
    rows = bytearray(_EMPTY_ROWS)
    for letter, men in zip(b"pnbrqk", _masks(board), strict=True):
        for square in chess.scan_forward(men):
            rows[_PLACES[square]] = letter
    for square in chess.scan_forward(board.occupied_co[chess.WHITE]):
        rows[_PLACES[square]] -= 32  # a capital
    text = rows.decode()
    for run in _EMPTY_RUNS:
        text = text.replace(run, str(len(run)))
    return text


def _masks(board: chess.Board) -> tuple[int, ...]:
    return board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings


_EMPTY_ROWS = b"/".join([b"1" * 8] * 8)
_EMPTY_RUNS = tuple("1" * length for length in range(8, 1, -1))
_PLACES = tuple((7 - chess.square_rank(square)) * 9 + chess.square_file(square) for square in chess.SQUARES)
"""The index of each square in the rows of a FEN."""


def leaves(board: chess.Board, depth: int) -> int:
    """Count the leaves after `depth` turns; a dead position or a variant's end has none."""
    if depth == 0:
        return 1
    if board.is_insufficient_material() or board.is_variant_end():
        return 0
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += leaves(board, depth - 1)
        board.pop()
    return total
