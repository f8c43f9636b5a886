"""The journal on a real disk: its guarantees, and its conduct when the disk fails."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from lab.trust.long_journal import write_readings
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.examine import examine
from scharten.journal.form import JOURNAL
from scharten.journal.journal import Journal, JournalError, JournalReader, Record
from scharten.journal.replay import going_on
from scharten.match.digest import digest
from scharten.store import examine as examining
from scharten.store import files
from scharten.store.files import set_aside, store_error, wal_of

KEPT = Path(__file__).parent / "kept"


def record(number: int, match: str = "m1", line: tuple[int, int] | None = None, body: str = "") -> Record:
    return Record(
        match, 1000 + number, body or f'{{"n":{number}}}', "[]", f"d{number}", '{"s":1}', "{}", line
    )


def bodies(path: Path, match: str = "m1") -> list[str]:
    reader = JournalReader(path)
    found = [stored.body for stored in reader.inputs(match)]
    reader.close()
    return found


def test_appended_inputs_are_read_back_in_order(tmp_path: Path) -> None:
    """Inputs of many matches return per match, in order, with the last line of the board."""
    journal = Journal(tmp_path / "j.sqlite3")
    assert journal.line is None
    for number, match in enumerate(["m1", "m2", "m1"]):
        journal.append(record(number, match, (7, number) if number < 2 else None))
    assert journal.line == (7, 1)
    journal.close()
    assert bodies(tmp_path / "j.sqlite3") == ['{"n":0}', '{"n":2}']
    reopened = Journal(tmp_path / "j.sqlite3")
    assert reopened.line == (7, 1) and reopened.append(record(9)) == 4
    reopened.close()


def test_the_last_match_continues_until_another_is_chosen(tmp_path: Path) -> None:
    """A start continues the last match, or the match that a person resumed."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(0, "old"))
    journal.append(record(1, "new"))
    assert JournalReader(path).going_on().id == "new"  # type: ignore[union-attr]
    journal.go_on_with("old")
    assert JournalReader(path).going_on().id == "old"  # type: ignore[union-attr]
    with pytest.raises(SchartenError, match="no match nope"):
        journal.go_on_with("nope")
    journal.close()


def test_a_full_disk_stores_no_part_of_the_input_and_recovers(tmp_path: Path) -> None:
    """SQLite's 'disk is full' leaves no half row and gives a message; the same input fits later."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(0))
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    big = record(1, body='"' + "x" * 40_000 + '"')
    with pytest.raises(JournalError, match="is full"):
        journal.append(big)
    assert bodies(path) == ['{"n":0}']
    journal._db.execute("PRAGMA max_page_count = 1000000")
    journal.append(big)
    assert bodies(path) == ['{"n":0}', big.body]
    journal.close()


class _FailsAfterCommit:
    """A connection whose commit reaches the log and then reports a failed sync, as a failing disk does."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def __getattr__(self, name: str) -> object:
        return getattr(self._db, name)

    def execute(self, sql: str, *args: object) -> object:
        found = self._db.execute(sql, *args)  # type: ignore[arg-type]
        if sql == "COMMIT":
            raise sqlite3.OperationalError("disk I/O error")
        return found


def test_an_input_in_the_log_before_a_failed_sync_is_stored_once(tmp_path: Path) -> None:
    """After a failed sync the journal checks whether the row exists, and never writes it a second time."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal._db = _FailsAfterCommit(journal._db)  # type: ignore[assignment]
    assert journal.append(record(0)) == 1
    assert journal.append(record(1)) == 2
    journal.close()
    assert bodies(path) == ['{"n":0}', '{"n":1}']


def test_two_programs_cannot_write_one_journal(tmp_path: Path) -> None:
    """A second writer is refused with a message that names the process with the lock."""
    journal = Journal(tmp_path / "j.sqlite3")
    with pytest.raises(SchartenError, match=str(os.getpid())):
        Journal(tmp_path / "j.sqlite3")
    journal.close()


def test_setting_a_journal_aside_keeps_it_whole(tmp_path: Path) -> None:
    """`--new-journal` moves the old file with its log to the first free name without any loss."""
    path = tmp_path / "j.sqlite3"
    for number in (1, 2):
        journal = Journal(path)
        journal.append(record(number))
        journal.close()
        kept = set_aside(path)
        assert kept == tmp_path / f"j.old-{number}.sqlite3" and bodies(kept) == [f'{{"n":{number}}}']
        assert not path.exists()
    assert set_aside(path) is None


def test_a_kill_in_the_middle_of_writing_leaves_a_sound_journal(tmp_path: Path) -> None:
    """SIGKILL during appends: every row reported as stored is in the file, none twice or by half."""
    path = tmp_path / "j.sqlite3"
    code = (
        "import sys\nfrom pathlib import Path\nfrom scharten.journal.journal import Journal, Record\n"
        "journal = Journal(Path(sys.argv[1]))\nn = 0\n"
        "while True:\n    journal.append(Record('m1', n, str(n), '[]', 'd', '{}', '{}', None))\n"
        "    print(n, flush=True)\n    n += 1\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    reported = [int(child.stdout.readline()) for _ in range(40)]
    child.kill()
    reported += [int(line) for line in child.stdout.read().split()]
    child.wait()
    Journal(path).close()
    kept = [int(body) for body in bodies(path)]
    assert kept == list(range(len(kept))) and len(kept) in (len(reported), len(reported) + 1)


def test_the_reader_reports_a_damaged_page(tmp_path: Path) -> None:
    """For a file with a sound head and damaged pages, listing and reading name the file and the cure."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    for number in range(200):
        journal.append(Record("m1", number, "x" * 200, "[]", "d", "{}", "{}"))
    journal.close()
    content = bytearray(path.read_bytes())
    content[4096:] = b"\xff" * (len(content) - 4096)
    path.write_bytes(content)
    with pytest.raises(SchartenError, match="damaged"):
        JournalReader(path).matches()


def test_an_unclean_end_is_named(tmp_path: Path) -> None:
    """The next start names a run that did not close its journal, but not a run that did; both were verified."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    journal.append(record(1))
    assert examine(path).unclean and "without a goodbye" in examine(path).words
    journal.close()
    assert not examine(path).unclean and examine(path).words == "1 inputs verified, none is missing"


@pytest.mark.parametrize("also_log", [True, False])
def test_a_journal_removed_in_play_stops_play_once_and_is_rewritten(tmp_path: Path, also_log: bool) -> None:
    """The next input is refused with a message. The next attempt finds a whole new file without losses;
    another file that took the old name meanwhile is saved."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    for number in range(3):
        journal.append(record(number))
    path.unlink()
    if also_log:
        wal_of(path).unlink()
    path.write_text("not ours")
    with pytest.raises(JournalError, match="was removed"):
        journal.append(record(3))
    assert journal.append(record(3)) == 4
    assert (tmp_path / "j.foreign-1.sqlite3").read_text() == "not ours" and "3 inputs" in journal.moved
    journal.close()
    assert bodies(path) == [f'{{"n":{n}}}' for n in range(4)] and not examine(path).damage


def test_a_journal_behind_a_symbolic_link_has_one_writer(tmp_path: Path) -> None:
    """By its name and by a link to it or to its folder the second writer is refused."""
    (tmp_path / "real").mkdir()
    path = tmp_path / "real" / "j.sqlite3"
    journal = Journal(path)
    (tmp_path / "link.sqlite3").symlink_to(path)
    (tmp_path / "folder").symlink_to(tmp_path / "real")
    for other in (tmp_path / "link.sqlite3", tmp_path / "folder" / "j.sqlite3"):
        with pytest.raises(SchartenError, match="in use"):
            Journal(other)
    journal.close()


def test_a_failed_mark_stops_play_and_the_row_is_stored_once(tmp_path: Path) -> None:
    """The row is durable but its mark is not: the input is refused, tried again, and stored once."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    mark, journal._mark = journal._mark, _NoRoom()  # type: ignore[assignment]
    wanted = record(1)
    for _ in range(2):
        with pytest.raises(JournalError, match="is full"):
            journal.append(wanted)
    journal._mark = mark
    assert journal.append(wanted) == 1 and journal.append(record(2)) == 2
    journal.close()
    assert bodies(path) == ['{"n":1}', '{"n":2}']


def test_a_failed_sync_of_a_mark_is_repeated_with_the_next_row(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An input waits for the sync of its row only; after the mark's sync failed, the next input waits for both."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    refuse = True

    def synchronised(_fd: int) -> None:
        if refuse:
            raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "fdatasync", synchronised)
    assert journal.append(record(1)) == 1
    journal.settle()
    waiting = record(2)
    with pytest.raises(JournalError, match="Input/output"):
        journal.append(waiting)
    refuse = False
    assert journal.append(waiting) == 2
    journal.close()
    assert bodies(path) == ['{"n":1}', '{"n":2}']


class _NoRoom:
    """A mark on a full disk."""

    def write(self, *_row: object, clean: bool, durable: bool) -> None:
        raise OSError(28, "No space left on device")


def test_a_long_journal_is_verified_at_its_end_or_in_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With more rows than a start checks, the whole verification finds a damaged old row and a start a
    damaged new row."""
    monkeypatch.setattr(examining, "ROWS", 50)
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    for number in range(120):
        journal.append(record(number))
    journal.close()
    assert examine(path, whole=False).rows == 50 and "the last 50 inputs" in examine(path, whole=False).words
    for n, early in ((3, True), (110, False)):
        db = sqlite3.connect(path)
        db.execute("UPDATE inputs SET t_ms = 5 WHERE n = ?", (n,))
        db.commit()
        db.close()
        assert (examine(path, whole=False).damage == "") is early
        assert f"input {3}" in examine(path, whole=True).damage


def test_a_wrong_list_of_changes_is_not_trusted(tmp_path: Path) -> None:
    """The list spares a start the readings that changed nothing. With an entry missing or one too many, and
    without the list, the same game continues. A file without a list gets it from the next start."""
    path = tmp_path / "j.sqlite3"
    write_readings(path, 50)

    def goes_on() -> str:
        reader = JournalReader(path)
        match = going_on(reader, GAMES_BY_KEY)
        reader.close()
        assert match is not None
        return digest(match)

    right, harms = goes_on(), (
        "DELETE FROM changes WHERE n = (SELECT max(n) FROM changes)",
        "DELETE FROM changes WHERE n = 2",
        "INSERT INTO changes SELECT match, 40 FROM changes LIMIT 1",
        "DROP TABLE changes",
    )  # fmt: skip
    for harm in harms:
        with closing(sqlite3.connect(path)) as db:
            db.execute(harm)
            db.commit()
        assert goes_on() == right, harm
    Journal(path).close()
    reader = JournalReader(path)
    assert reader.lists_changes and len(list(reader.changes(reader.matches()[-1].id))) < 50
    reader.close()


@pytest.mark.parametrize(
    "error", ["disk I/O error", "unable to open database file", "attempt to write a readonly database"]
)
@pytest.mark.parametrize("free", [0, 1 << 20])
def test_a_full_disk_has_the_same_message_for_each_sqlite_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: str, free: int
) -> None:
    """On a full disk SQLite reports three kinds of error in turn; the message names the common cause, and
    only then."""
    real = os.statvfs(tmp_path)
    fields = {"f_bavail": free, "f_frsize": 1, "f_flag": real.f_flag}
    monkeypatch.setattr(files.os, "statvfs", lambda _path: SimpleNamespace(**fields))
    refused = store_error(
        tmp_path / "j.sqlite3", sqlite3.OperationalError(error), JOURNAL.naming, JournalError
    )
    assert ("is full" in str(refused)) == (free == 0)
