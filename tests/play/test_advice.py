"""Advice on where to aim: the safe and the best aim in both kinds of games, and the cost of a field."""

from __future__ import annotations

import json

import pytest
from typer.testing import CliRunner

from scharten.cli import build
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.locate import bed_at
from scharten.errors import Problem, SchartenError
from scharten.game.basics import move_from_text
from scharten.games.chess import CHESS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.advice import Advice, advise
from scharten.players.aiming import INDEX, odds_for

START = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"
LOUD = Options.model_validate_json('{"kind": "loud"}')
HOME = Options.model_validate_json('{"kind": "loud", "zones": "home"}')


def advice(text: str, options: Options, scatter: float) -> Advice:
    """Return the advice in a position of Scharten, without time for a deep search."""
    position = SCHARTEN.read(text, options)
    assert not isinstance(position, Problem)
    found = advise(SCHARTEN, position, options, scatter, white_sits_at=3, over=lambda: True)
    assert isinstance(found, Advice)
    return found


@pytest.mark.parametrize(("scatter", "placed"), [(20.0, 1.0), (30.0, 0.99), (40.0, 0.95), (60.0, 0.77)])
def test_the_safe_aim_has_the_published_chances(scatter: float, placed: float) -> None:
    """Into an empty half it places as often as the published table says; at 30 mm or more it aims at an outer part."""
    found = advice(START, LOUD, scatter)
    assert found.safe.placed == pytest.approx(placed, abs=0.015)
    report = found.as_json()["safe"]
    assert report["bed"][0] == "L" and report["part"] == "outer" if scatter >= 30 else report["bed"]
    assert str(bed_at(report["x_mm"], report["y_mm"])) == report["bed"]


def test_the_best_aim_is_worth_most_and_the_safe_aim_is_surest() -> None:
    """No field's own aim is worth more than the best one, and none places more often than the safe one."""
    found = advice(START, HOME, 25.0)
    assert found.best.value is not None and found.safe.value is not None
    assert found.best.value >= found.safe.value and found.safe.placed >= found.best.placed - 2e-5
    for field in found.fields:
        assert field.aim.placed <= found.safe.placed + 2e-5 and field.hit <= field.aim.placed + 1e-9
        assert field.aim.value is not None and field.cost == pytest.approx(found.best.value - field.aim.value)
    assert found.as_json()["fields"][0]["cost"] == round(min(field.cost for field in found.fields), 2)


@pytest.mark.parametrize("scatter", [15.0, 25.0, 45.0])
def test_no_aim_of_another_grid_is_surer_than_the_safe_one(scatter: float) -> None:
    """Another method, chances by rings and sectors, finds no point that places more often."""
    found = advice(START, HOME, scatter)
    good = [INDEX[field.bed] for field in found.fields]
    assert found.safe.placed >= odds_for(scatter)[good].sum(axis=0).max() - 0.004


def test_the_last_dart_before_fogling_is_thrown_safely() -> None:
    """If another lost dart loses the game, the best aim is about as sure as the safe one."""
    found = advice("5K*9k*4/20/20/20 w - 0/0 0/0 2/0 1", HOME, 30.0)
    assert found.best.placed >= found.safe.placed - 0.03
    assert advice(START, HOME, 30.0).best.placed <= found.best.placed + 0.011


def test_a_dart_for_a_move_on_squares_gets_the_surest_aim() -> None:
    """In loud chess the dart must hit the square's colour: the surest aim is the best one, without a value."""
    options = CHESS.options_model.model_validate_json('{"kind": "loud"}')
    position = CHESS.read("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 0/0", options)
    assert not isinstance(position, Problem)
    move = move_from_text("e4d5")
    found = advise(CHESS, position, options, 20.0, white_sits_at=3, over=lambda: False, move=move)
    assert isinstance(found, Advice) and found.best.value is None and found.best.placed == found.safe.placed
    assert CHESS.throws is not None
    for field in found.fields:
        effect = CHESS.throws.effect(position, options, field.bed, 3, aim=move)
        assert effect.code == "hit"
    none = advise(CHESS, position, options, 20.0, white_sits_at=3, over=lambda: False)
    assert isinstance(none, Problem)


def test_a_silent_game_has_no_advice() -> None:
    """A silent game has no darts, so the request gets a problem."""
    silent = Options.model_validate_json('{"kind": "silent"}')
    found = advise(SCHARTEN, SCHARTEN.begin(silent), silent, 30.0, white_sits_at=3, over=lambda: False)
    assert isinstance(found, Problem) and found.code


def test_the_command_prints_text_and_json() -> None:
    """`scharten advise` prints text or JSON, and refuses an unreadable position."""
    run, app = CliRunner(), build()
    words = run.invoke(app, ["advise", START, "--scatter", "35", "--time", "0.05"]).output
    assert "safe: aim at the outer part of the inner single 3" in words and "to hit, costs" in words
    data = json.loads(run.invoke(app, ["advise", START, "--json", "--time", "0.05"]).output)
    assert {bed["bed"] for bed in data["fields"]} and parse_bed(data["best"]["bed"])
    assert run.invoke(app, ["advise", "nonsense"]).exit_code != 0


@pytest.mark.parametrize(
    "wrong",
    [["--options-json", "["], ["--options-json", '{"a": 1}'], ["--white-sits-at", "7"]],
    ids=["JSON", "key", "seat"],
)
def test_wrong_options_are_refused_with_a_message(wrong: list[str]) -> None:
    """Invalid JSON, an unknown key and a wrong seat give a message and no traceback."""
    result = CliRunner().invoke(build(), ["advise", "4K15/20/20/14k5 w - 0/0 0/0 0/0 1", *wrong])
    words = result.output + str(result.exception)
    assert result.exit_code and ("cannot be used" in words or "at the 3 or at the 20" in words)
    assert isinstance(result.exception, (SchartenError, SystemExit))
