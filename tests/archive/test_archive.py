"""The archive on SQLite and on a real PostgreSQL, fed with records of games that the referee played."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from sqlalchemy import create_engine, insert, select, text, update
from typer.testing import CliRunner

import lab.postgres
from archive.played import DAY_MS, RESIGNED, finished, old_record, play, records
from lab.daemon_process import Peer, wait_for
from lab.mosquitto import mosquitto
from scharten.archive import upgrade
from scharten.archive.receiver import RecordReceiver
from scharten.archive.server import ArchiveServer
from scharten.archive.store import ArchiveStore, GameQuery
from scharten.archive.tables import GAMES, POSITIONS
from scharten.cli import build
from scharten.display.web_server import Serving
from scharten.errors import Problem, SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.records import nameless, read_record, replayed
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook

OPENING = GameQuery(position="rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2")


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    """Debian's PostgreSQL; gives the URL."""
    if lab.postgres.missing():
        pytest.skip("PostgreSQL is not installed (apt install postgresql)")
    with lab.postgres.postgres() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgres"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[ArchiveStore]:
    """An archive of each kind."""
    sqlite = f"sqlite:///{tmp_path / 'archive.sqlite3'}"
    url = sqlite if request.param == "sqlite" else request.getfixturevalue("postgres")
    with create_engine(url).begin() as connection:
        if request.param == "postgres":
            connection.execute(text("DROP SCHEMA public CASCADE"))
            connection.execute(text("CREATE SCHEMA public"))
    made = ArchiveStore(url)
    made.close()
    with closing(ArchiveStore(url)) as repeated:  # a second start finds its tables
        yield repeated


def test_postgresql_searches_by_index(postgres: str) -> None:
    """Players' keys, parts of names and a club's dates have an index each in an archive on PostgreSQL."""
    with create_engine(postgres).begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    ArchiveStore(postgres).close()
    for where in (
        "white_key = 'k'",
        "black_key = 'k'",
        "white ILIKE '%anna%'",
        "black ILIKE '%anna%'",
        "club = 'c'",
    ):
        with create_engine(postgres).begin() as connection:
            connection.execute(text("SET enable_seqscan = off"))  # an empty table would be read whole
            plan = connection.execute(text(f"EXPLAIN SELECT id FROM games WHERE {where}")).scalars()
            assert f"games_by_{where.split()[0].removesuffix('_key')}" in "\n".join(plan)


def earlier_archive(url: str) -> None:
    """Make an archive of the schema without times in positions: three games, each with one position twice."""
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    upgrade.upgrade(engine, lambda stage, percent: None, "0003")
    with engine.begin() as connection:
        texts = ("club", "board", "match", "game", "kind", "white", "black", "result", "digest", "record")
        for id_, started_ms in ((1, 20), (2, 30), (3, 10)):
            values = {**dict.fromkeys(texts, str(id_)), "last": 1, "ended_ms": 40, "turns": 3, "id": id_}
            connection.execute(insert(GAMES).values(values | {"started_ms": started_ms}))
            for turn, position in enumerate(("opening w", "other b", "opening w")):
                row = {"game": id_, "turn": turn, "position": position}
                connection.execute(text("INSERT INTO positions VALUES (:game, :turn, :position)"), row)
    engine.dispose()


def newest_of_opening(store: ArchiveStore) -> list[object]:
    """The games of the opening of `earlier_archive`, the newest first."""
    return [game["match"] for game in store.search(GameQuery(position="opening w"))]


def test_an_archive_of_an_earlier_schema_finds_the_newest_games_of_an_opening(
    postgres: str, tmp_path: Path
) -> None:
    """Its positions get the time of their games, and the command reports it; pages follow."""
    earlier_archive(postgres)
    options = ["archive", "--database", postgres, "--csv", str(tmp_path / "games.csv")]
    lines = CliRunner().invoke(build(), options).output.splitlines()
    assert ["0 % of the games" in lines[0], "indexes" in lines[1], len(lines)] == [True, True, 3]
    with closing(ArchiveStore(postgres)) as store:
        assert newest_of_opening(store) == ["2", "1", "3"]
        later = store.search(GameQuery(position="opening w", before=2, to_ms=20))
        assert [game["match"] for game in later] == ["3"]


KILLED_UPGRADE = """
import os, signal, sys
from scharten.archive import upgrade
from scharten.archive.store import ArchiveStore

def report(stage, percent):
    if f"{stage} {percent}" == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

upgrade.GAMES_AT_ONCE, upgrade.REPORT_S = 1, 0
ArchiveStore(sys.argv[1], report=report)
"""


@pytest.mark.parametrize("at", ["copies 66", "indexes 100"])
def test_a_killed_upgrade_goes_on_where_it_was(postgres: str, at: str) -> None:
    """The second start copies no game again, and the archive has every position once."""
    earlier_archive(postgres)
    killed = subprocess.run([sys.executable, "-c", KILLED_UPGRADE, postgres, at], check=False)
    assert killed.returncode == -signal.SIGKILL
    reports: list[str] = []
    with closing(
        ArchiveStore(postgres, report=lambda *stage: reports.append("{} {}".format(*stage)))
    ) as store:
        assert reports == [*(["copies 66"] if at == "copies 66" else []), "indexes 100"]
        assert newest_of_opening(store) == ["2", "1", "3"]
    engine = create_engine(postgres)
    with engine.connect() as connection:
        assert len(connection.execute(select(POSITIONS)).all()) == 9
    engine.dispose()


def test_a_second_program_waits_for_an_upgrade(postgres: str) -> None:
    """It says so, and finds the upgraded archive."""
    earlier_archive(postgres)
    engine = create_engine(postgres)
    other, reports = engine.connect(), list[str]()
    other.execute(text(f"SELECT pg_advisory_lock({upgrade.LOCK})"))

    def report(stage: str, _percent: int) -> None:
        reports.append(stage)
        other.invalidate()  # the other program ends

    with closing(ArchiveStore(postgres, report=report)) as store:
        assert reports == ["waits", "copies", "indexes"]
        assert newest_of_opening(store) == ["2", "1", "3"]
    engine.dispose()


def test_each_game_once_and_found_again(
    store: ArchiveStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Kept once, put right by a newer record, found by player, club, date, position; stepped through; written out."""
    record = read_record(records(play(tmp_path / "one", *RESIGNED))[0])
    assert not isinstance(record, Problem)
    assert [store.take("haarlem", "board1", record) for _ in range(3)] == [True, False, False]
    assert store.take("leiden", "board1", record) is True, "another club's game is another game"
    ruled = [*RESIGNED, {"type": "set_result", "result": "½-½"}]
    newer = read_record(records(play(tmp_path / "two", *ruled))[0])
    assert not isinstance(newer, Problem)
    assert newer["match"] == record["match"]
    assert [store.take("haarlem", "board1", item) for item in (newer, record)] == [True, False]
    assert sorted(str(item["result"]) for item in store.search()) == ["1-0", "½-½"]
    for wanted, count in (
        (GameQuery(player="anna"), 2), (GameQuery(player="key1"), 2), (GameQuery(player="Carla"), 0),
        (GameQuery(club="leiden"), 1),
        (GameQuery(from_ms=DAY_MS, to_ms=2 * DAY_MS), 2), (GameQuery(to_ms=DAY_MS), 0),
        (OPENING, 2),
        (GameQuery(position="8/8/8/8/8/8/8/8 w"), 0),
    ):  # fmt: skip
        assert len(store.search(wanted)) == count, wanted
    monkeypatch.setattr("scharten.archive.store.MOST_FOUND", 1)
    pages = [store.search()]
    while pages[-1] and len(pages) < 5:
        pages.append(store.search(GameQuery(before=int(str(pages[-1][-1]["match"])))))
    assert [len(page) for page in pages] == [1, 1, 0], "two games of one moment, a page each, none twice"
    assert len({page[0]["match"] for page in pages[:-1]}) == 2
    monkeypatch.undo()
    found = store.search(GameQuery(club="haarlem"))[0]
    game = store.game(str(found["match"]))
    assert game is not None
    assert game["verified"] == newer["digest"]
    assert "Anna" in str(store.sheet(str(found["match"]), "en"))
    assert store.game("999999") is None
    assert store.write_csv(tmp_path / "games.csv") == 2
    with (tmp_path / "games.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["white"] for row in rows] == ["Anna", "Anna"]
    assert json.loads(rows[0]["record"])["inputs"]
    with pytest.raises(SchartenError, match="cannot be written"):
        store.write_csv(tmp_path / "missing" / "games.csv")


@pytest.mark.long
def test_an_export_holds_few_records_in_memory(postgres: str, tmp_path: Path) -> None:
    """`--csv` of 100 MB takes as much memory as of 10 MB: the database streams the games into the file."""
    with create_engine(postgres).begin() as connection:
        connection.execute(text("DROP SCHEMA public CASCADE"))
        connection.execute(text("CREATE SCHEMA public"))
    ArchiveStore(postgres).close()
    row = {
        "club": "c",
        "board": "b",
        "last": 1,
        "started_ms": 1,
        "ended_ms": 2,
        "game": "chess",
        "kind": "silent",
    }
    row |= {"white": "A", "black": "B", "result": "1-0", "turns": 1, "digest": "d", "record": "x" * 50_000}
    most = []
    for games in (200, 1800):
        with create_engine(postgres).begin() as connection:
            connection.execute(
                insert(GAMES), [{**row, "match": f"{games}-{number}"} for number in range(games)]
            )
        command = [sys.executable, "-m", "scharten", "archive", "--database", postgres]
        exported = subprocess.Popen(
            [*command, "--csv", str(tmp_path / "games.csv")], stdout=subprocess.DEVNULL
        )
        _, status, used = os.wait4(exported.pid, 0)
        exported.returncode = os.waitstatus_to_exitcode(status)
        assert exported.returncode == 0
        most.append(used.ru_maxrss / 1024)
    assert (tmp_path / "games.csv").stat().st_size > 100_000_000
    assert most[1] < most[0] + 20, f"{most} MB"


def test_many_games_in_one_transaction(store: ArchiveStore, tmp_path: Path) -> None:
    """New ones, a known one, a newer one, one that does not replay and one of a deleted player: as if one by one."""
    record = read_record(records(play(tmp_path / "one", *RESIGNED))[0])
    ruled = [*RESIGNED, {"type": "set_result", "result": "½-½"}]
    newer = read_record(records(play(tmp_path / "two", *ruled))[0])
    assert not isinstance(record, Problem) and not isinstance(newer, Problem)
    assert store.forget("leiden", ["key1"]) == 0
    assert [store.take("haarlem", board, record) for board in ("board1", "board2")] == [True, True]
    *good, bad = store.take_all(
        [
            ("haarlem", "board1", record),
            ("haarlem", "board2", newer),
            ("haarlem", "board3", record),
            ("leiden", "board1", record),
            ("haarlem", "board4", {**record, "digest": "0" * 32}),
        ]
    )
    assert good == [False, True, True, True]
    assert isinstance(bad, Problem) and bad.code == "digest"
    found = store.search()
    assert {(game["club"], game["board"], game["result"], game["names"]["white"]) for game in found} == {
        ("haarlem", "board1", "1-0", "Anna"), ("haarlem", "board2", "½-½", "Anna"),
        ("haarlem", "board3", "1-0", "Anna"), ("leiden", "board1", "1-0", ""),
    }  # fmt: skip
    assert len({game["match"] for game in found}) == 4, "each has a number of its own"
    for game in found:
        assert store.game(str(game["match"])) is not None
    assert len(store.search(OPENING)) == 4
    assert store.take_all([]) == []


def test_a_deleted_player_leaves_the_archive(store: ArchiveStore, tmp_path: Path) -> None:
    """Of games kept in the old form too: no name in any column or byte, each game verified, later messages too."""
    path = play(tmp_path / "one", *RESIGNED)
    old, new = old_record(path), read_record(records(path)[0])
    assert not isinstance(new, Problem)
    assert "Anna" in json.dumps(old["start"])
    assert "Anna" not in json.dumps([new["start"], new["inputs"]])
    assert nameless(old)["digest"] == new["digest"] != old["digest"]
    assert [store.take(club, "board1", old) for club in ("haarlem", "leiden")] == [True, True]
    with store._engine.begin() as connection:  # as an archive of an earlier version holds it
        connection.execute(
            update(GAMES)
            .where(GAMES.c.club == "haarlem")
            .values(record=json.dumps(old), digest=old["digest"])
        )
    (first,) = store.search(GameQuery(club="haarlem"))
    assert store.game(str(first["match"]))["verified"] == old["digest"]
    assert [store.forget("haarlem", ["key1", "key9"]) for _ in range(2)] == [1, 0]
    assert [item["names"] for item in store.search(GameQuery(club="haarlem"))] == [
        {"white": "", "black": "Bram"}
    ]
    assert len(store.search(GameQuery(player="Anna"))) == 1, "another club's player is another player"
    found = store.game(str(first["match"]))
    assert (found["verified"], found["names"]["white"]) == (new["digest"], "")
    assert '[White "?"]' in str(store.sheet(str(first["match"]), "en"))
    assert store.take("haarlem", "board1", old) is False, "what comes later brings no name back"
    assert store.take("haarlem", "board1", {**new, "last": new["last"] + 1}) is True
    assert [item["names"]["white"] for item in store.search(GameQuery(club="haarlem"))] == [""]
    assert store.forget_name("Anna") == 1
    assert store.forget_name("Bram") == 2
    assert store.take("leiden", "board1", old) is False
    store.write_csv(tmp_path / "games.csv")
    kept = [tmp_path / "games.csv", *tmp_path.glob("archive.sqlite3*")]
    assert not [file for file in kept if b"Anna" in file.read_bytes() or b"Bram" in file.read_bytes()]
    games = [store.game(str(item["match"])) for item in store.search()]
    assert [game["verified"] for game in games if game] == [new["digest"]] * 2
    assert len(store.search(OPENING)) == 2, "and is found by its positions"


def test_a_deleted_player_leaves_the_topics(tmp_path: Path) -> None:
    """The board's own player, the club's, and one of an earlier journal whose records still stand; all still replay."""
    path = play(tmp_path / "one", *RESIGNED)
    old = json.dumps(old_record(path)).encode()
    book = PlayerBook(path.parent, path.name, GAMES_BY_KEY)
    result = finished(path, ("finished/3", old))
    assert [topic for topic in result if topic != "finished/0"] == [], (
        "no player was deleted: the record stays"
    )
    gone = b'{"v": 2, "players": ["key1"]}'
    result = finished(
        path, ("finished/3", old), ("forgotten/organiser", b"[]"), ("forgotten/organiser", gone)
    )
    assert json.loads(result["forgotten/host"])["players"] == ["key1"]
    assert book.deleted() == {"key1"}
    for topic in ("finished/0", "finished/3"):
        assert b"Anna" not in result[topic]
        record = read_record(result[topic])
        assert not isinstance(record, Problem)
        assert record["names"] == {"white": "", "black": "Bram"}
        assert not isinstance(replayed(record), Problem)
    assert finished(path).keys() == {"finished/0", "forgotten/host"}, "and after a restart"
    own = book.save({"name": "Carla"})
    assert not isinstance(own, Problem)
    assert book.forget([own.id]) is False, "a message deletes nobody of the board's own register"


def test_a_changed_game_is_refused(tmp_path: Path) -> None:
    """Another result, a missing move, no inputs, no record at all: each is refused with its reason."""
    payload = records(play(tmp_path / "one", *RESIGNED))[0]
    record = json.loads(payload)
    with closing(ArchiveStore(f"sqlite:///{tmp_path / 'a.sqlite3'}")) as store:
        for change, code in (
            ({"result": "1-0" if record["result"] != "1-0" else "0-1"}, "digest"),
            ({"inputs": record["inputs"][:-1]}, "digest"),
            ({"inputs": None}, "too_long"),
            ({"start": {}}, "unreadable"),
        ):
            refused = store.take("c", "b", {**record, **change})  # type: ignore[arg-type]
            assert isinstance(refused, Problem)
            assert refused.code == code
        assert store.search() == []
    assert isinstance(read_record(b"{}"), Problem)
    with pytest.raises(SchartenError, match="cannot be used"):
        ArchiveStore("sqlite:////nowhere/at/all.sqlite3")


async def _searched(server: ArchiveServer, query: str) -> tuple[int, Any]:
    await server.start()
    async with ClientSession() as session, session.get(f"{server.url}/archive/search.json?{query}") as answer:
        found = answer.status, await answer.json() if answer.status == 200 else await answer.text()
    await server.stop()
    return found


@pytest.mark.mosquitto
def test_from_the_broker_to_the_search(tmp_path: Path) -> None:
    """The service stores the broker's records once, also if repeated or after a restart, and serves the search."""
    import asyncio  # noqa: PLC0415

    payload = records(play(tmp_path / "one", *RESIGNED))[0]
    with mosquitto() as port, closing(ArchiveStore(f"sqlite:///{tmp_path / 'a.sqlite3'}")) as store:
        host = Peer("127.0.0.1", port, "scharten/haarlem/board1", "host", None)
        host.publish("finished/0", payload, retain=True)
        host.publish("finished/1", b"nonsense", retain=True)
        for _ in range(2):
            receiver = RecordReceiver(store, BrokerAddress("127.0.0.1", port), "scharten")
            receiver.start()
            wait_for(lambda item=receiver: item.refused, 40, "the nonsense to be refused")
            wait_for(store.search, 40, "the game")
            receiver.stop()
        host.close()
        assert len(store.search()) == 1
        status, found = asyncio.run(
            _searched(ArchiveServer(store, Serving("127.0.0.1", 0)), "player=bram&from=1970-01-02")
        )
        assert (status, len(found["games"])) == (200, 1)
        status, _ = asyncio.run(_searched(ArchiveServer(store, Serving("127.0.0.1", 0)), "from=yesterday"))
        assert status == 400
