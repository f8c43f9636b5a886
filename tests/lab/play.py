"""One game of the computer against another level, chance or greed, as `make bench-play` plays a hundred of.

No part uses the time: the same seed gives the same game on every machine.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import NamedTuple

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Drop, End, LostDart, Move, Side
from scharten.games.scharten.board import THROWS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import opening
from scharten.games.scharten.turns import Turns
from scharten.match.turns.play import FIVEFOLD, REPETITION
from scharten.opponent.conduct import HOPELESS_TURNS
from scharten.play.evaluate import WEIGHTS, evaluate, piece_worth
from scharten.play.player import EQUAL, HOPELESS, Mind
from scharten.play.search import Key, key_of

Choice = Move | tuple[float, float]
"""A move, or the place where a dart lands."""
Mover = Callable[[Position, frozenset[Key]], Choice]
MOST_TURNS = 400
"""The longest game; a longer one is a draw, which never helps the level that must win two thirds."""
BALANCED = 150


class Game(NamedTuple):
    """White's points, the turns played and how it ended: the rules' word, "resigned", "claimed" or "too long"."""

    points: float
    turns: int
    end: str


class Seat:
    """A level that plays one game, with its positions divided by `divided_by`; it resigns and claims as at a board."""

    def __init__(
        self,
        level: int,
        options: Options,
        seed: int,
        divided_by: float,
        *,
        seconds: float = 1.0,
        clock: Callable[[], float] = lambda: 0.0,
    ) -> None:
        """Think by positions alone, or with a `clock` at most this many seconds a turn."""
        gauss = random.Random(seed).gauss
        self._mind = Mind(SCHARTEN, options, level, 3, gauss=gauss, divided_by=divided_by)
        self._seconds, self._clock = seconds, clock
        self._hopeless, self._value = 0, 0

    @property
    def nodes(self) -> int:
        """The number of searched positions."""
        return self._mind.nodes

    @property
    def resigns(self) -> bool:
        """Return whether it has judged the game lost for long enough (`opponent.conduct`)."""
        return self._hopeless >= HOPELESS_TURNS

    @property
    def claims(self) -> bool:
        """Return whether a draw is as good as any other result."""
        return self._value <= EQUAL

    def __call__(self, position: Position, seen: frozenset[Key]) -> Choice:
        intent = self._mind.think(position, self._seconds, self._clock, seen)
        assert intent is not None
        if intent.value is not None:
            self._value = intent.value
        to_come = position.rules.loud and min(position.placed) < THROWS
        self._hopeless = self._hopeless + 1 if self._value <= HOPELESS and not to_come else 0
        if intent.aim is not None:
            return self._mind.scattered(intent.aim)
        assert intent.move is not None
        return intent.move


def material(position: Position) -> int:
    """Return White's material minus Black's, in hundredths of a pawn."""
    white, black = (
        sum(worth * men.bit_count() for worth, men in zip(piece_worth(WEIGHTS), sets, strict=True))
        for sets in position.sets
    )
    return white - black


def opened(options: Options, rng: random.Random, turns: int = 6) -> Position:
    """Return an even position after this many random turns, so that no two openings are the same."""
    while True:
        position = opening(rules_of(options))
        for _ in range(turns):
            listed = Turns(position).moves()
            if not listed:
                break
            position = after_move(position, *rng.choice(listed))
        if not Turns(position).stuck and abs(evaluate(position)) <= BALANCED:
            return position


def play(
    position: Position, white: Mover, black: Mover, options: Options, most_turns: int = MOST_TURNS
) -> Game:
    """Play until the rules end it, a level resigns or claims a draw, or this many turns are over."""
    counts: dict[str, int] = {}
    seen: set[Key] = set()
    for turn in range(most_turns):
        situation = SCHARTEN.situation(position, options)
        times = counts[situation.key] = counts.get(situation.key, 0) + 1
        seen.add(key_of(position))
        if situation.end is not None or times >= FIVEFOLD:
            return _ended(situation.end, turn)
        mover = white if situation.side is Side.WHITE else black
        requested = mover(position, frozenset(seen))
        if isinstance(mover, Seat) and mover.claims and (times >= REPETITION or situation.claims):
            return Game(0.5, turn, "claimed")
        if isinstance(mover, Seat) and mover.resigns:
            return Game(float(mover is black), turn, "resigned")
        played = SCHARTEN.play(position, _action(position, options, requested), options)
        assert not isinstance(played, Problem), played
        position = played.position
        if played.end is not None:
            return _ended(played.end, turn + 1)
    return Game(0.5, most_turns, "too long")


def _action(position: Position, options: Options, requested: Choice) -> Move | Drop | LostDart:
    if isinstance(requested, Move):
        return requested
    action = SCHARTEN.throws.effect(position, options, bed_at(*requested), 3).action
    assert isinstance(action, Drop | LostDart)
    return action


def _ended(end: End | None, turns: int) -> Game:
    if end is None:
        return Game(0.5, turns, "repetition")
    points = 0.5 if end.winner is None else 1.0 if end.winner is Side.WHITE else 0.0
    return Game(points, turns, end.reason)
