"""Copies of a journal: taken while the daemon plays on, and put back without losing what was there."""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scharten.errors import SchartenError
from scharten.journal import schema
from scharten.journal.examine import examine
from scharten.journal.files import (
    REFUSALS,
    connect,
    free_name,
    locked,
    mark_of,
    parts_of,
    sync_file,
    sync_folder,
    wal_of,
    words_of,
)
from scharten.journal.recover import exchange, mark_the_end
from scharten.journal.upgrade import copy_whole


@dataclass(frozen=True, slots=True)
class Copied:
    """A copy that was verified: its name, the inputs in it, and where a restore kept what was there before."""

    path: Path
    inputs: int
    kept: Path | None = None


def back_up(path: Path, folder: Path) -> Copied:
    """Copy a journal into a folder under a name with the time of day; `SchartenError` when it cannot be.

    The copy gets its name when it has been verified and is on the disk, and its mark before.
    """
    if not path.is_file():
        raise SchartenError(f"There is no journal at {path}.", "Name its folder with --data.")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        copy = free_name(folder / path.name, time.strftime("%Y%m%d-%H%M%S"))
        draft = copy.with_name(f".{copy.name}.part")
        inputs = copy_whole(path, draft)
        _verified(draft, path)
        with closing(connect(draft, "ro")) as db:
            chained = schema.version(db) == schema.NEWEST
        if chained:
            mark_the_end(draft)
            mark_of(draft).replace(mark_of(copy))
        sync_file(draft)
        draft.replace(copy)
        sync_folder(folder)
    except REFUSALS as error:
        raise SchartenError(*words_of(folder / path.name, error)) from error
    return Copied(copy, inputs)


def restore(copy: Path, path: Path) -> Copied:
    """Put a copy in a journal's place; what was there is kept beside it, whole, under a name of its own.

    The copy is only read. It is laid beside the journal, verified and brought to this program's schema there; a kill at
    any moment leaves the old journal or the new one. `SchartenError` when the copy is none, is damaged, or is newer
    than this program, and when a daemon has the journal.
    """
    if not copy.is_file():
        raise SchartenError(f"There is no copy at {copy}.", "`scharten backup` says where it put one.")
    if copy.resolve() == path.resolve():
        raise SchartenError(f"{copy} is the journal itself.", "Name the copy that shall take its place.")
    path = path.resolve()
    lock = locked(path)
    try:
        draft = path.with_name(f".{path.name}.restored")
        inputs = _laid_beside(copy, draft)
        if path.exists():
            shutil.copymode(path, draft)
            shutil.chown(draft, path.stat().st_uid, path.stat().st_gid)
            _fold_log(path)
        sync_file(draft)
        kept = free_name(path, "before-restore")
        exchange(path, draft, kept)
    except REFUSALS as error:
        raise SchartenError(*words_of(path, error)) from error
    finally:
        lock.close()
    return Copied(path, inputs, kept if kept.exists() else None)


def _laid_beside(copy: Path, draft: Path) -> int:
    """The copy with its log and mark, verified and of the newest schema, in one file; gives its inputs."""
    for part, goal in zip(parts_of(copy), parts_of(draft), strict=True):
        goal.unlink(missing_ok=True)
        if part.exists():
            shutil.copyfile(part, goal)
    _verified(draft, copy)
    with closing(connect(draft, "rw")) as db:
        schema.upgrade(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return int(db.execute("SELECT count(*) FROM inputs").fetchone()[0])


def _verified(draft: Path, named: Path) -> None:
    """`SchartenError` in the words of the file that the person named."""
    try:
        damage = examine(draft, whole=True).damage
        with closing(connect(draft, "ro")) as db:
            ours = schema.version(db) > 0
    except SchartenError as error:
        raise SchartenError(error.message.replace(str(draft), str(named)), error.cure) from error
    except sqlite3.DatabaseError as error:
        raise SchartenError(*words_of(named, error)) from error
    if damage:
        raise SchartenError(f"{named} is damaged: {damage}.", "Choose an older copy.")
    if not ours:
        raise SchartenError(f"{named} is not a journal.", "`scharten backup` makes a copy of one.")


def _fold_log(path: Path) -> None:
    """Bring a sound journal's log into its file, so that no moment of the exchange shows an older state of it."""
    try:
        if examine(path).damage or not wal_of(path).exists():
            return
        with closing(connect(path, "rw")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (sqlite3.Error, SchartenError):
        return  # what is there is broken; it is kept as it is
