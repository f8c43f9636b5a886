"""Head and hand apart: a player's figures from the reviews beside the journal."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from typer.testing import CliRunner

from players.evening import ANN, BOB, played, store
from scharten.cli import build
from scharten.games import GAMES_BY_KEY
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

JOURNAL = "scharten.sqlite3"


def test_the_head_is_what_the_reviews_say(tmp_path: Path) -> None:
    """Nothing before a review; then the sum of its turns, for both players, and again after a review changed."""
    table = played(8, 25.0)
    table.ok("resign", "seat1")
    store(tmp_path / JOURNAL, table)
    register = PlayerStore(tmp_path)
    register.save(Player(ANN, Profile(name="Ann"), 1))
    register.save(Player(BOB, Profile(name="Bob"), 2))
    book = PlayerBook(tmp_path, JOURNAL, GAMES_BY_KEY)
    before = book.player(ANN)
    assert before is not None and before["head"] is None
    result = CliRunner().invoke(
        build("review"), ["review", table.match.id, "--data", str(tmp_path), "--json"]
    )
    turns = json.loads(result.stdout)["turns"]
    for player, side in ((ANN, "white"), (BOB, "black")):
        own = [-turn["head"] for turn in turns if turn["side"] == side]
        figures = book.player(player)
        assert figures is not None
        head = figures["head"]
        assert head["turns"] == len(own) and head["games"] == 1
        assert head["points"] == pytest.approx(100 * sum(own) / len(own), abs=0.006)
        assert head["low"] <= head["points"] <= head["high"]
        assert [{**head["months"][0], "month": ""}] == [
            {**{name: value for name, value in head.items() if name != "months"}, "month": ""}
        ]
    _change(tmp_path / "reviews" / f"{table.match.id}.json")
    later = book.player(ANN)
    assert later is not None and later["head"]["points"] == 50.0


def test_damaged_and_old_reviews_are_left_out(tmp_path: Path) -> None:
    """A file that is no review, and one of another version of the figures: the player has no head yet."""
    table = played(4, 25.0)
    table.ok("resign", "seat1")
    store(tmp_path / JOURNAL, table)
    PlayerStore(tmp_path).save(Player(ANN, Profile(name="Ann"), 1))
    book = PlayerBook(tmp_path, JOURNAL, GAMES_BY_KEY)
    file = tmp_path / "reviews" / f"{table.match.id}.json"
    file.parent.mkdir()
    for number, text in enumerate(("{", "[]", '{"made_of": {"version": 0}, "review": {"turns": []}}')):
        file.write_text(text)
        os.utime(file, (number, number))
        found = book.player(ANN)
        assert found is not None and found["head"] is None, text


def _change(file: Path) -> None:
    """Let every turn of a stored review give away half a point."""
    stored = json.loads(file.read_text())
    for turn in stored["review"]["turns"]:
        turn["head"] = -0.5
    file.write_text(json.dumps(stored))
    os.utime(file, (1, 1))
