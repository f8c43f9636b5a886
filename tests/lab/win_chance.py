"""The win chance of the review, fitted to self-play: White's points against a search of each fourth position.

Games of ten kinds are kept in a file, one line each, so that a stopped run goes on. A fifth of the games is held out;
its log loss stands beside that of a constant and that of the value before the search of captures.
"""

from __future__ import annotations

import json
import math
import random
import time
from pathlib import Path
from typing import Any

import numpy as np

from scharten.dartboard.locate import bed_at
from scharten.errors import Problem
from scharten.game.basics import Action, Kind, LostDart, Move, Pass, Side, move_from_text
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.position import Position
from scharten.play.any_game import dart_point
from scharten.play.choose import Thinker, choose
from scharten.play.evaluate import evaluate
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model
from scharten.review.value import Judge

MOST_TURNS = 140
EVERY = 5
"""Odd, so that both sides are to move."""
PRIOR = (0.0, 0.45, 0.3, 0.1)
HOLD = (400.0, 25.0, 4.0, 25.0)
"""Weights before any game and their precisions; the searched value has the turn in it already."""
ERROR = 0.4
SCATTERS = (18.0, 28.0, 42.0)
KINDS = [(key, kind) for key in GAMES_BY_KEY for kind in Kind]


def begun(key: str, kind: Kind, seed: int) -> tuple[Any, Any, Any]:
    """The game, its options and an opening; six turns by chance make silent games differ."""
    game = GAMES_BY_KEY[key]
    options = game.options_model(kind=kind)
    position = game.begin(options)
    if game.draws is not None:
        position = game.draws.position(game.draws.begin(options, "lab", str(seed)))
    return game, options, position


def played(key: str, kind: Kind, seed: int) -> dict[str, Any]:
    """A game of two hurried players with errors: rows of features, the mover's plain value, and White's points."""
    chance = random.Random(f"{key} {kind} {seed}")
    game, options, position = begun(key, kind, seed)
    judge = Judge(game, options)
    hands = (chance.choice(SCATTERS), chance.choice(SCATTERS))
    rows: list[list[float]] = []
    end = None
    for turn in range(MOST_TURNS):
        situation = game.situation(position, options)
        end = situation.end
        if end is not None:
            break
        if turn % EVERY == EVERY - 1:
            features = judge.features(position, situation)
            plain = (
                evaluate(position) / 100
                if isinstance(position, Position)
                else judge._quiet(position, None, 0, 0, 0)
            )
            rows.append([1 if situation.side is Side.WHITE else -1, *features, plain])
        action = _action(game, options, position, judge, hands[situation.side.index], chance, turn)
        reached = game.play(position, action, options)
        assert not isinstance(reached, Problem), reached
        position, end = reached.position, reached.end
        if end is not None:
            break
    return {
        "game": key,
        "kind": kind.value,
        "seed": seed,
        "points": _points(end, judge, position),
        "rows": rows,
    }


def _points(end: Any, judge: Judge, position: Any) -> float:
    if end is not None:
        return 0.5 if end.winner is None else float(end.winner is Side.WHITE)
    chance = judge.points(position)
    return 1.0 if chance > 0.75 else 0.0 if chance < 0.25 else 0.5


def _action(
    game: Any, options: Any, position: Any, judge: Judge, hand: float, chance: random.Random, turn: int
) -> Action:
    situation = game.situation(position, options)
    scatter = Scatter(hand, hand)
    if isinstance(position, Position):
        if turn < 6 and not position.rules.loud and situation.moves:
            return move_from_text(chance.choice(situation.moves))
        model = throw_model(scatter) if position.rules.loud else None
        found = choose(
            position, Thinker(depth=1, error=40, model=model), lambda: False, lambda: chance.gauss(0, 1)
        )
        assert found is not None
        if found.turn is not None:
            return move_of(*found.turn)
        assert found.aim is not None
        return _thrown(game, options, position, found.aim, hand, chance, None)
    if not situation.moves:
        return situation.forced or Pass()
    if turn < 4:
        move = move_from_text(chance.choice(situation.moves))
    else:
        move = max(
            (move_from_text(text) for text in situation.moves),
            key=lambda item: _worth(judge, position, item, chance),
        )
    if move.text not in situation.needs_dart:
        return move
    aim = dart_point(game, position, options, throw_model(scatter), white_sits_at=3, move=move)
    return _thrown(game, options, position, aim, hand, chance, move)


def _worth(judge: Judge, position: Any, move: Move, chance: random.Random) -> float:
    reached = judge.game.play(position, move, judge.options)
    assert not isinstance(reached, Problem)
    return -judge._quiet(reached.position, reached.end, -math.inf, math.inf, 3) + chance.gauss(0, ERROR)


def _thrown(
    game: Any,
    options: Any,
    position: Any,
    aim: tuple[float, float],
    hand: float,
    chance: random.Random,
    move: Any,
) -> Action:
    bed = bed_at(aim[0] + chance.gauss(0, hand), aim[1] + chance.gauss(0, hand))
    found: Action = game.throws.effect(position, options, bed, 3, aim=move).action
    assert isinstance(found, Action | LostDart)
    return found


def play_on(file: Path, seconds: float, first: int, step: int) -> None:
    """Play games of every kind in turn until the time is over; each is one line of the file."""
    until, seed = time.monotonic() + seconds, first
    with file.open("a", encoding="utf-8") as out:
        while time.monotonic() < until:
            for key, kind in KINDS:
                if time.monotonic() < until:
                    out.write(json.dumps(played(key, kind, seed)) + "\n")
                    out.flush()
            seed += step


def _log_loss(points: Any, chance: Any) -> float:
    chance = np.clip(chance, 1e-4, 1 - 1e-4)
    return float(-np.mean(points * np.log(chance) + (1 - points) * np.log(1 - chance)))


def _fit(x: Any, points: Any, counts: Any, prior: Any, hold: Any) -> Any:
    prior, hold = np.array(prior), np.array(hold)
    found = prior.copy()
    for _ in range(40):
        chance = 1 / (1 + np.exp(-np.clip(x @ found, -30, 30)))
        slope = x.T @ (counts * (points - chance)) - hold * (found - prior)
        curve = (x.T * (counts * chance * (1 - chance))) @ x + np.diag(hold)
        found = found + np.linalg.solve(curve, slope)
    return found


def run(files: list[Path]) -> int:
    """Print the weights as the package has them, and the held-out log loss of each kind."""
    games = [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]
    print(
        f"{len(games)} games of self-play, a fifth held out; log loss: fitted, value without search, constant"
    )
    for key, kind in KINDS:
        own = [game for game in games if (game["game"], game["kind"]) == (key, kind.value) and game["rows"]]
        rows, points, counts, held = [], [], [], []
        for game in own:
            for side, *row in game["rows"]:
                rows.append(row)
                points.append(game["points"] if side > 0 else 1 - game["points"])
                counts.append(4.0 / len(game["rows"]))
                held.append(game["seed"] % 5 == 0)
        x, p, c, h = np.array(rows), np.array(points), np.array(counts), np.array(held)
        quiet = x[:, 4] == 0
        learn = quiet & ~h
        found = _fit(x[learn][:, :4], p[learn], c[learn], PRIOR, HOLD)
        plain = _fit(np.tanh(x[learn][:, 5:6] / 8), p[learn], c[learn], (0.0,), (0.01,))
        odds = np.where(quiet, x[:, :4] @ found, x[:, 4])
        fitted = _log_loss(p[h], 1 / (1 + np.exp(-odds[h])))
        simple = _log_loss(p[h], 1 / (1 + np.exp(-np.tanh(x[h][:, 5] / 8) * plain[0])))
        constant = _log_loss(p[h], np.full(h.sum(), p[learn].mean()))
        print(
            f'    ("{key}", "{kind.value}"): ({", ".join(f"{item:.3f}" for item in found)}),'
            f"  # {len(own)} games: {fitted:.3f}, {simple:.3f}, {constant:.3f}"
        )
    return 0
