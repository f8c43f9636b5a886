"""The search of Scharten's turns: alpha-beta with a table of known positions, and an estimate of darts.

Values are those of `evaluate`, for the side to move. The caller gives a function that returns whether the time is over.
Then, or after a number of positions, `OutOfTimeError` ends the search; earlier results still hold.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Final, NamedTuple

from scharten.errors import Problem
from scharten.games.scharten.attacks import in_check, is_dead
from scharten.games.scharten.board import EMPTY, THROW_ORDER, THROWS, P, Q
from scharten.games.scharten.geometry import BIT, FORWARD, LAST, NO_FIELD, PAWN
from scharten.games.scharten.position import Position, after_lost_dart, after_move, after_placement
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.evaluate import (
    AT_STAKE,
    MATE,
    WEIGHTS,
    DartsNeeded,
    Weights,
    evaluate,
    free_singles,
    piece_worth,
    worth_to_come,
)
from scharten.play.tables import MOST_MEN, Tables, probe

Key = tuple[object, ...]
FAR: Final = 2 * MATE
_QUIET_PLIES: Final = 6
"""The depth of the search of captures beyond the normal depth."""
_TABLE: Final = 200_000
"""The most positions in the table; a full table is cleared, so that memory stays bounded."""
_MARGIN: Final = 120
_PROMOTES: Final = tuple(
    sum(
        BIT[at]
        for at in range(80)
        if not BIT[at] & LAST[side] and (PAWN[side][at] | BIT[FORWARD[side][at]]) & LAST[side]
    )
    for side in (0, 1)
)
"""The fields of pawns one step before the last row, by side."""
_BELIEVED: Final = {1: 0.0, 3: 0.8}
"""By ply, the chance (`Darts.ignores`) above which the other side may well throw there.

If it may at ply 3 too, the line of its darts is two turns longer than others, and ends where it answers with a move.
"""
_EXACT, _LEAST, _MOST = range(3)


class OutOfTimeError(Exception):
    """The time for this turn is over."""


class Known(NamedTuple):
    """An entry of the table: depth, value, whether it is exact or a bound, and the best turn."""

    depth: int
    value: int
    bound: int
    best: Turn | None


Likely = tuple[tuple[int, float], ...]
"""Fields that a dart at a side's surest aim hits, the likeliest first, each with its chance."""


class Darts(NamedTuple):
    """Assumptions about later darts: the chance to place a piece, the limits of lost ones, and by side the fields that
    darts hit, and the darts that the pieces to come need.

    `ignores` is the chance that the other side throws and ignores threats.
    """

    chance: float
    limits: tuple[int, int]
    likely: tuple[Likely, Likely] = ((), ())
    needed: tuple[DartsNeeded, DartsNeeded] = ((), ())
    ignores: float = 0.0


NO_DARTS: Final = Darts(0.0, (3, 3))
_SEEN_DARTS: Final = 2
"""Within this many plies of the root a later dart is valued on each of its likeliest fields."""


def key_of(position: Position) -> Key:
    """Return a key that is equal for positions of equal value."""
    darts = (position.placed, position.fouls) if position.rules.loud else None
    return (position.mover, position.sets, position.unmoved, position.ep, darts)


class Search:
    """One player's search, which keeps results for deeper searches; `nodes` counts positions."""

    def __init__(
        self, darts: Darts = NO_DARTS, weights: Weights = WEIGHTS, tables: Tables | None = None
    ) -> None:
        self.nodes = 0
        self.most: int | None = None
        """The most nodes of a search; None for a limit by time alone."""
        self.seen: frozenset[Hashable] = frozenset()
        """Positions of the game so far: a return to one has the value of a draw."""
        self._darts, self._weights, self._tables = darts, weights, tables
        self._worth = piece_worth(weights)
        self._to_come = worth_to_come(weights, darts.needed[0]), worth_to_come(weights, darts.needed[1])
        self._table: dict[Key, Known] = {}
        self._path: list[Key] = []
        self._killers: dict[int, Turn] = {}
        self._history: dict[Turn, int] = {}
        self._over: Callable[[], bool] = lambda: False

    def begin(self, over: Callable[[], bool]) -> None:
        """Begin the search of a turn, until `over` returns True."""
        self._over = over
        self._path.clear()
        self._history.clear()
        if len(self._table) > _TABLE:
            self._table.clear()

    def best_first(self, position: Position, turns: list[Turn]) -> list[Turn]:
        """Return the moves, the most promising first."""
        known = self._table.get(key_of(position))
        return self._ordered(position, turns, known.best if known else None, 0)

    def value_after(self, position: Position, depth: int, alpha: int = -FAR, beta: int = FAR) -> int:
        """Return the value of `position` for the side that has just moved; alpha and beta are for that side too."""
        return -self._value(position, depth, -beta, -alpha, 1)

    def remember(self, position: Position, depth: int, value: int, best: Turn) -> None:
        """Keep a root's best move for the next, deeper search."""
        self._table[key_of(position)] = Known(depth, value, _EXACT, best)

    def _value(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        if depth <= 0:
            return self._quiet(position, alpha, beta, ply, _QUIET_PLIES)
        self._count()
        key = key_of(position)
        if key in self._path or key in self.seen or position.clocks[1] >= 150 or is_dead(position):
            return 0
        exact = self._exactly(position, ply)
        if exact is not None:
            return exact
        throws = position.rules.loud and position.placed[position.mover] < THROWS
        if throws and self._ignores_threats(position, ply):
            self._path.append(key)
            try:
                return self._perhaps_ignored(position, depth, alpha, beta, ply)
            finally:
                self._path.pop()
        known = self._table.get(key)
        if known is not None and known.depth >= depth and _settles(known, alpha, beta):
            return known.value
        turns = Turns(position)
        if turns.stuck and not throws:
            return ply - MATE if turns.checked else 0
        best, best_turn, floor = -FAR, None, alpha
        if throws:
            best = self._dart(position, turns, max(alpha, -MATE), beta, ply)
            alpha = max(alpha, best)
        self._path.append(key)
        try:
            if best < beta:
                first = known.best if known else None
                found = self._moves(position, turns, depth, window=(alpha, beta), ply=ply, first=first)
                best, best_turn = found if found[0] > best else (best, None)
        finally:
            self._path.pop()
        bound = _LEAST if best >= beta else _EXACT if best > floor else _MOST
        self._table[key] = Known(depth, best, bound, best_turn)
        return best

    def _ignores_threats(self, position: Position, ply: int) -> bool:
        """Return whether the other side may throw here and ignore threats: likely enough, unless it risks its game."""
        side, limits = position.mover, self._darts.limits
        believed = self._darts.ignores > _BELIEVED.get(ply, 1.0)
        return believed and position.fouls[side] + 1 < limits[side] and not in_check(position, side)

    def _perhaps_ignored(self, position: Position, depth: int, alpha: int, beta: int, ply: int) -> int:
        """Return the mean of a dart and of the best answer. The dart gains a piece, wherever, and passes the turn."""
        share = self._darts.ignores
        foul = self._weights.foul * (2 * position.fouls[position.mover] + 1)
        gain = round(self._darts.chance * (self._placing_gain(position) + foul))
        later = depth + 1 if ply == 1 and share > _BELIEVED[3] else depth - 1
        thrown = gain - self._value(after_lost_dart(position), later, gain - beta, FAR, ply + 1)
        if thrown >= beta:
            return thrown
        low, high = (round((edge - share * thrown) / (1 - share)) for edge in (alpha, beta))
        low = max(low, thrown)
        if ply == 1:
            answer, _ = self._moves(position, Turns(position), depth, window=(low, high), ply=ply, first=None)
        else:
            answer = self._quiet(position, low, high, ply, _QUIET_PLIES)
        best = max(thrown, answer)
        return best if best > MATE // 2 else round(share * thrown + (1 - share) * best)

    def _moves(
        self,
        position: Position,
        turns: Turns,
        depth: int,
        *,
        window: tuple[int, int],
        ply: int,
        first: Turn | None,
    ) -> tuple[int, Turn | None]:
        """Return the best move's value and the move."""
        alpha, beta = window
        listed = self._ordered(position, turns.moves(), first, ply)
        dull = depth == 1 and not turns.checked and abs(alpha) < MATE // 2
        hoped = evaluate(position, self._weights, self._to_come) + _MARGIN if dull else FAR
        mates = ply == 2 and self._darts.ignores > 0
        best, best_turn = -FAR, None
        for number, turn in enumerate(listed):
            quiet = position.kind_at[turn[1]] == EMPTY and turn[2] == EMPTY
            if quiet and hoped <= alpha and best > -FAR and not (mates and _checks(position, turn)):
                best = max(best, hoped)  # a skipped move does not prove a loss
                continue
            reached = after_move(position, *turn)
            less = 1 if quiet and number >= 6 and depth >= 3 and not turns.checked else 0
            value = -self._value(reached, depth - 1 - less, -beta, -alpha, ply + 1)
            if less and value > alpha:
                value = -self._value(reached, depth - 1, -beta, -alpha, ply + 1)
            if value > best:
                best, best_turn = value, turn
                alpha = max(alpha, value)
                if alpha >= beta:
                    if quiet:
                        self._killers[ply] = turn
                        self._history[turn] = self._history.get(turn, 0) + depth * depth
                    break
        return best, best_turn

    def _dart(self, position: Position, turns: Turns, alpha: int, beta: int, ply: int) -> int:
        """Estimate the value of a throw from a lost dart, the next piece, and their chances."""
        side, chance = position.mover, self._darts.chance
        if turns.checked:
            # Only some fields save the king: a small chance in the middle of a search.
            share = min(1.0, turns.placements().bit_count() / 12)
            return round((1 - chance * share) * -AT_STAKE)
        lost = -AT_STAKE
        if position.fouls[side] + 1 < self._darts.limits[side]:
            lost = -self._quiet(after_lost_dart(position), -beta, FAR, ply + 1, 2)
        if ply <= _SEEN_DARTS and (seen := self._seen_dart(position, ply)) is not None:
            return round(chance * seen + (1 - chance) * max(lost, -AT_STAKE))
        placed = lost if lost > -AT_STAKE else evaluate(position, self._weights, self._to_come)
        foul = self._weights.foul * (2 * position.fouls[side] + 1)
        gain = self._placing_gain(position) + foul
        return round(chance * (placed + gain) + (1 - chance) * max(lost, -AT_STAKE))

    def _placing_gain(self, position: Position) -> int:
        """Return the gain of placing the next piece, apart from its field."""
        side = position.mover
        placed, room, to_come = position.placed[side], free_singles(position, side), self._to_come[side]
        return (
            self._worth[THROW_ORDER[placed]] + to_come[placed + 1][max(room - 1, 0)] - to_come[placed][room]
        )

    def _seen_dart(self, position: Position, ply: int) -> float | None:
        """Return the mean value of a placed piece over the likeliest fields; None if all are occupied."""
        total = chances = 0.0
        occupied = position.occupied
        for field, chance in self._darts.likely[position.mover]:
            if not occupied & BIT[field]:
                total -= chance * self._quiet(after_placement(position, field), -FAR, FAR, ply + 1, 2)
                chances += chance
        return total / chances if chances else None

    def _quiet(self, position: Position, alpha: int, beta: int, ply: int, plies: int) -> int:
        """Return the value after captures, promotions and answers to check."""
        self._count()
        if is_dead(position):
            return 0
        exact = self._exactly(position, ply)
        if exact is not None:
            return exact
        best, listed = -FAR, None
        checked = in_check(position, position.mover)
        if checked:
            turns = Turns(position)
            throws = position.rules.loud and position.placed[position.mover] < THROWS
            if turns.stuck:
                return self._dart(position, turns, alpha, beta, ply) if throws else ply - MATE
            if plies > 0:
                if throws:
                    best = self._dart(position, turns, alpha, beta, ply)
                listed = turns.moves()
        if listed is None:
            best = evaluate(position, self._weights, self._to_come)
            enough = best >= beta or best + self._most_to_win(position) + _MARGIN < alpha
            if enough or checked or plies <= 0:
                return best
            listed = _captures(position)
        alpha = max(alpha, best)
        for turn in self._ordered(position, listed, None, -1):
            if not checked and best + self._taken(position, turn) + _MARGIN < alpha:
                continue
            value = -self._quiet(after_move(position, *turn), -beta, -alpha, ply + 1, plies - 1)
            if value > best:
                best = value
                alpha = max(alpha, value)
                if alpha >= beta:
                    break
        return best

    def _most_to_win(self, position: Position) -> int:
        """Return an upper bound on the gain of one capture or promotion."""
        side, worth = position.mover, self._worth
        most = worth[P]
        for code, men in enumerate(position.sets[1 - side]):
            if men and worth[code] > most:
                most = worth[code]
        return most + worth[Q] if position.sets[side][P] & _PROMOTES[side] else most

    def _exactly(self, position: Position, ply: int) -> int | None:
        """Return the value from an endgame table, None without one."""
        if self._tables is None or position.occupied.bit_count() > MOST_MEN:
            return None
        turns = probe(position, self._tables)
        if isinstance(turns, Problem):
            return None
        return 0 if turns is None else worth_of(turns, ply)

    def _taken(self, position: Position, turn: Turn) -> int:
        """Return the immediate gain of a capture or promotion."""
        taken = position.kind_at[turn[1]]
        won = self._worth[P] if taken == EMPTY else self._worth[taken]
        return won if turn[2] == EMPTY else won + self._worth[turn[2]]

    def _ordered(self, position: Position, listed: list[Turn], first: Turn | None, ply: int) -> list[Turn]:
        kind_at, worth, history = position.kind_at, self._worth, self._history
        killer = self._killers.get(ply)

        def promise(turn: Turn) -> int:
            if turn == first:
                return FAR
            taken = kind_at[turn[1]]
            if taken != EMPTY:
                return 100_000 + worth[taken] * 16 - worth[kind_at[turn[0]]]
            if turn[2] == Q:
                return 100_000
            return 90_000 if turn == killer else history.get(turn, 0)

        return sorted(listed, key=promise, reverse=True)

    def _count(self) -> None:
        self.nodes += 1
        if (self.most is not None and self.nodes > self.most) or self._over():
            raise OutOfTimeError


def worth_of(turns: int, ply: int = 0) -> int:
    """Return the value of a mate in `turns` for the side to move, which mates if they are odd."""
    return MATE - ply - turns if turns % 2 else turns + ply - MATE


def _settles(known: Known, alpha: int, beta: int) -> bool:
    """Return whether an entry decides within this window."""
    if known.bound == _EXACT:
        return True
    return known.value >= beta if known.bound == _LEAST else known.value <= alpha


def _checks(position: Position, turn: Turn) -> bool:
    """Return whether a move gives check."""
    return in_check(after_move(position, *turn), 1 - position.mover)


def _captures(position: Position) -> list[Turn]:
    """Return captures and promotions to a queen of a side that is not in check."""
    side = position.mover
    them, last = position.own[1 - side], LAST[side]
    passing = BIT[position.ep] if position.ep != NO_FIELD else 0
    goals = them | passing | (last if position.sets[side][P] & _PROMOTES[side] else 0)
    listed = []
    for turn in Turns(position, goals).moves():
        goal = BIT[turn[1]]
        pawn = position.kind_at[turn[0]] == P
        if (goal & them and turn[2] in (EMPTY, Q)) or (
            pawn and ((goal & last and turn[2] == Q) or goal & passing)
        ):
            listed.append(turn)
    return listed
