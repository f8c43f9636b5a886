"""The club's file on a real disk: it returns as stored, and losses are reported."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scharten.club.store import ClubStore
from scharten.errors import Problem, SchartenError
from scharten.store.files import mark_of, wal_of
from scharten.store.recover import FRAME_HEAD, PAGE, WAL_HEAD
from scharten.tournament.draw import Draw, draw
from scharten.tournament.entries import ENTRIES
from scharten.tournament.model import Club


def filled(path: Path) -> ClubStore:
    """A store with one random round of four members."""
    store = ClubStore(path)

    def take(**fields: object) -> None:
        assert store.take(ENTRIES.validate_python(fields), 1000) is None

    for number in range(4):
        take(type="member", key=f"p{number}", name=f"P {number}")
    take(type="season", name="S", options={})
    take(type="evening", date="2026-11-20")
    for number in range(4):
        take(type="presence", key=f"p{number}", said="here")
    found = draw(store.club)
    assert isinstance(found, Draw)
    pairs = [{"white": white, "black": black} for white, black in found.pairs]
    take(type="draw", number=1, pairs=pairs, unpaired=dict(found.unpaired))
    for table in (1, 2):
        take(type="result", number=1, table=table, result=random.choice(["1-0", "0-1"]))
    return store


def test_comes_back_as_it_was(tmp_path: Path) -> None:
    """A second start has the same members, rounds and results, also after a kill."""
    store = filled(tmp_path / "club.sqlite3")
    before, count = store.club, store.entries
    store.close()
    with closing(ClubStore(tmp_path / "club.sqlite3")) as repeated:
        assert repeated.club == before
        assert repeated.entries == count == 13


def test_a_deleted_member_leaves_the_file(tmp_path: Path) -> None:
    """No byte of the file has the name, and the file still verifies. A later member with the same key has no name."""
    path = tmp_path / "club.sqlite3"
    store = filled(path)
    assert (
        store.take(ENTRIES.validate_python({"type": "member", "key": "p9", "name": "Zebedee Quill"}), 1000)
        is None
    )
    assert store.take(ENTRIES.validate_python({"type": "remove_member", "key": "p9"}), 1000) is None
    assert [store.forget({"p9", "x"}) for _ in range(2)] == [True, False]
    before = store.club
    assert store.take(ENTRIES.validate_python({"type": "close_evening"}), 1000) is None
    store.close()
    assert not [item for item in tmp_path.iterdir() if b"Zebedee" in item.read_bytes()]
    with closing(ClubStore(path)) as repeated:
        assert repeated.club.members == before.members
        assert repeated.entries == 16


def test_a_refused_entry_is_not_stored(tmp_path: Path) -> None:
    """A refused entry changes neither file nor state."""
    with closing(filled(tmp_path / "club.sqlite3")) as store:
        count, before = store.entries, store.club
        wrong = store.take(ENTRIES.validate_python({"type": "presence", "key": "nobody", "said": "here"}), 1)
        assert isinstance(wrong, Problem)
        assert wrong.code == "unknown_member"
        assert (store.entries, store.club) == (count, before)


KEPT = Path(__file__).parent / "kept"


def killed(folder: Path) -> tuple[Path, Club]:
    """Return the club's files after a kill, with half of the entries only in the log, and the state."""
    (folder / "made").mkdir(parents=True)
    path = folder / "made" / "club.sqlite3"
    filled(path).close()
    store = ClubStore(path)
    for number in range(4, 40):
        entry = {"type": "member", "key": f"p{number}", "name": f"P {number}"}
        assert store.take(ENTRIES.validate_python(entry), 2000) is None
    club = store.club
    shutil.copytree(folder / "made", folder / "killed")
    store.close()
    return folder / "killed" / "club.sqlite3", club


@pytest.mark.parametrize("frame", [1, 5, 20])
def test_a_flipped_bit_in_the_log_loses_nothing_and_is_reported(tmp_path: Path, frame: int) -> None:
    """After a kill one bit of the log is wrong: every entry returns, pages have a message, the old file is saved."""
    path, club = killed(tmp_path)
    content = bytearray(wal_of(path).read_bytes())
    content[WAL_HEAD + frame * (FRAME_HEAD + PAGE) + FRAME_HEAD + 3] ^= 4
    wal_of(path).write_bytes(content)
    with closing(ClubStore(path)) as store:
        assert store.club == club
        assert store.trouble is not None
        assert store.trouble["code"] == "recovered"
    assert (path.parent / "club.broken-1.sqlite3").exists()
    with closing(ClubStore(path)) as store:  # the report comes once
        assert (store.club, store.trouble) == (club, None)


@pytest.mark.parametrize("lost", ["-wal", "-mark", ""])
def test_a_missing_part_is_reported(tmp_path: Path, lost: str) -> None:
    """Without its log, its mark or the file itself a start reports the missing part and continues with the rest."""
    path, club = killed(tmp_path)
    path.with_name(path.name + lost).unlink()
    with closing(ClubStore(path)) as store:
        expected = {"-wal": "lost", "-mark": "unmarked", "": "lost"}[lost]
        assert store.trouble is not None
        assert store.trouble["code"] == expected
        assert (store.club == club) is (lost == "-mark")
        assert store.take(ENTRIES.validate_python({"type": "member", "key": "z", "name": "Z"}), 1) is None


@pytest.mark.parametrize(
    ("damage", "saved"),
    [("UPDATE entries SET entry = replace(entry, '1-0', '0-1'), at_ms = 7 WHERE n = 12", 12),
     ("DELETE FROM entries WHERE n = 13", 12)]
)  # fmt: skip
def test_a_changed_row_is_reported(tmp_path: Path, damage: str, saved: int) -> None:
    """Of a file with a changed or missing row the valid entries that still fit are used, with a report."""
    path = tmp_path / "club.sqlite3"
    filled(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(damage)
    with closing(ClubStore(path)) as store:
        assert store.trouble is not None
        assert store.trouble["args"] == {"saved": saved, "lost": 13 - saved, "file": "club.broken-1.sqlite3"}
        assert store.entries == saved


def test_a_file_of_schema_1_is_migrated(tmp_path: Path) -> None:
    """A file of the previous version has its members and results, gets a mark, and is saved unchanged."""
    path = tmp_path / "club.sqlite3"
    shutil.copy(KEPT / "schema1.sqlite3", path)
    for _ in range(2):
        with closing(ClubStore(path)) as store:
            assert (store.entries, len(store.club.members), store.trouble) == (13, 4, None)
            assert store.club.season is not None
            assert all(pairing.result for pairing in store.club.season.rounds[-1].pairings)
    assert mark_of(path).exists()
    assert (tmp_path / "club.schema1.sqlite3").exists()


def test_a_changed_file_of_schema_1_is_refused(tmp_path: Path) -> None:
    """Without a mark the lost contents are unknown: the file is refused with a message and stays untouched."""
    path = tmp_path / "club.sqlite3"
    shutil.copy(KEPT / "schema1.sqlite3", path)
    with closing(sqlite3.connect(path)) as db, db:
        db.execute("UPDATE entries SET at_ms = 7 WHERE n = 12")
    before = path.read_bytes()
    with pytest.raises(SchartenError, match="damaged") as refused:
        ClubStore(path)
    assert "backup" in str(refused.value.cure)
    assert path.read_bytes() == before


def test_a_kill_while_names_are_removed_leaves_a_valid_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The chain is new but the mark is old: the next start finds no damage, and the name is gone."""
    store = filled(tmp_path / "club.sqlite3")
    with monkeypatch.context() as killing:
        killing.setattr(store._store, "_mark_end", _killed)
        with pytest.raises(KeyboardInterrupt):
            store.forget({"p1"})
    shutil.copytree(tmp_path, tmp_path / "left", ignore=shutil.ignore_patterns("left"))
    with closing(ClubStore(tmp_path / "left" / "club.sqlite3")) as repeated:
        assert repeated.trouble is None
        assert repeated.entries == 13
        assert [str(member.name) for member in repeated.club.members.values()][1] == "-"
    store.close()


def _killed(**_: object) -> None:
    raise KeyboardInterrupt


def test_a_file_removed_in_use_is_written_again(tmp_path: Path) -> None:
    """The next entry is refused with a message; then the store continues with every entry in a new file."""
    path = tmp_path / "club.sqlite3"
    with closing(filled(path)) as store:
        path.unlink()
        entry = ENTRIES.validate_python({"type": "member", "key": "z", "name": "Z"})
        refused = store.take(entry, 1)
        assert isinstance(refused, Problem)
        assert "removed" in refused.words
        assert store.take(entry, 1) is None
        assert store.trouble is not None
        assert store.trouble["code"] == "rewritten"
    with closing(ClubStore(path)) as repeated:
        assert (repeated.entries, repeated.trouble) == (14, None)


def test_two_services_do_not_write_one_file(tmp_path: Path) -> None:
    """A second service on the same file is refused with a message."""
    with closing(filled(tmp_path / "club.sqlite3")), pytest.raises(SchartenError, match="in use"):
        ClubStore(tmp_path / "club.sqlite3")
