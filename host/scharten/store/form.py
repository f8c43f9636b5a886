"""The description of one kind of database: its tables by schema, its chained rows, its name in messages."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from scharten.words import ENGLISH, text

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Naming:
    """How messages name a database: by the texts `error.noun.<key>`, `error.activity.<key>` and `error.todo.<key>`.

    These are the file, the activity that needs it, and the cure when it cannot be recovered.
    """

    key: str

    @property
    def noun(self) -> str:
        """The name of such a file in English, for the log."""
        return text(ENGLISH, f"error.noun.{self.key}")


@dataclass(frozen=True, slots=True)
class Form:
    """One kind of database.

    `table` holds the chained rows; `columns` are all of its columns, the number first and `chain` last. `tables` are
    those that a copy before an upgrade must repeat row by row. `steps` bring a file from each schema to the next.
    """

    naming: Naming
    items: str
    table: str
    columns: tuple[str, ...]
    tables: tuple[str, ...]
    steps: tuple[tuple[str, ...], ...]
    chained: int
    """The first schema that can be verified."""
    fill: Callable[[sqlite3.Connection], None]
    """Chain and seal a file of the schema before `chained`, within the caller's transaction."""
    faults: Callable[[sqlite3.Connection], Iterator[str]]
    """Yield messages about faults of the other tables; `sqlite3.Error` if a table cannot be read."""
    believed: Callable[[sqlite3.Connection, Iterator[tuple[Row, bool]]], Iterator[Row]]
    """Choose the rows to recover from (row without `chain`, whether the chain confirms it)."""
    rescue: Callable[[sqlite3.Connection, sqlite3.Connection, Iterator[Row]], int]
    """Write the believed rows of a damaged file, and its other tables, into a new one; return the number of rows."""
    cure: str
    """The next step for a person when rows are lost, as an imperative clause."""

    @property
    def newest(self) -> int:
        """The number of the newest schema."""
        return len(self.steps)

    @property
    def row_noun(self) -> str:
        """A single row, in messages."""
        return self.items.removesuffix("s") if not self.items.endswith("ies") else self.items[:-3] + "y"

    @property
    def rows(self) -> str:
        """The query of the chained rows after a number."""
        return f"SELECT {', '.join(self.columns)} FROM {self.table} WHERE n > ? ORDER BY n"

    @property
    def insert(self) -> str:
        """The statement that adds a chained row."""
        return f"INSERT INTO {self.table} ({', '.join(self.columns)}) VALUES ({', '.join('?' * len(self.columns))})"

    def count(self, db: sqlite3.Connection) -> int:
        """The number of chained rows."""
        return int(db.execute(f"SELECT count(*) FROM {self.table}").fetchone()[0])

    def last(self, db: sqlite3.Connection) -> tuple[int, str]:
        """The number and `chain` of the last row; (0, "") without rows."""
        return db.execute(f"SELECT n, chain FROM {self.table} ORDER BY n DESC LIMIT 1").fetchone() or (0, "")

    def version(self, db: sqlite3.Connection) -> int:
        """The schema number of a file; 0 is an empty one."""
        return int(db.execute("PRAGMA user_version").fetchone()[0])

    def upgrade(self, db: sqlite3.Connection) -> None:
        """Bring a file to the newest schema, each number in a transaction of its own."""
        for number in range(self.version(db), self.newest):
            db.execute("BEGIN IMMEDIATE")
            try:
                for statement in self.steps[number]:
                    db.execute(statement)
                if number + 1 == self.chained:
                    self.fill(db)
                db.execute(f"PRAGMA user_version = {number + 1}")
                db.execute("COMMIT")
            except (sqlite3.Error, MemoryError):
                if db.in_transaction:  # a full disk has ended it already
                    db.execute("ROLLBACK")
                raise
