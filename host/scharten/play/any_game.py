"""A modest player of any game, by its protocol alone: alpha-beta over legal turns, men counted."""

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
"""By the letter of a man; one that is not here counts as 200."""
WON: Final = 1_000_000


class OverError(Exception):
    """The time for this turn is over."""


class AnyGamePlayer:
    """Looks a few turns ahead in a game that it knows only by its protocol."""

    def __init__(self, game: AnyGame, options: GameOptions, over: Callable[[], bool]) -> None:
        self.nodes = 0
        self._game, self._options, self._over = game, options, over

    def best_move(self, position: Any, depth: int, error: Callable[[], float]) -> str | None:
        """The best move that was found in time, as text; each value is off by what `error` gives."""
        situation = self._game.situation(position, self._options)
        errors = {move: error() for move in situation.moves}
        best: str | None = next(iter(situation.moves), None)
        listed = list(situation.moves)
        try:
            for deeper in range(1, depth + 1):
                values = {}
                for move in listed:
                    after = self._play(position, move_from_text(move))
                    if after is not None:
                        values[move] = -self._value(*after, deeper - 1, -2 * WON, 2 * WON) + errors[move]
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
            after = self._play(position, move_from_text(move))
            if after is None:
                continue
            best = max(best, -self._value(*after, depth - 1, -beta, -alpha))
            alpha = max(alpha, best)
            if alpha >= beta:
                break
        return best

    def _count(self, position: Any, situation: Situation) -> float:
        """Men and freedom, for the side to move."""
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
    """Where a dart is best aimed if every effect but a lost dart is worth the same."""
    throws = game.throws
    worth = np.zeros(len(ALL_BEDS))
    if throws is not None:
        for index, bed in enumerate(ALL_BEDS):
            found = throws.effect(position, options, bed, white_sits_at, aim=move, side=side)
            worth[index] = not isinstance(found.action, LostDart)
    return model.best(worth)[0]
