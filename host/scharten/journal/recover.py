"""Recover a damaged journal: keep it untouched under another name, and write its valid rows into a new one.

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
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from scharten.journal import chain, schema
from scharten.journal.files import (
    UNREADABLE,
    connect,
    free_name,
    mark_of,
    parts_of,
    sync_file,
    sync_folder,
    wal_of,
)
from scharten.journal.mark import MarkFile, read_mark

PAGE = 4096
WAL_HEAD, FRAME_HEAD = 32, 24
_SPARE_PAGES: Final = 1024
"""Pages that a log may skip in a growing database; a frame further on is damaged and would exhaust memory."""


@dataclass(frozen=True, slots=True)
class Survey:
    """The valid part of a database: the number of rows, and the last row of each match."""

    rows: int
    ends: dict[str, int]


def recover(path: Path, damage: str) -> str:
    """Replace a journal by its valid part and return a report; `OSError` if the disk refuses."""
    mark = read_mark(mark_of(path))
    kept = free_name(path, "broken")
    with tempfile.TemporaryDirectory(prefix=f".{path.stem}.recover-", dir=path.parent) as name:
        place = Path(name)
        surveyed = [(survey(made), made) for made in _attempts(path, place)]
        best, source = max(surveyed, key=lambda attempt: attempt[0].rows, default=(Survey(0, {}), None))
        new = place / "new.sqlite3"
        _write(new, source, best)
        exchange(path, new, kept)
    most = max(mark.n if mark else 0, best.rows)
    lost = most - best.rows
    return (
        f"the journal was damaged: {damage}. It is kept as {kept.name}; {best.rows} of {most} inputs were recovered"
        + (f", {lost} are lost: compare the position with the board" if lost else ", so nothing is lost")
    )


def _attempts(path: Path, place: Path) -> Iterator[Path]:
    """Copies of a journal to try: as SQLite reads it, with every frame of its log, and with a new head too."""
    if not path.exists():
        return
    as_it_is = place / "as-it-is.sqlite3"
    shutil.copyfile(path, as_it_is)
    if wal_of(path).exists():
        shutil.copyfile(wal_of(path), wal_of(as_it_is))
    yield as_it_is
    main = bytearray(path.read_bytes()) if path.stat().st_size < 1 << 30 else bytearray()
    for name, head in (("all-frames", bytearray), ("new-head", _with_head)):
        content = head(main)
        if wal_of(path).exists():
            _lay_over(content, wal_of(path).read_bytes())
        if content:
            made = place / f"{name}.sqlite3"
            made.write_bytes(head(content))
            yield made


def _with_head(content: bytearray) -> bytearray:
    """Replace the first hundred bytes, except the values that only the file knows (freelist, schema cookie)."""
    made = bytearray(content)
    made[:24] = b"SQLite format 3\0" + struct.pack(">HBBBBBB", PAGE, 2, 2, 0, 64, 32, 32)
    made[24:32] = struct.pack(">II", 1, len(made) // PAGE)
    made[32:40] = bytes(8)
    made[44:72] = struct.pack(">IIIIIII", 4, 0, 0, 1, schema.NEWEST, 0, 0)
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


def survey(path: Path) -> Survey:
    """Count the rows of a database that the chain confirms."""
    ends: dict[str, int] = {}
    rows = 0
    with (
        suppress(sqlite3.Error, UnicodeDecodeError),
        closing(_opened(path)) as db,
    ):  # an error ends the survey
        for row in _believed(db):
            ends[row[1]], rows = row[0], rows + 1
    return Survey(rows, ends)


def _believed(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """The rows that the chain confirms, without `chain`: of each match those before the first invalid row."""
    known = set()
    for _, id_, started_ms, start, _, sealed in _heads(db):
        if chain.seal(id_, started_ms, start) == str(sealed).split(" ")[0]:
            known.add(id_)
    last, previous = 0, ""
    for *row, stored in _readable(db):
        n, match = row[0], row[1]
        agrees = n == last + 1 and chain.link(previous, row) == stored
        last, previous = n, stored
        if agrees and match in known:
            yield tuple(row)
        else:
            known.discard(match)


def _heads(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """The readable matches: rowid, id, started_ms, start, summary, seal."""
    query = "SELECT rowid, id, started_ms, start, summary, seal FROM matches ORDER BY rowid"
    with suppress(*UNREADABLE):
        yield from chain.growing(db.execute(query))


def _opened(path: Path) -> sqlite3.Connection:
    db = connect(path, "rw")
    db.text_factory = lambda raw: raw.decode("utf-8", "replace")
    return db


def _readable(db: sqlite3.Connection) -> Iterator[tuple[Any, ...]]:
    """Every readable row in order; skip unreadable pages in growing steps."""
    last, step = 0, 1
    while step < 1 << 24:
        try:
            for row in chain.growing(db.execute(chain.ROWS, (last,))):
                yield row
                last, step = row[0], 1
            return
        except UNREADABLE:
            last, step = last + step, step * 2


def _write(new: Path, source: Path | None, found: Survey) -> None:
    """Write a new journal with the surveyed rows, numbered and chained again."""
    with closing(connect(new, "rwc")) as db:
        schema.upgrade(db)
        db.execute("BEGIN IMMEDIATE")
        if source is not None and found.rows:
            with closing(_opened(source)) as old:
                _copy(old, db, found)
        db.execute("COMMIT")
        db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    sync_file(new)


def _copy(old: sqlite3.Connection, new: sqlite3.Connection, found: Survey) -> None:
    for _, id_, started_ms, start, summary, sealed in _heads(old):
        if id_ in found.ends:
            valid = summary if sealed.split(" ")[-1] == chain.seal(summary) else "{}"
            seals = chain.match_seal(id_, started_ms, start, valid)
            new.execute("INSERT INTO matches VALUES (?, ?, ?, ?, ?)", (id_, started_ms, start, valid, seals))
    n, previous, match = 0, "", ""
    for number, *rest in _believed(old):
        if number <= found.ends.get(rest[0], 0):
            n, match = n + 1, rest[0]
            previous = chain.link(previous, (n, *rest))
            new.execute("INSERT INTO inputs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)", (n, *rest, previous))
    for table, columns, marks in (
        ("going_on", "match", "?, ?, ?"),
        ("dropped", "session, total", "?, ?, ?, ?"),
    ):
        try:
            row = old.execute(f"SELECT one, {columns}, seal FROM {table}").fetchone()
        except UNREADABLE:
            row = None
        if row and chain.seal(*row[:-1]) == row[-1] and (table != "going_on" or row[1] in found.ends):
            new.execute(f"INSERT INTO {table} VALUES ({marks})", row)
        elif table == "going_on" and n:
            new.execute("INSERT INTO going_on VALUES (1, ?, ?)", (match, chain.seal(1, match)))


def mark_the_end(path: Path) -> None:
    """Write the mark for a journal's last row."""
    with closing(connect(path, "ro")) as db:
        n, last = db.execute("SELECT n, chain FROM inputs ORDER BY n DESC LIMIT 1").fetchone() or (0, "")
    mark = MarkFile(mark_of(path))
    mark.write(n, last, schema.NEWEST, clean=True)
    mark.close()


def exchange(path: Path, new: Path, kept: Path) -> None:
    """Rename the present parts and put the new file in their place; the next start reports a kill in between."""
    mark_the_end(new)
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
