"""The archive's SQLite file loses nothing without a word: chain, mark, recovery, and words on its pages."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text
from typer.testing import CliRunner

from archive.played import RESIGNED, play, records
from lab.trust import archive_damage
from lab.trust.archive_damage import content
from scharten import archive
from scharten.archive.receiver import RecordReceiver
from scharten.archive.store import ArchiveStore, GameQuery
from scharten.backup import back_up_folder, restore_folder
from scharten.cli import build
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError
from scharten.journal.records import read_record
from scharten.mqtt.address import BrokerAddress

OPENING = GameQuery(position="rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w", from_ms=1)


@pytest.fixture
def record(tmp_path: Path) -> FinishedGame:
    """A record of a finished game."""
    found = read_record(records(play(tmp_path / "board", *RESIGNED))[0])
    assert not isinstance(found, Problem)
    return found


def opened(path: Path) -> ArchiveStore:
    return ArchiveStore(f"sqlite:///{path}")


def remarks(store: ArchiveStore) -> list[object]:
    """The codes of the remarks on the archive's pages."""
    return [remark["code"] for remark in RecordReceiver(store, BrokerAddress("h", 1), "s").remarks()]


@pytest.mark.long
def test_no_damage_is_silent(tmp_path: Path) -> None:
    """40 damages of a killed archive's files: every start has the same games, or words (1,000 in `make trust`)."""
    row = archive_damage.damaged(tmp_path, 40, seed=3)
    assert row.harmless, row


def test_a_changed_game_is_left_out_with_words_and_comes_back(tmp_path: Path, record: FinishedGame) -> None:
    """One digit of one result: the pages name the loss, the other game stays, and the board's record is taken again."""
    path = tmp_path / "archive.sqlite3"
    with closing(opened(path)) as store:
        assert [store.take("haarlem", board, record) for board in ("one", "two")] == [True, True]
    with create_engine(f"sqlite:///{path}").begin() as connection:
        connection.execute(text("UPDATE games SET turns = turns + 1 WHERE board = 'one'"))
    with closing(opened(path)) as store:
        assert [game["board"] for game in store.search()] == ["two"]
        assert remarks(store) == ["lost"]
        assert store.take("haarlem", "one", record) is True
        assert store.take("haarlem", "two", record) is False
    with closing(opened(path)) as store:
        assert (len(store.search()), remarks(store)) == (2, [])
    assert (tmp_path / "archive.broken-1.sqlite3").exists()


def test_a_file_removed_in_use_is_written_again(tmp_path: Path, record: FinishedGame) -> None:
    """The first change is refused in words; the next rewrites the file with everything, and the pages say so."""
    path = tmp_path / "archive.sqlite3"
    store = opened(path)
    assert store.take("haarlem", "one", record) is True
    path.unlink()
    refused = store.take("haarlem", "two", record)
    assert isinstance(refused, Problem)
    assert refused.code == "database"
    assert store.take("haarlem", "two", record) is True
    assert (len(store.search()), remarks(store)) == (2, ["rewritten"])
    store.close()
    with closing(opened(path)) as store:
        assert (len(store.search()), remarks(store)) == (2, [])


def test_one_program_at_a_time_writes_and_others_read(tmp_path: Path, record: FinishedGame) -> None:
    """A second archive is refused in words; `--csv` reads the file of a running one."""
    path = tmp_path / "archive.sqlite3"
    with closing(opened(path)) as store:
        store.take("haarlem", "one", record)
        with pytest.raises(SchartenError, match="is in use"):
            opened(path)
        games = tmp_path / "games.csv"
        options = ["archive", "--database", f"sqlite:///{path}", "--csv", str(games)]
        assert CliRunner().invoke(build(), options).exit_code == 0
        assert "haarlem" in games.read_text()
    with pytest.raises(SchartenError, match="there is no file"):
        ArchiveStore(f"sqlite:///{tmp_path / 'missing.sqlite3'}", reading=True)


def test_an_archive_without_a_chain_gets_one(tmp_path: Path, record: FinishedGame) -> None:
    """A file of an earlier version keeps every game and deleted player; from then on a damage has words."""
    old, new = tmp_path / "archive.sqlite3", tmp_path / "new.sqlite3"
    with closing(opened(new)) as store:
        for board in ("one", "two"):
            store.take("haarlem", board, record)
        store.forget("haarlem", ["key1"])
        wanted = content(store)
    engine = create_engine(f"sqlite:///{old}")
    with engine.begin() as connection:
        migrated = Config()
        migrated.set_main_option("script_location", str(Path(archive.__file__).parent / "migrations"))
        migrated.attributes["connection"] = connection
        command.upgrade(migrated, "0003")
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text(f"ATTACH '{new}' AS new"))
        for table, columns in (("games", "*"), ("positions", "game, turn, position"), ("gone", "*")):
            connection.execute(text(f"INSERT INTO {table} SELECT {columns} FROM new.{table}"))
    engine.dispose()
    for _ in range(2):
        with closing(opened(old)) as store:
            assert (content(store), remarks(store)) == (wanted, [])
            assert store.forget("haarlem", ["key1"]) == 0
            assert len(store.search(OPENING)) == 2
    old.with_name("archive.sqlite3-mark").unlink()
    with closing(opened(old)) as store:
        assert remarks(store) == ["unmarked"]


def test_the_copy_before_an_upgrade_goes_with_a_deleted_player(tmp_path: Path, record: FinishedGame) -> None:
    """It has the names of everybody who played then."""
    path, copy = tmp_path / "archive.sqlite3", tmp_path / "archive.schema1.sqlite3"
    with closing(opened(path)) as store:
        store.take("haarlem", "board1", record)
    shutil.copy(path, copy)
    with closing(opened(path)) as store:
        assert copy.exists()
        assert store.forget("haarlem", ["key1"]) == 1
    assert not copy.exists()


def test_a_backup_of_a_running_archive_comes_back(tmp_path: Path, record: FinishedGame) -> None:
    """`scharten backup` verifies and marks the copy; a restore brings its games back, without a remark."""
    data, path = tmp_path / "data", tmp_path / "data" / "archive.sqlite3"
    data.mkdir()
    with closing(opened(path)) as store:
        store.take("haarlem", "one", record)
        wanted = content(store)
        copy = back_up_folder(data, tmp_path / "copies").path
        store.take("haarlem", "two", record)
    restore_folder(copy, data)
    with closing(opened(path)) as store:
        assert (content(store), remarks(store)) == (wanted, [])
