"""The chain of digests through the rows of a database.

Each row's `chain` is a digest of the row and of the previous `chain`, which reveals a changed, missing or exchanged
row. Tables that are updated in place carry a seal in each row instead.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from scharten.store.form import Form, Row


def link(previous: str, row: Sequence[object]) -> str:
    """The `chain` of a row, given without its `chain`, after the row with the chain `previous`."""
    return _digest((previous, *row))


def seal(*values: object) -> str:
    """The digest of a row outside the chain."""
    return _digest(values)


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


def verified(db: sqlite3.Connection, form: Form, n: int = 0, chain: str = "") -> Verified:
    """Follow the chain after row `n`; `sqlite3.Error` if the file cannot be read."""
    rows = 0
    for *row, stored in db.execute(form.rows, (n,)):
        if row[0] != n + 1:
            return Verified(n, chain, rows, f"{form.row_noun} {n + 1} is missing")
        if link(chain, row) != stored:
            return Verified(n, chain, rows, f"{form.row_noun} {n + 1} is not as it was stored")
        n, chain, rows = n + 1, stored, rows + 1
    return Verified(n, chain, rows)


def growing(rows: Iterable[Row]) -> Iterator[Row]:
    """Rows with a growing number; in a damaged file the pages of a table may form an endless circle."""
    last = -1
    for row in rows:
        if row[0] <= last:
            raise sqlite3.DatabaseError("its pages run in circles")
        last = row[0]
        yield row


def in_blocks(found: sqlite3.Cursor) -> Iterator[Row]:
    """Rows in blocks of a thousand: an update must not disturb its own reader, and memory stays bounded."""
    while some := found.fetchmany(1000):
        yield from some


def rechain(db: sqlite3.Connection, form: Form) -> str:
    """Chain all rows again, within the caller's transaction; return the last `chain`."""
    previous = ""
    for *row, _ in in_blocks(db.execute(form.rows, (0,))):
        previous = link(previous, row)
        db.execute(f"UPDATE {form.table} SET chain = ? WHERE n = ?", (previous, row[0]))
    return previous
