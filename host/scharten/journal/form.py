"""The journal's numbered schemas, its chain and seals, and what recovery takes from a damaged one.

Each schema brings a file from the number before it to its own:

1  matches (how each began, as text) and inputs (input, events and digest of one step in one row)
2  matches carry what a list of games shows; one of them is the one that goes on
3  how many events the board dropped, so that a restart does not report the same loss twice
4  inputs are stored by tag (match/codec.py), no longer by the name of a class; older rows stay as they are. All of
   them are chained, and every other row carries a seal (store/chain.py)
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import suppress

from scharten.store.chain import growing, in_blocks, link, rechain, seal
from scharten.store.files import UNREADABLE
from scharten.store.form import Form, Naming, Row

_CHAINED = (("inputs", "chain"), ("matches", "seal"), ("going_on", "seal"), ("dropped", "seal"))
_SINGLE = (("going_on", "match"), ("dropped", "session, total"))
"""The tables of one row, updated in place like `matches`; each row carries its own digest."""
_STEPS: tuple[tuple[str, ...], ...] = (
    (
        """CREATE TABLE matches (
            id TEXT PRIMARY KEY, started_ms INTEGER NOT NULL, start TEXT NOT NULL) STRICT""",
        """CREATE TABLE inputs (
            n INTEGER PRIMARY KEY, match TEXT NOT NULL REFERENCES matches(id), t_ms INTEGER NOT NULL,
            body TEXT NOT NULL, events TEXT NOT NULL, digest TEXT NOT NULL,
            session INTEGER, seq INTEGER) STRICT""",
        "CREATE INDEX inputs_by_match ON inputs(match, n)",
    ),
    (
        "ALTER TABLE matches ADD COLUMN summary TEXT NOT NULL DEFAULT '{}'",
        "CREATE TABLE going_on (one INTEGER PRIMARY KEY CHECK (one = 1), match TEXT NOT NULL) STRICT",
        "INSERT INTO going_on SELECT 1, match FROM inputs ORDER BY n DESC LIMIT 1",
    ),
    (
        """CREATE TABLE dropped (
            one INTEGER PRIMARY KEY CHECK (one = 1), session INTEGER NOT NULL, total INTEGER NOT NULL) STRICT""",
    ),
    tuple(f"ALTER TABLE {table} ADD COLUMN {column} TEXT NOT NULL DEFAULT ''" for table, column in _CHAINED),
)


def match_seal(id_: str, started_ms: int, start: str, summary: str) -> str:
    """Two seals, so that a damaged summary does not make the match unusable."""
    return f"{seal(id_, started_ms, start)} {seal(summary)}"


def _faults(db: sqlite3.Connection) -> Iterator[str]:
    query = "SELECT rowid, id, started_ms, start, summary, seal FROM matches ORDER BY rowid"
    for _, *row, stored in growing(db.execute(query)):
        if match_seal(*row) != stored:
            yield f"the head of match {row[0]} is not as it was stored"
    for table, columns in _SINGLE:
        for *row, stored in db.execute(f"SELECT one, {columns}, seal FROM {table}"):
            if seal(*row) != stored:
                yield f"the table {table} is not as it was stored"
    if db.execute("SELECT 1 FROM inputs").fetchone() and not db.execute("SELECT 1 FROM going_on").fetchone():
        yield "the table going_on is empty"


def _fill(db: sqlite3.Connection) -> None:
    rechain(db, JOURNAL)
    for head in in_blocks(db.execute("SELECT id, started_ms, start, summary FROM matches")):
        db.execute("UPDATE matches SET seal = ? WHERE id = ?", (match_seal(*head), head[0]))
    for table, columns in _SINGLE:
        for only in in_blocks(db.execute(f"SELECT one, {columns} FROM {table}")):
            db.execute(f"UPDATE {table} SET seal = ?", (seal(*only),))


def _believed(db: sqlite3.Connection, rows: Iterator[tuple[Row, bool]]) -> Iterator[Row]:
    """Of each match the rows before its first invalid one."""
    known = {
        id_
        for _, id_, started_ms, start, _, sealed in _heads(db)
        if seal(id_, started_ms, start) == str(sealed).split(" ")[0]
    }
    for row, agrees in rows:
        if agrees and row[1] in known:
            yield row
        else:
            known.discard(row[1])


def _heads(db: sqlite3.Connection) -> Iterator[Row]:
    """The readable matches: rowid, id, started_ms, start, summary, seal."""
    query = "SELECT rowid, id, started_ms, start, summary, seal FROM matches ORDER BY rowid"
    with suppress(*UNREADABLE):
        yield from growing(db.execute(query))


def _rescue(old: sqlite3.Connection, new: sqlite3.Connection, rows: Iterator[Row]) -> int:
    """Number and chain the believed rows again; copy the heads of their matches and the valid single rows."""
    n, previous, match = 0, "", ""
    new.execute("PRAGMA defer_foreign_keys = ON")  # the heads follow
    ends = set()
    for _, *rest in rows:
        n, match = n + 1, rest[0]
        ends.add(match)
        previous = link(previous, (n, *rest))
        new.execute(JOURNAL.insert, (n, *rest, previous))
    for _, id_, started_ms, start, summary, sealed in _heads(old):
        if id_ in ends:
            valid = summary if sealed.split(" ")[-1] == seal(summary) else "{}"
            seals = match_seal(id_, started_ms, start, valid)
            new.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (id_, started_ms, start, valid, seals))
    for table, columns in _SINGLE:
        marks = ", ".join("?" * (len(columns.split(",")) + 2))
        try:
            row = old.execute(f"SELECT one, {columns}, seal FROM {table}").fetchone()
        except UNREADABLE:
            row = None
        if row and seal(*row[:-1]) == row[-1] and (table != "going_on" or row[1] in ends):
            new.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        elif table == "going_on" and n:
            new.execute("INSERT INTO going_on VALUES (1, ?, ?)", (match, seal(1, match)))
    return n


JOURNAL = Form(
    naming=Naming("journal"),
    items="inputs",
    table="inputs",
    columns=("n", "match", "t_ms", "body", "events", "digest", "session", "seq", "chain"),
    tables=("matches", "inputs"),
    steps=_STEPS,
    chained=4,
    fill=_fill,
    faults=_faults,
    believed=_believed,
    rescue=_rescue,
    cure="compare the position with the board",
)
