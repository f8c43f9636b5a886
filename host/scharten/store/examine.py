"""Check a database at the start: the database, the chain through its rows, the mark beside it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from scharten.errors import SchartenError
from scharten.store import chain
from scharten.store.files import UNREADABLE, connect, mark_of, parts_of, wal_of
from scharten.store.form import Form
from scharten.store.mark import Mark, read_mark
from scharten.store.upgrade import checked_version

WHOLE_BYTES = 16 << 20
"""Of a larger file the start verifies the last `ROWS` rows; a thread verifies the rest during the game."""
ROWS = 20_000


@dataclass(frozen=True, slots=True)
class Recovered:
    """The result of a recovery: `words` in English, the numbers of rows, and the name of the damaged file."""

    words: str
    saved: int
    lost: int
    kept: str


@dataclass(frozen=True, slots=True)
class Examined:
    """The result: a file with `damage` is unusable, one with a `warning` is not; `rows` were verified.

    `unclean` if the previous run did not end normally, `whole` if every row was verified. `recovered` says what a
    recovery saved.
    """

    rows: int = 0
    damage: str = ""
    warning: str = ""
    unclean: bool = False
    whole: bool = True
    items: str = "inputs"
    recovered: Recovered | None = None

    @property
    def words(self) -> str:
        """One line for the log and for `health`."""
        ended = "the run before ended without a goodbye (power cut, crash or kill)" if self.unclean else ""
        which = "" if self.whole else "the last "
        sound = (
            f"{which}{self.rows} {self.items} verified, none is missing"
            if self.rows and not self.warning
            else ""
        )
        return "; ".join(filter(None, (ended, self.warning or sound)))


def examine(path: Path, form: Form, whole: bool | None = None) -> Examined:
    """Check a database without changing it; `SchartenError` if it is not ours or of a newer program."""
    mark = read_mark(mark_of(path))
    if not path.exists():
        return _missing(path, form, mark)
    if whole is None:
        whole = sum(part.stat().st_size for part in parts_of(path) if part.exists()) <= WHOLE_BYTES
    ours = mark is not None and 0 < mark.schema <= form.newest
    try:
        with closing(connect(path, "ro")) as db:
            return _examined(db, path, form, mark if ours else None, whole)
    except (*UNREADABLE, SchartenError) as error:
        if not ours:
            raise
        return Examined(damage=f"the database cannot be read ({error.__cause__ or error})")


def _missing(path: Path, form: Form, mark: Mark | None) -> Examined:
    if mark is not None and mark.n:
        return Examined(damage=f"the file is missing, of which {mark.n} {form.items} were stored")
    if wal_of(path).exists() and wal_of(path).stat().st_size:
        return Examined(damage="the file is missing, and its log is there")
    return Examined()


def _examined(db: sqlite3.Connection, path: Path, form: Form, mark: Mark | None, whole: bool) -> Examined:
    version = checked_version(db, path, form)
    if mark is not None and version != mark.schema:
        return Examined(damage=f"its head names schema {version}, and its mark {mark.schema}")
    if version < form.chained and _has_chain(db, form):
        return Examined(damage=f"its head names schema {version}, and its tables are of a later one")
    if version < form.chained:
        return Examined()
    since = _anchor(db, form) if not whole else chain.Verified(0, "", 0)
    seen = chain.verified(db, form, since.n, since.chain)
    found = Examined(seen.rows, whole=whole, items=form.items, unclean=mark is not None and not mark.clean)
    wrong = seen.wrong or next(form.faults(db), "") or (_integrity(db, form) if whole else "")
    return replace(found, damage=wrong) if wrong else _compared(found, db, form, seen, mark)


def _has_chain(db: sqlite3.Connection, form: Form) -> bool:
    """Whether the table has the chain of a later schema, although the head names an earlier one."""
    if not any(column[1] == "chain" for column in db.execute(f"PRAGMA table_info({form.table})")):
        return False
    first = db.execute(f"{form.rows} LIMIT 1", (0,)).fetchone()
    return first is not None and chain.link("", first[:-1]) == first[-1]


def _anchor(db: sqlite3.Connection, form: Form) -> chain.Verified:
    """The row after which verification starts."""
    query = (
        f"SELECT n, chain FROM {form.table} WHERE n <= (SELECT max(n) FROM {form.table}) - ?"
        " ORDER BY n DESC LIMIT 1"
    )
    row = db.execute(query, (ROWS,)).fetchone()
    return chain.Verified(row[0], row[1], 0) if row else chain.Verified(0, "", 0)


def _integrity(db: sqlite3.Connection, form: Form) -> str:
    """SQLite's own check, which covers indexes and pages that the chain does not."""
    verdict = db.execute("PRAGMA integrity_check(1)").fetchone()[0]
    orphan = db.execute("PRAGMA foreign_key_check").fetchone()
    if verdict != "ok":
        return f"SQLite finds: {verdict}".splitlines()[0]
    return f"a row of {orphan[0]} belongs to no row of {orphan[2]}" if orphan else ""


def _compared(
    found: Examined, db: sqlite3.Connection, form: Form, seen: chain.Verified, mark: Mark | None
) -> Examined:
    """Compare the database with its mark."""
    if mark is None:
        words = (
            f"the mark beside the {form.naming.noun} is missing or damaged (as after a backup was put back)"
        )
        return (
            replace(found, warning=f"{words}: whether its end is complete is not known") if seen.n else found
        )
    if mark.n > seen.n:
        return replace(found, damage=f"its last {mark.n - seen.n} of {mark.n} {form.items} are missing")
    row = db.execute(f"SELECT chain FROM {form.table} WHERE n = ?", (mark.n,)).fetchone()
    if mark.n and mark.chain and row != (mark.chain,):
        return replace(
            found,
            damage=f"it is not the {form.naming.noun} that its mark belongs to ({form.row_noun} {mark.n} differs)",
        )
    return found
