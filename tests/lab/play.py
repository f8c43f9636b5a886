"""How strong the computer is: games between its levels, against chance and against greed; its time and its speed."""

from __future__ import annotations

import random
import time
from collections.abc import Callable

from lab.figures import commit, percentile
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Drop, End, Kind, LostDart, Move, Side, move_from_text
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.play.choose import greedy
from scharten.play.evaluate import evaluate
from scharten.play.player import Mind

Mover = Callable[[Position], Move | tuple[float, float]]
"""Gives a move, or where its dart lands."""
ADJUDICATED = 120
"""Turns after which the evaluation says who stands better, by more than a minor piece, or that it is a draw."""
BETTER = 300


class Seat:
    """A level that plays, with the time that each of its turns took."""

    def __init__(self, level: int, options: Options, seed: int, seconds: float) -> None:
        self._mind = Mind(SCHARTEN, options, level, 3, gauss=random.Random(seed).gauss)
        self.seconds = min(seconds, self._mind.level.seconds)
        self.took: list[float] = []

    @property
    def nodes(self) -> int:
        """Positions looked at."""
        return self._mind.nodes

    def __call__(self, position: Position) -> Move | tuple[float, float]:
        # CPU time: what else the machine does is no part of the game.
        began = time.process_time()
        intent = self._mind.think(position, self.seconds, time.process_time)
        self.took.append(time.process_time() - began)
        assert intent is not None
        if intent.aim is not None:
            return self._mind.scattered(intent.aim)
        assert intent.move is not None
        return intent.move


def by_chance(options: Options, seed: int) -> Mover:
    """Any legal move; where darts are due it throws as wildly as level 1 half of the time."""
    chance = random.Random(seed)

    def move(position: Position) -> Move | tuple[float, float]:
        situation = SCHARTEN.situation(position, options)
        if situation.drops and (not situation.moves or chance.random() < 0.5):
            return chance.gauss(0, 60), chance.gauss(-90 if position.mover == 0 else 90, 60)
        return move_from_text(chance.choice(situation.moves))

    return move


def by_greed(options: Options, seed: int) -> Mover:
    """Takes what is worth most; where there is nothing to take it throws, else plays any move."""
    any_move = by_chance(options, seed)

    def move(position: Position) -> Move | tuple[float, float]:
        turn = greedy(position)
        if turn is None or position.kind_at[turn[1]] == 6:
            return any_move(position)
        return move_of(*turn)

    return move


def play(white: Mover, black: Mover, options: Options) -> float:
    """White's points of one game; the automatic draws end it, and the evaluation a long one."""
    position = SCHARTEN.begin(options)
    seen: dict[str, int] = {}
    for _ in range(ADJUDICATED):
        situation = SCHARTEN.situation(position, options)
        seen[situation.key] = seen.get(situation.key, 0) + 1
        if situation.end is not None or seen[situation.key] >= 3:
            return _points(situation.end)
        wished = (white if situation.side is Side.WHITE else black)(position)
        played = SCHARTEN.play(position, _action(position, options, wished), options)
        assert not isinstance(played, Problem), played
        position = played.position
        if played.end is not None:
            return _points(played.end)
    value = evaluate(position) * (1 if position.mover == 0 else -1)
    return 1.0 if value > BETTER else 0.0 if value < -BETTER else 0.5


def _action(
    position: Position, options: Options, wished: Move | tuple[float, float]
) -> Move | Drop | LostDart:
    if isinstance(wished, Move):
        return wished
    action = SCHARTEN.throws.effect(position, options, bed_at(*wished), 3).action
    assert isinstance(action, Drop | LostDart)
    return action


def _points(end: End | None) -> float:
    if end is None or end.winner is None:
        return 0.5
    return 1.0 if end.winner is Side.WHITE else 0.0


def run(games: int, seconds: float, kind: str, pairs: tuple[tuple[int, int], ...]) -> int:
    """Print each match's score beside its target; status 1 if one is missed."""
    options = Options(kind=Kind(kind))
    print(f"the computer, commit {commit()}: {games} {kind} games a line, at most {seconds} s a turn")
    missed, late, nodes, took = 0, 0.0, 0, 0.0
    lines: list[tuple[str, int, Callable[[int], Mover], float]] = [
        (f"level {high} against level {low}", high, _level(low, options, seconds), 0.65)
        for high, low in pairs
    ]
    lines.append(("level 10 against chance", 10, lambda seed: by_chance(options, seed), 1.0))
    lines.append(("level 10 against greed", 10, lambda seed: by_greed(options, seed), 0.95))
    for name, level, other, target in lines:
        points = 0.0
        for seed in range(games):
            own, their = Seat(level, options, seed, seconds), other(seed + 1000)
            points += play(own, their, options) if seed % 2 == 0 else 1 - play(their, own, options)
            nodes, took = nodes + own.nodes, took + sum(own.took)
            late = max(late, percentile(own.took, 100) / own.seconds)
        good = points >= target * games
        missed += not good
        print(
            f"  {name}: {points:g} of {games} (target {target * games:g}) {'' if good else 'MISSED'}",
            flush=True,
        )
    print(f"  longest turn: {late:.2f} of its time (target 1.10)")
    print(f"  {nodes / max(took, 0.001):.0f} positions per second")
    return 1 if missed or late > 1.1 else 0


def _level(level: int, options: Options, seconds: float) -> Callable[[int], Mover]:
    return lambda seed: Seat(level, options, seed, seconds)
