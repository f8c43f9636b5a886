"""A modest player of any game, by its protocol alone: alpha-beta over legal turns, with a count of men."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import numpy as np

from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem
from scharten.game.basics import Action, End, LostDart, Move, Side, move_from_text
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Situation
from scharten.play.throwing import ThrowModel

WORTH: Final = {"P": 100, "N": 300, "B": 300, "R": 500, "Q": 900, "K": 0}
"""The worth by the letter of a man; other letters count 200."""
WON: Final = 1_000_000


class OverError(Exception):
    """The time for this turn is over."""


class AnyGamePlayer:
    """A player that looks a few turns ahead."""

    def __init__(self, game: AnyGame, options: GameOptions, over: Callable[[], bool]) -> None:
        self.nodes = 0
        self._game, self._options, self._over = game, options, over

    def best_move(self, position: Any, depth: int, error: Callable[[], float]) -> str | None:
        """Return the best move found in time, as text; `error` gives the error of each move's value."""
        situation = self._game.situation(position, self._options)
        errors = {move: error() for move in situation.moves}
        best: str | None = next(iter(situation.moves), None)
        listed = list(situation.moves)
        try:
            for deeper in range(1, depth + 1):
                values = {}
                for move in listed:
                    played = self._play(position, move_from_text(move))
                    if played is not None:
                        values[move] = -self._value(*played, deeper - 1, -2 * WON, 2 * WON) + errors[move]
                listed = sorted(values, key=lambda move: -values[move])
                best = listed[0] if listed else best
        except OverError:
            pass
        return best

    def _play(self, position: Any, action: Action) -> tuple[Any, End | None] | None:
        played = self._game.play(position, action, self._options)
        return None if isinstance(played, Problem) else (played.position, played.end)

    def _value(self, position: Any, end: End | None, depth: int, alpha: float, beta: float) -> float:
        self.nodes += 1
        if self._over():
            raise OverError
        situation = self._game.situation(position, self._options)
        ended = end or situation.end
        if ended is not None:
            if ended.winner is None:
                return 0.0
            return WON + depth if ended.winner is situation.side else -WON - depth
        if depth == 0 or not situation.moves:
            return self._count(position, situation)
        best = -2.0 * WON
        for move in situation.moves:
            played = self._play(position, move_from_text(move))
            if played is None:
                continue
            best = max(best, -self._value(*played, depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def _count(self, position: Any, situation: Situation) -> float:
        """Return the value of men and freedom for the side to move."""
        total = 0.0
        for field in self._game.layout.fields:
            man = self._game.man_at(position, field)
            if man is not None:
                worth = WORTH.get(man.letter, 200)
                total += worth if man.side is situation.side else -worth
        return total + 2 * len(situation.moves)


def dart_point(
    game: AnyGame,
    position: Any,
    options: GameOptions,
    model: ThrowModel,
    *,
    white_sits_at: int,
    move: Move | None = None,
    side: Side | None = None,
) -> tuple[float, float]:
    """Return the aim with the highest chance of a dart that is not lost."""
    throws = game.throws
    worth = np.zeros(len(ALL_BEDS))
    if throws is not None:
        for index, bed in enumerate(ALL_BEDS):
            found = throws.effect(position, options, bed, white_sits_at, aim=move, side=side)
            worth[index] = not isinstance(found.action, LostDart)
    return model.best(worth)[0]
