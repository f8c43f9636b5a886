"""Which readings of the guest the journal has: read once, when the host starts in the middle of a game."""

from __future__ import annotations

import json
from pathlib import Path

from scharten.errors import SchartenError
from scharten.journal.journal import JournalReader
from scharten.remote.host_side import Numbers


def taken_in_journal(path: Path, match: str) -> dict[int, Numbers]:
    """Return the numbers of the guest's readings in a game's rows, by session."""
    taken: dict[int, Numbers] = {}
    try:
        reader = JournalReader(path)
    except SchartenError:
        return taken
    try:
        for row in reader.inputs(match):
            if '"place":"' not in row.body:
                continue
            raw = json.loads(row.body)
            if raw.get("place") and raw.get("receipt"):
                session, number = raw["receipt"]
                taken[session] = taken.get(session, Numbers()).with_number(number)
    finally:
        reader.close()
    return taken
