"""A game of another package: found by its entry point, counted, written and read like our own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from scharten.errors import SchartenError
from scharten.games.chess import CHESS
from scharten.games.shakti import SHAKTI
from scharten.games.table import with_packages

ADDED = Path(__file__).parent / "added"
START = "8/8/8/8/8/8/krbnNBRK/qrbnNBRQ w - - 0 1"
CODE = """
from racing_kings import RACING_KINGS
from scharten.games import GAMES
assert GAMES[-1] is RACING_KINGS
"""


def scharten(*arguments: object) -> str:
    """The output of the command line with the package on the path; fails with its errors."""
    environment = {**os.environ, "PYTHONPATH": str(ADDED)}
    command = [sys.executable, "-m", "scharten", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=environment)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("position", "depth", "leaves"),
    [(START, 1, 21), (START, 2, 421), (START, 3, 11264), ("3K4/8/8/8/1k6/8/8/8 b - - 0 1", 2, 0)],
)
def test_an_added_game_counts_its_positions(position: str, depth: int, leaves: int) -> None:
    """The published counts of Racing Kings come from `perft`; a reached goal has no further moves."""
    assert scharten("perft", position, depth, "--game", "racing_kings").split()[-1] == str(leaves)


@pytest.mark.parametrize(
    ("position", "result"),
    [
        ("3K4/8/8/8/1k6/8/8/8 b - - 0 1", "state=goal"),
        ("3K4/k7/8/8/8/8/8/8 b - - 0 1", "state=ongoing"),
        ("3K3k/8/8/8/8/8/8/8 w - - 0 1", "state=goal"),
    ],
)
def test_the_end_of_a_variant_is_that_of_python_chess(position: str, result: str) -> None:
    """The race is over when a king stands on row 8, unless Black can still follow White's."""
    assert result in scharten("status", position, "--game", "racing_kings")


def test_an_added_game_may_be_imported_before_ours() -> None:
    """A package's game, imported first, is the same value as in the table of games."""
    environment = {**os.environ, "PYTHONPATH": str(ADDED)}
    assert subprocess.run([sys.executable, "-c", CODE], env=environment, timeout=60).returncode == 0


@pytest.mark.long
def test_a_sheet_of_an_added_game_is_imported_and_exported(tmp_path: Path) -> None:
    """A score sheet and a PGN of Racing Kings are imported; the exported files repeat moves, result and reason."""
    sheet = tmp_path / "race.txt"
    head = '[Game "racing_kings"]\n[Kind "silent"]\n[Language "en"]\n[Date "2026.11.22"]\n[White "Ann"]\n[Black "Bob"]'
    sheet.write_text(
        f'{head}\n[Position "8/K6k/8/8/8/8/8/8 w - - 0 1"]\n[Result "½-½"]\n\n1. Kb8 Kg8 ½-½\n',
        encoding="utf-8",
    )
    scharten("games", "--data", tmp_path, "--import", sheet)
    match = json.loads(scharten("games", "--data", tmp_path, "--json"))[0]["id"]
    for language, header in (("en", '[Game "racing_kings"]'), ("pgn", '[Variant "Racing Kings"]')):
        written = scharten("games", "--data", tmp_path, "--export", match, "--language", language)
        assert header in written and "1. Kb8" in written and "goal" in written
        sheet.write_text(written, encoding="utf-8")
        other = tmp_path / language
        scharten("games", "--data", other, "--import", sheet)
        (game,) = json.loads(scharten("games", "--data", other, "--json"))
        assert (game["game"], game["turns"], game["result"], game["reason"]) == (
            "racing_kings",
            2,
            "½-½",
            "goal",
        )


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("racing_kings_that_is_missing:GAME", "does not load"),
        ("scharten.games.chess:GRID", "does not load"),
        ("scharten.games.shakti:SHAKTI", "Two games have the key 'shakti'"),
    ],
)
def test_a_package_that_adds_no_new_game_is_named(value: str, message: str) -> None:
    """A missing module, a value that is not a game, and a key in use are errors with the package's name."""
    with pytest.raises(SchartenError, match=message) as caught:
        with_packages((CHESS, SHAKTI), [EntryPoint("new", value, "scharten.games")])
    assert value in str(caught.value)
