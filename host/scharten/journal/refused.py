"""A journal that is sound but does not replay: it is kept as it is, and the daemon says why nothing is played."""

from __future__ import annotations

from scharten.errors import SchartenError
from scharten.journal.examine import Held
from scharten.journal.files import parts_of
from scharten.journal.journal import JournalError, Record


class RefusedJournal:
    """In the place of a `Journal`: holds the file's lock, touches nothing, and stores nothing."""

    line: tuple[int, int] | None = None
    dropped: tuple[int, int] | None = None
    moved = ""

    def __init__(self, held: Held, why: SchartenError) -> None:
        self.path, self.found = held.path, held.found
        self.error = JournalError(why.message, why.cure)
        self.error.for_good = True
        self._lock = held.lock

    def append(self, record: Record) -> int:
        """Refuse, with the words of the start."""
        raise self.error

    def settle(self) -> None:
        """Nothing waits."""

    def bytes_on_disk(self) -> int:
        """How large the journal is, its write-ahead log and mark included."""
        return sum(part.stat().st_size for part in parts_of(self.path) if part.exists())

    def close(self) -> None:
        """Let go of the lock."""
        self._lock.close()
