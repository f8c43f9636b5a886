"""The weights of the evaluation, tuned by self-play: they are fitted to who won, and must then beat those they replace.

Games of the present weights give quiet positions and their results; the weights are moved to where the evaluation
foretells these results best (a logistic regression that holds on to the present weights), and play the present ones
from fresh openings, each from either side. Nothing here asks for the time: a seed gives the same weights again.

Kept so far: the weights chosen by hand, in silent games. `make bench ARGS="tune --games=1000 --proof=150"` (seed 14)
found pawn 100, knight 311, bishop 397, rook 655, queen 1013, step 8, double 8, treble 19, mobility 4, pressed 12,
flight 7 from 1,000 games, and these had 153.5 of 300 (51.2 %) against them, where more than 54 % was asked for. Those
of darts too, in loud games: with `--loud` it found foul 45 (as it was) and to_come 58 (40), which had 137.5 (45.8 %).
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from lab.figures import commit
from lab.play import Choice, Game, material, opened, play
from scharten.game.basics import Kind
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.board import EMPTY, THROWS
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.play.choose import Thinker, choose
from scharten.play.evaluate import WEIGHTS, Weights, evaluate
from scharten.play.levels import LEVELS
from scharten.play.search import Key
from scharten.play.throwing import throw_model

TURNS: Final = 120
"""Turns after which the men on the board decide."""
AHEAD: Final = 250
BEGINS: Final = 8
"""Turns before the first used position: earlier ones tell little about the result."""
ERROR: Final = 30
"""The error of the players of the training games, so that these differ."""
SCATTER: Final = LEVELS[8].scatter
SILENT: Final = (
    "knight",
    "bishop",
    "rook",
    "queen",
    "step",
    "double",
    "treble",
    "mobility",
    "pressed",
    "flight",
)
"""The weights fitted in silent games, with the pawn as the measure."""
LOUD: Final = ("foul", "to_come")
"""The weights fitted in loud games; all others stay unchanged."""
HOLD: Final = 0.5
"""The prior deviation of a weight, as a share of itself."""
EACH_GAME: Final = 4.0
"""The weight of a game's positions together, since they share one result."""

Array = npt.NDArray[np.float64]


class Player:
    """A player that searches one turn and all captures with its weights; `quiet` are its positions without a
    capture."""

    def __init__(self, weights: Weights, kind: Kind, chance: random.Random, error: float = 0.0) -> None:
        self.quiet: list[Position] = []
        self._chance = chance
        model = throw_model(SCATTER) if kind is Kind.LOUD else None
        self._thinker = Thinker(depth=1, weights=weights, model=model, error=error)
        self._turns = 0

    def __call__(self, position: Position, seen: frozenset[Key]) -> Choice:
        self._turns += 1
        found = choose(position, self._thinker, lambda: False, lambda: self._chance.gauss(0, 1), seen)
        assert found is not None
        takes = found.turn is not None and position.kind_at[found.turn[1]] != EMPTY
        if self._turns > BEGINS // 2 and not takes and not in_check(position, position.mover):
            self.quiet.append(position)
        if found.turn is not None:
            return move_of(*found.turn)
        assert found.aim is not None
        x, y = found.aim
        return x + self._chance.gauss(0, SCATTER.x_mm), y + self._chance.gauss(0, SCATTER.y_mm)


def points_of(game: Game, last: Position) -> float:
    """Return White's points; the men decide a game that was too long."""
    if game.end != "too long":
        return game.points
    ahead = material(last)
    return 1.0 if ahead > AHEAD else 0.0 if ahead < -AHEAD else 0.5


class Played(NamedTuple):
    """A game: White's points, and its quiet positions."""

    points: float
    quiet: list[Position]


def played(kind: Kind, weights: tuple[Weights, Weights], seed: int, error: float = 0.0) -> Played:
    """The game of this seed, by the weights of White and of Black."""
    options, chance = Options(kind=kind), random.Random(seed)
    position = opened(options, chance, 6 if kind is Kind.SILENT else 0)
    white, black = (Player(weight, kind, chance, error) for weight in weights)
    last = [position]

    def seen_by(player: Player) -> Callable[[Position, frozenset[Key]], Choice]:
        def move(now: Position, seen: frozenset[Key]) -> Choice:
            last[0] = now
            return player(now, seen)

        return move

    game = play(position, seen_by(white), seen_by(black), options, TURNS)
    return Played(points_of(game, last[0]), white.quiet + black.quiet)


def slopes(position: Position, names: tuple[str, ...]) -> list[float]:
    """Return the gain of White's evaluation for one more of each weight."""
    sign = 1 if position.mover == 0 else -1
    base = evaluate(position, WEIGHTS)
    more = (WEIGHTS._replace(**{name: getattr(WEIGHTS, name) + 400}) for name in names)
    return [sign * (evaluate(position, weights) - base) / 400 for weights in more]


class Sample(NamedTuple):
    """Positions as slopes by weight, with White's evaluation, White's points, and the weight of each position."""

    slopes: Array
    values: Array
    points: Array
    counts: Array


def sample(kind: Kind, names: tuple[str, ...], games: int, seed: int) -> Sample:
    """Return positions of this many games of the present weights against themselves."""
    rows: list[list[float]] = []
    rest: list[tuple[float, float, float]] = []
    for number in range(games):
        game = played(kind, (WEIGHTS, WEIGHTS), seed * 1_000_000 + number, ERROR)
        kept = [position for position in game.quiet if _tells(position, kind)]
        for position in kept:
            value = evaluate(position, WEIGHTS) * (1 if position.mover == 0 else -1)
            rows.append(slopes(position, names))
            rest.append((value, game.points, EACH_GAME / len(kept)))
    values, points, counts = np.array(rest).T
    return Sample(np.array(rows), values, points, counts)


def _tells(position: Position, kind: Kind) -> bool:
    """Return whether a position is informative: few men are judged differently, and loud games end by darts."""
    if kind is Kind.LOUD:
        return min(position.placed) < THROWS
    return position.occupied.bit_count() > 8


def fitted(data: Sample, names: tuple[str, ...]) -> dict[str, float]:
    """Return the weights that predict the points best; the pawn, if among them, sets the unit."""
    now = np.array([float(getattr(WEIGHTS, name)) for name in names])
    rest = data.values - data.slopes @ now
    scale = _newton(
        data._replace(slopes=data.values[:, None]), np.zeros(len(data.values)), np.zeros(1), np.zeros(1)
    )
    k = float(scale[0])
    found = _newton(data, k * rest, k * now, 1 / (HOLD * k * now) ** 2) / k
    if "pawn" in names:
        found *= WEIGHTS.pawn / found[names.index("pawn")]
    return dict(zip(names, found.tolist(), strict=True))


def _newton(data: Sample, offset: Array, began: Array, hold: Array) -> Array:
    """Return the coefficients of a logistic regression, held to their start by these precisions."""
    found = began.copy()
    for _ in range(30):
        chance = 1 / (1 + np.exp(-(offset + data.slopes @ found)))
        slope = data.slopes.T @ (data.counts * (data.points - chance)) - hold * (found - began)
        curve = (data.slopes.T * (data.counts * chance * (1 - chance))) @ data.slopes + np.diag(hold)
        found = found + np.linalg.solve(curve, slope)
    return found


def match(kind: Kind, weights: Weights, other: Weights, pairs: int, seed: int) -> float:
    """Return the points of the first weights in this many pairs of games."""
    points = 0.0
    for number in range(pairs):
        game = seed * 1_000_000 + 500_000 + number
        points += (
            played(kind, (weights, other), game).points + 1 - played(kind, (other, weights), game).points
        )
    return points


def run(kind: Kind, games: int, proof: int, seed: int) -> int:
    """Print the fitted weights and their match against the present ones; return 1 if they do not win."""
    names, began = ("pawn", *SILENT) if kind is Kind.SILENT else LOUD, time.process_time()
    print(f"{kind.value} weights by self-play, commit {commit()}, seed {seed}: {games} games", flush=True)
    data = sample(kind, names, games, seed)
    draws = int(np.count_nonzero(data.points == 0.5))
    print(f"  {len(data.points)} quiet positions, {draws} of them of drawn games", flush=True)
    found = {name: max(1, round(weight)) for name, weight in fitted(data, names).items()}
    print(
        "  " + ", ".join(f"{name} {getattr(WEIGHTS, name)} -> {item}" for name, item in found.items()),
        flush=True,
    )
    points = match(kind, WEIGHTS._replace(**found), WEIGHTS, proof, seed)
    print(
        f"  {points:g} of {2 * proof} = {points / (2 * proof):.1%} against the present weights (kept above 54 %)"
    )
    print(f"  {games + 2 * proof} games, {time.process_time() - began:.0f} s of CPU")
    return 0 if points > 1.08 * proof else 1
