"""The list of games on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from players.evening import played, store
from scharten.cli import build
from scharten.errors import SchartenError


def test_a_single_turn_is_counted_in_the_singular(tmp_path: Path) -> None:
    """The list has "1 turn" but "2 turns"."""
    store(tmp_path / "scharten.sqlite3", played(1, 0.0), played(2, 0.0, seed=2))
    output = CliRunner().invoke(build(), ["games", "--data", str(tmp_path)]).stdout
    assert sorted(re.findall(r"\d+ turns?\b", output)) == ["1 turn", "2 turns"]


def test_a_journal_can_be_named_by_its_folder(tmp_path: Path) -> None:
    """`games FOLDER` lists the games there; for a folder without a journal the error asks for a game first."""
    none = CliRunner().invoke(build(), ["games", str(tmp_path)]).exception
    assert isinstance(none, SchartenError) and "Play a game there first" in str(none)
    assert f"{tmp_path}/scharten.sqlite3" in str(none)
    store(tmp_path / "scharten.sqlite3", played(1, 0.0))
    assert "1 turn" in CliRunner().invoke(build(), ["games", str(tmp_path)]).stdout
