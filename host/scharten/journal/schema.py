"""The journal's numbered schemas: each entry brings a file from the number before it to its own.

1  matches (how each began, as text) and inputs (input, events and digest of one step in one row)
2  matches carry what a list of games shows; one of them is the one that goes on
3  how many events the board dropped, so that a restart does not report the same loss twice
4  inputs are stored by tag (match/codec.py), no longer by the name of a class; older rows stay as they are. All of
   them are chained, and every other row carries a seal (chain.py)
"""

from __future__ import annotations

import sqlite3

from scharten.journal import chain

_CHAINED = (("inputs", "chain"), ("matches", "seal"), ("going_on", "seal"), ("dropped", "seal"))
STEPS: tuple[tuple[str, ...], ...] = (
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
NEWEST = len(STEPS)
CHAINED = 4
"""The first schema that can be verified."""


def version(db: sqlite3.Connection) -> int:
    """The schema number of a file; 0 is an empty one."""
    return int(db.execute("PRAGMA user_version").fetchone()[0])


def upgrade(db: sqlite3.Connection) -> None:
    """Bring a file to the newest schema, each number in a transaction of its own."""
    for number in range(version(db), NEWEST):
        db.execute("BEGIN IMMEDIATE")
        try:
            for statement in STEPS[number]:
                db.execute(statement)
            if number + 1 == CHAINED:
                chain.fill(db)
            db.execute(f"PRAGMA user_version = {number + 1}")
            db.execute("COMMIT")
        except (sqlite3.Error, MemoryError):
            if db.in_transaction:  # a full disk has ended it already
                db.execute("ROLLBACK")
            raise
