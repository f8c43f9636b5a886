"""Check a journal at the start: the database, the chain through its rows, the mark beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import SchartenError
from scharten.journal import chain, schema
from scharten.journal.files import (
    UNREADABLE,
    JournalLock,
    connect,
    locked,
    mark_of,
    parts_of,
    wal_of,
    words_of,
)
from scharten.journal.mark import Mark, read_mark
from scharten.journal.upgrade import checked_version

WHOLE_BYTES = 16 << 20
"""Of a larger journal the start verifies the last `ROWS` rows; a thread verifies the rest during the game."""
ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Examined:
    """The result: a journal with `damage` is unusable, one with a `warning` is not; `rows` were verified.

    `unclean` if the previous run did not end normally, `whole` if every row was verified.
    """

    rows: int = 0
    damage: str = ""
    warning: str = ""
    unclean: bool = False
    whole: bool = True

    @property
    def words(self) -> str:
        """One line for the log and for `health`."""
        ended = "the run before ended without a goodbye (power cut, crash or kill)" if self.unclean else ""
        which = "" if self.whole else "the last "
        sound = (
            f"{which}{self.rows} inputs verified, none is missing" if self.rows and not self.warning else ""
        )
        return "; ".join(filter(None, (ended, self.warning or sound)))


@dataclass(frozen=True, slots=True)
class Held:
    """A journal that this program has locked, with the result of its check."""

    path: Path
    lock: JournalLock
    found: Examined


def hold(path: Path) -> Held:
    """Take a journal for writing: lock the real file, verify it, and recover a damaged one.

    `SchartenError` if another program uses it or it is not a journal of ours; the file then stays untouched.
    """
    path = path.resolve()
    lock = locked(path)
    try:
        found = examine(path)
        if found.damage:
            from scharten.journal.recover import recover  # noqa: PLC0415  (rarely needed; keeps the start fast)

            found = replace(found, warning=recover(path, found.damage), damage="")
    except (sqlite3.Error, MemoryError, UnicodeDecodeError) as error:
        lock.close()
        raise SchartenError(*words_of(path, error)) from error
    except OSError as error:
        lock.close()
        raise SchartenError(
            f"{path} is damaged and was not recovered: {error}.", "Make room, and start again."
        ) from error
    except SchartenError:
        lock.close()
        raise
    return Held(path, lock, found)


def examine(path: Path, whole: bool | None = None) -> Examined:
    """Check a journal without changing it; `SchartenError` if it is not ours or of a newer program."""
    mark = read_mark(mark_of(path))
    if not path.exists():
        return _missing(path, mark)
    if whole is None:
        whole = sum(part.stat().st_size for part in parts_of(path) if part.exists()) <= WHOLE_BYTES
    ours = mark is not None and 0 < mark.schema <= schema.NEWEST
    try:
        with closing(connect(path, "ro")) as db:
            return _examined(db, path, mark if ours else None, whole)
    except (*UNREADABLE, SchartenError) as error:
        if not ours:
            raise
        return Examined(damage=f"the database cannot be read ({error.__cause__ or error})")


def _missing(path: Path, mark: Mark | None) -> Examined:
    if mark is not None and mark.n:
        return Examined(damage=f"the file is missing, of which {mark.n} inputs were stored")
    if wal_of(path).exists() and wal_of(path).stat().st_size:
        return Examined(damage="the file is missing, and its log is there")
    return Examined()


def _examined(db: sqlite3.Connection, path: Path, mark: Mark | None, whole: bool) -> Examined:
    version = checked_version(db, path)
    if mark is not None and version != mark.schema:
        return Examined(damage=f"its head names schema {version}, and its mark {mark.schema}")
    if version < schema.CHAINED and _has_chain(db):
        return Examined(damage=f"its head names schema {version}, and its tables are of a later one")
    if version < schema.CHAINED:
        return Examined()
    since = _anchor(db) if not whole else chain.Verified(0, "", 0)
    seen = chain.verified(db, since.n, since.chain)
    found = Examined(seen.rows, whole=whole, unclean=mark is not None and not mark.clean)
    wrong = seen.wrong or next(chain.unsealed(db), "") or (_integrity(db) if whole else "")
    return replace(found, damage=wrong) if wrong else _compared(found, db, seen, mark)


def _has_chain(db: sqlite3.Connection) -> bool:
    return any(column[1] == "chain" for column in db.execute("PRAGMA table_info(inputs)"))


def _anchor(db: sqlite3.Connection) -> chain.Verified:
    """The row after which verification starts."""
    query = "SELECT n, chain FROM inputs WHERE n <= (SELECT max(n) FROM inputs) - ? ORDER BY n DESC LIMIT 1"
    row = db.execute(query, (ROWS,)).fetchone()
    return chain.Verified(row[0], row[1], 0) if row else chain.Verified(0, "", 0)


def _integrity(db: sqlite3.Connection) -> str:
    """SQLite's own check, which covers indexes and pages that the chain does not."""
    verdict = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    orphan = db.execute("PRAGMA foreign_key_check").fetchone()
    if verdict != "ok":
        return f"SQLite finds: {verdict}".splitlines()[0]
    return "an input belongs to no match" if orphan else ""


def _compared(found: Examined, db: sqlite3.Connection, seen: chain.Verified, mark: Mark | None) -> Examined:
    """Compare the database with its mark."""
    if mark is None:
        words = "the mark beside the journal is missing or damaged (as after a backup was put back)"
        return (
            replace(found, warning=f"{words}: whether its end is complete is not known") if seen.n else found
        )
    if mark.n > seen.n:
        return replace(found, damage=f"its last {mark.n - seen.n} of {mark.n} inputs are missing")
    row = db.execute("SELECT chain FROM inputs WHERE n = ?", (mark.n,)).fetchone()
    if mark.n and row != (mark.chain,):
        return replace(
            found, damage=f"it is not the journal that its mark belongs to (input {mark.n} differs)"
        )
    return found
