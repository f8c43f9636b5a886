"""Throwers that the estimate of scatter does not model: each throws a loud game's darts in its own manner."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Generator, Sequence
from functools import cache, lru_cache
from typing import Any, Final, NamedTuple

import numpy as np

from scharten.dartboard.beds import ALL_BEDS, Bed
from scharten.dartboard.locate import bed_at, centre_of
from scharten.errors import Problem
from scharten.game.basics import LostDart
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.advice import advise
from scharten.play.levels import LEVELS
from scharten.play.player import Mind
from scharten.play.scatter import Scatter
from scharten.play.throwing import ThrowModel, throw_model, values_of
from scharten.players.scatter import PRIOR_MM, Observation

LOUD: Final = Options.model_validate({"kind": "loud"})
SITS: Final = 3
Point = tuple[float, float]
Aim = Callable[[random.Random, ThrowModel, tuple[Bed, ...]], Point]


def middle(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim at the middle of any bed."""
    return centre_of(chance.choice(beds))


def safe(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim at the surest point for the thrower's own scatter."""
    return model.best(values_of(dict.fromkeys(beds, 1.0), 0.0))[0]


def valued(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim at the point with the largest expectation of values that only the thrower knows."""
    return model.best(values_of({bed: chance.lognormvariate(0.0, 0.7) for bed in beds}, -1.0))[0]


def anywhere(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim at a random point of the board within the beds that count."""
    while True:
        radius, angle = 170 * math.sqrt(chance.random()), chance.uniform(0, math.tau)
        x, y = radius * math.cos(angle), radius * math.sin(angle)
        if bed_at(x, y) in beds:
            return x, y


def between(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim between two beds that touch or nearly do."""
    first = np.array(centre_of(chance.choice(beds)))
    others = [np.array(centre_of(bed)) for bed in beds]
    near = [other for other in others if 0 < float(np.hypot(*(other - first))) < 75] or [first]
    x, y = (first + chance.choice(near)) / 2
    return float(x), float(y)


def mixed(chance: random.Random, model: ThrowModel, beds: tuple[Bed, ...]) -> Point:
    """Aim in any of these ways."""
    return chance.choice((middle, safe, valued, between))(chance, model, beds)


class Hand:
    """The error of a dart beside its aim; half of the darts land within 1.177 times `sigma`."""

    def __init__(self, chance: random.Random, sigma: float, shape: str) -> None:
        self._chance, self.sigma, self.shape = chance, sigma, shape
        self._turn = chance.uniform(0, math.pi)
        self._bias = chance.uniform(0, math.tau)
        if shape in ("heavy", "tilt", "bias"):
            distances = sorted(math.hypot(*self._off(1.0)) for _ in range(4000))
            self._scale = sigma / (distances[2000] / math.sqrt(2 * math.log(2)))
        else:
            self._scale = sigma

    def error(self) -> Point:
        """Return the distance of the next dart from its aim."""
        return self._off(self._scale)

    def _off(self, scale: float) -> Point:
        x, y = self._chance.gauss(0, scale), self._chance.gauss(0, scale)
        if self.shape == "heavy":  # Student's t with four degrees of freedom
            wide = math.sqrt(self._chance.gammavariate(2, 2) / 4)
            return x / wide, y / wide
        if self.shape == "tilt":
            x, y = 1.35 * x, 0.65 * y
            cos, sin = math.cos(self._turn), math.sin(self._turn)
            return cos * x - sin * y, sin * x + cos * y
        if self.shape == "bias":
            return x + 0.3 * scale * math.cos(self._bias), y + 0.3 * scale * math.sin(self._bias)
        return x, y


FAMILIES: Final[dict[str, tuple[Aim, str]]] = {
    "middles": (middle, ""),
    "surest": (safe, ""),
    "values": (valued, ""),
    "between two": (between, ""),
    "random aims": (anywhere, ""),
    "any of these": (mixed, ""),
    "heavy tails": (mixed, "heavy"),
    "tilt": (mixed, "tilt"),
    "bias": (mixed, "bias"),
}


def one_point(chance: random.Random) -> Aim:
    """Always aim at one point."""
    point = anywhere(chance, _model(PRIOR_MM), HALF)
    return lambda *_: point


def one_bed(chance: random.Random) -> Aim:
    """Always aim at the middle of one bed."""
    point = centre_of(chance.choice(HALF))
    return lambda *_: point


def one_number(chance: random.Random) -> Aim:
    """Aim at the middle of any bed of one number."""
    number = chance.choice(HALF).number
    middles = [centre_of(bed) for bed in HALF if bed.number == number]
    return lambda *_: chance.choice(middles)


def mostly_one_point(chance: random.Random) -> Aim:
    """Aim at one point with three darts of five, else in any other way."""
    favourite = one_point(chance)

    def aim(*args: Any) -> Point:
        return favourite(*args) if chance.random() < 0.6 else mixed(*args)

    return aim


def two_points(chance: random.Random) -> Aim:
    """Aim at either of two points."""
    points = [anywhere(chance, _model(PRIOR_MM), HALF) for _ in range(2)]
    return lambda *_: chance.choice(points)


def nearest(chance: random.Random) -> Aim:
    """Aim at the middle of the free bed nearest to one point."""
    x, y = one_point(chance)(chance, _model(PRIOR_MM), HALF)
    return lambda _, __, beds: min(map(centre_of, beds), key=lambda at: math.hypot(at[0] - x, at[1] - y))


HABITS: Final[dict[str, Callable[[random.Random], Aim]]] = {
    "one point": one_point,
    "one bed": one_bed,
    "one number": one_number,
    "mostly one point": mostly_one_point,
    "two points": two_points,
    "nearest to a point": nearest,
}
"""Throwers each of whom has an aim of their own, drawn once."""


@lru_cache(maxsize=8)
def _model(sigma: float) -> ThrowModel:
    return throw_model(Scatter(sigma, sigma))


HALF: Final = tuple(bed for bed in ALL_BEDS if bed.number in (11, 14, 9, 12, 5, 20, 1, 18, 4, 13))
"""One side's half of the board, as in a loud game before its first dart."""
TO_PLACE: Final = 17


def zones(chance: random.Random) -> Generator[tuple[Bed, ...], Bed, None]:
    """Yield the free beds before each dart; send the bed that it hit. Other men occupy a few beds."""
    while True:
        free = set(HALF) - set(chance.sample(HALF, chance.randint(0, 8)))
        for _ in range(TO_PLACE + 3):
            free.discard((yield tuple(bed for bed in HALF if bed in free)))


def family(name: str, sigma: float, darts: int, seed: int, *, seen: bool = True) -> list[Observation]:
    """Return the darts of one thrower of this family."""
    chance = random.Random(seed)
    aim, shape = FAMILIES[name] if name in FAMILIES else (HABITS[name](chance), "")
    hand, model = Hand(chance, sigma, shape), _model(sigma)
    game = zones(chance)
    beds = next(game)
    found: list[Observation] = []
    for _ in range(darts):
        at, off = aim(chance, model, beds), hand.error()
        x, y = at[0] + off[0], at[1] + off[1]
        found.append(Observation((bed_at(x, y),), (x, y) if seen else None, beds))
        beds = game.send(bed_at(x, y))
    return found


class Situation(NamedTuple):
    """A dart that was due in a game: the beds that counted, and the aim."""

    beds: tuple[Bed, ...]
    aim: Point


SITUATIONS: Final = 160
"""Recorded darts for each level and each scatter; every thrower throws at a run of these aims again."""


def rethrown(
    situations: Sequence[Situation], sigma: float, darts: int, seed: int, *, seen: bool
) -> list[Observation]:
    """Return this many darts at successive aims of recorded games: playing games takes a thousand times as long."""
    chance = random.Random(seed)
    first, found = chance.randrange(len(situations)), []
    for number in range(darts):
        beds, aim = situations[(first + number) % len(situations)]
        x, y = (chance.gauss(at, sigma) for at in aim)
        found.append(Observation((bed_at(x, y),), (x, y) if seen else None, beds))
    return found


def level_darts(level: int, darts: int, seed: int, *, seen: bool = True) -> list[Observation]:
    """Return darts of a level in loud games against itself, with its own choice of turn, aim and hand."""
    return rethrown(_level_situations(level), LEVELS[level].scatter.x_mm, darts, seed, seen=seen)


@cache
def _level_situations(level: int) -> list[Situation]:
    chance = random.Random(level)
    mind = Mind(SCHARTEN, LOUD, level, SITS, gauss=chance.gauss, divided_by=1000)
    found: list[Situation] = []
    while len(found) < SITUATIONS:
        position, turns, end = SCHARTEN.begin(LOUD), 0, None
        while end is None and turns < 160 and len(found) < SITUATIONS and sum(position.placed) < 34:
            turns += 1
            intent = mind.think(position, 60.0, time.monotonic)
            if intent is None:
                break
            if intent.aim is None:
                action: Any = intent.move
            else:
                effects = {bed: SCHARTEN.throws.effect(position, LOUD, bed, SITS) for bed in ALL_BEDS}
                good = (bed for bed, effect in effects.items() if not isinstance(effect.action, LostDart))
                found.append(Situation(tuple(good), intent.aim))
                action = effects[bed_at(*mind.scattered(intent.aim))].action
            played = SCHARTEN.play(position, action, LOUD)
            assert not isinstance(played, Problem), played
            position = played.position
            end = played.end or SCHARTEN.situation(position, LOUD).end
    return found


def valued_darts(sigma: float, darts: int, seed: int, *, seen: bool = True) -> list[Observation]:
    """Return darts of a thrower who aims where the positions' values are best, in loud games of darts alone."""
    return rethrown(_valued_situations(sigma), sigma, darts, seed, seen=seen)


@cache
def _valued_situations(sigma: float) -> list[Situation]:
    chance = random.Random(sigma)
    found: list[Situation] = []
    while len(found) < SITUATIONS:
        position, end = SCHARTEN.begin(LOUD), None
        while end is None and len(found) < SITUATIONS:
            advice = advise(SCHARTEN, position, LOUD, sigma, white_sits_at=SITS, over=lambda: True)
            if isinstance(advice, Problem):
                break
            aim = advice.best.x_mm, advice.best.y_mm
            found.append(Situation(tuple(field.bed for field in advice.fields), aim))
            landed = bed_at(*(chance.gauss(at, sigma) for at in aim))
            action = SCHARTEN.throws.effect(position, LOUD, landed, SITS).action
            played = SCHARTEN.play(position, action, LOUD)
            assert not isinstance(played, Problem), played
            position, end = played.position, played.end
    return found
