"""Loud Scharten: each level against a rule of thumb with the level's hand and, apart from the choice to throw, its
play.

The rule throws at the surest free bed, unless it is in check or at its last dart; else it plays the level's turn.

The level notices that the rule answers no threat (`scharten.play.attention`), and threatens it with more. Judge a
change by many games of equal numbers: in the first dozen of level 5 the level does better than in those that follow.
"""

from __future__ import annotations

import random
import time
from collections import Counter
from functools import partial
from pathlib import Path

from lab.figures import commit
from lab.kept import Extent, Pairing, Results, Row, does, share_of
from lab.play import Choice, Seat, opened, play
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


class Rule(Seat):
    """Throw while that risks neither the king nor the game; else take the level's turn, resign and claim as it does."""

    def __init__(self, level: int, options: Options, seed: int, divided_by: float) -> None:
        super().__init__(level, options, seed, divided_by)
        self._chance, self._scatter = random.Random(seed), LEVELS[level].scatter
        self._limits = options.foul_limit.white, options.foul_limit.black

    def __call__(self, position: Position, seen: frozenset[Key]) -> Choice:
        side, turns = position.mover, Turns(position)
        last = position.fouls[side] + 1 >= self._limits[side]
        if position.placed[side] >= THROWS or turns.checked or last or not turns.placements():
            return super().__call__(position, seen)
        x, y = surest(position, throw_model(self._scatter))
        return x + self._chance.gauss(0, self._scatter.x_mm), y + self._chance.gauss(0, self._scatter.y_mm)


def played(level: int, divided_by: float, number: int) -> Row:
    """Play one game and return the level's points; each number is played with either colour in turn."""
    began = time.process_time()
    options = Options(kind=Kind.LOUD)
    position = opened(options, random.Random(number // 2), 0)
    own = Seat(level, options, number, divided_by)
    rule = Rule(level, options, number + 1000, divided_by)
    white, black = (own, rule) if number % 2 == 0 else (rule, own)
    game = play(position, white, black, options)
    points = game.points if white is own else 1 - game.points
    cpu_s = round(time.process_time() - began, 2)
    return {"number": number, "points": points, "turns": game.turns, "end": game.end, "cpu_s": cpu_s}


def _pairing(level: int, divided_by: float) -> Pairing:
    head: Row = {"match": f"loud {level}-rule that resigns", "players": does(level, Kind.LOUD, divided_by)}
    return Pairing(head, partial(played, level, divided_by))


def run(file: Path, levels: tuple[int, ...], divided_by: float, extent: Extent) -> int:
    """Print each level's share of the points beside its aim; return 1 if a level misses it or games are missing."""
    print(
        f"loud Scharten, commit {commit()}: level n against the rule with its scatter, {extent.games} games each "
        f"(target from level {FIRST_LEVEL}); games in {file}"
    )
    results, pairings = Results(file), {level: _pairing(level, divided_by) for level in levels}
    results.play_missing(list(pairings.values()), extent)
    good = True
    for level, pairing in pairings.items():
        rows = results.rows_of(pairing.head)[: extent.games]
        share, aim = share_of(rows), AIM if level >= FIRST_LEVEL else None
        ends = Counter(str(row["end"]) for row in rows).most_common()
        print(f"  level {level:2}: {share.judged(aim, extent.games)}")
        print(f"    ended by {', '.join(f'{end} {count}' for end, count in ends) or 'nothing yet'}")
        good &= share.good(aim, extent.games)
    return 0 if good else 1
