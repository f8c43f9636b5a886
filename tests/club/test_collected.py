"""Hand and head of members who play at boards on other machines: the club's service collects their games."""

from __future__ import annotations

import asyncio
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from lab.daemon_process import Peer
from lab.hall import Hall, Organiser, wait_for_service
from lab.ports import free_ports
from lab.scripted_game import board_listens, play_turn
from players.evening import ANN, BOB, played, store
from scharten.config import JOURNAL
from scharten.daemon.finished import _record
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.journal import collected
from scharten.journal.collected import CollectedGames
from scharten.journal.journal import JournalReader
from scharten.players.book import PlayerBook
from scharten.players.profiles import Player, Profile
from scharten.players.store import PlayerStore

LOUD = {"system": "swiss", "kind": "loud", "game": "scharten"}


@pytest.fixture
def record(tmp_path: Path) -> dict[str, Any]:
    """Return a board's record of a finished game of Ann and Bob."""
    game = played(8, 25.0)
    game.ok("resign", "seat1")
    store(tmp_path / "board.sqlite3", game)
    reader = JournalReader(tmp_path / "board.sqlite3")
    stored = reader.match(game.match.id)
    assert stored is not None
    found = dict(_record(reader, stored))
    reader.close()
    return found


@pytest.fixture
def book(tmp_path: Path) -> PlayerBook:
    """Return the register of a club's service without a board."""
    folder = tmp_path / "club"
    folder.mkdir()
    register = PlayerStore(folder)
    for player, name in ((ANN, "Ann"), (BOB, "Bob")):
        register.save(Player(player, Profile(name=name), 1))
    return PlayerBook(folder, JOURNAL, GAMES_BY_KEY)


def darts(book: PlayerBook) -> dict[str, int]:
    """Return the number of darts in each player's figures."""
    return {str(row["name"]): int(row["scatter"]["darts"]) for row in book.overview()}


def test_a_collected_game_counts_once_and_without_names(
    tmp_path: Path, record: dict[str, Any], book: PlayerBook
) -> None:
    """Eight darts count once, also when the record comes twice or the book is rebuilt. A newer record
    replaces the game."""
    games = CollectedGames(tmp_path / "club")
    games.keep({**record, "names": {"white": "Ann", "black": "Bob"}})
    games.keep(record)
    assert darts(book) == {"Ann": 4, "Bob": 4}
    assert b"Ann" not in (tmp_path / "club" / "collected" / f"{record['match']}.json").read_bytes()
    book.rebuild()
    assert darts(book) == {"Ann": 4, "Bob": 4}
    longer = played(10, 25.0)
    longer.ok("resign", "seat1")
    store(tmp_path / "longer.sqlite3", longer)
    reader = JournalReader(tmp_path / "longer.sqlite3")
    games.keep(_record(reader, reader.match(longer.match.id)))  # type: ignore[arg-type]
    reader.close()
    assert darts(book) == {"Ann": 5, "Bob": 5}


def test_a_game_of_the_own_journal_counts_once(
    tmp_path: Path, record: dict[str, Any], book: PlayerBook
) -> None:
    """A service beside a board reads that board's games from the journal only."""
    (tmp_path / "board.sqlite3").rename(tmp_path / "club" / JOURNAL)
    CollectedGames(tmp_path / "club").keep(record)
    assert book.sync() == 1
    assert darts(book) == {"Ann": 4, "Bob": 4}
    assert len(book.csv().splitlines()) == 1 + 8


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("match", "../../outside"),
        ("match", ""),
        ("result", None),
        ("inputs", None),
        ("players", [None, None]),
        ("players", "ann00"),
        ("digest", 7),
    ],
)
def test_a_record_without_a_member_is_not_stored(
    tmp_path: Path, record: dict[str, Any], name: str, value: object
) -> None:
    """Malformed records, running games, guests' games, and names that leave the folder write no file."""
    CollectedGames(tmp_path / "club").keep({**record, name: value})
    assert not [path for path in tmp_path.rglob("*.json") if "collected" in str(path)]
    assert not (tmp_path / "outside.json").exists()


def test_a_forged_record_does_not_count(tmp_path: Path, record: dict[str, Any], book: PlayerBook) -> None:
    """A result or dart that contradicts the inputs, or another match's file, is left out with a warning each."""
    folder, warned = tmp_path / "club", list[str]()
    book = PlayerBook(folder, JOURNAL, GAMES_BY_KEY, warned.append)
    CollectedGames(folder).keep({**record, "result": "1/2-1/2"})
    other = folder / "collected" / "0123456789ab.json"
    other.write_text(json.dumps(record))
    (folder / "collected" / "torn.json").write_text('{"v": 2')
    assert darts(book) == darts(book) == {"Ann": 0, "Bob": 0}
    assert len(warned) == 3


def test_the_folder_has_a_limit(
    tmp_path: Path,
    record: dict[str, Any],
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    """A board that publishes ever more matches fills a bounded share of the disk, and the log has one line."""
    size = len(json.dumps(record))
    monkeypatch.setattr(collected, "MOST_BYTES", 3 * size)
    games = CollectedGames(tmp_path)
    with caplog.at_level(logging.WARNING):
        for number in range(20):
            games.keep({**record, "match": f"match-{number}"})
    assert 1 <= len(list(games.changed())) <= 4
    assert len(caplog.records) == 1
    assert isinstance(games.read("match-19"), Problem)


@pytest.mark.long
@pytest.mark.mosquitto
def test_members_at_a_board_of_another_machine_have_hand_and_head(tmp_path: Path) -> None:
    """A loud game at a board with another data folder: the service reviews it, and the table shows both figures."""
    hall = Hall(tmp_path, 1, free_ports(2))
    (tmp_path / "club").mkdir(exist_ok=True)
    (tmp_path / "club" / "scharten.toml").write_text("[club]\nskills = true\n")
    try:
        hall.start()
        wait_for_service(hall)
        asyncio.run(_evening(hall))
    finally:
        hall.end()


async def _evening(hall: Hall) -> None:
    organiser, table = Organiser(hall), hall.peer("board1", "table")
    await organiser.do("season", name="Autumn", options=LOUD)
    for name in ("Ann", "Bob"):
        await organiser.do("member", name=name)
    view = await organiser.wait(lambda view: len(view["members"]) == 2, 30, "the members")
    await organiser.do("evening", date="2026-11-27")
    for member in view["members"]:
        await organiser.do("presence", key=member["key"], said="here")
    await asyncio.to_thread(board_listens, table)  # a dart before then is lost
    await organiser.do("pair", number=1)
    await asyncio.to_thread(_play, table)
    view = await organiser.wait(
        lambda view: view["table"] and all(map(_measured, view["table"])), 180, "figures"
    )
    assert {row["name"] for row in view["table"]} == {"Ann", "Bob"}
    assert not list((hall.folder / "club").glob("scharten*.sqlite3"))
    table.close()
    await organiser.close()


def _play(table: Peer) -> None:
    """Play eight turns, most of them darts, then let White resign."""
    for _ in range(8):
        play_turn(table)
    assert table.ask("resign", side="white")["accepted"]


def _measured(row: dict[str, Any]) -> bool:
    return bool(row.get("hand")) and bool(row.get("head"))
