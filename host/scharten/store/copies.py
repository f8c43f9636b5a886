"""Copy a database while its program runs, and restore a copy without losing the present file."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from scharten.errors import SchartenError
from scharten.store.examine import examine
from scharten.store.files import (
    REFUSALS,
    connect,
    free_name,
    locked,
    parts_of,
    store_error,
    sync_file,
    wal_of,
)
from scharten.store.form import Form
from scharten.store.recover import exchange, mark_the_end
from scharten.store.upgrade import copy_whole


@dataclass(frozen=True, slots=True)
class Copied:
    """A restored copy: its number of rows, and where the restore kept the previous file."""

    path: Path
    rows: int
    kept: Path | None = None


def copy_verified(path: Path, draft: Path, form: Form) -> int:
    """Copy a database, also one in use, with a mark; return its number of rows. `SchartenError` if it is damaged."""
    rows = copy_whole(path, draft, form)
    with closing(connect(draft, "rw")) as db:
        chained = form.version(db) == form.newest
        db.execute("PRAGMA journal_mode = DELETE")  # one file, readable without others beside it
    _verify(draft, path, form)
    if chained:
        mark_the_end(draft, form)
    return rows


def check_copy(copy: Path, form: Form) -> None:
    """Verify a copy without changing it; `SchartenError` if it is missing, damaged or newer than this program."""
    with tempfile.TemporaryDirectory(prefix="scharten-copy-") as name:
        draft = Path(name) / copy.name
        for part, goal in zip(parts_of(copy), parts_of(draft), strict=True):
            if part.exists():
                shutil.copyfile(part, goal)
        _verify(draft, copy, form)


def restore(copy: Path, path: Path, form: Form) -> Copied:
    """Replace a database by a copy; the previous file stays complete beside it under another name.

    The copy is only read. Its content is verified and upgraded beside the database; a kill at any moment leaves the
    old one or the new one. `SchartenError` if the copy is missing, damaged or newer than this program, or if a
    program uses the database.
    """
    if not copy.is_file():
        raise SchartenError.coded("no_such_copy", path=copy)
    if copy.resolve() == path.resolve():
        raise SchartenError.coded("copy_itself", path=copy, noun=form.naming.key)
    path = path.resolve()
    lock = locked(path)
    try:
        draft = path.with_name(f".{path.name}.restored")
        rows = _prepare(copy, draft, form)
        if path.exists():
            shutil.copymode(path, draft)
            shutil.chown(draft, path.stat().st_uid, path.stat().st_gid)
            _fold_log(path, form)
        sync_file(draft)
        kept = free_name(path, "before-restore")
        exchange(path, draft, kept, form)
    except REFUSALS as error:
        raise store_error(path, error, form.naming, SchartenError) from error
    finally:
        lock.close()
    return Copied(path, rows, kept if kept.exists() else None)


def _prepare(copy: Path, draft: Path, form: Form) -> int:
    """Copy with log and mark, verify and upgrade into one file; return its number of rows."""
    for part, goal in zip(parts_of(copy), parts_of(draft), strict=True):
        goal.unlink(missing_ok=True)
        if part.exists():
            shutil.copyfile(part, goal)
    _verify(draft, copy, form)
    with closing(connect(draft, "rw")) as db:
        form.upgrade(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return form.count(db)


def _verify(draft: Path, named: Path, form: Form) -> None:
    """Verify the draft; a `SchartenError` names the file that the person named."""
    try:
        damage = examine(draft, form, whole=True).damage
        with closing(connect(draft, "ro")) as db:
            ours = form.version(db) > 0
    except SchartenError as error:
        raise SchartenError.coded(error.code, **{**error.values, "path": named}) from error
    except sqlite3.DatabaseError as error:
        raise store_error(named, error, form.naming, SchartenError) from error
    if damage:
        raise SchartenError.coded("copy_damaged_because", path=named, why=damage)
    if not ours:
        raise SchartenError.coded("copy_of_other", path=named, noun=form.naming.key)


def _fold_log(path: Path, form: Form) -> None:
    """Merge a valid database's log into its file, so that the exchange never shows an older state."""
    try:
        if examine(path, form).damage or not wal_of(path).exists():
            return
        with closing(connect(path, "rw")) as db:
            db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    except (sqlite3.Error, SchartenError):
        return  # it is damaged and kept unchanged
