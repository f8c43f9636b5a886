"""The club's journal: every entry in one SQLite file, each row with a digest of itself and of the row before it.

Each start computes the state from the entries. A file that does not verify is not changed.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Collection
from pathlib import Path

from pydantic import ValidationError

from scharten.errors import Problem, SchartenError
from scharten.tournament.club import step
from scharten.tournament.entries import ENTRIES, EnterMember, Entry
from scharten.tournament.model import Club

SCHEMA = """CREATE TABLE entries (
    n INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, entry TEXT NOT NULL, chain TEXT NOT NULL) STRICT"""
VERSION = 1
NOBODY = "-"
"""Replaces the name of a deleted player."""
MOST_ENTRIES = 1_000_000
"""About forty years of weekly evenings with 40 members."""


class ClubStore:
    """One club's file; `club` is the state after its entries. For one thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self.club = Club()
        self._n, self._chain = 0, ""
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(path, 1.0, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute("PRAGMA locking_mode = EXCLUSIVE")
            self._db.execute("PRAGMA secure_delete = ON")
            self._open()
        except (sqlite3.Error, OSError) as error:
            raise SchartenError(
                f"the club's file {path} cannot be used: {error}",
                "Is another `scharten club` running? If not, put the last backup in its place.",
            ) from error

    @property
    def entries(self) -> int:
        """Return the number of entries."""
        return self._n

    def take(self, entry: Entry, at_ms: int) -> Problem | None:
        """Apply and store an entry durably; return the reason if it is refused, and then store nothing."""
        stepped = step(self.club, entry, at_ms)
        if isinstance(stepped, Problem):
            return stepped
        if self._n >= MOST_ENTRIES:
            return Problem("full", "the club's file is full", cure="Begin a new file with another --data.")
        text = entry.model_dump_json()
        chain = _link(self._chain, self._n + 1, at_ms, text)
        try:
            self._db.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (self._n + 1, at_ms, text, chain))
        except sqlite3.Error as error:
            return Problem("disk", f"the entry could not be stored: {error}", cure="Make room on the disk.")
        self.club, self._n, self._chain = stepped, self._n + 1, chain
        return None

    def forget(self, keys: Collection[str]) -> bool:
        """Remove the names of deleted players from every entry and renew the chain; return whether any was found."""
        rows = self._db.execute("SELECT n, at_ms, entry FROM entries ORDER BY n").fetchall()
        texts = [_nameless(text, keys) for _, _, text in rows]
        if texts == [text for _, _, text in rows]:
            return False
        chain, changed = "", []
        for (n, at_ms, _), text in zip(rows, texts, strict=True):
            chain = _link(chain, n, at_ms, text)
            changed.append((text, chain, n))
        self._db.execute("BEGIN IMMEDIATE")
        self._db.executemany("UPDATE entries SET entry = ?, chain = ? WHERE n = ?", changed)
        self._db.execute("COMMIT")
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        self._chain = chain
        return True

    def close(self) -> None:
        """Close the file."""
        self._db.close()

    def _open(self) -> None:
        version = self._db.execute("PRAGMA user_version").fetchone()[0]
        if version > VERSION:
            raise SchartenError(f"{self._path} is of a newer version of Scharten", "Install that version.")
        if version == 0:
            self._db.execute("BEGIN EXCLUSIVE")
            self._db.execute(SCHEMA)
            self._db.execute(f"PRAGMA user_version = {VERSION}")
            self._db.execute("COMMIT")
        for row in self._db.execute("SELECT n, at_ms, entry, chain FROM entries ORDER BY n"):
            self._replay(*row)

    def _replay(self, n: int, at_ms: int, text: str, chain: str) -> None:
        if n != self._n + 1 or chain != _link(self._chain, n, at_ms, text):
            raise self._damaged(f"entry {self._n + 1} was changed after it was stored")
        try:
            stepped = step(self.club, ENTRIES.validate_json(text), at_ms)
        except ValidationError as error:
            raise self._damaged(f"entry {n} cannot be read") from error
        if isinstance(stepped, Problem):
            raise self._damaged(f"entry {n} does not fit: {stepped.words}")
        self.club, self._n, self._chain = stepped, n, chain

    def _damaged(self, words: str) -> SchartenError:
        return SchartenError(
            f"the club's file {self._path} is damaged: {words}",
            "The file was not changed. Put the last backup in its place, or move it away and enter the season again.",
        )


def _nameless(text: str, keys: Collection[str]) -> str:
    if '"member"' not in text:
        return text
    entry = ENTRIES.validate_json(text)
    if not isinstance(entry, EnterMember) or entry.key not in keys or entry.name == NOBODY:
        return text
    return entry.model_copy(update={"name": NOBODY}).model_dump_json()


def _link(before: str, n: int, at_ms: int, text: str) -> str:
    return hashlib.sha256(json.dumps([before, n, at_ms, text]).encode()).hexdigest()[:32]
