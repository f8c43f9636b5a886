"""`scharten backup` of a whole data folder, and `scharten restore`: in play, of a club alone, pruned, damaged."""

from __future__ import annotations

import datetime
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lab.daemon_process import wait_for
from scharten.backup import back_up_folder, restore_folder
from scharten.cli import build
from scharten.club.store import ClubStore
from scharten.daemon.backups import DailyBackup
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.journal import Journal, JournalReader, Record
from scharten.players.book import PlayerBook
from scharten.tournament.entries import ENTRIES

SMALL = {
    "secrets.json": "{}", "club-secrets.json": "{}", "contacts.json": "{}", "scharten.toml": "", "homes.json": "{}",
    "cameras.toml": "x = 1", "profiles/mine.toml": "y = 2", "tls/ca.key": "key",
}  # fmt: skip
LEFT_OUT = (
    "running.json",
    "club-running.json",
    "scharten.log",
    "scharten.sqlite3.lock",
    "replays/throw/picture.png",
    ".hidden",
)


def member(store: ClubStore, key: str) -> None:
    """One more member."""
    assert store.take(ENTRIES.validate_python({"type": "member", "key": key, "name": key}), 1) is None


def step(journal: Journal, number: int) -> None:
    """One more input."""
    journal.append(Record("m1", number, "{}", "[]", "d", "{}", "{}"))


def command(*words: object) -> tuple[int, str]:
    """`scharten` as a person calls it: exit status and output."""
    done = CliRunner().invoke(build(), [str(word) for word in words])
    return done.exit_code, done.output + str(done.exception or "")


def names_of(data: Path) -> list[str]:
    """The names of the register."""
    return [player.profile.name for player in PlayerBook(data, "scharten.sqlite3", GAMES_BY_KEY).players()]


def test_everything_is_copied_in_play_and_comes_back(tmp_path: Path) -> None:
    """Journal and club are open and have entries in their logs alone: the copy has all of them, every small file, and
    nothing hidden, at mode 0600; restore is refused in play, and then every file is as it was."""
    data, kept = tmp_path / "data", tmp_path / "kept"
    for name, text in {**SMALL, **dict.fromkeys(LEFT_OUT, "")}.items():
        (data / name).parent.mkdir(parents=True, exist_ok=True)
        (data / name).write_text(text)
    PlayerBook(data, "scharten.sqlite3", GAMES_BY_KEY).save({"name": "Anna"})
    with (
        closing(Journal(data / "scharten.sqlite3")) as journal,
        closing(ClubStore(data / "club.sqlite3")) as club,
    ):
        for number in range(3):
            step(journal, number)
            member(club, f"p{number}")
        status, output = command("backup", kept, "--data", data)
        assert status == 0, output
        step(journal, 3)
        member(club, "p3")
        (copy,) = kept.iterdir()
        assert command("restore", copy, "--data", data)[0] == 1
    found = {str(path.relative_to(copy)) for path in copy.rglob("*") if path.is_file()}
    databases = {"scharten.sqlite3", "club.sqlite3", "players.sqlite3"}
    marks = {"scharten.sqlite3-mark", "club.sqlite3-mark"}
    assert found == {*SMALL, *databases, *marks, "players.json"}
    assert {path.stat().st_mode & 0o777 for path in copy.rglob("*") if path.is_file()} == {0o600}
    (data / "secrets.json").write_text("changed")
    (data / "players.sqlite3").unlink()
    status, output = command("restore", copy, "--data", data)
    assert status == 0, output
    with closing(JournalReader(data / "scharten.sqlite3")) as reader:
        assert len(list(reader.inputs("m1"))) == 3
    with closing(ClubStore(data / "club.sqlite3")) as club:
        assert (sorted(club.club.members), club.trouble) == (["p0", "p1", "p2"], None)
    assert names_of(data) == ["Anna"]
    assert {name: (data / name).read_text() for name in SMALL} == SMALL
    assert (data / "before-restore-1" / "secrets.json").read_text() == "changed"
    with closing(ClubStore(data / "club.before-restore-1.sqlite3")) as club:
        assert len(club.club.members) == 4


def test_a_club_without_a_board_is_copied(tmp_path: Path) -> None:
    """A folder with the club's file alone; an empty folder is refused with the cure."""
    with closing(ClubStore(tmp_path / "data" / "club.sqlite3")) as club:
        member(club, "p1")
        assert command("backup", tmp_path / "kept", "--data", tmp_path / "data")[0] == 0
    (copy,) = (tmp_path / "kept").iterdir()
    assert command("restore", copy, "--data", tmp_path / "new")[0] == 0
    with closing(ClubStore(tmp_path / "new" / "club.sqlite3")) as club:
        assert list(club.club.members) == ["p1"]
    status, output = command("backup", tmp_path / "kept", "--data", tmp_path / "empty")
    assert status == 1
    assert "--data" in output


def test_seven_days_and_four_weeks_stay(tmp_path: Path) -> None:
    """Of copies of 60 nights, two in each, the newest of seven days and of four weeks stay, and other folders too."""
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "secrets.json").write_text("{}")
    first = datetime.datetime(2026, 9, 1, 4)
    for night in range(60):
        for hour in (0, 1):
            made = first + datetime.timedelta(days=night, hours=hour)
            (tmp_path / "kept" / f"scharten-{made:%Y%m%d-%H%M%S}").mkdir(parents=True)
    (tmp_path / "kept" / "scharten-of-mine").mkdir()
    (tmp_path / "kept" / "scharten-20261030-050000").rmdir()
    back_up_folder(tmp_path / "data", tmp_path / "kept", datetime.datetime(2026, 10, 30, 5))
    names = sorted(path.name for path in (tmp_path / "kept").iterdir())
    assert names == [
        "scharten-20261011-050000", "scharten-20261018-050000",
        *(f"scharten-202610{day}-050000" for day in range(24, 31)), "scharten-of-mine",
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["club.sqlite3", "players.sqlite3"])
def test_a_damaged_copy_changes_nothing(tmp_path: Path, name: str) -> None:
    """One database of the copy is damaged: restore names it and leaves every file as it is."""
    data = tmp_path / "data"
    with closing(ClubStore(data / "club.sqlite3")) as club:
        for number in range(50):
            member(club, f"p{number}")
    PlayerBook(data, "scharten.sqlite3", GAMES_BY_KEY).save({"name": "Anna"})
    copy = back_up_folder(data, tmp_path / "kept").path
    content = bytearray((copy / name).read_bytes())
    content[4096:4160] = bytes(64)
    (copy / name).write_bytes(content)
    before = {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()}
    with pytest.raises(SchartenError, match=name):
        restore_folder(copy, data)
    assert {path.name: path.read_bytes() for path in data.iterdir() if path.is_file()} == before


def test_a_copy_that_fails_leaves_nothing(tmp_path: Path) -> None:
    """A killed backup left half a copy; a damaged database ends in words; the next copy is alone in the folder."""
    data, kept = tmp_path / "data", tmp_path / "kept"
    ClubStore(data / "club.sqlite3").close()
    (kept / "scharten-20260101-040000.part").mkdir(parents=True)
    shutil.copy(data / "club.sqlite3", tmp_path / "whole")
    with closing(sqlite3.connect(data / "club.sqlite3")) as db, db:
        db.execute("INSERT INTO entries VALUES (7, 1, '{}', 'x')")
    with pytest.raises(SchartenError, match="damaged"):
        back_up_folder(data, kept)
    assert list(kept.iterdir()) == []
    for part in data.glob("club.sqlite3-*"):
        part.unlink()
    shutil.copy(tmp_path / "whole", data / "club.sqlite3")
    assert [back_up_folder(data, kept).path] == list(kept.iterdir())


def test_the_daemon_copies_once_a_day(tmp_path: Path) -> None:
    """`backup.folder`: a daemon without a copy makes one, and no other on that day; a failure is reported."""
    data, kept = tmp_path / "data", tmp_path / "kept"
    ClubStore(data / "club.sqlite3").close()
    warned: list[tuple[str, str | None]] = []
    daily = DailyBackup(data, kept, lambda name, words: warned.append((name, words)))
    for _ in range(3):
        daily._look_at = 0.0
        daily.look_after()
        wait_for(lambda: warned, 40, "a copy")
    assert len(list(kept.iterdir())) == 1
    assert warned == [("backup", None)]
    blocked = DailyBackup(data, tmp_path / "data" / "club.sqlite3" / "x", lambda *words: warned.append(words))
    blocked.look_after()
    wait_for(lambda: len(warned) == 2, 40, "the warning")
    assert "No copy was made" in str(warned[1][1])
