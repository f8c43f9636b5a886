"""One game of the computer against another level, chance or greed, as `make bench-play` plays a hundred of."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import NamedTuple

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Drop, End, LostDart, Move, Side, move_from_text
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.board import EMPTY, THROWS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import opening
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.choose import MOST_DEPTH
from scharten.play.evaluate import WEIGHTS, evaluate, piece_worth
from scharten.play.levels import LEVELS
from scharten.play.player import Mind
from scharten.play.search import Key, key_of

Wish = Move | tuple[float, float]
"""A move, or where a dart lands."""
Mover = Callable[[Position, frozenset[Key]], Wish]
MOST_TURNS = 120
"""Turns after which the evaluation says who stands better, by more than a minor piece, or that it is a draw."""
BETTER = 300
BALANCED = 150
DECIDED = 700
"""Where both sides think so, for some turns in a row and with no dart to come, the game is decided: not played on."""
DECIDED_AFTER = 3


class Game(NamedTuple):
    """White's points, the turns played and how it ended: the rules' word, "decided" or "evaluation"."""

    points: float
    turns: int
    end: str


def allowed_s(level: int, seconds: float) -> float:
    """CPU time for a turn: a level that looks a fixed number of turns ahead has its own, the highest has `seconds`."""
    own = LEVELS[level]
    return own.seconds if own.depth < MOST_DEPTH else min(seconds, own.seconds)


class Seat:
    """A level that plays one game, with the share of its time that each of its turns took."""

    def __init__(self, level: int, options: Options, seed: int, seconds: float) -> None:
        self._mind = Mind(SCHARTEN, options, level, 3, gauss=random.Random(seed).gauss)
        self._seconds = allowed_s(level, seconds)
        self.longest, self.cpu_s = 0.0, 0.0
        self.value: int | None = None
        """What it thinks of its position; None while darts are to come."""

    @property
    def nodes(self) -> int:
        """Positions looked at."""
        return self._mind.nodes

    def __call__(self, position: Position, seen: frozenset[Key]) -> Wish:
        # CPU time: what else the machine does is no part of the game.
        began = time.process_time()
        intent = self._mind.think(position, self._seconds, time.process_time, seen)
        took = time.process_time() - began
        self.longest, self.cpu_s = max(self.longest, took / self._seconds), self.cpu_s + took
        assert intent is not None
        to_come = position.rules.loud and min(position.placed) < THROWS
        self.value = None if to_come else intent.value
        if intent.aim is not None:
            return self._mind.scattered(intent.aim)
        assert intent.move is not None
        return intent.move


def by_chance(options: Options, seed: int) -> Mover:
    """Any legal move; where darts are due it throws as wildly as level 1 half of the time."""
    chance = random.Random(seed)

    def move(position: Position, _seen: frozenset[Key]) -> Wish:
        situation = SCHARTEN.situation(position, options)
        if situation.drops and (not situation.moves or chance.random() < 0.5):
            return chance.gauss(0, 60), chance.gauss(-90 if position.mover == 0 else 90, 60)
        return move_from_text(chance.choice(situation.moves))

    return move


def by_greed(options: Options, seed: int) -> Mover:
    """Takes what is worth most; where there is nothing to take it throws, else plays any move."""
    any_move = by_chance(options, seed)

    def move(position: Position, seen: frozenset[Key]) -> Wish:
        turn = takes_most(position)
        if turn is None or position.kind_at[turn[1]] == EMPTY:
            return any_move(position, seen)
        return move_of(*turn)

    return move


def takes_most(position: Position) -> Turn | None:
    """The move that takes most at once, else the first; what a beginner who looks one turn ahead plays."""
    worth = (*piece_worth(WEIGHTS), 0)
    return max(Turns(position).moves(), key=lambda turn: worth[position.kind_at[turn[1]]], default=None)


def opened(options: Options, rng: random.Random, turns: int = 6) -> Position:
    """An even position after so many turns by chance, without which two levels that never err repeat one game."""
    while True:
        position = opening(rules_of(options))
        for _ in range(turns):
            listed = Turns(position).moves()
            if not listed:
                break
            position = after_move(position, *rng.choice(listed))
        if not Turns(position).stuck and abs(evaluate(position)) <= BALANCED:
            return position


def play(position: Position, white: Mover, black: Mover, options: Options) -> Game:
    """Play until the rules end it, both sides think it decided, or `MOST_TURNS` are over."""
    counts: dict[str, int] = {}
    agreed = 0
    seen: set[Key] = set()
    for turn in range(MOST_TURNS):
        situation = SCHARTEN.situation(position, options)
        counts[situation.key] = counts.get(situation.key, 0) + 1
        seen.add(key_of(position))
        if situation.end is not None or counts[situation.key] >= 3:
            return _ended(situation.end, turn)
        wished = (white if situation.side is Side.WHITE else black)(position, frozenset(seen))
        ahead = _ahead(white, black)
        agreed = agreed + 1 if ahead else 0
        if agreed >= 2 * DECIDED_AFTER:
            return Game(max(0.0, ahead), turn, "decided")
        played = SCHARTEN.play(position, _action(position, options, wished), options)
        assert not isinstance(played, Problem), played
        position = played.position
        if played.end is not None:
            return _ended(played.end, turn + 1)
    value = evaluate(position) * (1 if position.mover == 0 else -1)
    return Game(1.0 if value > BETTER else 0.0 if value < -BETTER else 0.5, MOST_TURNS, "evaluation")


def _ahead(white: Mover, black: Mover) -> int:
    """1 or -1 where both levels think that White or Black wins, else 0."""
    if (
        not isinstance(white, Seat)
        or not isinstance(black, Seat)
        or white.value is None
        or black.value is None
    ):
        return 0
    if min(white.value, -black.value) >= DECIDED:
        return 1
    return -1 if min(black.value, -white.value) >= DECIDED else 0


def _action(
    position: Position, options: Options, wished: Move | tuple[float, float]
) -> Move | Drop | LostDart:
    if isinstance(wished, Move):
        return wished
    action = SCHARTEN.throws.effect(position, options, bed_at(*wished), 3).action
    assert isinstance(action, Drop | LostDart)
    return action


def _ended(end: End | None, turns: int) -> Game:
    if end is None:
        return Game(0.5, turns, "repetition")
    points = 0.5 if end.winner is None else 1.0 if end.winner is Side.WHITE else 0.0
    return Game(points, turns, end.reason)
