"""A player whose moves a chess engine chooses; its hand throws with the scatter of its level."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, Final

import chess

from scharten.game.basics import Move, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.games.chess import Chess
from scharten.opponent.uci import EngineMove, UciEngine
from scharten.play.player import Intent, Mind

_LETTERS: Final = str.maketrans("EGeg", "BQbq")
"""The letters of an elephant and a general, as engines write them."""


class ShatranjBoard(chess.Board):
    """A position of Shatranj for an engine; python-chess does not know its moves, so that the referee judges them."""

    uci_variant = "shatranj"

    def is_legal(self, move: chess.Move) -> bool:
        """Accept a move from any occupied square."""
        return bool(self.occupied & chess.BB_SQUARES[move.from_square])


class EngineMind(Mind):
    """Asks the engine for each move. Where the engine holds the game to be over, the built-in player chooses."""

    def __init__(self, *given: Any, engine: UciEngine, **named: Any) -> None:
        """Take the arguments of `Mind`, and the engine."""
        super().__init__(*given, **named)
        self._engine = engine
        self._board: chess.Board | None = None

    def notice(self, position: Any) -> None:
        """Remember a position, and the moves since the last one, by which an engine finds repetitions."""
        super().notice(position)
        self._board = self._followed(position)

    def think(
        self,
        position: Any,
        seconds: float,
        clock: Callable[[], float],
        seen: frozenset[Hashable] = frozenset(),
        began: float | None = None,
    ) -> Intent | None:
        """Return the engine's move, legal or not; `EngineProblem` where it does not answer."""
        self._board = board = self._followed(position)
        found = self._engine.move(board, seconds, id(self))
        if found is None:
            return super().think(position, seconds, clock, seen, began)
        return Intent(move_of(self._game, found), None, found.value, "")

    def _followed(self, position: Any) -> chess.Board:
        """Return the position as a board, with the moves that led to it if it is one move after the last."""
        if not isinstance(self._game, Chess):
            return engine_board(self._game, self._options, position)
        last, wanted = self._board, position.board.fen()
        if last is None or last.fen() == wanted:
            return last or position.board.copy(stack=False)
        for move in last.legal_moves:
            last.push(move)
            if last.fen() == wanted:
                return last
            last.pop()
        return engine_board(self._game, self._options, position)


def engine_board(game: AnyGame, options: GameOptions, position: Any) -> chess.Board:
    """Return a position for an engine, without the moves that led to it."""
    if isinstance(game, Chess):
        board: chess.Board = position.board.copy(stack=False)
        return board
    pieces, side, clock, number = game.situation(position, options).text.split()[:4]
    return ShatranjBoard(f"{pieces.translate(_LETTERS)} {side} - - {clock} {number}")


def move_of(game: AnyGame, found: EngineMove) -> Move:
    """Return an engine's move as this game writes it; Shatranj's pawns have no choice of promotion."""
    return move_from_text(found.move if isinstance(game, Chess) else found.move[:4])
