"""The journal: every accepted input, its events and the digest after it, durable before they are published.

One SQLite file holds many matches, with one transaction per input (write-ahead log, `synchronous = FULL`). Each row
carries its number, so that a transaction repeated after an uncertain failure is never stored twice. All rows are
chained (`chain.py`), and the mark beside the file names the last row (`mark.py`). An input costs one
synchronisation; the mark is synchronised when no input waits (`settle`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from scharten.errors import SchartenError
from scharten.journal import chain, schema
from scharten.journal.examine import Held, hold
from scharten.journal.files import (
    REFUSALS,
    UNREADABLE,
    connect,
    free_name,
    locked,
    mark_of,
    sync_folder,
    wal_of,
    words_of,
)
from scharten.journal.mark import MarkFile
from scharten.journal.names import FileNames, look
from scharten.journal.upgrade import checked_version, copy_before_upgrade


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


_INSERT = "INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"


class JournalError(SchartenError):
    """The disk refused an input; nothing of it was stored. `for_good`: trying again will not help."""

    for_good = False


class JournalReader:
    """A journal opened for reading, also while the daemon writes to it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if not path.is_file():
            raise SchartenError(f"There is no journal at {path}.", "Name the file, or play a game first.")
        try:
            self._db = connect(path, "ro")
        except REFUSALS as error:
            raise SchartenError(*words_of(path, error)) from error
        self.version = checked_version(self._db, path)

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

    def has_games(self) -> bool:
        """Whether any game was ever begun."""
        return any(True for _ in self._rows("SELECT 1 FROM matches LIMIT 1"))

    def has_practice(self, match: str) -> bool:
        """Whether anybody practised before or after this game."""
        query = """SELECT 1 FROM inputs WHERE match = ? AND body LIKE '%"type":"practice"%' LIMIT 1"""
        return any(True for _ in self._rows(query, match))

    def changes(self, match: str) -> Iterator[StoredInput]:
        """The inputs of one match without readings that changed nothing and inputs on which the rules raised."""
        query = (
            "SELECT n, t_ms, body, events, digest FROM (SELECT *, lag(digest) OVER (ORDER BY n) AS before"
            " FROM inputs WHERE match = ?) WHERE (before IS NULL OR digest <> before OR substr(body, 10, 9) NOT IN"
            f""" ('"reading"', '"KnockHea', '"BoardHit')) AND instr(events, '{NOT_JUDGED}') = 0 ORDER BY n"""
        )
        for row in self._rows(query, match):
            yield StoredInput(*row)

    def _rows(self, query: str, *values: str) -> Iterator[tuple[Any, ...]]:
        """The rows of a query; `SchartenError` if the file is damaged."""
        try:
            for row in self._db.execute(query, values):  # noqa: UP028  (`yield from` closes the cursor too late)
                yield row
        except (*UNREADABLE, MemoryError) as error:
            raise SchartenError(*words_of(self.path, error)) from error

    def going_on(self) -> StoredMatch | None:
        """The match that the next start continues."""
        found = self.matches()
        return next((match for match in found if match.going_on), found[-1] if found else None)

    def close(self) -> None:
        """Close the file."""
        self._db.close()


class Journal:
    """A journal opened for writing, by one thread and one program at a time."""

    def __init__(self, path: Path, held: Held | None = None) -> None:
        """Open or create the file and bring it to the newest schema; `SchartenError` if that fails."""
        held = held or hold(path)
        self.path, self.found = held.path, held.found
        self.line: tuple[int, int] | None = None
        self.dropped: tuple[int, int] | None = None
        self.moved = ""
        """A message if the file was removed during play and rewritten."""
        self._last, self._chain = 0, ""
        self._match = ""
        self._unmarked: Record | None = None
        self._gone = self._mark_failed = False
        self._open = True
        self._lock = held.lock
        try:
            with ExitStack() as undone:
                undone.callback(self._lock.close)
                copy_before_upgrade(self.path)
                _create(self.path)
                self._lock.hold_file()
                self._db = undone.enter_context(closing(connect(self.path, "rw")))
                checked_version(self._db, self.path)
                schema.upgrade(self._db)
                self._settle()
                self._mark = undone.enter_context(closing(MarkFile(mark_of(self.path))))
                self._mark.write(self._last, self._chain, schema.NEWEST, clean=False)
                self._files = self._names()
                undone.pop_all()
        except REFUSALS as error:
            raise SchartenError(*words_of(self.path, error)) from error

    def append(self, record: Record) -> int:
        """Store one step durably and give its row number; `JournalError` when the disk refuses it."""
        self._look_for_the_files()
        if self._unmarked is not record:
            self._store(record)
        try:
            self._mark.write(self._last, self._chain, schema.NEWEST, clean=False, durable=self._mark_failed)
        except OSError as error:
            raise JournalError(*words_of(self.path, error)) from error
        self._unmarked, self._mark_failed = None, False
        self.line, self.dropped = record.line or self.line, record.dropped or self.dropped
        return self._last

    def settle(self) -> None:
        """Make the mark durable; if the disk refuses, the next input waits for it and reports the error."""
        if self._mark.owed and not self._mark_failed:
            try:
                self._mark.settle()
            except OSError:
                self._mark_failed = True

    def append_game(self, records: Sequence[Record]) -> None:
        """Store a complete game from elsewhere, or nothing of it; the present game stays the same."""
        first = replace(records[0], summary=records[-1].summary)
        if self._db.execute("SELECT 1 FROM matches WHERE id = ?", (first.match,)).fetchone():
            raise SchartenError(f"{self.path} holds match {first.match} already.", "Nothing was changed.")
        last, linked = self._last, self._chain
        try:
            self._db.execute("BEGIN IMMEDIATE")
            self._head(first)
            for record in records:
                last += 1
                row = (last, record.match, record.t_ms, record.body, record.events, record.digest, None, None)
                linked = chain.link(linked, row)
                self._db.execute(_INSERT, (*row, linked))
            seals = chain.seal(1, first.match)  # a journal with rows always has a present game
            self._db.execute("INSERT OR IGNORE INTO going_on VALUES (1, ?, ?)", (first.match, seals))
            self._db.execute("COMMIT")
        except sqlite3.Error as error:
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise JournalError(*words_of(self.path, error)) from error
        self._last, self._chain, self._match = last, linked, first.match

    def go_on_with(self, match: str) -> None:
        """Let the next start continue this match; `SchartenError` if the journal does not hold it."""
        if not self._db.execute("SELECT 1 FROM matches WHERE id = ?", (match,)).fetchone():
            raise SchartenError(
                f"{self.path} holds no match {match}.", "`scharten games JOURNAL` lists them."
            )
        self._db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?, ?)", (match, chain.seal(1, match)))

    def bytes_on_disk(self) -> int:
        """How large the journal is, its write-ahead log included."""
        return sum(part.stat().st_size for part in (self.path, wal_of(self.path)) if part.exists())

    def close(self) -> None:
        """Merge the write-ahead log into the file, note the clean end, and close it."""
        self._db.close()
        with suppress(OSError):  # the next start then reports an unclean end
            self._mark.write(self._last, self._chain, schema.NEWEST, clean=True)
        self._mark.close()
        self._lock.close()

    def _store(self, record: Record) -> None:
        n = self._last + 1
        session, seq = record.line or (None, None)
        row = (n, record.match, record.t_ms, record.body, record.events, record.digest, session, seq)
        linked = chain.link(self._chain, row)
        try:
            self._write(record, row, linked)
        except REFUSALS as error:
            if not self._stored_after_all(n, linked):
                raise JournalError(*words_of(self.path, error)) from error
        self._last, self._chain, self._match, self._unmarked = n, linked, record.match, record
        self._files.remember_growth()

    def _write(self, record: Record, row: tuple[object, ...], linked: str) -> None:
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._head(record)
            self._db.execute(_INSERT, (*row, linked))
            if record.dropped:
                seals = chain.seal(1, *record.dropped)
                self._db.execute(
                    "INSERT OR REPLACE INTO dropped VALUES (1, ?, ?, ?)", (*record.dropped, seals)
                )
            if record.match != self._match:
                seals = chain.seal(1, record.match)
                self._db.execute("INSERT OR REPLACE INTO going_on VALUES (1, ?, ?)", (record.match, seals))
            self._db.execute("COMMIT")
        except (sqlite3.Error, MemoryError):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _head(self, record: Record) -> None:
        """Write the row of the record's match if it is new or has another summary."""
        query = "SELECT started_ms, start, summary FROM matches WHERE id = ?"
        known = self._db.execute(query, (record.match,)).fetchone()
        if known is None:
            head = (record.match, record.t_ms, record.start, record.summary)
            self._db.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (*head, chain.match_seal(*head)))
        elif known[2] != record.summary:
            seals = chain.match_seal(record.match, known[0], known[1], record.summary)
            query = "UPDATE matches SET summary = ?, seal = ? WHERE id = ?"
            self._db.execute(query, (record.summary, seals, record.match))

    def _stored_after_all(self, n: int, linked: str) -> bool:
        """After a failed sync the row may still be in the log: check, and make it durable."""
        self._open = False
        try:
            self._open_again()
        except REFUSALS:
            return False
        return (self._last, self._chain) == (n, linked)

    def _open_again(self) -> None:
        """Open a new connection; until that succeeds no file is in use."""
        self._db.close()
        self._db = connect(self.path, "rw")
        self._settle()
        self._files.remember(wal_of(self.path))
        self._open = True

    def _settle(self) -> None:
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        row = self._db.execute("SELECT n, match, chain FROM inputs ORDER BY n DESC LIMIT 1").fetchone()
        self._last, self._match, self._chain = row or (0, "", "")
        query = "SELECT session, seq FROM inputs WHERE session IS NOT NULL ORDER BY n DESC LIMIT 1"
        self.line = self._db.execute(query).fetchone()
        self.dropped = self._db.execute("SELECT session, total FROM dropped").fetchone()

    # --- the files themselves ---

    def _names(self) -> FileNames:
        """The names of journal, log, mark and lock, with their present files."""
        names = (mark_of(self.path), Path(self._lock.name))
        return FileNames(names, growing=(self.path, wal_of(self.path)))

    def _look_for_the_files(self) -> None:
        """Stop play once if the files were replaced; on the next input rewrite them."""
        if not self._open or self._files.are_unchanged():  # a closed file is reopened by `_stored_after_all`
            return
        if not self._gone:
            self._gone = True
            raise JournalError(
                f"{self.path} or a part of it was removed or exchanged while it was in use.",
                "It is rewritten from the files that are still open, and the game goes on by itself.",
            )
        try:
            self._rewrite()
        except REFUSALS as error:
            raise JournalError(*words_of(self.path, error)) from error
        self._gone = False

    def _rewrite(self) -> None:
        """Write the whole journal again from the files that are still open under no name."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.rewrite")
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft)) as copy:
            self._db.backup(copy)
            seen = chain.verified(copy)
        if seen.wrong or (seen.n, seen.chain) != (self._last, self._chain):
            raise sqlite3.DatabaseError(
                f"what is still open does not verify: {seen.wrong or 'it ends early'}"
            )
        foreign = _set_aside_foreign(self.path)
        draft.replace(self.path)
        self._open = False
        self._open_again()
        mark_of(self.path).unlink(missing_ok=True)
        self._mark.close()
        self._mark = MarkFile(mark_of(self.path))
        self._mark.write(self._last, self._chain, schema.NEWEST, clean=False)
        sync_folder(self.path.parent)
        if look(Path(self._lock.name)) is None:
            self._lock.close()
            self._lock = locked(self.path)
        self._lock.hold_file()
        self._files = self._names()
        kept = f"; the file that stood there is kept as {foreign.name}" if foreign else ""
        self.moved = (
            f"the journal was removed during play and was rewritten, with all {seen.rows} inputs{kept}"
        )


def _set_aside_foreign(path: Path) -> Path | None:
    """Move another database out of the journal's name, together with a log that belongs to neither."""
    kept = free_name(path, "foreign")
    for part, goal in ((path, kept), (wal_of(path), wal_of(kept))):
        if part.exists():
            part.rename(goal)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return kept if kept.exists() else None


def _create(path: Path) -> None:
    """Create an empty journal if there is none; a power cut leaves a complete one or nothing."""
    if path.exists() and path.stat().st_size:
        return
    draft = path.with_name(f".{path.name}.new")
    for left in (draft, draft.with_name(draft.name + "-journal"), wal_of(draft)):
        left.unlink(missing_ok=True)
    with closing(connect(draft, "rwc")) as db:
        schema.upgrade(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # closing would hide a failure
    draft.replace(path)
    sync_folder(path.parent)
