"""The proof of strength: what was played is kept, a stopped run goes on, and a changed level begins anew."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.strength import Results, matches, run
from scharten.game.basics import Kind
from scharten.play.levels import LEVELS


def test_a_stopped_run_goes_on_and_a_changed_level_begins_anew(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One game of two is played; a torn line is skipped; with another error of the level none of it counts."""
    file = tmp_path / "play.jsonl"
    [match] = listed = matches((Kind.LOUD,), ((2, 1),), others=False)
    assert run(file, listed, 1, 0.1, stop_after_s=600) in (0, 1)
    [row] = Results(file, 0.1).of(match)
    assert (row["number"], row["match"]) == (0, "loud 2-1") and row["points"] in (0, 0.5, 1)
    with file.open("a") as torn:
        torn.write('\n{"match": "loud 2-1", "play')
    assert Results(file, 0.1).of(match) == [row]
    capsys.readouterr()
    assert run(file, listed, 2, 0.1, stop_after_s=0) == 1
    assert "1 to play" in capsys.readouterr().out
    monkeypatch.setitem(LEVELS, 2, LEVELS[2]._replace(error=1))
    assert Results(file, 0.1).of(match) == []
