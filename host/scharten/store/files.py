"""The files of a database: their names, the lock, opening and moving them, and messages for disk errors."""

from __future__ import annotations

import errno
import fcntl
import itertools
import os
import sqlite3
import struct
from pathlib import Path
from typing import Final, TextIO, TypeVar

from scharten.errors import SchartenError
from scharten.store.form import Naming


def wal_of(path: Path) -> Path:
    """The write-ahead log of a database."""
    return path.with_name(path.name + "-wal")


def mark_of(path: Path) -> Path:
    """The mark beside a database (`mark.py`)."""
    return path.with_name(path.name + "-mark")


def parts_of(path: Path) -> tuple[Path, ...]:
    """Every file that holds a part of a database."""
    return path, wal_of(path), mark_of(path)


def connect(path: Path, mode: str) -> sqlite3.Connection:
    """Open the database `ro` or `rwc`; every commit of the latter is durable."""
    where = f"{path.absolute().as_uri()}?mode={mode}"
    # Opened and closed by the wiring's thread, used by the referee's: never by two at once.
    db = sqlite3.connect(where, uri=True, isolation_level=None, timeout=2, check_same_thread=False)
    try:
        if mode != "ro":
            db.execute("PRAGMA journal_mode = WAL")
            db.execute("PRAGMA synchronous = FULL")
            db.execute("PRAGMA foreign_keys = ON")
            db.execute("PRAGMA secure_delete = ON")  # a name that was removed is in no free page
    except BaseException:
        db.close()
        raise
    return db


FAR: Final = 1 << 40
"""The locked byte, far behind those that SQLite locks."""


class StoreLock:
    """The lock of a database: on the file `name` beside it, and on the database itself, which may have other names."""

    def __init__(self, path: Path, beside: TextIO) -> None:
        self.name = beside.name
        self._path, self._beside = path, beside
        self._fd: int | None = None

    def hold_file(self) -> None:
        """Lock the file of this name if it exists; `SchartenError` if another program has locked it."""
        if self._fd is not None and _same_file(self._fd, self._path):
            return
        try:
            fd = os.open(self._path, os.O_RDWR | os.O_CLOEXEC)
        except OSError:
            return  # it does not exist, or opening it for writing will report the fault
        wanted = struct.pack("hhqqi", fcntl.F_WRLCK, os.SEEK_SET, FAR, 1, 0)
        try:
            fcntl.fcntl(fd, fcntl.F_OFD_SETLK, wanted)
        except OSError as error:
            if error.errno in (errno.EAGAIN, errno.EACCES):
                os.close(fd)
                raise SchartenError.coded("in_use_elsewhere", path=self._path) from error
            # On a file system without such locks the file beside the journal is enough.
        self._release()
        self._fd = fd

    def close(self) -> None:
        """Release the lock; close the database first, because this ends SQLite's own locks too."""
        self._release()
        self._beside.close()

    def _release(self) -> None:
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None


def _same_file(fd: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(fd), path.stat())
    except OSError:
        return False


def locked(path: Path) -> StoreLock:
    """Lock a database; `SchartenError` if another program has locked it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside = path.with_name(path.name + ".lock").open("a+")
    except OSError as error:
        raise SchartenError.coded("unwritable", path=path.parent, why=error.strerror) from error
    try:
        fcntl.flock(beside, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        beside.seek(0)
        owner = beside.read().strip() or "unknown"
        beside.close()
        raise SchartenError.coded("in_use", path=path, owner=owner) from error
    lock = StoreLock(path, beside)
    try:
        lock.hold_file()
        beside.truncate(0)
        beside.write(str(os.getpid()))
        beside.flush()
    except SchartenError:
        lock.close()
        raise
    except OSError as error:
        lock.close()
        raise SchartenError.coded("no_room", path=lock.name, why=error.strerror) from error
    return lock


def free_name(path: Path, word: str) -> Path:
    """The first unused name beside a database, such as `scharten.old-1.sqlite3`."""
    for number in itertools.count(1):
        kept = path.with_name(f"{path.stem}.{word}-{number}{path.suffix}")
        if not any(part.exists() for part in parts_of(kept)):
            break
    return kept


def set_aside(path: Path, word: str = "old") -> Path | None:
    """Rename a database with its log and mark to the first free name; return that name."""
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
    """Make the content of a file durable."""
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


ROOM: Final = 128 * 1024
"""Bytes that a new database needs with its log and index."""
UNREADABLE: Final = (sqlite3.DatabaseError, UnicodeDecodeError)
"""Errors of reading a damaged file; the latter when SQLite's own message quotes its bytes."""
REFUSALS: Final = (sqlite3.Error, OSError, MemoryError)
"""Errors of disk, database and machine; sqlite3 raises `MemoryError` when memory is exhausted."""


Refusal = TypeVar("Refusal", bound=SchartenError)


OTHER_WORDS: Final = ("I/O error", "unable to open", "readonly")
"""Further messages of SQLite on a full disk, where it cannot make its log or its index: one cause, one message."""


def store_error(
    path: Path,
    error: sqlite3.Error | OSError | MemoryError | UnicodeDecodeError,
    naming: Naming,
    kind: type[Refusal],
) -> Refusal:
    """Return the error of a `kind` that a person sees for one of disk, database or machine."""
    key = naming.key
    return kind.coded(_code_of(path, error), path=path, why=error, noun=key, activity=key, todo=key)


def _code_of(path: Path, error: sqlite3.Error | OSError | MemoryError | UnicodeDecodeError) -> str:
    text = str(error)
    if isinstance(error, MemoryError):
        return "no_memory"
    if (
        "full" in text
        or "No space left" in text
        or (_full(path) and any(words in text for words in OTHER_WORDS))
    ):
        return "disk_full"
    if _read_only(path):
        return "disk_read_only"
    if "readonly" in text or "unable to open" in text:
        return "store_closed"
    if isinstance(error, UnicodeDecodeError) or "not a database" in text or "malformed" in text:
        return "store_damaged"
    return "store_failed"


def _full(path: Path) -> bool:
    """Whether the disk has too little room for a database; SQLite reports its shared index like any other error."""
    try:
        disk = os.statvfs(path.parent)
    except OSError:
        return False
    return disk.f_bavail * disk.f_frsize < ROOM


def _read_only(path: Path) -> bool:
    try:
        return bool(os.statvfs(path.parent).f_flag & os.ST_RDONLY)
    except OSError:
        return False
