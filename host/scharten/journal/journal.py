"""The journal: every accepted input, its events and the digest after it, durable before they are published.

One SQLite file for many matches, one transaction per input (write-ahead log, `synchronous = FULL`). A row
carries its number, so that a transaction repeated after a doubtful failure can never be stored twice.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TextIO

from scharten.errors import SchartenError
from scharten.journal import schema


@dataclass(frozen=True, slots=True)
class Record:
    """One step as it is stored; texts are JSON. `line` is (session, seq) if it was a line of the board.

    `dropped` is (session, total) if the board said that it dropped events.
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


@dataclass(frozen=True, slots=True)
class StoredInput:
    """One row as it is read back for a replay."""

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


class JournalError(SchartenError):
    """The disk did not take an input; nothing of it was stored."""


class JournalReader:
    """A journal opened for reading only, also while the daemon writes to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise SchartenError(f"There is no journal at {path}.", "Name the file, or play a game first.")
        self._db = _connect(path, "ro")
        self.version = _checked_version(self._db, path)

    def matches(self) -> list[StoredMatch]:
        """All matches, the oldest first."""
        extra = "m.summary, m.id = (SELECT match FROM going_on)" if self.version > 1 else "'{}', 0"
        rows = self._rows(
            f"SELECT m.id, m.started_ms, m.start, {extra},"
            " (SELECT count(*) FROM inputs WHERE match = m.id) FROM matches m ORDER BY m.rowid"
        )
        return [StoredMatch(i, ms, start, summary, n, bool(on)) for i, ms, start, summary, on, n in rows]

    def inputs(self, match: str) -> Iterator[StoredInput]:
        """The inputs of one match in the order in which they were accepted."""
        query = "SELECT n, t_ms, body, events, digest FROM inputs WHERE match = ? ORDER BY n"
        for row in self._rows(query, match):
            yield StoredInput(*row)

    def _rows(self, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
        """What a question finds; a file that is damaged is a `SchartenError`."""
        try:
            yield from self._db.execute(query, values)
        except sqlite3.DatabaseError as error:
            raise SchartenError(*_words(self.path, error)) from error

    def going_on(self) -> StoredMatch | None:
        """The match that a start goes on with."""
        found = self.matches()
        return next((one for one in found if one.going_on), found[-1] if found else None)

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()


class Journal:
    """A journal opened for writing: by one thread, and one writer per file."""

    def __init__(self, path: Path) -> None:
        """Open or create the file, bring it to the newest schema; `SchartenError` when that cannot be."""
        self.path = path
        self.line: tuple[int, int] | None = None
        self.dropped: tuple[int, int] | None = None
        self._last = 0
        self._match = ""
        self._lock = _locked(path)
        try:
            self._db = _connect(path, "rwc")
            _checked_version(self._db, path)
            schema.upgrade(self._db)
            self._settle()
        except sqlite3.Error as error:
            self._lock.close()
            raise SchartenError(*_words(path, error)) from error

    def append(self, record: Record) -> int:
        """Store one step durably and give its row number; `JournalError` when the disk refuses it."""
        n = self._last + 1
        try:
            self._write(n, record)
        except sqlite3.Error as error:
            if not self._stored_after_all(n, record):
                raise JournalError(*_words(self.path, error)) from error
        self._last, self.line, self.dropped = n, record.line or self.line, record.dropped or self.dropped
        return n

    def go_on_with(self, match: str) -> None:
        """Make a match the one that the next start goes on with; `SchartenError` if it is not here."""
        if not self._db.execute("SELECT 1 FROM matches WHERE id = ?", (match,)).fetchone():
            raise SchartenError(
                f"{self.path} holds no match {match}.", "`scharten games JOURNAL` lists them."
            )
        self._db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?)", (match,))

    def bytes_on_disk(self) -> int:
        """How large the journal is, its write-ahead log included."""
        return sum(part.stat().st_size for part in (self.path, _wal(self.path)) if part.exists())

    def close(self) -> None:
        """Fold the write-ahead log into the file and let it go."""
        self._db.close()
        self._lock.close()

    def _write(self, n: int, record: Record) -> None:
        session, seq = record.line or (None, None)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.execute(
                "INSERT INTO matches VALUES (?, ?, ?, ?)"
                " ON CONFLICT (id) DO UPDATE SET summary = excluded.summary"
                " WHERE summary <> excluded.summary",
                (record.match, record.t_ms, record.start, record.summary),
            )
            self._db.execute(
                "INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
                (n, record.match, record.t_ms, record.body, record.events, record.digest, session, seq),
            )
            if record.dropped:
                self._db.execute("INSERT OR REPLACE INTO dropped VALUES (1, ?, ?)", record.dropped)
            if record.match != self._match:
                self._db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?)", (record.match,))
            self._db.execute("COMMIT")
        except sqlite3.Error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._match = record.match

    def _stored_after_all(self, n: int, record: Record) -> bool:
        """After a failed sync the frames may lie in the log all the same: look, and make them durable."""
        try:
            self._db.close()
            self._db = _connect(self.path, "rwc")
            self._settle()
            row = self._db.execute("SELECT body, digest FROM inputs WHERE n = ?", (n,)).fetchone()
        except sqlite3.Error:
            return False
        return bool(row == (record.body, record.digest))

    def _settle(self) -> None:
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        row = self._db.execute("SELECT n, match FROM inputs ORDER BY n DESC LIMIT 1").fetchone()
        self._last, self._match = row or (0, "")
        query = "SELECT session, seq FROM inputs WHERE session IS NOT NULL ORDER BY n DESC LIMIT 1"
        self.line = self._db.execute(query).fetchone()
        self.dropped = self._db.execute("SELECT session, total FROM dropped").fetchone()


def set_aside(path: Path) -> Path | None:
    """Move a journal out of the way, with its log, under the first free name; gives that name."""
    if not path.exists():
        return None
    number = 1
    while (kept := path.with_name(f"{path.stem}.old-{number}{path.suffix}")).exists():
        number += 1
    lock = _locked(path)
    if _wal(path).exists():
        _wal(path).rename(_wal(kept))
    path.rename(kept)
    lock.close()
    return kept


def _connect(path: Path, mode: str) -> sqlite3.Connection:
    where = f"{path.absolute().as_uri()}?mode={mode}"
    # Opened and closed by the wiring's thread, used by the referee's: never by two at once.
    db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=2, check_same_thread=False)
    if mode != "ro":
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
    return db


def _checked_version(db: sqlite3.Connection, path: Path) -> int:
    try:
        number = schema.version(db)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except sqlite3.DatabaseError as error:
        raise SchartenError(*_words(path, error)) from error
    if number > schema.NEWEST:
        raise SchartenError(
            f"{path} was written by a newer Scharten (schema {number}; this one knows {schema.NEWEST}).",
            "Install the newer version, or keep the file and start another with --new-journal.",
        )
    if number == 0 and tables:
        raise SchartenError(f"{path} is some other program's database.", "Choose another folder with --data.")
    return number


def _locked(path: Path) -> TextIO:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        lock = path.with_name(path.name + ".lock").open("a+")
    except OSError as error:
        raise SchartenError(
            f"{path.parent} cannot be written: {error.strerror}.", "Choose another folder."
        ) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.seek(0)
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise SchartenError(
            f"{path} is in use by another Scharten (process {owner}).",
            "Stop that one, or use another --data.",
        ) from error
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _words(path: Path, error: sqlite3.Error) -> tuple[str, str]:
    text = str(error)
    if "full" in text:
        return f"The disk that holds {path} is full.", "Make room; the game goes on by itself."
    if _read_only(path):
        return (
            f"The disk that holds {path} has become read-only ({text}).",
            "`dmesg` says why, often a worn memory card: replace it. When it can be written the game goes on.",
        )
    if "readonly" in text or "unable to open" in text:
        return f"{path} cannot be written ({text}).", "Give this user the right to write it; then it goes on."
    if "not a database" in text or "malformed" in text:
        return (
            f"{path} is not a journal, or it is damaged.",
            "Put a backup back, or start with --new-journal.",
        )
    return (
        f"The disk did not store the journal {path} ({text}).",
        "Check the disk; the game goes on when it works.",
    )


def _read_only(path: Path) -> bool:
    try:
        return bool(os.statvfs(path.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False


def _wal(path: Path) -> Path:
    return path.with_name(path.name + "-wal")
