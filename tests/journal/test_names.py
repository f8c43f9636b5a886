"""A journal in use whose files another program removes, truncates or links."""

import os
import shutil
import sqlite3
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from journal.test_journal import bodies, record
from scharten.errors import SchartenError
from scharten.journal.examine import examine, hold
from scharten.journal.journal import Journal, JournalError
from scharten.store.files import parts_of, wal_of
from scharten.store.recover import FRAME_HEAD, PAGE, WAL_HEAD


def _half(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2)


@pytest.mark.parametrize(
    "harm",
    [
        lambda path: wal_of(path).unlink(),
        lambda path: os.truncate(wal_of(path), 0),
        lambda path: _half(wal_of(path)),
        lambda path: os.truncate(path, 0),
    ],
    ids=["log removed", "log emptied", "log cut in half", "database emptied"],
)
def test_a_journal_truncated_in_play_is_noticed_and_rewritten(
    tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    """The next input is refused with a message. Then every input is stored once, even if the program is
    killed at once."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    for number in range(3):
        journal.append(record(number))
    harm(path)
    with pytest.raises(JournalError, match="a part of it was removed"):
        journal.append(record(3))
    assert journal.append(record(3)) == 4 and journal.append(record(4)) == 5
    assert bodies(path) == [f'{{"n":{n}}}' for n in range(5)]
    found = examine(path)
    assert not found.damage and found.rows == 5, found
    journal.close()


def test_a_checkpoint_by_sqlite_itself_is_harmless(tmp_path: Path) -> None:
    """More pages than the log holds before SQLite folds it into the database: no input is refused."""
    journal = Journal(tmp_path / "j.sqlite3")
    for number in range(300):
        assert journal.append(record(number, body=f'{{"n":{number},"x":"{"x" * 9000}"}}')) == number + 1
    journal.close()


def test_a_journal_behind_a_hard_link_has_one_writer(tmp_path: Path) -> None:
    """By another name of the same file the second writer is refused, and accepted once the first has closed."""
    (tmp_path / "other").mkdir()
    path, link = tmp_path / "j.sqlite3", tmp_path / "other" / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(1))
    os.link(path, link)
    with pytest.raises(SchartenError, match="hard link"):
        Journal(link)
    assert journal.append(record(2)) == 2
    journal.close()
    second = Journal(link)
    assert second.append(record(3)) == 3
    second.close()


def test_a_failed_reopening_is_not_mistaken_for_a_truncated_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write fails, and so does the check whether it arrived: inputs are refused only while the disk fails."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(0))
    with monkeypatch.context() as failing:
        for name in ("store.store.connect", "journal.journal.Journal._write"):
            failing.setattr(f"scharten.{name}", _refuse)
        for _ in range(2):
            with pytest.raises(JournalError, match="memory"):
                journal.append(record(1))
    with pytest.raises(JournalError):  # this input finds the file closed, and opens it
        journal.append(record(1))
    assert journal.append(record(1)) == 2
    assert bodies(path) == ['{"n":0}', '{"n":1}']
    journal.close()


@pytest.mark.parametrize("refusals", [1, 2, 3])
def test_a_removed_journal_is_reopened_once_the_disk_allows_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, refusals: int
) -> None:
    """The file is removed in play and the new file cannot be opened for a while; then play continues with
    every input."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(0))
    path.unlink()
    with pytest.raises(JournalError, match="was removed"):
        journal.append(record(1))
    with monkeypatch.context() as failing:
        failing.setattr("scharten.store.store.connect", _refuse)
        for _ in range(refusals):
            with pytest.raises(JournalError):
                journal.append(record(1))
    with pytest.raises(JournalError, match="closed"):  # this input finds the file closed, and opens it
        journal.append(record(1))
    assert journal.append(record(1)) == 2 and journal.append(record(2)) == 3
    journal.close()
    assert bodies(path) == [f'{{"n":{n}}}' for n in range(3)] and not examine(path).damage


def test_an_input_that_arrived_despite_a_failed_sync_is_stored_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A write reports a failure and the file is unreadable for a while; the same input is then stored once."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    written = Journal._write

    def arrives(*given: Any) -> None:
        written(*given)
        raise sqlite3.OperationalError("disk I/O error")

    with monkeypatch.context() as failing:
        failing.setattr("scharten.store.store.connect", _refuse)
        with monkeypatch.context() as unsure, pytest.raises(JournalError):
            unsure.setattr("scharten.journal.journal.Journal._write", arrives)
            journal.append(record(0))
        with pytest.raises(JournalError):
            journal.append(record(0))
    assert journal.append(record(0)) == 1 and journal.append(record(1)) == 2
    assert bodies(path) == ['{"n":0}', '{"n":1}']
    journal.close()


def _refuse(*_: object) -> None:
    raise MemoryError


def test_an_opening_that_fails_leaves_nothing_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A failed opening closes its connection and lock, so the same process can open the journal again."""
    path = tmp_path / "j.sqlite3"
    with monkeypatch.context() as failing:
        failing.setattr("scharten.journal.journal.Journal._settle", _refuse)
        with pytest.raises(SchartenError) as refused:  # which keeps the journal that failed alive
            Journal(path)
    assert not [name for name in _open_files() if str(tmp_path) in name], refused
    journal = Journal(path)
    assert journal.append(record(1)) == 1
    journal.close()


def _open_files() -> list[str]:
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the descriptor that lists them
            found.append(str(link.readlink()))
    return found


def test_a_log_frame_with_a_distant_page_is_recovered_in_little_memory(tmp_path: Path) -> None:
    """A wrong byte in the log after a kill: all inputs return, and no file of gigabytes is created meanwhile."""
    path = tmp_path / "killed" / "j.sqlite3"
    path.parent.mkdir()
    journal = Journal(tmp_path / "j.sqlite3")
    for number in range(20):
        journal.append(record(number))
    for part in parts_of(tmp_path / "j.sqlite3"):
        shutil.copy(part, path.parent)
    journal.close()
    content = bytearray(wal_of(path).read_bytes())
    content[WAL_HEAD + 8 * (FRAME_HEAD + PAGE) + 1] = 15  # the ninth frame now belongs to page 983,000 or so
    wal_of(path).write_bytes(content)
    tracemalloc.start()
    try:
        held = hold(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    held.lock.close()
    assert "recovered" in held.found.warning and peak < 20e6, (held.found, peak)
    assert bodies(path)[:5] == [f'{{"n":{number}}}' for number in range(5)]
