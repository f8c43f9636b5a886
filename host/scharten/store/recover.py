"""Recover a damaged database: keep it untouched under another name, and write its valid rows into a new one.

SQLite gives up a write-ahead log at the first invalid frame. This module tries the later frames too, and replaces a
damaged head; it accepts only rows that the chain confirms.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import struct
import tempfile
from collections.abc import Iterator
from contextlib import closing, suppress
from itertools import islice
from pathlib import Path
from typing import Final

from scharten.store import chain
from scharten.store.examine import Recovered
from scharten.store.files import (
    UNREADABLE,
    connect,
    free_name,
    mark_of,
    parts_of,
    sync_file,
    sync_folder,
    wal_of,
)
from scharten.store.form import Form, Row
from scharten.store.mark import MarkFile, read_mark
from scharten.store.progress import Progress, reported, silent

PAGE = 4096
WAL_HEAD, FRAME_HEAD = 32, 24
_SPARE_PAGES: Final = 1024
"""Pages that a log may skip in a growing database; a frame further on is damaged and would exhaust memory."""


def recover(path: Path, form: Form, damage: str, progress: Progress = silent) -> Recovered:
    """Replace a database by its valid part and return a report; `OSError` if the disk refuses."""
    mark = read_mark(mark_of(path))
    kept = free_name(path, "broken")
    with tempfile.TemporaryDirectory(prefix=f".{path.stem}.recover-", dir=path.parent) as name:
        place = Path(name)
        best, source, verdicts = 0, None, bytearray()
        for made in _attempts(path, place, form):
            found, judged = _survey(made, form, progress)
            if found > best or source is None:
                best, source, verdicts = found, made, judged
            if mark is not None and best >= mark.n:
                break  # everything is there
        new = place / "new.sqlite3"
        _write(new, form, source, best, verdicts, progress)
        exchange(path, new, kept, form)
    most = max(mark.n if mark else 0, best)
    lost = most - best
    words = (
        f"the {form.naming.noun} was damaged: {damage}. It is kept as {kept.name}; {best} of {most} {form.items} were"
        " recovered" + (f", {lost} are lost: {form.cure}" if lost else ", so nothing is lost")
    )
    return Recovered(words, best, lost, kept.name)


def _attempts(path: Path, place: Path, form: Form) -> Iterator[Path]:
    """Copies of a database to try: as SQLite reads it, with every frame of its log, and with a new head too."""
    if not path.exists():
        return
    as_it_is = place / "as-it-is.sqlite3"
    shutil.copyfile(path, as_it_is)
    if wal_of(path).exists():
        shutil.copyfile(wal_of(path), wal_of(as_it_is))
    yield as_it_is
    content = bytearray(path.read_bytes()) if path.stat().st_size < 1 << 30 else bytearray()
    logged = wal_of(path).exists() and wal_of(path).stat().st_size > WAL_HEAD
    if logged:
        _lay_over(content, wal_of(path).read_bytes())
        made = place / "all-frames.sqlite3"
        made.write_bytes(content)
        yield made
    if content and not _has_sound_head(content, form.newest):
        made = place / "new-head.sqlite3"
        made.write_bytes(_with_head(content, form.newest))
        yield made


def _has_sound_head(content: bytearray, schema: int) -> bool:
    """Whether a new head would change nothing that a reader needs."""
    usual = _with_head(content[:100], schema)
    pages = struct.pack(">I", len(content) // PAGE)
    return content[:24] == usual[:24] and content[28:32] == pages and content[44:72] == usual[44:72]


def _with_head(content: bytearray, schema: int) -> bytearray:
    """Replace the first hundred bytes, except the values that only the file knows (freelist, schema cookie)."""
    made = bytearray(content)
    made[:24] = b"SQLite format 3\0" + struct.pack(">HBBBBBB", PAGE, 2, 2, 0, 64, 32, 32)
    made[24:32] = struct.pack(">II", 1, len(made) // PAGE)
    made[32:40] = bytes(8)
    made[44:72] = struct.pack(">IIIIIII", 4, 0, 0, 1, schema, 0, 0)
    made[72:100] = bytes(20) + struct.pack(">II", 1, 0)
    return made


def _lay_over(content: bytearray, log: bytes) -> None:
    """Write the pages of a log into a database up to its last commit, ignoring checksums."""
    salt = log[16:24]
    frames: list[tuple[int, int]] = []
    committed = 0
    most = len(content) // PAGE + len(log) // (FRAME_HEAD + PAGE) + _SPARE_PAGES
    for at in range(WAL_HEAD, len(log) - FRAME_HEAD - PAGE + 1, FRAME_HEAD + PAGE):
        number, size = struct.unpack_from(">II", log, at)
        if log[at + 8 : at + 16] == salt and 0 < number <= most:
            frames.append((number, at + FRAME_HEAD))
            committed = len(frames) if size else committed
    for number, at in frames[:committed]:
        end = number * PAGE
        content.extend(bytes(max(0, end - len(content))))
        content[end - PAGE : end] = log[at : at + PAGE]


def _survey(path: Path, form: Form, progress: Progress) -> tuple[int, bytearray]:
    """Return the number of rows that can be recovered, and of each readable row whether the chain confirms it."""
    count, verdicts = 0, bytearray()
    with (
        suppress(sqlite3.Error, UnicodeDecodeError),  # an error ends the survey
        closing(_opened(path)) as db,
    ):
        found = form.believed(db, _judged(db, form, verdicts))
        for _ in reported(found, f"{form.items} found", progress):
            count += 1
    return count, verdicts


def _judged(db: sqlite3.Connection, form: Form, verdicts: bytearray) -> Iterator[tuple[Row, bool]]:
    """Every readable row without `chain`, and whether the chain confirms it; note that in `verdicts`."""
    last, previous = 0, ""
    for *row, stored in _readable(db, form):
        agrees = row[0] == last + 1 and chain.link(previous, row) == stored
        last, previous = row[0], stored
        verdicts.append(agrees)
        yield tuple(row), agrees


def _judged_before(db: sqlite3.Connection, form: Form, verdicts: bytearray) -> Iterator[tuple[Row, bool]]:
    """The same rows with the verdicts of the survey."""
    for (*row, _), agrees in zip(_readable(db, form), verdicts, strict=False):
        yield tuple(row), bool(agrees)


def _opened(path: Path) -> sqlite3.Connection:
    db = connect(path, "rw")
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def _readable(db: sqlite3.Connection, form: Form) -> Iterator[Row]:
    """Every readable row in order; skip unreadable pages in growing steps."""
    last, step = 0, 1
    while step < 1 << 24:
        try:
            for row in chain.growing(db.execute(form.rows, (last,))):
                yield row
                last, step = row[0], 1
            return
        except UNREADABLE:
            last, step = last + step, step * 2


def _write(
    new: Path, form: Form, source: Path | None, rows: int, verdicts: bytearray, progress: Progress
) -> None:
    """Write a new database with the surveyed rows, numbered and chained again."""
    with closing(connect(new, "rwc")) as db:
        form.upgrade(db)
        db.execute("BEGIN IMMEDIATE")
        if source is not None and rows:
            with closing(_opened(source)) as old:
                found = islice(form.believed(old, _judged_before(old, form, verdicts)), rows)
                form.rescue(old, db, reported(found, f"of {rows} {form.items} recovered", progress))
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    sync_file(new)


def mark_the_end(path: Path, form: Form) -> None:
    """Write the mark for a database's last row."""
    with closing(connect(path, "ro")) as db:
        n, last = form.last(db)
    mark = MarkFile(mark_of(path))
    mark.write(n, last, form.newest, clean=True)
    mark.close()


def exchange(path: Path, new: Path, kept: Path, form: Form) -> None:
    """Rename the present parts and put the new file in their place; the next start reports a kill in between."""
    mark_the_end(new, form)
    for part, goal in zip(parts_of(path), parts_of(kept), strict=True):
        if part.exists():
            _keep(part, goal)
    wal_of(path).unlink(missing_ok=True)
    path.with_name(path.name + "-shm").unlink(missing_ok=True)
    new.replace(path)
    mark_of(new).replace(mark_of(path))
    sync_folder(path.parent)


def _keep(part: Path, goal: Path) -> None:
    """Give the file a second name, or copy it if the file system has no hard links."""
    try:
        os.link(part, goal)
    except OSError:
        shutil.copy2(part, goal)
