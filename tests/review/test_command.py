"""`scharten review` on a stored game: figures, files, refusals and the stored copy."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from base64 import b64decode
from pathlib import Path

import chess.pgn
import pytest
from PIL import Image
from typer.testing import CliRunner, Result

from match.driver import Table
from players.evening import played, store
from scharten.cli import build
from scharten.errors import SchartenError

MOVES = ("e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7")


def _review(folder: Path, *args: str) -> Result:
    return CliRunner().invoke(build("review"), ["review", *args, "--data", str(folder)])


def _process(folder: Path, match: str) -> subprocess.Popen[str]:
    """The command as a process of its own, with the game's JSON on its standard output."""
    command = (sys.executable, "-m", "scharten", "review", match, "--data", str(folder), "--json")
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _killed(folder: Path, match: str, turns: int) -> Path:
    """Kill a review once this many turns are on the disk; return their file. One that ended first is made again."""
    beside = folder / "reviews" / f"{match}.turns"
    while True:
        with _process(folder, match) as run:
            while run.poll() is None and (not beside.exists() or beside.read_bytes().count(b"\n") <= turns):
                time.sleep(0.01)
            run.send_signal(signal.SIGKILL)
        if run.returncode == -signal.SIGKILL:
            return beside
        assert run.returncode == 0
        shutil.rmtree(folder / "reviews")


def _loud(folder: Path, darts: int = 5) -> str:
    """A loud game that was resigned, in the journal; its id."""
    table = played(darts, 25.0)
    table.ok("resign", "seat1")
    store(folder / "scharten.sqlite3", table)
    return table.match.id


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
    """The PGN has an evaluation behind each move, the blunder into mate its sign, HTML the names and a board for each
    turn that decided, which it numbers once."""
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
    decided = json.loads(_review(tmp_path, match, "--json").stdout)["decided"]
    assert decided and all(f"<li data-turn='{turn}'><a href='#t{turn}'>" in page for turn in decided)
    assert "<ul class='decided'>" in page
    pictures = [b64decode(found) for found in re.findall("src='data:image/png;base64,([^']+)'", page)]
    assert len(set(pictures)) == len(decided)  # each is another position
    assert all(Image.open(io.BytesIO(picture)).size == (720, 720) for picture in pictures)
    assert "{??" in (tmp_path / "r.txt").read_text(encoding="utf-8")


def test_a_saved_review_draws_round_boards(tmp_path: Path) -> None:
    """The corners of a schartbord are transparent, its rim is black, and two turns have two pictures."""
    match = _loud(tmp_path)
    file = tmp_path / "r.html"
    assert _review(tmp_path, match, "--out", str(file)).exit_code == 0
    found = re.findall("src='data:image/png;base64,([^']+)'", file.read_text(encoding="utf-8"))
    assert len(set(found)) > 1
    red, _, _, opaque = Image.open(io.BytesIO(b64decode(found[0]))).convert("RGBA").split()
    assert (opaque.getpixel((3, 3)), opaque.getpixel((360, 4))) == (0, 255)
    assert red.crop((360, 4, 361, 5)).tobytes()[0] < 40


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


@pytest.mark.long
def test_a_killed_review_goes_on_where_it_stood(tmp_path: Path) -> None:
    """Killed after two turns and with its last line torn, the next run makes the rest, to the same JSON."""
    whole, broken = tmp_path / "whole", tmp_path / "broken"
    for folder in (whole, broken):
        folder.mkdir()
        match = _loud(folder)
    beside = _killed(broken, match, 2)
    with beside.open("ab") as file:
        file.write(b'0123 {"torn')
    done = beside.read_bytes().count(b"\n") - 1
    with _process(broken, match) as run:
        said, errors = run.communicate()
    assert run.returncode == 0, errors
    assert errors.startswith(f"{done} of ") and done >= 2
    assert not beside.exists()
    assert json.loads(said) == json.loads(_review(whole, match, "--json").stdout)


@pytest.mark.long
@pytest.mark.parametrize("harm", ["bit", "version", "scatter"])
def test_turns_that_are_not_of_this_review_are_made_again(tmp_path: Path, harm: str) -> None:
    """Behind a wrong bit nothing is believed; of another version or another scatter no turn is."""
    match = _loud(tmp_path)
    beside = _killed(tmp_path, match, 2)
    lines = beside.read_bytes().split(b"\n")
    args: tuple[str, ...] = ("--white-mm", "12") if harm == "scatter" else ()
    if harm == "bit":
        lines[2] = lines[2].replace(b'"luck": ', b'"luck": 1', 1)
    if harm == "version":
        lines[0] = lines[0].replace(b'"version": ', b'"version": 9', 1)
    beside.write_bytes(b"\n".join(lines))
    found = _review(tmp_path, match, "--json", *args)
    first = found.stderr.split(" of ")[0]
    assert found.exit_code == 0 and first == "1"
    (tmp_path / "reviews" / f"{match}.json").unlink()
    assert _review(tmp_path, match, "--json", *args).stdout == found.stdout


@pytest.mark.long
def test_two_reviews_at_once_are_made_once(tmp_path: Path) -> None:
    """The second process waits, says so, and prints the review of the first."""
    match = _loud(tmp_path)
    with _process(tmp_path, match) as first:
        beside = tmp_path / "reviews" / f"{match}.turns"
        while first.poll() is None and not (beside.exists() and beside.stat().st_size):
            time.sleep(0.01)
        first.send_signal(signal.SIGSTOP)
        with _process(tmp_path, match) as second:
            assert second.stderr is not None
            assert "Another process makes this review" in second.stderr.readline()
            first.send_signal(signal.SIGCONT)
            said, errors = second.communicate()
        assert "reviewed" not in errors and said == first.communicate()[0]


def test_a_full_disk_is_named(tmp_path: Path) -> None:
    """Where no review can be stored, the folder and the reason are named."""
    match = _loud(tmp_path, 1)
    (tmp_path / "reviews").write_text("a file")
    failed = _review(tmp_path, match)
    assert isinstance(failed.exception, SchartenError) and "reviews" in failed.exception.message


@pytest.mark.long
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("edition", 99), "follows edition 99"),
        (("game", "halma"), "there is no game 'halma' here"),
        (("t_ms", 7), "the same inputs no longer give the same game"),
    ],
)
def test_a_game_that_this_program_cannot_replay_is_named(
    tmp_path: Path, change: tuple[str, object], words: str
) -> None:
    """A later referee, an unknown game and other digests are named with the match; the journal stays as it was."""
    match, file = _loud(tmp_path, 1), tmp_path / "scharten.sqlite3"
    with sqlite3.connect(file) as db:
        (start,) = db.execute("SELECT start FROM matches WHERE id = ?", (match,)).fetchone()
        changed = json.dumps({**json.loads(start), change[0]: change[1]})
        db.execute("UPDATE matches SET start = ? WHERE id = ?", (changed, match))
    db.close()
    before = file.read_bytes()
    env = {**os.environ, "SCHARTEN_LANGUAGE": "en"}
    command = (sys.executable, "-m", "scharten", "review", match, "--data", str(tmp_path))
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and words in done.stderr and match in done.stderr
    assert "Traceback" not in done.stderr
    assert file.read_bytes() == before and not (tmp_path / "reviews").exists()
