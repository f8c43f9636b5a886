"""Self-play and what is made of it: a file that goes on, fits that are never worse than a constant, intervals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from lab.knowledge import document, share
from lab.self_play import kept, plan, play_on, played
from lab.win_chance import Data, fit, held_out, losses, shrunk
from scharten.game.basics import Kind
from scharten.games import GAMES_BY_KEY

PRIOR = np.array((0.0, 0.45, 0.3, 0.1))


@pytest.mark.long
def test_a_number_stands_for_one_game_and_the_plan_holds_every_kind() -> None:
    """A short game of chess is the same twice; sixteen numbers in a row hold each game, silent and loud."""
    assert {(planned.game, planned.kind) for planned in map(plan, range(16))} == {
        (key, kind) for key in GAMES_BY_KEY for kind in Kind
    }
    assert all((planned.mm is None) == (planned.kind is Kind.SILENT) for planned in map(plan, range(64)))
    first, second = played(plan(8)), played(plan(8))
    assert first == second and first["end"] == "checkmate" and first["points"] in (0.0, 1.0)


@pytest.mark.long
def test_a_forced_pass_is_played_by_the_referee() -> None:
    """A loud game of Shakti in which a side must pass ends on the board: no level was asked to move."""
    ended = played(plan(847))
    assert ended["game"] == "shakti" and ended["end"] == "checkmate"


@pytest.mark.long
def test_a_torn_file_is_played_on(tmp_path: Path) -> None:
    """Of a torn line its game is played again, the others are not; without time nothing is played."""
    file = tmp_path / "games.jsonl"
    rows = [{"v": 2, "number": number, "points": 0.5} for number in range(8)]
    lines = [json.dumps(row) for row in rows] + ['{"v": 2, "number": 8, "poi', '{"v": 1, "number": 9}']
    file.write_text("\n".join(lines), encoding="utf-8")
    assert sorted(play_on(file, 9, 0.0, 1)) == list(range(8))
    assert sorted(play_on(file, 9, 600.0, 1)) == list(range(9))
    found = kept(file)
    assert found[3] == rows[3] and found[8]["end"] == "checkmate"


def _data(games: int, telling: float, seed: int) -> Data:
    """Games of four positions whose result follows the second feature as much as `telling` says."""
    chance = np.random.default_rng(seed)
    value = np.repeat(chance.normal(0, 2, games), 4)
    won = np.repeat(chance.random(games), 4) < 1 / (1 + np.exp(-telling * value))
    x = np.stack(
        [np.ones_like(value), value, value * 0.5, np.zeros_like(value), np.zeros_like(value)], axis=1
    )
    return Data(x, won.astype(float), np.ones_like(value), np.repeat(np.arange(games), 4))


def test_a_fit_is_better_than_a_constant_or_becomes_one() -> None:
    """Where the value tells something, unseen games are predicted better; where it tells nothing, no worse."""
    held = held_out({("a", "silent"): _data(100, 1.0, 1), ("b", "silent"): _data(100, 0.0, 2)})
    telling, empty = held["a", "silent"], held["b", "silent"]
    assert telling.games == 100 and telling.fitted < telling.constant - 3 * telling.error
    assert empty.fitted <= empty.constant + 2 * empty.error
    against = _data(200, 0.0, 3)
    weights: Any = shrunk(against, np.array((0.0, 3.0, 3.0, 0.0)))
    assert losses(against, weights).mean() < losses(against, np.array((0.0, 3.0, 3.0, 0.0))).mean()


def test_a_lost_dart_is_never_worth_points() -> None:
    """Where games by chance say that lost darts help, their weight is 0, and the other weights are as without them."""
    data = _data(200, 1.0, 4)
    fouls = np.where(data.points > 0.5, -1.0, 1.0)  # who lost a dart wins
    misled = data._replace(x=np.column_stack([data.x[:, :3], fouls, data.x[:, 4]]))
    hold = np.array((400.0, 25.0, 25.0, 25.0))
    found = fit(misled, PRIOR, hold)
    assert found[3] == 0.0
    assert found[:3] == pytest.approx(fit(data, PRIOR, hold)[:3], abs=1e-6)


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [(5, 10, 0.2366, 0.7634), (0, 20, 0.0, 0.1611), (81, 263, 0.2553, 0.3662)],
)
def test_shares_have_wilsons_interval(hits: int, count: int, low: float, high: float) -> None:
    """The examples of Newcombe (1998), and two by hand."""
    found = share(hits, count)
    assert found == pytest.approx((hits / count, low, high), abs=1e-4)


def test_the_document_shows_what_the_games_hold() -> None:
    """Forty loud games that White wins by Black's fogling: all points are White's, and Black loses each so."""
    row = {
        "game": "scharten",
        "kind": "loud",
        "mm": [30.0, 30.0],
        "points": 1.0,
        "end": "fogling",
        "rows": [],
        "throws": [
            ["white", "F1", "@c2"],
            ["black", "F1", "@-"],
            ["black", "F1", "@-"],
            ["black", "F1", "@-"],
        ],
    }
    text = document([{**row, "number": number} for number in range(40)])
    assert "| scharten | loud | 30 mm | 40 | 100 % (100 to 100) |" in text
    assert "| 30 mm | 80 | 160 | 75 % (68 to 81) | 50 % (39 to 61) |" in text
    assert "Too few games yet." in text
