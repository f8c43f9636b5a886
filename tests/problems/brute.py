"""Another solver, for comparison: no tables, no order of turns, and the rules through the games' protocol."""

from __future__ import annotations

from typing import Any

import chess

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, FieldName, Reason, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame


class Brute:
    """All turns of a game with options, tried one after the other."""

    def __init__(self, game: AnyGame, options: GameOptions) -> None:
        self.game, self.options = game, options

    def turns(self, position: Any) -> list[tuple[str, Any]]:
        """Every turn with the position after it."""
        situation = self.game.situation(position, self.options)
        actions: list[Action] = [move_from_text(move) for move in situation.moves]
        actions += [Drop(FieldName(field)) for field in situation.drops]
        if situation.forced is not None:
            actions.append(situation.forced)
        if situation.end is not None:
            return []
        found = []
        for action in actions:
            played = self.game.play(position, action, self.options)
            assert not isinstance(played, Problem)
            found.append((action.text, played.position))
        return found

    def mated(self, position: Any) -> bool:
        """Whether the side to move is mated."""
        end = self.game.situation(position, self.options).end
        return end is not None and end.reason is Reason.CHECKMATE

    def wins(self, position: Any) -> bool:
        """Whether the game is over, won by the side that is not to move."""
        situation = self.game.situation(position, self.options)
        return situation.end is not None and situation.end.winner is situation.side.other

    def forcing(self, position: Any, moves: int, *, any_win: bool = False) -> list[str]:
        """The turns that force the end within this number of turns."""
        return [turn for turn, child in self.turns(position) if self._beaten(child, moves, any_win)]

    def saving(self, position: Any, moves: int) -> list[str]:
        """The turns after which the other side cannot force its win."""
        kept = []
        for turn, child in self.turns(position):
            situation = self.game.situation(child, self.options)
            lost = situation.end is not None and situation.end.winner is situation.side
            if not lost and not self.forcing(child, moves, any_win=True):
                kept.append(turn)
        return kept

    def _beaten(self, position: Any, moves: int, any_win: bool) -> bool:
        if self.wins(position) if any_win else self.mated(position):
            return True
        answers = self.turns(position)
        if moves == 1 or not answers:
            return False
        return all(
            any(self._beaten(child, moves - 1, any_win) for _, child in self.turns(reached))
            for _, reached in answers
        )


def chess_mates(board: chess.Board, moves: int) -> list[str]:
    """The keys of a mate by python-chess alone."""
    found = []
    for move in list(board.legal_moves):
        board.push(move)
        if _mated_within(board, moves):
            found.append(move.uci())
        board.pop()
    return found


def _mated_within(board: chess.Board, moves: int) -> bool:
    if board.is_checkmate():
        return True
    if moves == 1 or not any(board.legal_moves):
        return False
    for answer in list(board.legal_moves):
        board.push(answer)
        mates = bool(_first_mate(board, moves - 1))
        board.pop()
        if not mates:
            return False
    return True


def _first_mate(board: chess.Board, moves: int) -> bool:
    for move in list(board.legal_moves):
        board.push(move)
        mates = _mated_within(board, moves)
        board.pop()
        if mates:
            return True
    return False
