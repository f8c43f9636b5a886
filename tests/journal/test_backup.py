"""`scharten backup` and `scharten restore`: copies taken during play, restored whole, also when killed midway."""

import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from lab.trust.restore_kills import killed_restores
from scharten.errors import SchartenError
from scharten.journal.examine import examine
from scharten.journal.form import JOURNAL
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.store.copies import copy_verified, restore


def fill(path: Path, *numbers: int, match: str = "m1", body: str = "{}") -> None:
    """Append inputs to the journal and close it."""
    journal = Journal(path)
    for number in numbers:
        journal.append(Record(match, number, body, "[]", "d", "{}", "{}"))
    journal.close()


def command(*arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `scharten` as a person does."""
    return subprocess.run(
        [sys.executable, "-m", "scharten", *map(str, arguments)], capture_output=True, text=True, timeout=120
    )


@pytest.mark.long
def test_a_backup_of_a_journal_in_use_is_whole_and_can_be_restored(tmp_path: Path) -> None:
    """While a writer appends without pause the copy holds an unbroken run of inputs. Restore is refused while
    the writer has the journal; later it restores that run and saves the old journal."""
    path = tmp_path / "scharten.sqlite3"
    ready, stop = threading.Event(), threading.Event()

    def write() -> None:
        journal = Journal(path)
        for number in range(1_000_000):
            journal.append(Record("m1", number, str(number), "[]", "d", "{}", "{}"))
            ready.set()
            if stop.is_set():
                break
        journal.close()

    writer = threading.Thread(target=write)
    writer.start()
    ready.wait()
    done = command("backup", tmp_path / "kept", "--data", tmp_path)
    copies = list((tmp_path / "kept").glob("*/*.sqlite3"))
    refused = command("restore", *copies, "--data", tmp_path)
    stop.set()
    writer.join()
    assert done.returncode == 0 and len(copies) == 1 and str(copies[0].parent) in done.stdout, done.stderr
    assert refused.returncode == 1 and "is in use" in refused.stderr
    put_back = command("restore", copies[0], "--data", tmp_path)
    assert put_back.returncode == 0, put_back.stderr
    numbers = [int(stored.body) for stored in JournalReader(path).inputs("m1")]
    assert numbers == list(range(len(numbers))) and numbers
    aside = next(tmp_path.glob("scharten.before-restore-1.sqlite3"))
    assert len(list(JournalReader(aside).inputs("m1"))) > len(numbers)


def test_after_a_restore_the_start_has_no_warnings(tmp_path: Path) -> None:
    """Copy and journal have their marks, owner and mode stay, and play continues in the copy's game."""
    path = tmp_path / "j.sqlite3"
    fill(path, 1)
    path.chmod(0o640)
    copy = tmp_path / "kept.sqlite3"
    copy_verified(path, copy, JOURNAL)
    fill(path, 2, match="m2")
    done = restore(copy, path, JOURNAL)
    found = examine(path)
    assert (found.rows, found.damage, found.warning, found.unclean) == (1, "", "", False)
    assert path.stat().st_mode & 0o777 == 0o640 and path.stat().st_uid == os.getuid()
    assert done.kept and [match.id for match in JournalReader(done.kept).matches()] == ["m1", "m2"]
    fill(path, 3)
    assert len(list(JournalReader(path).inputs("m1"))) == 2


def test_a_backup_includes_the_log_that_a_kill_left(tmp_path: Path) -> None:
    """Inputs that are only in the write-ahead log are in the copy, and in the journal that a restore saves."""
    path = tmp_path / "j.sqlite3"
    journal = Journal(path)
    for number in range(5):
        journal.append(Record("m1", number, "{}", "[]", "d", "{}", "{}"))
    place = tmp_path / "left"
    place.mkdir()
    for part in tmp_path.glob("j.sqlite3*"):
        (place / part.name).write_bytes(part.read_bytes())
    journal.close()
    left = place / "j.sqlite3"
    assert (place / "j.sqlite3-wal").stat().st_size
    assert copy_verified(left, tmp_path / "kept.sqlite3", JOURNAL) == 5
    fill(tmp_path / "other.sqlite3", 1)
    kept = restore(tmp_path / "other.sqlite3", left, JOURNAL).kept
    assert kept and len(list(JournalReader(kept).inputs("m1"))) == 5


@pytest.mark.long
def test_a_restore_that_is_killed_leaves_a_whole_journal(tmp_path: Path) -> None:
    """For a kill before each call to the file system and the database the old journal or the copy is in
    place. All its inputs are in it or saved beside it, and the next restore completes."""
    moments, harmed = killed_restores(tmp_path)
    assert moments > 20 and harmed == []


@pytest.mark.parametrize("kind", ["text", "cut in half", "a bit wrong", "missing", "other database", "newer"])
def test_an_invalid_copy_is_not_restored(tmp_path: Path, kind: str) -> None:
    """The refusal has the file's name and a cure, and not a byte of the journal changes."""
    path, wrong = tmp_path / "j.sqlite3", tmp_path / "wrong.sqlite3"
    fill(path, *range(100), body="x" * 500)
    before = path.read_bytes()
    if kind == "text":
        wrong.write_text("hello")
    elif kind == "cut in half":
        wrong.write_bytes(before[: len(before) // 2])
    elif kind == "a bit wrong":
        at = before.rindex(b"xxx")
        wrong.write_bytes(before[:at] + b"y" + before[at + 1 :])
    elif kind == "other database":
        with sqlite3.connect(wrong) as db:
            db.execute("CREATE TABLE t (a)")
    elif kind == "newer":
        wrong.write_bytes(before)
        with sqlite3.connect(wrong) as db:
            db.execute("PRAGMA user_version = 99")
    with pytest.raises(SchartenError) as caught:
        restore(wrong, path, JOURNAL)
    assert str(wrong) in caught.value.message and caught.value.cure
    assert path.read_bytes() == before and not examine(path).damage


@pytest.mark.long
def test_a_backup_without_a_journal_is_refused(tmp_path: Path) -> None:
    """The error names the wrong folder, and no empty copy is left."""
    done = command("backup", tmp_path / "kept", "--data", tmp_path)
    assert done.returncode == 1 and "There is nothing to copy" in done.stderr and not list(tmp_path.iterdir())
