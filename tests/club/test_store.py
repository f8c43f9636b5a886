"""The club's file on a real disk: what was stored is there again, and what was changed behind its back is refused."""

from __future__ import annotations

import random
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from scharten.club.store import ClubStore
from scharten.errors import Problem, SchartenError
from scharten.tournament.draw import Draw, draw
from scharten.tournament.entries import ENTRIES


def filled(path: Path) -> ClubStore:
    """A store with one round of four played by chance."""
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
    """A second start has the same members, rounds and results, also after the process died without closing."""
    store = filled(tmp_path / "club.sqlite3")
    before, count = store.club, store.entries
    store.close()
    with closing(ClubStore(tmp_path / "club.sqlite3")) as repeated:
        assert repeated.club == before
        assert repeated.entries == count == 13


def test_a_deleted_member_leaves_the_file(tmp_path: Path) -> None:
    """The name is in no byte of the file, which still verifies; a later member with the same key has no name."""
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


@pytest.mark.parametrize(
    "damage", ["UPDATE entries SET entry = replace(entry, '1-0', '0-1'), at_ms = 7 WHERE n = 12",
               "DELETE FROM entries WHERE n = 5"]
)  # fmt: skip
def test_a_changed_file_is_refused(tmp_path: Path, damage: str) -> None:
    """A changed or missing row is named, in words, and the file is not touched."""
    path = tmp_path / "club.sqlite3"
    filled(path).close()
    with closing(sqlite3.connect(path)) as db, db:
        db.execute(damage)
    with pytest.raises(SchartenError, match="damaged"):
        ClubStore(path)


def test_two_services_do_not_write_one_file(tmp_path: Path) -> None:
    """A second service on the same file is refused in words."""
    with closing(filled(tmp_path / "club.sqlite3")), pytest.raises(SchartenError, match="cannot be used"):
        ClubStore(tmp_path / "club.sqlite3")
