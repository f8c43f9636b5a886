"""The mark: a small file beside the journal with the number and digest of its last row, written after every row.

What the database itself cannot know, that its end is missing, is seen from here. Two slots of one sector each are
written in turn, so that a torn write leaves the one before it. It is synchronised when nobody waits: the row is durable
by then, a kill leaves the mark as written, and after a power cut an older mark is true of the rows that it knows.
"""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from scharten import __version__
from scharten.journal.chain import seal
from scharten.journal.files import sync_folder

SLOT = 512


@dataclass(frozen=True, slots=True)
class Mark:
    """The last row; `clean` when the program that wrote it ended by itself; `count` grows with every writing.

    `version` is that of the program which wrote it; "" before it was told.
    """

    n: int
    chain: str
    clean: bool
    schema: int
    count: int = 0
    version: str = ""


def read_mark(path: Path) -> Mark | None:
    """The newest mark of a file; None where there is none that verifies."""
    try:
        raw = path.read_bytes()[: 2 * SLOT]
    except OSError:
        return None
    found = [one for at in (0, SLOT) if (one := _read_slot(raw[at : at + SLOT])) is not None]
    return max(found, key=lambda one: one.count, default=None)


def _read_slot(raw: bytes) -> Mark | None:
    try:
        body, sealed = raw.decode("ascii").split("\n")[:2]
        told = json.loads(body)
        known = {one.name: told[one.name] for one in fields(Mark) if one.name in told}
        return Mark(**known) if seal(body) == sealed.strip() else None  # a newer program may say more
    except (ValueError, TypeError):
        return None


class MarkFile:
    """The mark, opened for writing; `OSError` when the disk refuses it."""

    def __init__(self, path: Path) -> None:
        before = read_mark(path)
        self._count = before.count if before else 0
        self.owed = False
        """Whether something was written that was not synchronised."""
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
        """Make a row the last one; returns when the disk has it, unless that is left to `settle`."""
        mark = Mark(n, chain, clean, schema, self._count + 1, __version__)
        body = json.dumps(asdict(mark))
        os.pwrite(self._fd, f"{body}\n{seal(body)}\n".encode().ljust(SLOT), SLOT * (mark.count % 2))
        self._count = mark.count
        self.owed = True
        if durable:
            self.settle()

    def settle(self) -> None:
        """Return when the disk has what was written."""
        os.fdatasync(self._fd)
        self.owed = False

    def close(self) -> None:
        """Let go of the file."""
        os.close(self._fd)
