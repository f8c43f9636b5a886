"""The files of a journal: their names, the lock, opening them, and moving them aside; errors of the disk in words."""

from __future__ import annotations

import fcntl
import itertools
import os
import sqlite3
from pathlib import Path
from typing import Final, TextIO

from scharten.errors import SchartenError


def wal_of(path: Path) -> Path:
    """The write-ahead log of a journal."""
    return path.with_name(path.name + "-wal")


def mark_of(path: Path) -> Path:
    """The mark beside a journal (`mark.py`)."""
    return path.with_name(path.name + "-mark")


def parts_of(path: Path) -> tuple[Path, ...]:
    """Every file that holds something of a journal."""
    return path, wal_of(path), mark_of(path)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the database `ro` or `rwc`; every commit of the latter is durable."""
    where = f"{path.absolute().as_uri()}?mode={mode}"
    # Opened and closed by the wiring's thread, used by the referee's: never by two at once.
    db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=2, check_same_thread=False)
    if mode != "ro":
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = FULL")
        db.execute("PRAGMA foreign_keys = ON")
    return db


def locked(path: Path) -> TextIO:
    """The lock of a journal, which one program at a time can have."""
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
    try:
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
    except OSError as error:
        raise SchartenError(f"{lock.name} cannot be written: {error.strerror}.", "Make room.") from error
    return lock


def free_name(path: Path, word: str) -> Path:
    """The first name beside a journal, such as `scharten.old-1.sqlite3`, that no file has."""
    for number in itertools.count(1):
        kept = path.with_name(f"{path.stem}.{word}-{number}{path.suffix}")
        if not any(part.exists() for part in parts_of(kept)):
            break
    return kept


def set_aside(path: Path, word: str = "old") -> Path | None:
    """Move a journal out of the way, with its log and its mark, under the first free name; gives that name."""
    path = path.resolve()
    if not any(part.exists() for part in parts_of(path)):
        return None
    lock = locked(path)
    kept = free_name(path, word)
    for part, goal in zip(reversed(parts_of(path)), reversed(parts_of(kept)), strict=True):
        if part.exists():
            part.rename(goal)
    lock.close()
    return kept


def sync_file(path: Path) -> None:
    """Make what was written to a file durable."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def sync_folder(path: Path) -> None:
    """Make new names in a folder durable."""
    fd = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""What reading a damaged file raises; the latter when SQLite's own message quotes its bytes."""
REFUSALS: Final = (sqlite3.Error, OSError, MemoryError)
"""What disk, database and machine refuse with; Python's sqlite3 tells of memory by a `MemoryError`."""


def words_of(
    path: Path, error: sqlite3.Error | OSError | MemoryError | UnicodeDecodeError
) -> tuple[str, str]:
    """What the disk, the database or the machine refused, and the cure."""
    text = str(error)
    if isinstance(error, MemoryError):
        return (
            f"This machine has no memory left for the journal {path}.",
            "End other programs; the game goes on by itself.",
        )
    if "full" in text or "No space left" in text:
        return f"The disk that holds {path} is full.", "Make room; the game goes on by itself."
    if _read_only(path):
        return (
            f"The disk that holds {path} has become read-only ({text}).",
            "`dmesg` says why, often a worn memory card: replace it. When it can be written the game goes on.",
        )
    if "readonly" in text or "unable to open" in text:
        return f"{path} cannot be written ({text}).", "Give this user the right to write it; then it goes on."
    if isinstance(error, UnicodeDecodeError) or "not a database" in text or "malformed" in text:
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
