"""A player of any game beside Scharten: alpha-beta over legal moves, then over captures, with a static value."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np

from scharten.dartboard.beds import ALL_BEDS
from scharten.game.basics import LostDart, Move, Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.play.evaluate import MATE
from scharten.play.square_view import View, view_of
from scharten.play.throwing import ThrowModel

FAR: Final = 2 * MATE
_QUIET_PLIES: Final = 8
_MARGIN: Final = 150
"""The most that the static value changes by a quiet reply."""
_EXACT, _LEAST, _MOST = range(3)


class OverError(Exception):
    """The time for this turn is over."""


class Known(NamedTuple):
    """A known position: depth, value, whether it is exact or a bound, and the best move."""

    depth: int
    value: int
    bound: int
    best: str


class Choice(NamedTuple):
    """A chosen move with its value for the side that moves, and the depth of the search in turns."""

    move: str
    value: int
    depth: int


class AnyGamePlayer:
    """One turn's search; `nodes` counts positions. `most` positions end it after the complete first depth."""

    def __init__(
        self,
        game: AnyGame,
        options: GameOptions,
        over: Callable[[], bool],
        seen: frozenset[Hashable] = frozenset(),
        most: int | None = None,
    ) -> None:
        """Count a return to a position of `seen` as a draw."""
        self.nodes = 0
        self._view: View = view_of(game, options)
        self._over, self._seen, self._most = over, seen, most
        self._limited = False
        self._path: list[Hashable] = []
        self._table: dict[Hashable, Known] = {}

    def best_move(self, position: Any, depth: int, error: Callable[[], float]) -> Choice | None:
        """Return the best move found in time, None without one; `error` gives the error of each move's value."""
        moves = self._ordered(position, self._view.moves(position), "")
        if not moves:
            return None
        errors = {move: round(error()) for move in moves}
        root = self._view.key(position)
        self._seen -= {root}
        best = Choice(moves[0], 0, 0)
        try:
            for deeper in range(1, depth + 1):
                self._limited = deeper > 1
                self._path = [root]
                partly: Choice | None = None
                for choice in self._looked(position, moves, deeper, errors):
                    partly = best = choice
                assert partly is not None
                moves = [best.move, *(move for move in moves if move != best.move)]
                if len(moves) == 1 or abs(best.value) > MATE // 2:
                    break
        except OverError:
            pass
        return best

    def _looked(
        self, position: Any, moves: Sequence[str], depth: int, errors: dict[str, int]
    ) -> Iterator[Choice]:
        """Yield each move that is better than those before it."""
        most = -FAR
        for move in moves:
            floor = -FAR if most == -FAR else most - max(errors[move], 0)
            value = -self._value(self._view.play_move(position, move), depth - 1, -FAR, -floor, 1)
            judged = value if abs(value) > MATE // 2 else value + errors[move]  # every level sees a mate
            if judged > most:
                most = judged
                yield Choice(move, value, depth)

    def _value(self, position: Any, depth: int, alpha: int, beta: int, ply: int) -> int:
        self._count()
        view = self._view
        key = view.key(position)
        if key in self._seen or key in self._path:
            return 0
        known = self._table.get(key)
        if known is not None and known.depth >= depth and _settles(known, alpha, beta):
            return known.value
        if (depth > 0 or ply == 1) and (ended := view.end(position)) is not None:
            return ended * (MATE - ply)
        if depth <= 0:
            return self._quiet(position, alpha, beta, ply, _QUIET_PLIES)
        best, best_move, floor = -FAR, "", alpha
        self._path.append(key)
        try:
            for move in self._ordered(position, view.moves(position), known.best if known else ""):
                value = -self._value(view.play_move(position, move), depth - 1, -beta, -alpha, ply + 1)
                if value > best:
                    best, best_move = value, move
                    alpha = max(alpha, value)
                    if alpha >= beta:
                        break
        finally:
            self._path.pop()
        if abs(best) < MATE // 2:  # the turns until a mate depend on the way
            bound = _LEAST if best >= beta else _EXACT if best > floor else _MOST
            self._table[key] = Known(depth, best, bound, best_move)
        return best

    def _quiet(self, position: Any, alpha: int, beta: int, ply: int, plies: int) -> int:
        """Return the value after captures, and after every answer to a check."""
        view = self._view
        checked = view.in_check(position)
        if checked:
            ended = view.end(position)
            if ended is not None:
                return ended * (MATE - ply)
            if plies <= 0:
                return view.worth(position)
            best, moves = -FAR, view.moves(position)
        else:
            best = view.worth(position)
            if best >= beta or plies <= 0:
                return best
            alpha, moves = max(alpha, best), view.captures(position)
        stand = best
        for move in self._ordered(position, moves, ""):
            if not checked and stand + view.gain(position, move) + _MARGIN < alpha:
                continue
            self._count()
            value = -self._quiet(view.play_move(position, move), -beta, -alpha, ply + 1, plies - 1)
            if value > best:
                best = value
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
        return best

    def _ordered(self, position: Any, moves: Sequence[str], first: str) -> list[str]:
        gain = self._view.gain
        return sorted(moves, key=lambda move: -FAR if move == first else -gain(position, move))

    def _count(self) -> None:
        self.nodes += 1
        if self._limited and self._most is not None and self.nodes > self._most:
            raise OverError
        if self._over():
            raise OverError


def _settles(known: Known, alpha: int, beta: int) -> bool:
    """Return whether an entry decides within this window."""
    if known.bound == _EXACT:
        return True
    return known.value >= beta if known.bound == _LEAST else known.value <= alpha


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
