"""Foul limits that even two throwers out."""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest
from typer.testing import CliRunner

from lab.handicap import simulated, simulated_on_squares
from scharten.cli import build
from scharten.dartboard.beds import NUMBERS, Bed, BedKind
from scharten.errors import Problem
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.games.chess import CHESS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.shakti import SHAKTI
from scharten.players.aiming import INDEX, odds_for
from scharten.players.handicap import LAST, RUNS, TAKEN, Handicap, handicap, simulate, simulate_captures

LOUD = Options.model_validate_json('{"kind": "loud"}')
HOME = Options.model_validate_json('{"kind": "loud", "zones": "home"}')


def test_a_limit_is_reached_by_that_many_losses_in_a_row() -> None:
    """A thrower of whom half of the darts are lost: runs have the chances of a fair coin."""
    half = _half_lost(30.0)
    found = simulate(30.0, half, 1, seed=1)
    lost = (found[:, 1] < LAST).mean()
    for limit in (2, 3):
        assert (found[:, limit] < LAST).mean() == pytest.approx(lost**limit, abs=0.03)
    assert (found[:, 2] <= found[:, 3]).all()


@pytest.mark.long
def test_the_weaker_thrower_may_lose_more_darts() -> None:
    """Unequal scatter gives unequal limits with an even result, none below two; equal scatter the usual three."""
    found, turned = (handicap(SCHARTEN, HOME, pair, 3) for pair in ((20.0, 55.0), (55.0, 20.0)))
    assert isinstance(found, Handicap) and isinstance(turned, Handicap)
    assert 2 <= found.limits[0] < found.limits[1] and turned.limits[0] > turned.limits[1] >= 2
    assert all(abs(white - black) < 0.06 for white, black in (found.risks, turned.risks))
    usual = handicap(SCHARTEN, LOUD, (30.0, 30.0), 3)
    assert isinstance(usual, Handicap) and usual.limits == (3, 3)


@pytest.mark.long
def test_no_limit_is_below_two() -> None:
    """The better player gets two at least: with one, the first lost dart would end the game."""
    found = handicap(SCHARTEN, LOUD, (15.0, 100.0), 3)
    assert isinstance(found, Handicap) and found.limits == (2, 9)


@pytest.mark.long
def test_the_reported_risks_are_those_of_games_by_the_rules() -> None:
    """Games of 20 against 60 mm with the proposed limits, played by the rules with the other model of a throw."""
    found = handicap(SCHARTEN, LOUD, (20.0, 60.0), 3)
    assert isinstance(found, Handicap)
    assert simulated((20.0, 60.0), found.limits, 20) == pytest.approx(found.risks, abs=0.3)


def _half_lost(sigma: float) -> list[Bed]:
    """Return beds of which this thrower's best aim hits one with about every second dart."""
    odds = odds_for(sigma)
    fat = [Bed(BedKind.FAT, number) for number in NUMBERS]
    for count in range(1, len(fat)):
        beds = fat[:count]
        if odds[[INDEX[bed] for bed in beds]].sum(axis=0).max() > 0.45:
            return beds
    return fat


@pytest.mark.long
@pytest.mark.parametrize("game", [game for game in GAMES if game is not SCHARTEN], ids=lambda game: game.key)
def test_games_on_squares_are_evened_out_by_the_colours(game: AnyGame) -> None:
    """A dart for what is taken hits a colour: the weaker may lose more; whose darts may hit any bed loses fewest."""
    options = game.options_model.model_validate_json('{"kind": "loud"}')
    found = handicap(game, options, (8.0, 40.0), 3)
    assert isinstance(found, Handicap) and found.limits[0] < found.limits[1]
    assert abs(found.risks[0] - found.risks[1]) < 0.15
    children = game.options_model.model_validate_json('{"kind": "loud", "aim": {"black": "any"}}')
    odds = handicap(game, children, (8.0, 40.0), 3)
    assert isinstance(odds, Handicap) and odds.limits[1] < found.limits[1]


def test_a_move_without_a_dart_starts_the_count_again() -> None:
    """Turns of known frequencies: who always throws loses by runs of losses, who moves after each loss never does."""
    always, gives_way = np.zeros((TAKEN + 1, 3, 3)), np.zeros((TAKEN + 1, 3, 3))
    always[..., 0] = 1.0
    always[TAKEN] = gives_way[TAKEN] = (0.0, 0.0, 1.0)
    gives_way[:TAKEN] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (1.0, 0.0, 0.0))
    found = simulate_captures(0.5, always, seed=1)
    assert (found[:, 1] < LAST).mean() == pytest.approx(1 - 0.5**TAKEN, abs=0.01)
    assert (found[:, 2] < LAST).mean() == pytest.approx(1 - 0.75**TAKEN, abs=0.02)
    moved = simulate_captures(0.5, gives_way, seed=1)
    assert (moved[:, 1] < LAST).any() and (moved[:, 2] == LAST).all()


def test_the_risks_on_squares_are_those_of_games_by_the_rules() -> None:
    """Shakti between 20 and 20 mm with the proposed limits, played by the rules with the other model of a throw."""
    options = SHAKTI.options_model.model_validate_json('{"kind": "loud"}')
    found = handicap(SHAKTI, options, (20.0, 20.0), 3)
    assert isinstance(found, Handicap)
    assert simulated_on_squares(SHAKTI, (20.0, 20.0), found.limits, 60) == pytest.approx(found.risks, abs=0.2)


def test_a_game_without_darts_has_none() -> None:
    """Nothing to even out: said in words."""
    silent = copy.copy(CHESS)
    silent.throws = None  # type: ignore[assignment]
    refused = handicap(silent, CHESS.options_model(), (20.0, 30.0), 3)
    assert isinstance(refused, Problem) and "chess" in refused.words


@pytest.mark.long
def test_the_command_line() -> None:
    """`scharten handicap` in words and as JSON with the limits of the library; unreadable input is refused."""
    run, app = CliRunner(), build()
    options = Options(kind="loud")
    games: list[None] = []
    found = handicap(SCHARTEN, options, (20.0, 45.0), 3, lambda: games.append(None))
    assert isinstance(found, Handicap) and len(games) == 2 * RUNS
    given = run.invoke(app, ["handicap", "20", "45", "--json"])
    assert json.loads(given.stdout) == found.as_json()
    words = run.invoke(app, ["handicap", "20", "45"]).stdout.splitlines()
    assert words[0].startswith(f"White: foul limit {found.limits[0]}, ")
    assert words[1].startswith(f"Black: foul limit {found.limits[1]}, ")
    swapped = json.loads(run.invoke(app, ["handicap", "45", "20", "--json"]).stdout)["limits"]
    assert swapped["white"] > swapped["black"]
    for wrong in (
        ["handicap", "0", "45"],
        ["handicap", "20"],
        ["handicap", "20", "45", "--game", "nonsense"],
    ):
        assert run.invoke(app, wrong).exit_code != 0
