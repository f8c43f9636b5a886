"""The list of games on the command line."""

from __future__ import annotations

import re
from pathlib import Path

from typer.testing import CliRunner

from players.evening import played, store
from scharten.cli import build


def test_one_turn_is_one_turn(tmp_path: Path) -> None:
    """It counts in words: "1 turn", "2 turns"."""
    store(tmp_path / "scharten.sqlite3", played(1, 0.0), played(2, 0.0, seed=2))
    output = CliRunner().invoke(build(), ["games", "--data", str(tmp_path)]).stdout
    assert sorted(re.findall(r"\d+ turns?\b", output)) == ["1 turn", "2 turns"]
