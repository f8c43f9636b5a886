"""What `make bench ARGS=tune` learns: the weights that results show, and nothing where they show nothing."""

from __future__ import annotations

import random

import numpy as np

from lab.play import opened
from lab.tune import LOUD, SILENT, Sample, fitted, played, slopes
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options
from scharten.play.evaluate import WEIGHTS, evaluate


def results(worth: dict[str, float], count: int) -> Sample:
    """So many positions of games that were won by what things are truly worth."""
    chance = np.random.default_rng(5)
    found = chance.integers(-3, 4, (count, len(worth))).astype(float)
    now = np.array([float(getattr(WEIGHTS, name)) for name in worth])
    won = 1 / (1 + np.exp(-(found @ np.array(list(worth.values()))) / 200))
    points = (chance.random(count) < won).astype(float)
    return Sample(found, found @ now, points, np.ones(count))


def test_weights_that_results_show_are_found() -> None:
    """Games in which a lost dart costs twice and a piece to come half of what is thought give weights near that."""
    found = fitted(results({"foul": 90.0, "to_come": 20.0}, 20_000), LOUD)
    assert abs(found["foul"] / found["to_come"] - 4.5) < 0.6


def test_a_few_games_hardly_move_the_weights() -> None:
    """Ten positions are no proof: what they show is held back by the present weights."""
    found = fitted(results({"foul": 90.0, "to_come": 20.0}, 10), LOUD)
    assert all(abs(found[name] / getattr(WEIGHTS, name) - 1) < 0.5 for name in LOUD)


def test_the_pawn_stays_the_measure() -> None:
    """Whatever is found, a pawn is worth a hundred."""
    found = fitted(results({"pawn": 80.0, "knight": 400.0, "rook": 500.0}, 5_000), ("pawn", "knight", "rook"))
    assert round(found["pawn"]) == WEIGHTS.pawn
    assert abs(found["knight"] / 500 - 1) < 0.2


def test_slopes_are_what_the_evaluation_gains() -> None:
    """In an opened position one more of any weight changes the evaluation as its slope says."""
    position = opened(Options(kind=Kind.SILENT), random.Random(3))
    sign = 1 if position.mover == 0 else -1
    for name, slope in zip(SILENT, slopes(position, SILENT), strict=True):
        more = WEIGHTS._replace(**{name: getattr(WEIGHTS, name) + 40})
        assert abs(sign * (evaluate(position, more) - evaluate(position, WEIGHTS)) - 40 * slope) <= 2


def test_a_seed_gives_the_same_game() -> None:
    """Darts, errors and opening come from the seed, so that weights can be had again."""
    one, other = (played(Kind.LOUD, (WEIGHTS, WEIGHTS), 7, 30) for _ in range(2))
    assert one.points == other.points
    assert one.quiet == other.quiet
