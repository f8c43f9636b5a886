"""The chain of digests through all rows of a journal, and the seals of its other tables.

Each row's `chain` is a digest of the row and of the previous `chain`, which reveals a changed, missing or exchanged
row. The tables `matches`, `going_on` and `dropped` are updated in place; each of their rows carries its own digest.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

ROWS = "SELECT n, match, t_ms, body, events, digest, session, seq, chain FROM inputs WHERE n > ? ORDER BY n"


def link(previous: str, row: Sequence[object]) -> str:
    """The `chain` of a row: (n, match, t_ms, body, events, digest, session, seq) after the row `previous`."""
    return _digest((previous, *row))


def seal(*values: object) -> str:
    """The digest of a row outside the chain."""
    return _digest(values)


def match_seal(id_: str, started_ms: int, start: str, summary: str) -> str:
    """Two seals, so that a damaged summary does not make the match unusable."""
    return f"{seal(id_, started_ms, start)} {seal(summary)}"


def _digest(values: Sequence[object]) -> str:
    text = "\0".join(map(str, values))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Verified:
    """How far a chain was followed: the last valid row, and a message about the next if it is wrong."""

    n: int
    chain: str
    rows: int
    wrong: str = ""


def verified(db: sqlite3.Connection, n: int = 0, chain: str = "") -> Verified:
    """Follow the chain after row `n`; `sqlite3.Error` if the file cannot be read."""
    rows = 0
    for *row, stored in db.execute(ROWS, (n,)):
        if row[0] != n + 1:
            return Verified(n, chain, rows, f"input {n + 1} is missing")
        if link(chain, row) != stored:
            return Verified(n, chain, rows, f"input {n + 1} is not as it was stored")
        n, chain, rows = n + 1, stored, rows + 1
    return Verified(n, chain, rows)


def growing(rows: Iterable[tuple[Any, ...]]) -> Iterator[tuple[Any, ...]]:
    """Rows with a growing number; in a damaged file the pages of a table may form an endless circle."""
    last = -1
    for row in rows:
        if row[0] <= last:
            raise sqlite3.DatabaseError("its pages run in circles")
        last = row[0]
        yield row


def unsealed(db: sqlite3.Connection) -> Iterator[str]:
    """Messages about faults of the tables outside the chain; `sqlite3.Error` if a table cannot be read."""
    query = "SELECT rowid, id, started_ms, start, summary, seal FROM matches ORDER BY rowid"
    for _, *row, stored in growing(db.execute(query)):
        if match_seal(*row) != stored:
            yield f"the head of match {row[0]} is not as it was stored"
    for table, columns in (("going_on", "match"), ("dropped", "session, total")):
        for *row, stored in db.execute(f"SELECT one, {columns}, seal FROM {table}"):
            if seal(*row) != stored:
                yield f"the table {table} is not as it was stored"
    if db.execute("SELECT 1 FROM inputs").fetchone() and not db.execute("SELECT 1 FROM going_on").fetchone():
        yield "the table going_on is empty"


def fill(db: sqlite3.Connection) -> None:
    """Chain and seal a file of an earlier schema, within the caller's transaction."""
    previous = ""
    for *row, _ in _all(db.execute(ROWS, (0,))):
        previous = link(previous, row)
        db.execute("UPDATE inputs SET chain = ? WHERE n = ?", (previous, row[0]))
    for head in _all(db.execute("SELECT id, started_ms, start, summary FROM matches")):
        db.execute("UPDATE matches SET seal = ? WHERE id = ?", (match_seal(*head), head[0]))
    for table, columns in (("going_on", "match"), ("dropped", "session, total")):
        for only in _all(db.execute(f"SELECT one, {columns} FROM {table}")):
            db.execute(f"UPDATE {table} SET seal = ?", (seal(*only),))


def _all(found: sqlite3.Cursor) -> Iterator[tuple[Any, ...]]:
    """Rows in blocks of a thousand: an update must not disturb its own reader, and memory stays bounded."""
    while some := found.fetchmany(1000):
        yield from some
