"""The journal: every accepted input, its events and the digest after it, durable before they are published.

One file holds many matches, with one row for each input (`store/store.py`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scharten.errors import SchartenError
from scharten.journal.form import JOURNAL, match_seal
from scharten.store import chain
from scharten.store.files import REFUSALS, UNREADABLE, connect, store_error
from scharten.store.hold import Held
from scharten.store.store import Store, StoreError
from scharten.store.upgrade import checked_version


@dataclass(frozen=True, slots=True)
class Record:
    """A step to store; texts are JSON. `line` is (session, seq) if it was a line of the board.

    `dropped` is (session, total) if the board reported dropped events.
    """

    match: str
    t_ms: int
    body: str
    events: str
    digest: str
    start: str
    summary: str
    line: tuple[int, int] | None = None
    dropped: tuple[int, int] | None = None


NOT_JUDGED = '"code":"internal_error"'
"""Marks the events of an input on which the rules raised: a replay leaves it out, even after the fault is fixed."""


READINGS = ('"reading"', '"KnockHea', '"BoardHit')
"""How the stored readings begin, at their tenth letter."""
CHANGED = (
    "SELECT n, match FROM (SELECT n, match, digest, lag(digest) OVER (PARTITION BY match ORDER BY n) AS before,"
    f" substr(body, 10, 9) AS kind, instr(events, '{NOT_JUDGED}') AS failed FROM inputs)"
    f" WHERE (before IS NULL OR digest <> before OR kind NOT IN {READINGS}) AND NOT failed"
)
"""The inputs that a replay needs: a board may report hundreds of thousands of readings that change nothing."""
LISTED = "SELECT n FROM changes WHERE match = ?"
LIST_OF_CHANGES = "CREATE TABLE changes (match TEXT, n INTEGER, PRIMARY KEY (match, n)) STRICT, WITHOUT ROWID"
"""A cache of `CHANGED`, outside the schema: a start without it, or with a wrong one, reads every row."""


@dataclass(frozen=True, slots=True)
class StoredInput:
    """A row as read for a replay."""

    n: int
    t_ms: int
    body: str
    events: str
    digest: str


@dataclass(frozen=True, slots=True)
class StoredMatch:
    """A match as the list of games shows it; `start` and `summary` are JSON."""

    id: str
    started_ms: int
    start: str
    summary: str
    inputs: int
    going_on: bool


JournalError = StoreError
"""The disk refused an input; nothing of it was stored."""


class JournalReader:
    """A journal opened for reading, also while the daemon writes to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise SchartenError.coded("no_journal", path=path)
        try:
            self._db = connect(path, "ro")
        except REFUSALS as error:
            raise store_error(path, error, JOURNAL.naming, SchartenError) from error
        self.version = checked_version(self._db, path, JOURNAL)
        self.lists_changes = any(self._rows("SELECT 1 FROM sqlite_master WHERE name = 'changes'"))

    def row(self, n: int | None = None) -> tuple[int, str, str] | None:
        """The number, match and digest of input `n`, or of the last one; None if the journal has no such input."""
        where = "" if n is None else f"WHERE n = {n}"
        query = f"SELECT n, match, digest FROM inputs {where} ORDER BY n DESC LIMIT 1"
        return next(((n, match, digest) for n, match, digest in self._rows(query)), None)

    def matches(self, since_n: int = 0) -> list[StoredMatch]:
        """All matches, or those with inputs after input `since_n`; the oldest first."""
        since = f"WHERE m.id IN (SELECT match FROM inputs WHERE n > {since_n})" if since_n else ""
        return self._matches(since)

    def match(self, wanted: str) -> StoredMatch | None:
        """The match with this id, None without one."""
        return next(iter(self._matches("WHERE m.id = ?", wanted)), None)

    def _matches(self, where: str, *values: str) -> list[StoredMatch]:
        extra = "m.summary, m.id = (SELECT match FROM going_on)" if self.version > 1 else "'{}', 0"
        rows = self._rows(
            f"SELECT m.id, m.started_ms, m.start, {extra},"
            f" (SELECT count(*) FROM inputs WHERE match = m.id) FROM matches m {where} ORDER BY m.rowid",
            *values,
        )
        return [StoredMatch(i, ms, start, summary, n, bool(on)) for i, ms, start, summary, on, n in rows]

    def inputs(self, match: str) -> Iterator[StoredInput]:
        """The inputs of one match in the order in which they were accepted."""
        query = "SELECT n, t_ms, body, events, digest FROM inputs WHERE match = ? ORDER BY n"
        for row in self._rows(query, match):
            yield StoredInput(*row)

    def has_games(self) -> bool:
        """Whether any game was ever begun."""
        return any(True for _ in self._rows("SELECT 1 FROM matches LIMIT 1"))

    def has_practice(self, match: str) -> bool:
        """Whether anybody practised before or after this game."""
        query = """SELECT 1 FROM inputs WHERE match = ? AND body LIKE '%"type":"practice"%' LIMIT 1"""
        return any(True for _ in self._rows(query, match))

    def changes(self, match: str, listed: bool = True) -> Iterator[StoredInput]:
        """The inputs of one match without readings that changed nothing and inputs on which the rules raised.

        `listed`: use the list of them, if the file has it, instead of every row.
        """
        numbers = LISTED if listed and self.lists_changes else f"SELECT n FROM ({CHANGED}) WHERE match = ?"
        query = f"SELECT n, t_ms, body, events, digest FROM inputs WHERE n IN ({numbers}) ORDER BY n"
        for row in self._rows(query, *[match] * numbers.count("?")):
            yield StoredInput(*row)

    def last_digest(self, match: str) -> str:
        """The digest after the last input of a match."""
        query = "SELECT digest FROM inputs WHERE match = ? ORDER BY n DESC LIMIT 1"
        return next((str(row[0]) for row in self._rows(query, match)), "")

    def _rows(self, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; `SchartenError` if the file is damaged."""
        try:
            for row in self._db.execute(query, values):  # noqa: UP028  (`yield from` closes the cursor too late)
                yield row
        except (*UNREADABLE, MemoryError) as error:
            raise store_error(self.path, error, JOURNAL.naming, SchartenError) from error

    def going_on(self) -> StoredMatch | None:
        """The match that the next start continues."""
        found = self.matches()
        return next((match for match in found if match.going_on), found[-1] if found else None)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class Journal(Store):
    """A journal opened for writing, by one thread and one program at a time."""

    def __init__(self, path: Path, held: Held | None = None) -> None:
        """Open or create the file and bring it to the newest schema; `SchartenError` if that fails."""
        self.line: tuple[int, int] | None = None
        self.dropped: tuple[int, int] | None = None
        self._match = self._digest = ""
        super().__init__(path, JOURNAL, held)

    def append(self, record: Record) -> int:
        """Store one step durably and give its row number; `JournalError` when the disk refuses it."""
        session, seq = record.line or (None, None)
        values = (record.match, record.t_ms, record.body, record.events, record.digest, session, seq)
        number = self.append_row(record, values, lambda db: self._beside(db, record))
        self._match, self._digest = record.match, record.digest
        self.line, self.dropped = record.line or self.line, record.dropped or self.dropped
        return number

    def append_game(self, records: Sequence[Record]) -> None:
        """Store a complete game from elsewhere, or nothing of it; the present game stays the same."""
        first = replace(records[0], summary=records[-1].summary)
        if self._db.execute("SELECT 1 FROM matches WHERE id = ?", (first.match,)).fetchone():
            raise SchartenError.coded("imported_already", path=self.path, match=first.match)
        last, linked = self._last, self._chain

        def write(db: sqlite3.Connection) -> None:
            nonlocal last, linked
            self._head(db, first)
            for record in records:
                last += 1
                row = (last, record.match, record.t_ms, record.body, record.events, record.digest, None, None)
                linked = chain.link(linked, row)
                db.execute(JOURNAL.insert, (*row, linked))
                db.execute("INSERT OR IGNORE INTO changes VALUES (?, ?)", (record.match, last))
            seals = chain.seal(1, first.match)  # a journal with rows always has a present game
            db.execute("INSERT OR IGNORE INTO going_on VALUES (1, ?, ?)", (first.match, seals))

        try:
            self._transaction(write)
        except sqlite3.Error as error:
            raise store_error(self.path, error, JOURNAL.naming, JournalError) from error
        self._last, self._chain, self._match, self._digest = last, linked, first.match, records[-1].digest

    def go_on_with(self, match: str) -> None:
        """Let the next start continue this match; `SchartenError` if the journal does not hold it."""
        if not self._db.execute("SELECT 1 FROM matches WHERE id = ?", (match,)).fetchone():
            raise SchartenError.coded("no_such_match", path=self.path, match=match)
        self._db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?, ?)", (match, chain.seal(1, match)))

    def _beside(self, db: sqlite3.Connection, record: Record) -> None:
        """Write the rows outside the chain that a record changes."""
        self._head(db, record)
        before = (self._match, self._digest)
        moved = before != (record.match, record.digest) or record.body[9:18] not in READINGS
        if moved and NOT_JUDGED not in record.events:
            db.execute("INSERT OR IGNORE INTO changes VALUES (?, ?)", (record.match, self._last + 1))
        if record.dropped:
            seals = chain.seal(1, *record.dropped)
            db.execute("INSERT OR REPLACE INTO dropped VALUES (1, ?, ?, ?)", (*record.dropped, seals))
        if record.match != self._match:
            seals = chain.seal(1, record.match)
            db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?, ?)", (record.match, seals))

    def _head(self, db: sqlite3.Connection, record: Record) -> None:
        """Write the row of the record's match if it is new or has another summary."""
        query = "SELECT started_ms, start, summary FROM matches WHERE id = ?"
        known = db.execute(query, (record.match,)).fetchone()
        if known is None:
            head = (record.match, record.t_ms, record.start, record.summary)
            db.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (*head, match_seal(*head)))
        elif known[2] != record.summary:
            seals = match_seal(record.match, known[0], known[1], record.summary)
            query = "UPDATE matches SET summary = ?, seal = ? WHERE id = ?"
            db.execute(query, (record.summary, seals, record.match))

    def _settle(self) -> None:
        super()._settle()
        if not self._db.execute("SELECT 1 FROM sqlite_master WHERE name = 'changes'").fetchone():
            self._transaction(_list_changes)
        row = self._db.execute("SELECT match, digest FROM inputs ORDER BY n DESC LIMIT 1").fetchone()
        self._match, self._digest = row or ("", "")
        query = "SELECT session, seq FROM inputs WHERE session IS NOT NULL ORDER BY n DESC LIMIT 1"
        self.line = self._db.execute(query).fetchone()
        self.dropped = self._db.execute("SELECT session, total FROM dropped").fetchone()


def _list_changes(db: sqlite3.Connection) -> None:
    """Write the list of changes into a file that has none: it is new, recovered, or of an earlier version."""
    db.execute(LIST_OF_CHANGES)
    db.execute(f"INSERT INTO changes SELECT match, n FROM ({CHANGED})")
