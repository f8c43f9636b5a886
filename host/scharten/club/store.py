"""The club's journal: every entry in one file (`store/store.py`). Each start computes the state from the entries."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Collection
from pathlib import Path

from scharten.club.form import CLUB, read_entry
from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson
from scharten.store.store import Store, StoreError
from scharten.tournament.club import step
from scharten.tournament.entries import ENTRIES, EnterMember, Entry
from scharten.tournament.model import Club

log = logging.getLogger(__name__)

NOBODY = "-"
"""Replaces the name of a deleted player."""
MOST_ENTRIES = 1_000_000
"""About forty years of weekly evenings with 40 members."""


class ClubStore:
    """One club's file; `club` is the state after its entries. For one thread."""

    def __init__(self, path: Path) -> None:
        self.club, self._n = Club(), 0
        self._store = Store(path, CLUB)
        if words := self._store.found.words:
            level = logging.WARNING if self._store.found.warning else logging.INFO
            log.log(level, "%s: %s", self._store.path, words)
        try:
            self._catch_up()
        except BaseException:
            self._store.close()
            raise

    @property
    def folder(self) -> Path:
        """Return the data folder."""
        return self._store.path.parent

    @property
    def entries(self) -> int:
        """Return the number of entries."""
        return self._n

    @property
    def trouble(self) -> MutableJson | None:
        """Return what every page shows about the file: `code`, `args` and English `words`; None if it is valid."""
        return self._store.trouble

    def take(self, entry: Entry, at_ms: int) -> Problem | None:
        """Apply and store an entry durably; return the reason if it is refused, and then store nothing."""
        self._catch_up()
        stepped = step(self.club, entry, at_ms)
        if isinstance(stepped, Problem):
            return stepped
        if self._n >= MOST_ENTRIES:
            return Problem("full", "the club's file is full", cure="Begin a new file with another --data.")
        try:
            self._store.append_row(None, (at_ms, entry.model_dump_json()))
        except StoreError as error:
            if self._store.rows == self._n:
                return Problem("disk", f"the entry could not be stored: {error.message}", cure=error.cure)
        self._catch_up()
        return None

    def settle(self) -> None:
        """Make the mark durable; call it when nothing waits."""
        self._store.settle()

    def forget(self, keys: Collection[str]) -> bool:
        """Remove the names of deleted players from every entry and renew the chain; return whether any was found."""
        changed = [
            (nameless, n)
            for n, text in self._store.query("SELECT n, entry FROM entries ORDER BY n")
            if (nameless := _nameless(text, keys)) != text
        ]

        def write(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE entries SET entry = ? WHERE n = ?", changed)

        if changed:
            self._store.rewrite(write)
        return bool(changed)

    def close(self) -> None:
        """Close the file."""
        self._store.close()

    def _catch_up(self) -> None:
        """Apply the entries of the file that are not part of the state yet.

        After a failed write that arrived all the same, there may be an entry that was refused.
        """
        if self._store.rows == self._n:
            return
        query = "SELECT n, at_ms, entry FROM entries WHERE n > ? ORDER BY n"
        for n, at_ms, text in self._store.query(query, (self._n,)):
            stepped = read_entry(self.club, at_ms, text)
            if isinstance(stepped, Problem):
                raise SchartenError.coded(
                    "club_entry", path=self._store.path, number=n, why=stepped, todo=CLUB.naming.key
                )
            self.club, self._n = stepped, n


def _nameless(text: str, keys: Collection[str]) -> str:
    if '"member"' not in text:
        return text
    entry = ENTRIES.validate_json(text)
    if not isinstance(entry, EnterMember) or entry.key not in keys or entry.name == NOBODY:
        return text
    return entry.model_copy(update={"name": NOBODY}).model_dump_json()
