"""A game of every kind is stored in the journal on a real disk and replayed the same."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from match.driver import VARIANTS, Table
from match.test_any_game import seated, turn
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Journal, JournalReader
from scharten.journal.replay import going_on
from scharten.journal.step_record import as_record
from scharten.match.referee import digest, step


@pytest.mark.parametrize(("key", "kind", "chosen"), VARIANTS, ids=lambda value: str(value)[:24])
def test_a_game_comes_back_from_the_journal(
    key: str, kind: str, chosen: dict[str, Any], tmp_path: Path
) -> None:
    """Forty random turns with darts are stored input by input, and a start replays them to the same digest."""
    table, chance = seated(key, kind, chosen), random.Random(3)
    for _ in range(40):
        if table.match.under_way:
            turn(table, chance)
    journal = Journal(tmp_path / "j.sqlite3")
    match = Table(begin=False).match
    for given in table.inputs:
        new, events = step(match, given)
        if digest(new) != digest(match):
            beginning = new.start.model_dump_json()
            journal.append(as_record(new, given, events, "setup-x", mark=digest(new), start=beginning))
        match = new
    journal.close()
    reader = JournalReader(tmp_path / "j.sqlite3")
    found = going_on(reader, GAMES_BY_KEY)
    reader.close()
    assert found is not None and found.game.key == key
    assert digest(found) == digest(table.match)
