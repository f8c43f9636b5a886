"""The mark: a small file beside a database with the number and digest of its last row, written after every row.

The mark shows when the end of the database is missing, which the database itself cannot know. Two slots of one sector
each are written in turn, so that a torn write leaves the earlier slot. The mark is synchronised when nothing waits:
the row is durable by then, a kill leaves the mark as written, and after a power cut an older mark is still correct.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scharten import __version__
from scharten.store.chain import seal
from scharten.store.files import sync_folder

SLOT = 512


@dataclass(frozen=True, slots=True)
class Mark:
    """The last row; `clean` if the program ended normally; `count` grows with every write.

    `chain` is "" while all rows are written again. `version` is that of the program that wrote it, "" in old marks.
    """

    n: int
    chain: str
    clean: bool
    schema: int
    count: int = 0
    version: str = ""


def read_mark(path: Path) -> Mark | None:
    """The newest valid mark of a file, or None."""
    try:
        raw = path.read_bytes()[: 2 * SLOT]
    except OSError:
        return None
    found = [mark for at in (0, SLOT) if (mark := _read_slot(raw[at : at + SLOT])) is not None]
    return max(found, key=lambda mark: mark.count, default=None)


def _read_slot(raw: bytes) -> Mark | None:
    try:
        body, sealed = raw.decode("ascii").split("\n")[:2]
        written = json.loads(body)
        known = {field.name: written[field.name] for field in fields(Mark) if field.name in written}
        return Mark(**known) if seal(body) == sealed.strip() else None  # newer programs may add fields
    except (ValueError, TypeError):
        return None


class MarkFile:
    """The mark, opened for writing; `OSError` when the disk refuses it."""

    def __init__(self, path: Path) -> None:
        before = read_mark(path)
        self._count = before.count if before else 0
        self.owed = False
        """Whether the last write was not synchronised yet."""
        self._fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        try:
            if os.fstat(self._fd).st_size != 2 * SLOT:
                os.ftruncate(self._fd, 2 * SLOT)
                os.fsync(self._fd)
                sync_folder(path.parent)
        except OSError:
            os.close(self._fd)
            raise

    def write(self, n: int, chain: str, schema: int, *, clean: bool, durable: bool = True) -> None:
        """Mark a row as the last one; return when the disk has it, or at once if `settle` will follow."""
        mark = Mark(n, chain, clean, schema, self._count + 1, __version__)
        body = json.dumps(asdict(mark))
        os.pwrite(self._fd, f"{body}\n{seal(body)}\n".encode().ljust(SLOT), SLOT * (mark.count % 2))
        self._count = mark.count
        self.owed = True
        if durable:
            self.settle()

    def settle(self) -> None:
        """Return when the disk has the mark."""
        os.fdatasync(self._fd)
        self.owed = False

    def close(self) -> None:
        """Close the file."""
        os.close(self._fd)
