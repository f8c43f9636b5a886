"""Records of a club that no database takes, and many at once: the archive goes on with those of all others."""

from __future__ import annotations

import asyncio
import json
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from aiohttp import ClientSession
from sqlalchemy import text

from archive.played import DAY_MS, RESIGNED, play, records
from archive.test_archive import postgres, store
from lab.daemon_process import Peer, wait_for
from lab.mosquitto import mosquitto
from scharten.archive import receiver as receiving
from scharten.archive.receiver import RecordReceiver
from scharten.archive.server import ArchiveServer
from scharten.archive.store import ArchiveStore
from scharten.display.web_server import Serving
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.delivery import DeliveryClient

__all__ = ["postgres", "store"]
LATER_MS = 86_400_000 * 365 * 130


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """A valid record."""
    return dict(json.loads(records(play(tmp_path_factory.mktemp("game") / "one", *RESIGNED))[0]))


def test_only_what_the_replay_gives_is_stored(store: ArchiveStore, record: dict[str, Any]) -> None:
    """A club changes what no digest covers: reason, turns, game, kind, dates; the archive lists what was played."""
    lies = {
        "reason": "checkmate" * 5, "turns": 2**40, "game": "x" * 200, "kind": "loud" * 20, "started_ms": LATER_MS,
        "ended_ms": LATER_MS, "players": ["key9", "key9"],
    }  # fmt: skip
    assert store.take("haarlem", "board1", {**record, **lies}) is True  # type: ignore[typeddict-item]
    (found,) = store.search()
    assert {name: found[name] for name in ("reason", "turns", "game", "kind", "started_ms", "ended_ms")} == {
        "reason": "resignation", "turns": 2, "game": "chess", "kind": "silent", "started_ms": DAY_MS,
        "ended_ms": DAY_MS + 3000,
    }  # fmt: skip


@pytest.mark.parametrize(
    "change",
    [{"names": {"white": "A\0", "black": "B"}}, {"last": 2**63}, {"match": "a" * 65}, {"turns": "x"}],
    ids=str,
)
def test_a_value_that_no_database_takes_is_refused_in_words(
    store: ArchiveStore, record: dict[str, Any], change: dict[str, Any]
) -> None:
    """NUL in a name, numbers and ids that are too large: refused with a reason, not left to the database."""
    refused = store.take("haarlem", "board1", {**record, **change})  # type: ignore[typeddict-item]
    if "turns" in change:  # the replay gives the turns
        assert refused is True
    else:
        assert isinstance(refused, Problem)
        assert refused.code in ("malformed", "digest")


def test_a_game_of_the_future_is_refused(store: ArchiveStore, tmp_path: Path) -> None:
    """A game whose every input is of next week: the date of its board is wrong, and the reason says so."""
    begun_ms = time.time_ns() // 1_000_000 + 7 * DAY_MS
    late = json.loads(records(play(tmp_path / "one", *RESIGNED, begun_ms=begun_ms))[0])
    refused = store.take("haarlem", "board1", late)
    assert isinstance(refused, Problem)
    assert refused.code == "future"


def test_what_the_database_refuses_is_set_aside(
    store: ArchiveStore, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A working database refuses one record: after three tries the next one is stored, and pages have words."""
    monkeypatch.setattr(receiving, "RETRY_S", 0.0)
    receiver = RecordReceiver(store, BrokerAddress("127.0.0.1", 1), "s")
    taken = store.take

    def refusing(club: str, board: str, item: Any) -> Any:
        return Problem("database", "no") if board == "bad" else taken(club, board, item)

    monkeypatch.setattr(store, "take", refusing)
    payload = json.dumps(record).encode()
    for board in ("bad", "good"):
        receiver._take(f"s/haarlem/{board}/finished/0", payload, lambda: None)
    assert receiver.set_aside == {"s/haarlem/bad/finished/0": "no"}
    assert [game["board"] for game in store.search()] == ["good"]
    assert receiver.remarks()[0]["args"] == {"count": 1}


def test_a_record_waits_for_a_database_that_is_away(
    store: ArchiveStore, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """While nothing can be written a record is tried again and never set aside; then it is stored."""
    monkeypatch.setattr(receiving, "RETRY_S", 0.0)
    receiver = RecordReceiver(store, BrokerAddress("127.0.0.1", 1), "s")
    taken, tries = store.take, iter(range(100))

    def away(club: str, board: str, item: Any) -> Any:
        return Problem("database", "no") if next(tries) < 20 else taken(club, board, item)

    monkeypatch.setattr(store, "take", away)
    monkeypatch.setattr(store, "works", lambda: False)
    receiver._take("s/haarlem/b/finished/0", json.dumps(record).encode(), lambda: None)
    assert (receiver.set_aside, len(store.search())) == ({}, 1)


async def _statuses(server: ArchiveServer, *queries: str) -> list[int]:
    await server.start()
    async with ClientSession() as session:
        found = []
        for query in queries:
            async with session.get(f"{server.url}/archive/{query}") as answer:
                found.append(answer.status)
    await server.stop()
    return found


def test_a_search_that_no_database_understands_is_refused(store: ArchiveStore) -> None:
    """NUL and dates at the end of time: 400 in words, as for any other wrong question."""
    server = ArchiveServer(store, Serving("127.0.0.1", 0))
    asked = ("player=%00", "club=a%00", "position=%00", "to=9999-12-31", "from=0000-00-00", "from=0001-01-01")
    found = asyncio.run(_statuses(server, *(f"search.json?{item}" for item in asked)))
    assert found == [400, 400, 400, 400, 400, 200]


BOARDS = 30


@pytest.mark.mosquitto
@pytest.mark.parametrize(("large", "most"), [(receiving.LARGE_BYTES, receiving.BOARDS_TOGETHER), (100, 1)])
def test_every_retained_record_is_taken(
    tmp_path: Path, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch, large: int, most: int
) -> None:
    """240 records stand on a broker that queues 50 for a client: the archive takes every one, also of boards that
    announce nothing. It asks for those of several boards at once, but of one where records are large."""
    monkeypatch.setattr(receiving, "LARGE_BYTES", large)
    asked: list[int] = []
    asking = DeliveryClient.ask

    def ask(client: DeliveryClient, filters: tuple[str, ...], answered: Callable[[], None]) -> None:
        asked.append(sum(name.endswith("/finished/+") for name in filters))
        asking(client, filters, answered)

    monkeypatch.setattr(DeliveryClient, "ask", ask)
    with (
        mosquitto("max_queued_messages 50", "max_inflight_messages 20") as port,
        closing(ArchiveStore(f"sqlite:///{tmp_path / 'a.sqlite3'}")) as archive,
    ):
        host = Peer("127.0.0.1", port, "scharten/haarlem/b", "host", None)
        payload = json.dumps(record).encode()
        taken: set[str] = set()

        def take_all(items: Sequence[tuple[str, str, Any]]) -> list[bool]:
            taken.update(f"{board} {item['last']}" for _, board, item in items)
            return [True] * len(items)

        archive.take_all = take_all  # type: ignore[assignment, method-assign]
        for number in range(BOARDS):
            if number < BOARDS - 5:
                host._client.publish(f"scharten/haarlem/b{number}/availability", b"online", 1, True)
            for slot in range(8):
                changed = payload.replace(b'"last": ', b'"last": 1%d' % slot)
                host._client.publish(f"scharten/haarlem/b{number}/finished/{slot}", changed, 1, True)
        wait_for(lambda: not host._client.want_write() and not host._client._out_messages, 40, "the records")
        receiver = RecordReceiver(archive, BrokerAddress("127.0.0.1", port), "scharten")
        receiver.start()
        try:
            wait_for(lambda: len(taken) == 8 * BOARDS, 120, "every record")
        except AssertionError:
            raise AssertionError(f"{len(taken)} of {8 * BOARDS} records") from None
        finally:
            receiver.stop()
            host.close()
    assert max(asked[1:]) == most


class Counting(RecordReceiver):
    """A receiver that counts the messages of its broker."""

    received = 0

    def _receive(self, topic: str, payload: bytes, acknowledge: Callable[[], None]) -> None:
        self.received += 1
        super()._receive(topic, payload, acknowledge)


@pytest.mark.long
@pytest.mark.mosquitto
def test_games_share_transactions_and_a_bad_one_stops_no_other(
    tmp_path: Path, record: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of 40 records one is refused by the database and one does not replay: the other 38 are stored, in few changes,
    although the bad ones arrive together with them."""
    monkeypatch.setattr(receiving, "RETRY_S", 0.0)
    path = tmp_path / "a.sqlite3"
    with mosquitto() as port, closing(ArchiveStore(f"sqlite:///{path}")) as archive:
        with closing(sqlite3.connect(path)) as db:
            db.execute(REFUSES)
        host = Peer("127.0.0.1", port, "scharten/haarlem/b", "host", None)
        for number in range(40):
            changed = record | ({"digest": "0" * 32} if number == 17 else {})
            topic = f"scharten/haarlem/b{number}/finished/0"
            host._client.publish(topic, json.dumps(changed).encode(), 1, True)
        wait_for(lambda: not host._client.want_write() and not host._client._out_messages, 40, "the records")
        receiver = Counting(archive, BrokerAddress("127.0.0.1", port), "scharten")
        with archive._writing:  # nothing is stored before as many are here as the broker sends at once
            receiver.start()
            wait_for(lambda: receiver.received >= 20, 60, "as many records as Mosquitto delivers at once")
        try:
            wait_for(
                lambda: receiver.stored == 38 and receiver.set_aside and receiver.refused, 60, "the games"
            )
        finally:
            receiver.stop()
            host.close()
        assert {game["board"] for game in archive.search()} == {f"b{number}" for number in range(40)} - {
            "b5",
            "b17",
        }
        assert [*receiver.set_aside] == ["scharten/haarlem/b5/finished/0"]
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT count(*) FROM changes").fetchone()[0] < 32
    with closing(ArchiveStore(f"sqlite:///{path}")) as verified:  # a start verifies every change
        assert verified.trouble is None


@pytest.mark.long
def test_a_refused_game_is_found_by_halves(tmp_path: Path, record: dict[str, Any]) -> None:
    """32 games of one transaction with one that the database refuses: 31 are stored, in at most five changes."""
    path = tmp_path / "a.sqlite3"
    with closing(ArchiveStore(f"sqlite:///{path}")) as archive:
        with closing(sqlite3.connect(path)) as db:
            db.execute(REFUSES)
        done = archive.take_all([("haarlem", f"b{number}", record) for number in range(32)])  # type: ignore[misc]
        refused = [number for number, answer in enumerate(done) if isinstance(answer, Problem)]
        assert (refused, done.count(True)) == ([5], 31)
        with closing(sqlite3.connect(path)) as db:
            assert db.execute("SELECT count(*) FROM changes").fetchone()[0] <= 5


REFUSES = """CREATE TRIGGER refuses BEFORE INSERT ON games WHEN NEW.board = 'b5'
BEGIN SELECT RAISE(ABORT, 'board b5 is refused'); END"""


def test_the_probe_leaves_nothing(store: ArchiveStore) -> None:
    """A database that works says so, and the trial row is gone."""
    assert store.works()
    with store._engine.connect() as connection:
        assert connection.execute(text("SELECT count(*) FROM gone")).scalar_one() == 0
