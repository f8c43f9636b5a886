"""Databases of other versions: which are readable, and the copy before an older one is upgraded."""

from __future__ import annotations

import logging
import sqlite3
from contextlib import closing
from itertools import zip_longest
from pathlib import Path

from scharten import __version__
from scharten.errors import SchartenError
from scharten.store.files import UNREADABLE, connect, mark_of, parts_of, store_error, sync_file, sync_folder
from scharten.store.form import Form
from scharten.store.mark import read_mark

log = logging.getLogger(__name__)


def checked_version(db: sqlite3.Connection, path: Path, form: Form) -> int:
    """The schema of a file; `SchartenError` when it is newer than this program, not ours, or unreadable."""
    try:
        number = form.version(db)
        tables = db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    except (*UNREADABLE, MemoryError) as error:
        raise store_error(path, error, form.naming, SchartenError) from error
    if number > form.newest:
        raise _newer(path, form, number)
    if number == 0 and tables:
        raise SchartenError.coded("foreign_database", path=path)
    return number


def _newer(path: Path, form: Form, number: int) -> SchartenError:
    """Return the error for a newer file, which stays unchanged."""
    mark = read_mark(mark_of(path))
    copy = kept_before_upgrade(path, form.newest)
    return SchartenError.coded(
        "newer_file_copied" if copy.is_file() else "newer_file",
        path=path,
        writer=f"Scharten {mark.version}" if mark and mark.version else "newer",
        number=number,
        version=__version__,
        newest=form.newest,
        copy=copy,
        todo=form.naming.key,
    )


def kept_before_upgrade(path: Path, number: int) -> Path:
    """The name of the copy of a file of that schema."""
    return path.with_name(f"{path.stem}.schema{number}{path.suffix}")


def copy_whole(path: Path, draft: Path, form: Form) -> int:
    """Copy a database with its log, even one in use; return the number of chained rows in the copy."""
    for part in parts_of(draft):
        part.unlink(missing_ok=True)
    with closing(connect(path, "ro")) as db, closing(sqlite3.connect(draft)) as copy:
        checked_version(db, path, form)
        db.backup(copy)
        sound = copy.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        known, most = form.count(copy), form.count(db)
    if not sound or known > most:
        raise SchartenError.coded("uncopyable", path=path)
    return known


def copy_before_upgrade(path: Path, form: Form) -> None:
    """Copy a file of an older schema and compare each row, before the upgrade changes anything."""
    if not path.exists() or not path.stat().st_size:
        return
    with closing(connect(path, "ro")) as db:
        old = checked_version(db, path, form)
    if 0 < old < form.newest:
        kept = kept_before_upgrade(path, old)
        draft = kept.with_name(f".{kept.name}.part")
        copy_whole(path, draft, form)
        if not _are_equal(path, draft, form):
            draft.unlink()
            raise SchartenError.coded("upgrade_copy", path=path)
        sync_file(draft)
        draft.replace(kept)
        sync_folder(path.parent)
        log.info("%s: brought from schema %d to %d; as it was it is kept as %s", path, old, form.newest, kept)


def _are_equal(path: Path, draft: Path, form: Form) -> bool:
    """Whether each row of the copy equals the file's; opening the copy for writing merges its log."""
    with closing(connect(path, "ro")) as db, closing(connect(draft, "rw")) as copy:
        for table in form.tables:
            rows = (source.execute(f"SELECT * FROM {table} ORDER BY rowid") for source in (db, copy))
            if any(ours != theirs for ours, theirs in zip_longest(*rows)):
                return False
    return True
