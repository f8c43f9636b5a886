"""Games of registered players in a journal on disk, as the daemon would have written them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

from match.driver import Table
from scharten.dartboard.beds import ALL_BEDS
from scharten.dartboard.locate import bed_at, centre_of
from scharten.dartboard.profile import Contact
from scharten.game.basics import LostDart
from scharten.journal.journal import Journal
from scharten.journal.step_record import as_record
from scharten.match.dart import Dart
from scharten.match.digest import digest
from scharten.match.inputs import Reading
from scharten.match.referee import step
from scharten.match.turns.play import effect

ANN, BOB = "ann00", "bob00"


def played(darts: int, sigma: float, seed: int = 1, **game: Any) -> Table:
    """A loud game of two registered players whose darts scatter by `sigma` around outer singles; cameras see them."""
    table, chance = Table(begin=False), random.Random(seed)
    table.t += seed * 10_000_000  # no two games begin at once
    request: dict[str, Any] = {
        "kind": "loud",
        "players": {"white": ANN, "black": BOB},
        "names": {"white": "Ann", "black": "Bob"},
        "options": {"arming": "auto", "settle_ms": 0, "foul_limit": {"white": 99, "black": 99}},
    }
    table.ok("new_game", **{**request, **game})
    for _ in range(darts):
        throw(table, chance, sigma)
    return table


def throw(table: Table, chance: random.Random, sigma: float) -> None:
    """Throw a dart at a legal outer single."""
    good = [bed for bed in ALL_BEDS if str(bed)[0] == "F" and _does(table, bed)]
    if not good or not table.match.under_way:
        return
    x, y = centre_of(chance.choice(good))
    x, y = x + chance.gauss(0, sigma), y + chance.gauss(0, sigma)
    table.t += 20_000
    dart = Dart(((bed_at(x, y), 1.0),), round(x, 1), round(y, 1), contact=Contact(1, 2))
    table.give(Reading(table.t, table.t, "board", dart))


def _does(table: Table, bed: Any) -> bool:
    found = effect(table.match, bed, None)
    return found is not None and not isinstance(found.action, LostDart)


def store(path: Path, *tables: Table) -> None:
    """The games of these tables, one after the other, as the referee's loop stores them."""
    journal = Journal(path)
    for table in tables:
        match = Table(begin=False).match
        for given in table.inputs:
            later, events = step(match, given)
            if digest(later) != digest(match):
                start = later.start.model_dump_json()
                journal.append(as_record(later, given, events, "setup-x", mark=digest(later), start=start))
            match = later
    journal.close()
