"""`scharten review` with a chess engine: it judges silent games, and no fault of an engine costs what is judged."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from lab.programs import program
from match.driver import Table
from players.evening import played, store
from scharten.cli import build

FAKE = Path(__file__).parents[1] / "lab" / "fake_engine.py"
BLACKBURNE = (
    *("e2e4", "e7e5", "g1f3", "b8c6", "f1c4", "c6d4", "f3e5"),
    *("d8g5", "e5f7", "g5g2", "h1f1", "g2e4", "c4e2", "d4f3"),
)
"""The trap that every opening book calls a blunder from White's fourth turn on; Black mates."""


def chess_game(folder: Path, moves: tuple[str, ...]) -> str:
    """Store a silent game of chess; return its id."""
    table = Table(begin=False)
    table.ok("new_game", game="chess", kind="silent", names={"white": "Ann", "black": "Bob"})
    for move in moves:
        table.ok("move", move=move)
    if table.match.result is None:
        table.ok("resign", "seat1")
    store(folder / "scharten.sqlite3", table)
    return table.match.id


def review(folder: Path, match: str, *args: str) -> Result:
    """Run the command."""
    return CliRunner().invoke(build("review"), ["review", match, *args, "--data", str(folder)])


def configured(folder: Path, fault: str, more: str = "") -> None:
    """Write a configuration with an engine of this fault."""
    command = f'command = ["{sys.executable}", "{FAKE}", "{fault}"]'
    (folder / "scharten.toml").write_text(f"[opponent]\n{more}\n[opponent.engines.fake]\n{command}\n")


@pytest.mark.long
def test_stockfish_finds_the_blunders_of_a_known_trap(tmp_path: Path) -> None:
    """It marks White's fourth and fifth turn and Black's third, twice alike; without it the stored review differs."""
    program("stockfish")
    match = chess_game(tmp_path, BLACKBURNE)
    found = json.loads(review(tmp_path, match, "--engine", "stockfish", "--json").stdout)
    signs = {turn["turn"]: turn["sign"] for turn in found["turns"]}
    assert found["engine"].startswith("Stockfish")
    assert signs[6] and signs[7] and signs[9] == "??", signs
    assert not any(signs[turn] for turn in (1, 2, 3, 4, 5, 8)), signs
    for turn in found["turns"]:
        assert turn["hand"] == turn["luck"] == 0.0 and turn["head"] <= 0.0
        assert turn["head"] == pytest.approx(turn["after"] - turn["before"], abs=1e-9)
    for earlier, later in zip(found["turns"], found["turns"][1:], strict=False):
        assert later["before"] >= 1 - earlier["after"] - 1e-9, (
            "a value is that of the turn before it, or better"
        )
    own = json.loads(review(tmp_path, match, "--json").stdout)
    assert own["engine"] == "" and own["turns"] != found["turns"]
    repeated = json.loads(review(tmp_path, match, "--engine", "stockfish", "--json").stdout)
    assert repeated == found
    page = tmp_path / "review.html"
    assert review(tmp_path, match, "--engine", "stockfish", "--out", str(page)).exit_code == 0
    assert "judged by Stockfish" in page.read_text()


@pytest.mark.parametrize(
    ("fault", "says"),
    [("dies", "fake: the engine ended."), ("babbles", "which is not a move."), ("floods", "wrote too much.")],
)
def test_a_failing_engine_is_named(tmp_path: Path, fault: str, says: str) -> None:
    """The command ends with the engine's name, what it did and the cure, and stores no review."""
    configured(tmp_path, fault)
    match = chess_game(tmp_path, BLACKBURNE[:4])
    refused = review(tmp_path, match, "--engine", "fake")
    assert (
        refused.exit_code == 1
        and says in str(refused.exception)
        and "--engine none" in str(refused.exception)
    )
    assert not list((tmp_path / "reviews").glob("*.json"))


def test_an_engine_that_dies_halfway_costs_none_of_its_judgements(tmp_path: Path) -> None:
    """The next review resumes behind the turns that are judged, and ends with every turn."""
    configured(tmp_path, "tires", 'review = "fake"')
    match = chess_game(tmp_path, BLACKBURNE[:8])
    first = review(tmp_path, match)
    assert first.exit_code == 1 and "fake: the engine ended." in str(first.exception)
    kept = (tmp_path / "reviews" / f"{match}.turns").read_bytes().count(b"\n") - 1
    assert kept == 4, "five positions judge four turns"
    second = review(tmp_path, match, "--json")
    assert second.exit_code == 0 and "4 of 8 turns reviewed" in second.stderr
    assert len(json.loads(second.stdout)["turns"]) == 8


def test_what_an_engine_cannot_judge_is_said(tmp_path: Path) -> None:
    """A loud game and an unknown engine are refused; an engine of the configuration leaves a loud game alone."""
    configured(tmp_path, "honest", 'review = "fake"')
    table = played(2, 25.0)
    table.ok("resign", "seat1")
    store(tmp_path / "scharten.sqlite3", table)
    loud = review(tmp_path, table.match.id, "--engine", "fake")
    assert loud.exit_code == 1 and "knows nothing of darts" in str(loud.exception)
    assert json.loads(review(tmp_path, table.match.id, "--json").stdout)["engine"] == ""
    silent = chess_game(tmp_path, BLACKBURNE[:2])
    unknown = review(tmp_path, silent, "--engine", "deep-thought")
    assert unknown.exit_code == 1 and "There is no engine deep-thought." in str(unknown.exception)
    assert json.loads(review(tmp_path, silent, "--engine", "none", "--json").stdout)["engine"] == ""
