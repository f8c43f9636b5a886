"""A valid journal that does not replay: it stays unchanged, and the daemon reports why nobody can play."""

from __future__ import annotations

from scharten.errors import SchartenError
from scharten.journal.journal import JournalError, Record
from scharten.store.files import parts_of
from scharten.store.hold import Held


class RefusedJournal:
    """Replaces a `Journal`: holds the file's lock and stores nothing."""

    line: tuple[int, int] | None = None
    dropped: tuple[int, int] | None = None
    moved = ""

    def __init__(self, held: Held, why: SchartenError) -> None:
        self.path, self.found = held.path, held.found
        self.error = JournalError.coded(why.code, **why.values)
        self.error.for_good = True
        self._lock = held.lock

    def append(self, record: Record) -> int:
        """Refuse with the message of the start."""
        raise self.error

    def settle(self) -> None:
        """Do nothing."""

    def bytes_on_disk(self) -> int:
        """The size of the journal with its write-ahead log and mark."""
        return sum(part.stat().st_size for part in parts_of(self.path) if part.exists())

    def close(self) -> None:
        """Release the lock."""
        self._lock.close()
