"""The schemas of the club's file, and what recovery takes from a damaged one.

1  entries, chained by a digest of their JSON
2  the same table, chained as every database of this program (store/chain.py), with a mark beside the file
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator

from pydantic import ValidationError

from scharten.errors import Problem
from scharten.store.chain import link, rechain
from scharten.store.form import Form, Naming, Row
from scharten.tournament.club import step
from scharten.tournament.entries import ENTRIES
from scharten.tournament.model import Club


def _link_of_schema_1(before: str, n: int, at_ms: int, text: str) -> str:
    return hashlib.sha256(json.dumps([before, n, at_ms, text]).encode()).hexdigest()[:32]


def _fill(db: sqlite3.Connection) -> None:
    """Verify the chain of schema 1, then chain the rows again."""
    chain = ""
    for number, (n, at_ms, text, stored) in enumerate(db.execute(CLUB.rows, (0,)), 1):
        chain = _link_of_schema_1(chain, n, at_ms, text)
        if n != number or stored != chain:
            raise sqlite3.DatabaseError(f"malformed: entry {number} was changed after it was stored")
    rechain(db, CLUB)


def _no_faults(_db: sqlite3.Connection) -> Iterator[str]:
    yield from ()


def _believed(_db: sqlite3.Connection, rows: Iterator[tuple[Row, bool]]) -> Iterator[Row]:
    """The confirmed entries that still fit after those before them."""
    club = Club()
    for row, agrees in rows:
        stepped = read_entry(club, row[1], row[2]) if agrees else None
        if isinstance(stepped, Club):
            club = stepped
            yield row


def read_entry(club: Club, at_ms: int, text: str) -> Club | Problem:
    """The club after a stored entry; a refusal if it cannot be read or does not fit."""
    try:
        return step(club, ENTRIES.validate_json(text), at_ms)
    except ValidationError:
        return Problem.reasoned("unreadable", "entry_unread")


def _rescue(_old: sqlite3.Connection, new: sqlite3.Connection, rows: Iterator[Row]) -> int:
    n, previous = 0, ""
    for _, at_ms, text in rows:
        n += 1
        previous = link(previous, (n, at_ms, text))
        new.execute(CLUB.insert, (n, at_ms, text, previous))
    return n


CLUB = Form(
    naming=Naming("club"),
    items="entries",
    table="entries",
    columns=("n", "at_ms", "entry", "chain"),
    tables=("entries",),
    steps=(
        (
            """CREATE TABLE entries (
                n INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, entry TEXT NOT NULL, chain TEXT NOT NULL) STRICT""",
        ),
        (),
    ),
    chained=2,
    fill=_fill,
    faults=_no_faults,
    believed=_believed,
    rescue=_rescue,
    cure="compare members, pairings and results with your papers",
)
