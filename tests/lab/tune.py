"""The weights of the evaluation, tuned by self-play: a step is kept if it beats what was best so far.

Each step changes some weights by chance and plays pairs of silent games against the best so far, each opening once
from either side. A match against the weights that it began with is the proof; the seed makes all of it repeatable.
"""

from __future__ import annotations

import random
import time

from lab.figures import commit
from scharten.game.basics import Kind
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import opening
from scharten.games.scharten.turns import Turns
from scharten.play.choose import Thinker, choose
from scharten.play.evaluate import WEIGHTS, Weights, piece_worth
from scharten.play.search import Key, key_of

RULES = rules_of(Options(kind=Kind.SILENT))
TURNS = 80
"""Turns after which the men on the board decide."""
AHEAD = 250
TUNED = ("knight", "bishop", "rook", "queen", "step", "double", "treble", "mobility", "pressed", "flight")
"""The weights that matter in a silent game, the pawn's being the measure."""


def opened(rng: random.Random) -> Position:
    """The opening after six turns by chance."""
    while True:
        position = opening(RULES)
        for _ in range(6):
            listed = Turns(position).moves()
            if not listed:
                break
            position = after_move(position, *rng.choice(listed))
        if not Turns(position).stuck:
            return position


def game(position: Position, both: tuple[Weights, Weights]) -> float:
    """White's points of a game of players who look one turn and all captures ahead."""
    seen: dict[Key, int] = {}
    for _ in range(TURNS):
        turns = Turns(position)
        if turns.stuck:
            return (0.0 if position.mover == 0 else 1.0) if turns.checked else 0.5
        key = key_of(position)
        seen[key] = seen.get(key, 0) + 1
        if is_dead(position) or seen[key] >= 3:
            return 0.5
        thinker = Thinker(depth=1, weights=both[position.mover])
        found = choose(position, thinker, lambda: False, seen=frozenset(seen))
        assert found is not None and found.turn is not None
        position = after_move(position, *found.turn)
    ahead = _men(position, 0) - _men(position, 1)
    return 1.0 if ahead > AHEAD else 0.0 if ahead < -AHEAD else 0.5


def _men(position: Position, side: int) -> int:
    return sum(
        each * men.bit_count() for each, men in zip(piece_worth(WEIGHTS), position.sets[side], strict=True)
    )


def match(one: Weights, other: Weights, pairs: int, rng: random.Random) -> float:
    """The points of the first in so many pairs of games."""
    points = 0.0
    for _ in range(pairs):
        start = opened(rng)
        points += game(start, (one, other)) + 1 - game(start, (other, one))
    return points


def changed(weights: Weights, rng: random.Random) -> Weights:
    """Three of the weights up or down by up to a quarter."""
    new = {}
    for name in rng.sample(TUNED, 3):
        old = getattr(weights, name)
        new[name] = max(1, round(old * rng.uniform(0.75, 1.25)) + rng.choice((-1, 0, 1)))
    return weights._replace(**new)


def run(steps: int, pairs: int, proof: int, seed: int) -> int:
    """Print each step that is kept, and at the end their match against the first weights; status 1 if lost."""
    rng, best, began = random.Random(seed), WEIGHTS, time.process_time()
    print(
        f"weights by self-play, commit {commit()}, seed {seed}: {steps} steps of {2 * pairs} games",
        flush=True,
    )
    for number in range(steps):
        tried = changed(best, rng)
        points = match(tried, best, pairs, rng)
        if points > 1.2 * pairs:
            best = tried
            print(f"  step {number + 1}: {points:g} of {2 * pairs}, {best}", flush=True)
    points = match(best, WEIGHTS, proof, rng) if best != WEIGHTS else proof
    games = 2 * (pairs * steps + (proof if best != WEIGHTS else 0))
    print(f"  {best}")
    print(
        f"  {points:g} of {2 * proof} against the first weights; {games} games, {time.process_time() - began:.0f} s"
    )
    return 0 if points >= proof else 1
