"""Fischer Random: chess from a drawn first row, with castling from wherever king and rook stood (games 3)."""

from __future__ import annotations

from typing import Annotated, Final, Literal

import chess
from pydantic import AfterValidator, Field, model_validator

from scharten.game.basics import FieldName
from scharten.game.options import GameOptions
from scharten.games.chess import GRID, Chess, Position, castling_why
from scharten.games.draw import CLASSICAL, row_of
from scharten.games.loud import SquareOptions
from scharten.games.square_game import Why


def _not_classical(number: int | None) -> int | None:
    if number == CLASSICAL:
        raise ValueError(f"{CLASSICAL} is the classical position, which Fischer Random excludes")
    return number


class Options(SquareOptions):
    """How the opening is found, and the agreed number for `number`."""

    opening_by: Literal["lot", "dice", "darts", "number"] = "lot"
    opening_number: Annotated[Annotated[int, Field(ge=0, le=959)] | None, AfterValidator(_not_classical)] = (
        None
    )

    @model_validator(mode="after")
    def _agreed(self) -> Options:
        if (self.opening_by == "number") is (self.opening_number is None):
            raise ValueError("opening_number belongs to opening_by = number, and to nothing else")
        return self


class FischerRandom(Chess):
    """The game of games.md 3, silent or loud."""

    key = "fischer_random"
    options_model = Options
    random = True

    def begin(self, options: GameOptions) -> Position:
        """The agreed opening; before the draw only the pawns stand."""
        if isinstance(options, Options) and options.opening_number is not None:
            return self.opening(options.opening_number)
        return self.partly(())

    def opening(self, number: int) -> Position:
        """The opening of a number, 0 to 959."""
        return Position(chess.Board.from_chess960_pos(number))

    def partly(self, choices: tuple[int, ...]) -> Position:
        """The men that the steps of a draw have placed so far: nothing that can be played."""
        board = chess.Board(None, chess960=True)
        rows = (
            (True, "P" * 8, 1),
            (False, "p" * 8, 6),
            (True, row_of(choices), 0),
            (False, row_of(choices), 7),
        )
        for colour, letters, rank in rows:
            for file, letter in enumerate(letters):
                if letter:
                    kind = chess.PIECE_SYMBOLS.index(letter.lower())
                    board.set_piece_at(chess.square(file, rank), chess.Piece(kind, colour))
        return Position(board)

    def _castling(self, position: Position, origin: int, to: int) -> Why | None:
        """Why a king does not castle with the own rook that the move names."""
        board = position.board
        own_rook = board.piece_at(to) == chess.Piece(chess.ROOK, board.turn)
        return castling_why(board, origin, to) if own_rook and origin == board.king(board.turn) else None

    def _rook(self, castling: chess.Move) -> FieldName:
        return GRID.names[castling.to_square]


FISCHER_RANDOM: Final = FischerRandom()
