"""Foul limits that even two throwers out."""

from __future__ import annotations

import copy

import pytest

from scharten.dartboard.beds import ALL_BEDS
from scharten.errors import Problem
from scharten.game.protocol import AnyGame
from scharten.games import GAMES
from scharten.games.chess import CHESS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.players.handicap import Handicap, even_limits, handicap, loss, risk

LOUD = Options.model_validate_json('{"kind": "loud"}')
HOME = Options.model_validate_json('{"kind": "loud", "zones": "home"}')


def test_the_risk_is_that_of_a_run() -> None:
    """Counted by hand for one piece: this many losses in a row; and never more likely with a longer limit."""
    assert risk(0.5, 3, pieces=1) == pytest.approx(0.125) and risk(0.5, 1, pieces=2) == pytest.approx(0.75)
    found = [risk(0.3, limit) for limit in (1, 2, 3, 4)]
    assert found == sorted(found, reverse=True)


def test_a_loss_is_rarer_for_a_better_thrower() -> None:
    """The chances of the literature's model on half a board: about 23 % lost at 60 mm, 1 % at 30 mm."""
    half = [bed for bed in ALL_BEDS if bed.number in (3, 17, 19, 7, 16, 2, 15, 8, 11, 10)]
    assert loss(60.0, half) == pytest.approx(0.24, abs=0.02)
    assert loss(30.0, half) == pytest.approx(0.01, abs=0.01)


def test_the_weaker_thrower_may_lose_more_darts() -> None:
    """Unequal scatter gives unequal limits whose risks are near each other; equal scatter the usual three."""
    found, turned = (handicap(SCHARTEN, HOME, pair, 3) for pair in ((20.0, 55.0), (55.0, 20.0)))
    assert isinstance(found, Handicap) and isinstance(turned, Handicap)
    assert found.limits[0] < found.limits[1] and turned.limits == found.limits[::-1]
    assert 0.4 < found.risks[0] / found.risks[1] < 2.5
    usual = even_limits(0.2, 0.2)
    assert usual.limits == (3, 3) and usual.risks[0] == usual.risks[1]


@pytest.mark.parametrize("game", [game for game in GAMES if game is not SCHARTEN], ids=lambda game: game.key)
def test_games_on_squares_are_evened_out_by_the_colours(game: AnyGame) -> None:
    """A dart for what is taken hits a colour: the weaker may lose more; whose darts may hit any bed loses fewest."""
    options = game.options_model.model_validate_json('{"kind": "loud"}')
    found = handicap(game, options, (8.0, 40.0), 3)
    assert isinstance(found, Handicap) and found.limits[0] < found.limits[1]
    assert 0.3 < found.risks[0] / found.risks[1] < 3.3
    children = game.options_model.model_validate_json('{"kind": "loud", "aim": {"black": "any"}}')
    odds = handicap(game, children, (8.0, 40.0), 3)
    assert isinstance(odds, Handicap) and odds.risks[1] < found.risks[1] and odds.limits[1] <= odds.limits[0]


def test_a_game_without_darts_has_none() -> None:
    """Nothing to even out: said in words."""
    silent = copy.copy(CHESS)
    silent.throws = None  # type: ignore[assignment]
    refused = handicap(silent, CHESS.options_model(), (20.0, 30.0), 3)
    assert isinstance(refused, Problem) and "chess" in refused.words
