"""A database opened for writing: each row is durable and chained, and the mark beside the file names the last one.

One SQLite file with one transaction per row (write-ahead log, `synchronous = FULL`). Each row carries its number, so
that a transaction repeated after an uncertain failure is never stored twice. A row costs one synchronisation; the mark
is synchronised when nothing waits (`settle`).
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path

from scharten.errors import SchartenError
from scharten.game.basics import MutableJson
from scharten.store import chain
from scharten.store.files import (
    REFUSALS,
    UNREADABLE,
    connect,
    free_name,
    locked,
    mark_of,
    store_error,
    sync_folder,
    wal_of,
)
from scharten.store.form import Form, Row
from scharten.store.hold import Held, hold
from scharten.store.mark import MarkFile
from scharten.store.names import FileNames, file_id
from scharten.store.upgrade import checked_version, copy_before_upgrade

More = Callable[[sqlite3.Connection], None]


class StoreError(SchartenError):
    """The disk refused a row; nothing of it was stored. `for_good`: trying again will not help."""

    for_good = False


class Store:
    """A database opened for writing, by one thread and one program at a time."""

    def __init__(self, path: Path, form: Form, held: Held | None = None) -> None:
        """Open or create the file and bring it to the newest schema; `SchartenError` if that fails."""
        held = held or hold(path, form)
        self.path, self.form, self.found = held.path, form, held.found
        self.moved = ""
        """A message if the file was removed while in use and rewritten."""
        self._last, self._chain = 0, ""
        self._unmarked: object = None
        self._gone = self._mark_failed = False
        self._open = True
        self._lock = held.lock
        try:
            with ExitStack() as undone:
                undone.callback(self._lock.close)
                copy_before_upgrade(self.path, form)
                _create(self.path, form)
                self._lock.hold_file()
                self._db = undone.enter_context(closing(connect(self.path, "rw")))
                checked_version(self._db, self.path, form)
                form.upgrade(self._db)
                self._settle()
                self._mark = undone.enter_context(closing(MarkFile(mark_of(self.path))))
                self._mark_end(durable=True)
                self._files = self._names()
                undone.pop_all()
        except REFUSALS as error:
            raise store_error(self.path, error, form.naming, SchartenError) from error

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self._last

    @property
    def trouble(self) -> MutableJson | None:
        """The trouble with the file, for pages: `code`, `args` and English `words`; None if it is valid."""
        if self.moved:
            return {"code": "rewritten", "args": {"count": self.rows}, "words": self.moved}
        if saved := self.found.recovered:
            args = {"saved": saved.saved, "lost": saved.lost, "file": saved.kept}
            return {"code": "lost" if saved.lost else "recovered", "args": args, "words": saved.words}
        words = self.found.warning
        return {"code": "unmarked", "args": {}, "words": words} if words else None

    def append_row(self, token: object, values: Sequence[object], more: More | None = None) -> int:
        """Store one row durably and give its number; `StoreError` when the disk refuses it.

        `values` are its columns between number and chain. `more` writes to other tables, in the same transaction.
        After an error, repeat the call with the same `token`: a row that was stored after all is not stored twice.
        """
        self.check_files()
        if token is None or self._unmarked is not token:
            self._store(token, values, more)
        try:
            self._mark_end(durable=self._mark_failed)
        except OSError as error:
            raise store_error(self.path, error, self.form.naming, StoreError) from error
        self._unmarked, self._mark_failed = None, False
        return self._last

    def query(self, query: str, values: Sequence[object] = ()) -> Iterator[Row]:
        """Read rows; `StoreError` if the file cannot be read."""
        try:
            yield from self._db.execute(query, values)
        except (*UNREADABLE, MemoryError) as error:
            raise store_error(self.path, error, self.form.naming, StoreError) from error

    def rewrite(self, change: More) -> None:
        """Change rows in place, chain all rows again and leave nothing of the old ones in the files."""
        self.check_files()
        chained = ""

        def write(db: sqlite3.Connection) -> None:
            nonlocal chained
            change(db)
            chained = chain.rechain(db, self.form)

        try:
            # A kill before the next mark leaves one that fits both chains.
            self._mark.write(self._last, "", self.form.newest, clean=False)
            self._transaction(write)
            self._chain = chained
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            self._mark_end(durable=True)
        except REFUSALS as error:
            raise store_error(self.path, error, self.form.naming, StoreError) from error
        finally:
            self._files.remember(wal_of(self.path))

    def fold(self) -> None:
        """Merge the log into the file, so that no replaced row is left in it; `StoreError` if the disk refuses."""
        try:
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        except REFUSALS as error:
            raise store_error(self.path, error, self.form.naming, StoreError) from error
        finally:
            self._files.remember(wal_of(self.path))

    def settle(self) -> None:
        """Make the mark durable; if the disk refuses, the next row waits for it and reports the error."""
        if self._mark.owed and not self._mark_failed:
            try:
                self._mark.settle()
            except OSError:
                self._mark_failed = True

    def bytes_on_disk(self) -> int:
        """How large the file is, its write-ahead log included."""
        return sum(part.stat().st_size for part in (self.path, wal_of(self.path)) if part.exists())

    def close(self) -> None:
        """Merge the write-ahead log into the file, note the clean end, and close it."""
        self._db.close()
        with suppress(OSError):  # the next start then reports an unclean end
            self._mark_end(clean=True, durable=True)
        self._mark.close()
        self._lock.close()

    def _mark_end(self, *, clean: bool = False, durable: bool) -> None:
        self._mark.write(self._last, self._chain, self.form.newest, clean=clean, durable=durable)

    def _store(self, token: object, values: Sequence[object], more: More | None) -> None:
        n = self._last + 1
        linked = chain.link(self._chain, (n, *values))
        try:
            self._write((n, *values, linked), more)
        except REFUSALS as error:
            if not self._stored_after_all(n, linked):
                raise store_error(self.path, error, self.form.naming, StoreError) from error
        self._last, self._chain, self._unmarked = n, linked, token
        self._files.remember_growth()

    def _write(self, row: Sequence[object], more: More | None) -> None:
        def write(db: sqlite3.Connection) -> None:
            if more is not None:
                more(db)
            db.execute(self.form.insert, row)

        self._transaction(write)

    def _transaction(self, write: More) -> None:
        """Run `write` in a transaction."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            write(self._db)
            self._db.execute("COMMIT")
        except (sqlite3.Error, MemoryError):
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise

    def _stored_after_all(self, n: int, linked: str) -> bool:
        """After a failed sync the row may still be in the log: check, and make it durable."""
        self._open = False
        try:
            self._open_again()
        except REFUSALS:
            return False
        return (self._last, self._chain) == (n, linked)

    def _open_again(self) -> None:
        """Open a new connection; until that succeeds no file is in use."""
        self._db.close()
        self._db = connect(self.path, "rw")
        self._settle()
        self._files.remember(wal_of(self.path))
        self._open = True

    def _settle(self) -> None:
        """Merge the write-ahead log into the file, and read the last row."""
        self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        self._last, self._chain = self.form.last(self._db)

    # --- the files themselves ---

    def _names(self) -> FileNames:
        """The names of database, log, mark and lock, with their present files."""
        names = (mark_of(self.path), Path(self._lock.name))
        return FileNames(names, growing=(self.path, wal_of(self.path)))

    def check_files(self) -> bool:
        """Refuse once if the files were replaced, with `StoreError`; the next time rewrite them, and return True."""
        if not self._open or self._files.are_unchanged():  # a closed file is reopened by `_stored_after_all`
            return False
        if not self._gone:
            self._gone = True
            raise StoreError.coded("file_replaced", path=self.path, activity=self.form.naming.key)
        try:
            self._rewrite()
        except REFUSALS as error:
            raise store_error(self.path, error, self.form.naming, StoreError) from error
        self._gone = False
        return True

    def _rewrite(self) -> None:
        """Write the whole file again from the files that are still open under no name."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        draft = self.path.with_name(f".{self.path.name}.rewrite")
        draft.unlink(missing_ok=True)
        with closing(sqlite3.connect(draft)) as copy:
            self._db.backup(copy)
            seen = chain.verified(copy, self.form)
        if seen.wrong or (seen.n, seen.chain) != (self._last, self._chain):
            raise sqlite3.DatabaseError(
                f"what is still open does not verify: {seen.wrong or 'it ends early'}"
            )
        foreign = _set_aside_foreign(self.path)
        draft.replace(self.path)
        self._open = False
        self._open_again()
        mark_of(self.path).unlink(missing_ok=True)
        self._mark.close()
        self._mark = MarkFile(mark_of(self.path))
        self._mark_end(durable=True)
        sync_folder(self.path.parent)
        if file_id(Path(self._lock.name)) is None:
            self._lock.close()
            self._lock = locked(self.path)
        self._lock.hold_file()
        self._files = self._names()
        kept = f"; the file that stood there is kept as {foreign.name}" if foreign else ""
        self.moved = (
            f"the {self.form.naming.noun} was removed while it was in use and was rewritten, with all {seen.rows}"
            f" {self.form.items}{kept}"
        )


def _set_aside_foreign(path: Path) -> Path | None:
    """Move another database out of this name, together with a log that belongs to neither."""
    kept = free_name(path, "foreign")
    for part, goal in ((path, kept), (wal_of(path), wal_of(kept))):
        if part.exists():
            part.rename(goal)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    return kept if kept.exists() else None


def _create(path: Path, form: Form) -> None:
    """Create an empty database if there is none; a power cut leaves a complete one or nothing."""
    if path.exists() and path.stat().st_size:
        return
    draft = path.with_name(f".{path.name}.new")
    for left in (draft, draft.with_name(draft.name + "-journal"), wal_of(draft)):
        left.unlink(missing_ok=True)
    with closing(connect(draft, "rwc")) as db:
        form.upgrade(db)
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()  # closing would hide a failure
    draft.replace(path)
    sync_folder(path.parent)
