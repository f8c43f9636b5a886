"""A restore that is killed before each of its calls to the file system and the database, in turn."""

from __future__ import annotations

import os
import shutil
import signal
import sys
from pathlib import Path

from scharten.journal.examine import examine
from scharten.journal.form import JOURNAL
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.store.copies import restore

COPY, THERE = 2, 3
"""Inputs in the copy, and in the journal that it replaces."""
CALLS = ("open", "os.", "shutil.", "sqlite3.")
"""Python's audit events that may change a file (docs.python.org: audit events table)."""


def killed_restores(folder: Path) -> tuple[int, list[str]]:
    """Return at how many moments a restore was killed, and the faults afterwards; the list should be empty."""
    copy, before = folder / "copy.sqlite3", folder / "before"
    before.mkdir()
    for path, rows in ((copy, COPY), (before / "j.sqlite3", THERE)):
        journal = Journal(path)
        for number in range(rows):
            journal.append(Record("m1", number, "{}", "[]", "d", "{}", "{}"))
        if path != copy:
            shutil.copytree(before, folder / "there")  # with its log, as a kill leaves it
        journal.close()
    harmed = []
    moment = 0
    while True:
        place = folder / "place"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(folder / "there", place)
        killed = _killed_at(moment, copy, place / "j.sqlite3")
        wrong = _wrong(copy, place / "j.sqlite3")
        if wrong:
            harmed.append(f"moment {moment}: {wrong}")
        if not killed:
            return moment, harmed
        moment += 1


def _killed_at(moment: int, copy: Path, path: Path) -> bool:
    """Restore in a separate process that kills itself before its call number `moment`; return False if it finished."""
    child = os.fork()
    if not child:
        left = moment

        def count(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal left
            if event.startswith(CALLS):
                left -= 1
                if left < 0:
                    signal.raise_signal(signal.SIGKILL)

        sys.addaudithook(count)
        try:
            restore(copy, path, JOURNAL)
        finally:
            os._exit(sys.exc_info()[0] is not None)
    status = os.waitpid(child, 0)[1]
    if not os.WIFSIGNALED(status) and os.WEXITSTATUS(status):
        raise AssertionError("the restore ended by itself with an error")
    return os.WIFSIGNALED(status)


def _wrong(copy: Path, path: Path) -> str:
    """The fault after a kill, "" if none: the next start, the earlier inputs, a second restore."""
    Journal(path).close()
    rows = _rows(path)
    kept = [
        _rows(journal)
        for journal in path.parent.glob("*.sqlite3")
        if journal != path and not journal.name.startswith(".")
    ]
    if rows not in (COPY, THERE) or (rows == COPY and THERE not in kept):
        return f"{rows} inputs in the journal, {kept} beside it"
    restore(copy, path, JOURNAL)
    if _rows(path) != COPY or examine(path).damage:
        return f"the second restore left {_rows(path)} inputs"
    return ""


def _rows(path: Path) -> int:
    reader = JournalReader(path)
    try:
        return len(list(reader.inputs("m1")))
    finally:
        reader.close()
