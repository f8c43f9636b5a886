"""Loud Scharten: each level against a rule of thumb that has its hand and, besides throwing, its head.

The rule throws at the surest free bed, unless it is in check or at its last dart; else it does as the level does.
"""

from __future__ import annotations

import random
from concurrent.futures import ProcessPoolExecutor

from lab.play import Choice, Mover, Seat, opened, play
from lab.rivals import SITS
from scharten.game.basics import Kind
from scharten.games.scharten.board import THROWS, Field, bed_of
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position
from scharten.games.scharten.turns import Turns
from scharten.play.levels import LEVELS
from scharten.play.search import Key
from scharten.play.throwing import ThrowModel, throw_model, values_of

AIM = 0.60
FIRST_LEVEL = 3
"""The lowest level that has an aim."""


def surest(position: Position, model: ThrowModel) -> tuple[float, float]:
    """Return the aim with the highest chance to place the next piece, in mm."""
    beds = (bed_of(Field(at), SITS) for at in scan(Turns(position).placements()))
    return model.best(values_of(dict.fromkeys(beds, 1.0), 0.0))[0]


def by_rule(level: int, options: Options, seed: int, divided_by: float) -> Mover:
    """Throw while that risks neither the king nor the game; else take the level's turn."""
    chance, head = random.Random(seed), Seat(level, options, seed, divided_by)
    scatter, limits = LEVELS[level].scatter, (options.foul_limit.white, options.foul_limit.black)
    model = throw_model(scatter)

    def move(position: Position, seen: frozenset[Key]) -> Choice:
        side, turns = position.mover, Turns(position)
        last = position.fouls[side] + 1 >= limits[side]
        if position.placed[side] >= THROWS or turns.checked or last or not turns.placements():
            return head(position, seen)
        x, y = surest(position, model)
        return x + chance.gauss(0, scatter.x_mm), y + chance.gauss(0, scatter.y_mm)

    return move


def played(level: int, number: int, divided_by: float) -> float:
    """Return the level's points in one game; each number is played with either colour in turn."""
    options = Options(kind=Kind.LOUD)
    position = opened(options, random.Random(number // 2), 0)
    own = Seat(level, options, number, divided_by)
    rule = by_rule(level, options, number + 1000, divided_by)
    if number % 2 == 0:
        return play(position, own, rule, options).points
    return 1 - play(position, rule, own, options).points


def run(levels: tuple[int, ...], games: int, divided_by: float, processes: int) -> int:
    """Print each level's share of the points beside its aim; status 1 if a level misses it."""
    print(
        f"loud Scharten: level n against the rule with its scatter, {games} games each (aim from level {FIRST_LEVEL})"
    )
    missed = 0
    with ProcessPoolExecutor(processes) as pool:
        for level in levels:
            share = (
                sum(pool.map(played, *zip(*((level, n, divided_by) for n in range(games)), strict=True)))
                / games
            )
            aim = f"at least {AIM:.0%}" if level >= FIRST_LEVEL else "no aim"
            print(f"  level {level:2}  {share:6.1%}  ({aim})", flush=True)
            missed += level >= FIRST_LEVEL and share < AIM
    return int(missed > 0)
