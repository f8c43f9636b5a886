"""`scharten review` on a stored game: figures, files, refusals and the stored copy."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import chess.pgn
import pytest
from typer.testing import CliRunner, Result

from match.driver import Table
from players.evening import played, store
from scharten.cli import build
from scharten.errors import SchartenError

MOVES = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")


def _review(folder: Path, *args: str) -> Result:
    return CliRunner().invoke(build("review"), ["review", *args, "--data", str(folder)])


def _chess(folder: Path) -> str:
    """A scholar's mate in the journal; its id."""
    table = Table(begin=False)
    table.ok("new_game", game="chess", kind="silent", names={"white": "Ann", "black": "Bob"})
    for move in MOVES:
        table.ok("move", move=move)
    assert table.match.result == "1-0"
    store(folder / "scharten.sqlite3", table)
    return table.match.id


def test_a_loud_game_is_reviewed_and_kept(tmp_path: Path) -> None:
    """The JSON has every turn, its parts add up, and only the same scatter reads the stored copy."""
    table = played(8, 25.0)
    table.ok("resign", "seat1")
    store(tmp_path / "scharten.sqlite3", table)
    first = _review(tmp_path, table.match.id, "--json")
    found = json.loads(first.stdout)
    assert len(found["turns"]) == len(table.match.turns)
    for turn in found["turns"]:
        change = turn["after"] - turn["before"]
        assert turn["head"] + turn["hand"] + turn["luck"] == pytest.approx(change, abs=1e-9)
        assert len(turn["ghosts"]) == 20
        low, high = turn["luck_interval"]
        assert low <= turn["luck"] <= high
    assert "reviewed" in first.stderr
    second = _review(tmp_path, table.match.id, "--json")
    assert second.stdout == first.stdout and "reviewed" not in second.stderr
    other = _review(tmp_path, table.match.id, "--json", "--white-mm", "12", "--black-mm", "12")
    assert "reviewed" in other.stderr
    (tmp_path / "reviews" / f"{table.match.id}.json").write_text("{")
    assert _review(tmp_path, table.match.id, "--json").stdout == first.stdout


def test_chess_is_written_as_pgn_html_and_csv(tmp_path: Path) -> None:
    """The PGN has an evaluation behind each move, the blunder into mate has its sign, HTML names the players."""
    match = _chess(tmp_path)
    for name in ("r.pgn", "r.html", "r.csv", "r.txt"):
        assert _review(tmp_path, match, "--out", str(tmp_path / name)).exit_code == 0
    with (tmp_path / "r.pgn").open(encoding="utf-8") as opened:
        game = chess.pgn.read_game(opened)
    assert game is not None and not game.errors
    evals = [node.eval() for node in game.mainline()]
    assert len(evals) == len(MOVES) and None not in evals
    turns = list(csv.DictReader((tmp_path / "r.csv").open(encoding="utf-8")))
    assert float(turns[5]["head"]) < -0.2 and turns[5]["sign"] == "??" and float(turns[6]["after"]) == 1.0
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "Ann – Bob" in page and page.count("<tr id=") == len(MOVES) and "<script" not in page
    assert "{??" in (tmp_path / "r.txt").read_text(encoding="utf-8")


def test_what_cannot_be_reviewed_is_named(tmp_path: Path) -> None:
    """An unknown match, a game that goes on and an unknown ending are refused with a cure."""
    table = played(2, 25.0)
    store(tmp_path / "scharten.sqlite3", table)
    for args, words in (
        (("nobody",), "holds no match nobody"),
        ((table.match.id,), "is not over"),
        ((table.match.id, "--out", str(tmp_path / "r.docx")), "no review is written"),
    ):
        failed = _review(tmp_path, *args)
        assert isinstance(failed.exception, SchartenError) and words in failed.exception.message
