"""The computer plays as a registered player: only by their agreement, with hand and head as measured."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.dartboard.beds import BULL
from scharten.game.basics import Kind
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.levels import LEVELS
from scharten.play.player import Mind
from scharten.play.scatter import hand_from
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.scatter import Observation, Tally
from scharten.players.stand_ins import LEAST_TURNS, stand_in
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"


def asked(folder: Path, *words: str) -> Any:
    """Run `scharten players`; return its result."""
    return CliRunner().invoke(build("players"), ["players", *words, "--data", str(folder)])


def listed(folder: Path) -> list[dict[str, Any]]:
    """The players as whom the computer may play."""
    found: list[dict[str, Any]] = json.loads(asked(folder, "stand-ins", "--json").stdout)
    return found


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder in which Ann and Bob threw more than 50 darts each, and Cas none."""
    games = [played(130, 30.0, seed) for seed in (1, 2, 3)]
    for game in games:
        game.ok("resign", "seat1")
    store(tmp_path / JOURNAL, *games)
    register = PlayerStore(tmp_path)
    for player, name in ((ANN, "Ann"), (BOB, "Bob"), ("cas00", "Cas")):
        register.save(Player(player, Profile(name=name), 1))
    return tmp_path


def test_nobody_is_played_without_agreement(folder: Path) -> None:
    """Off at first; on and off again by the command, for one player only, and asked of the register each time."""
    book = PlayerBook(folder, JOURNAL, GAMES_BY_KEY)
    assert listed(folder) == [] and "--agree" in asked(folder, "stand-ins").stderr
    assert book.stand_in_refused(ANN) is not None
    assert asked(folder, "stand-in", "Ann", "--agree").exit_code == 0
    assert [player["name"] for player in listed(folder)] == ["Ann"]
    assert book.stand_in_refused(ANN) is None and book.stand_in_refused(BOB) is not None
    assert asked(folder, "stand-in", "Ann", "--withdraw").exit_code == 0
    assert listed(folder) == [] and book.stand_in_refused(ANN) is not None
    assert asked(folder, "stand-in", "Ann", "--agree").exit_code == 0
    book.delete(ANN)
    assert listed(folder) == [] and book.stand_in_refused(ANN) is not None


@pytest.mark.long
def test_too_few_darts_are_reported_in_words(folder: Path) -> None:
    """Ann's scatter is that of the list; Cas, who has thrown nothing, has none, and the command shows why."""
    for name in ("Ann", "Cas"):
        asked(folder, "stand-in", name, "--agree")
    ann, cas = listed(folder)
    known = {player["name"]: player for player in json.loads(asked(folder, "list", "--json").stdout)}
    assert ann["mm"] == known["Ann"]["scatter"]["mm"] and ann["darts"] >= ann["least"]
    assert (cas["mm"], cas["darts"]) == (None, 0)
    assert "Cas: 0 of 50 darts, too few" in asked(folder, "stand-ins").stdout


def test_the_head_is_of_the_levels_that_err_as_much() -> None:
    """Enough reviewed turns choose the band, the scatter the level in it; fewer leave all to the scatter."""
    row: dict[str, Any] = {"id": "a", "name": "A", "scatter": {"mm": LEVELS[6].scatter.mm, "darts": 80}}
    for points, level in ((7.0, 1), (4.4, 2), (2.5, 5), (0.2, 6)):
        found = stand_in(row, {"points": points, "turns": LEAST_TURNS})
        assert (found["level"], found["level_by"]) == (level, "head")
    for head in ({"points": 7.0, "turns": LEAST_TURNS - 1}, None):
        found = stand_in(row, head)
        assert (found["level"], found["level_by"]) == (6, "hand")


def test_the_hand_throws_with_the_scatter_of_the_player() -> None:
    """A level with another hand: its darts deviate by that, whatever the level's own are."""
    chance = random.Random(1)
    mind = Mind(SCHARTEN, Options(kind=Kind.LOUD), 10, 3, gauss=chance.gauss, hand=hand_from(40.0))
    darts = [mind.scattered((0.0, 0.0)) for _ in range(2000)]
    measured = (sum(x * x + y * y for x, y in darts) / len(darts) / 2) ** 0.5
    assert measured == pytest.approx(40.0, rel=0.05)


def test_the_hand_has_the_players_offset_and_tilt() -> None:
    """Fifty darts at the bull show them, and the stand-in has them, in the size with which it is seated."""
    chance = random.Random(3)
    tally = Tally()
    for count in (49, 4000):
        tally.add_all(Observation((BULL,), leaning(chance)) for _ in range(count))
        assert (tally.hand() is None) == (count == 49)
    known = tally.hand()
    assert known is not None
    size = (sum(figure**2 for figure in (12, 30, 8, -15)) / 2) ** 0.5
    hand = hand_from(2 * size, json.loads(json.dumps(known.as_list())))
    mind = Mind(SCHARTEN, Options(kind=Kind.LOUD), 10, 3, gauss=chance.gauss, hand=hand)
    found = np.array([mind.scattered((5.0, 6.0)) for _ in range(4000)])
    assert found.mean(axis=0) == pytest.approx((5 + 2 * 8, 6 - 2 * 15), abs=3)
    assert found.std(axis=0) == pytest.approx((2 * 12, 2 * 30), rel=0.08)
    assert np.corrcoef(found.T)[0, 1] == pytest.approx(0.6, abs=0.06)


def leaning(chance: random.Random) -> tuple[float, float]:
    """A dart at the bull of a hand that is off by 8 and -15 mm and scatters by 12 and 30 mm along a slope."""
    aside, free = chance.gauss(0, 1), chance.gauss(0, 1)
    return 8 + 12 * aside, -15 + 30 * (0.6 * aside + 0.8 * free)


def test_an_agreement_alone_changes_what_the_register_holds(folder: Path) -> None:
    """Without one, a profile is stored as earlier versions read it; the second copy brings an agreement back."""
    assert "stand_in" not in (folder / "players.json").read_text()
    asked(folder, "stand-in", "Bob", "--agree")
    (folder / "players.sqlite3").unlink()
    assert [player["name"] for player in listed(folder)] == ["Bob"]
