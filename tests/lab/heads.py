"""Measure the points that each level's turns give away by the review: the table for the level of a stand-in.

A level plays against itself, every second game silent. Aim: each band of levels gives away less than the one
below.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Final

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Action, Kind
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.player import Mind
from scharten.players.heads import TURNS, Tally
from scharten.players.stand_ins import BANDS
from scharten.review.split import Splitter, Thrown
from scharten.review.value import Judge

SITS: Final = 3
MOST_TURNS: Final = 80
EVERY: Final = 5
"""Turns between two reviews, since a review takes longer than a turn; an odd number includes both sides."""


def run(games: int, seed: int, up_to: int) -> int:
    """Print the points that each level and band gives away; status 1 if a band misses its aim."""
    missed, below = False, float("inf")
    for band, known in BANDS:
        whole = Tally()
        for level in (level for level in band if level <= up_to):
            tally = Tally()
            for number in range(games):
                kind = (Kind.LOUD, Kind.SILENT)[number % 2]
                for lost in _lost(level, kind, random.Random(seed * 1000 + number)):
                    tally = tally.with_tally(Tally(0, 1, lost, lost**2))
            print(f"level {level}: {_words(tally)}", flush=True)
            whole = whole.with_tally(tally)
        if not whole.turns:
            break
        points = whole.as_json()["points"]
        missed |= points >= below
        aim = "" if below == float("inf") else f" (below {below:.2f})"
        print(f"levels {band[0]} to {band[-1]}: {_words(whole)}{aim}; a stand-in's table has {known:.2f}")
        below = points
    return int(missed)


def _words(tally: Tally) -> str:
    figures = tally.as_json()
    interval = f"{figures['low']:.2f} to {figures['high']:.2f}"
    return f"{figures['points']:.2f} points in {TURNS} turns, {interval}, {tally.turns} turns"


def _lost(level: int, kind: Kind, chance: random.Random) -> Iterator[float]:
    """Play a game of a level against itself; yield the points that every fifth turn gave away."""
    options = Options(kind=kind)
    position: Any = SCHARTEN.begin(options)
    minds = [Mind(SCHARTEN, options, level, SITS, gauss=chance.gauss) for _ in range(2)]
    splitter, seen = Splitter(Judge(SCHARTEN, options), SITS), set[Any]()
    for turn in range(MOST_TURNS):
        mind = minds[position.mover]
        seen.add(mind.key(position))
        intent = mind.think(position, 1.0, lambda: 0.0, frozenset(seen))
        if intent is None:
            return
        action: Action | None = intent.move
        dart = None
        if intent.aim is not None:
            bed = bed_at(*mind.scattered(intent.aim))
            dart = Thrown(bed, aim=intent.aim)
            action = SCHARTEN.throws.effect(position, options, bed, SITS).action
        assert action is not None
        if turn % EVERY == EVERY - 1:
            yield max(0.0, -splitter.split(position, action, mind.level.scatter.mm, dart).head)
        reached = SCHARTEN.play(position, action, options)
        assert not isinstance(reached, Problem), reached
        position = reached.position
        if reached.end is not None:
            return
