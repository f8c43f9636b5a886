"""An archive of many games on PostgreSQL: the time of a search, games entered per second, and a player's deletion.

The database copies one game of the referee, with other players, dates and positions. Entered games are replayed,
as at any archive.
"""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from sqlalchemy import create_engine, text

from archive.played import DAY_MS, RESIGNED, play, records
from lab.daemon_process import Peer, wait_for
from lab.figures import commit, percentile
from lab.mosquitto import mosquitto
from lab.postgres import missing, postgres
from lab.process_figures import family_cpu_s
from scharten.archive.receiver import RecordReceiver
from scharten.archive.store import ArchiveStore, GameQuery
from scharten.archive.tables import POSITIONS
from scharten.contract.news_models import FinishedGame
from scharten.contract.topics import FINISHED_SLOTS
from scharten.errors import Problem, SchartenError
from scharten.journal.records import read_record, replayed
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.delivery import MOST_UNACKNOWLEDGED

LONG_GAME = (
    "e2e4 e7e5 g1f3 b8c6 f1b5 a7a6 b5a4 g8f6 e1g1 f8e7 f1e1 b7b5 a4b3 d7d6 c2c3 e8g8 h2h3 c6b8 d2d4 b8d7 "
    "b1d2 c8b7 b3c2 f8e8 d2f1 e7f8 f1g3 g7g6 a2a4 c7c5 d4d5 c5c4 c1g5 h7h6 g5e3 d7c5 d1d2 h6h5 e3g5 f8e7"
)
SEARCH_MS, INTAKE, DELETION_S = 100.0, 500.0, 1.0
TIMES, INTAKE_S, BOARDS, COUNTRY = 60, 5.0, 250, 1000
CLUBS, MEMBERS, FIRST_MS, YEAR_MS = 100, 50, 1_600_000_000_000, 365 * 86_400_000
PLAYERS, LINES = CLUBS * MEMBERS, 100
COPIES = f"""
    INSERT INTO games (club, board, match, last, started_ms, ended_ms, game, kind, white, black, white_key, black_key,
                       result, reason, turns, digest, record)
    SELECT 'club' || n % {CLUBS}, 'board' || n % 7, 'copy' || n, last, {FIRST_MS} + (random() * 5 * {YEAR_MS})::bigint,
           {FIRST_MS} + 6 * {YEAR_MS}::bigint, game, kind, 'player ' || md5(w::text), 'player ' || md5(b::text),
           'k' || w, 'k' || b, result, reason, turns, digest, record
    FROM games, LATERAL (SELECT n, n % {CLUBS} * {MEMBERS} + (random() * {MEMBERS - 1})::int w,
                                n % {CLUBS} * {MEMBERS} + (random() * {MEMBERS - 1})::int b
                         FROM generate_series(1, :count) n OFFSET 0) copies
    WHERE match = :origin AND club = 'origin'
"""
PLACES = f"""
    INSERT INTO positions (game, started_ms, turn, position)
    SELECT id, started_ms, turn, CASE WHEN turn < 3 THEN 'opening ' || turn
                          WHEN turn = 3 THEN 'line' || id % {LINES} || ' w'
                          ELSE md5(id::text || '/' || turn) || md5(turn::text) || ' w' END
    FROM games, LATERAL generate_series(1, :turns + 0 * id) turn WHERE club <> 'origin'
"""
"""The positions of each game together, as an archive stores them."""


def run(games: int, turns: int) -> int:
    """Fill the archive, then print each figure beside its target; return 0 if all are met, 1 otherwise.

    `turns` are the positions of each copy that fills the archive; the entered games have their own turns.
    """
    if missing():
        raise SchartenError("PostgreSQL is not installed.", "sudo apt install postgresql")
    print(f"{games} copies with {turns} positions each, {PLAYERS} players, commit {commit()}", flush=True)
    with (
        postgres("-c", "fsync=on", "-c", "shared_buffers=512MB", "-c", "maintenance_work_mem=512MB") as url,
        tempfile.TemporaryDirectory(prefix="scharten-scale-") as folder,
    ):
        payloads = [
            records(play(Path(folder) / str(day), *RESIGNED, begun_ms=day * DAY_MS))[0]
            for day in range(1, FINISHED_SLOTS + 1)
        ]
        record = read_record(payloads[0])
        assert not isinstance(record, Problem)
        with closing(ArchiveStore(url)) as store:
            assert store.take("origin", "board1", record) is True
            _fill(url, games, turns, record["match"])
            met = [
                _line(name, _search_ms(store, queries), SEARCH_MS, "ms") for name, queries in _searches(games)
            ]
            rates = (
                _intake(store, record),
                _intake(store, _long_record(Path(folder))),
                _caught_up(store, payloads),
            )
            met += [rate >= INTAKE for rate in rates]
            began = time.monotonic()
            removed = store.forget("club7", [f"k{7 * MEMBERS + 7}"])
            met.append(
                _line(f"a player of {removed} games deleted", time.monotonic() - began, DELETION_S, "s")
            )
    print(f"{met.count(False)} of {len(met)} targets missed")
    return 0 if all(met) else 1


def _long_record(folder: Path) -> FinishedGame:
    """Return a game of forty turns, as a club plays it."""
    moves = [
        {"type": "move", "side": ("white", "black")[number % 2], "move": move}
        for number, move in enumerate(LONG_GAME.split())
    ]
    record = read_record(records(play(folder / "long", *moves, {"type": "resign", "side": "white"}))[0])
    assert not isinstance(record, Problem)
    return record


def _intake(store: ArchiveStore, record: FinishedGame) -> float:
    """Print and return the games entered per second, in batches as a broker sends them."""
    began = time.monotonic()
    club = f"new{record['turns']}"
    boards = [f"first{number}" for number in range(MOST_UNACKNOWLEDGED)]
    store.take_all([(club, board, record) for board in boards])
    print(f"the processes that judge started in {time.monotonic() - began:.1f} s", flush=True)
    began, spent, own, number = time.monotonic(), family_cpu_s(), time.process_time(), 0
    while time.monotonic() - began < INTAKE_S:
        boards = [f"board{number + extra}" for extra in range(MOST_UNACKNOWLEDGED)]
        assert store.take_all([(club, board, record) for board in boards]) == [True] * len(boards)
        number += len(boards)
    rate = number / (time.monotonic() - began)
    own_ms, cost_ms = (time.process_time() - own) * 1000 / number, (family_cpu_s() - spent) * 1000 / number
    began_s = time.process_time()
    for _ in range(TIMES):
        assert not isinstance(replayed(record), Problem)
    replay_ms = (time.process_time() - began_s) * 1000 / TIMES
    print(
        f"intake, each game of {record['turns']} turns replayed: {rate:.0f} a second (target {INTAKE:.0f});"
        f" {_cost(cost_ms)}; {own_ms:.2f} ms to store it and {replay_ms:.2f} to replay it;"
        f" what a broker has of {COUNTRY} boards in {COUNTRY * FINISHED_SLOTS / rate:.0f} s",
        flush=True,
    )
    return rate


def _cost(game_ms: float) -> str:
    """Return what a game costs with PostgreSQL and the broker, and the cores that the target needs."""
    cores = INTAKE * game_ms / 1000
    return f"{game_ms:.2f} ms of a core each, {1000 / game_ms:.0f} a second and core, {cores:.1f} cores for the target"


def _caught_up(store: ArchiveStore, payloads: list[bytes]) -> float:
    """Print and return the games entered per second from a Mosquitto on which every slot of the boards is full."""
    with mosquitto("max_inflight_messages 100") as port:
        host = Peer("127.0.0.1", port, "scharten/caught/up", "host", None)
        for number in range(BOARDS):
            root = f"scharten/caught/up{number}"
            host._client.publish(f"{root}/availability", b"online", 1, True)
            for slot, payload in enumerate(payloads):
                host._client.publish(f"{root}/finished/{slot}", payload, 1, True)
        wait_for(lambda: not host._client.want_write() and not host._client._out_messages, 60, "the records")
        host.close()
        receiver = RecordReceiver(store, BrokerAddress("127.0.0.1", port), "scharten")
        began, spent = time.monotonic(), family_cpu_s()
        receiver.start()
        wait_for(lambda: receiver.stored == BOARDS * FINISHED_SLOTS, 300, "every game")
        rate = receiver.stored / (time.monotonic() - began)
        cost_ms = (family_cpu_s() - spent) * 1000 / receiver.stored
        receiver.stop()
    print(
        f"intake of {BOARDS * FINISHED_SLOTS} games that wait on a Mosquitto: {rate:.0f} a second"
        f" (target {INTAKE:.0f}); {_cost(cost_ms)}",
        flush=True,
    )
    return rate


def _fill(url: str, games: int, turns: int, origin: str) -> None:
    engine = create_engine(url)
    with engine.begin() as connection:
        connection.execute(text("SET LOCAL session_replication_role = replica"))  # each position has its game
        connection.execute(text(COPIES), {"count": games, "origin": origin})
        # An index made of all rows at once takes a fraction of the time.
        connection.execute(text("DROP INDEX games_by_position"))
        connection.execute(text(PLACES), {"turns": turns})
        next(index for index in POSITIONS.indexes if index.name == "games_by_position").create(connection)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        # PostgreSQL does this by itself while games arrive over the years. Without it a deletion reads all of them.
        connection.execute(text("VACUUM games"))
        connection.execute(text("ANALYZE"))
    engine.dispose()


def _searches(games: int) -> Iterator[tuple[str, Callable[[], GameQuery]]]:
    chance = random.Random(1)
    day = 86_400_000

    def month() -> GameQuery:
        begins = FIRST_MS + chance.randrange(4 * YEAR_MS)
        return GameQuery(club=f"club{chance.randrange(CLUBS)}", from_ms=begins, to_ms=begins + 30 * day)

    yield "newest games", GameQuery
    yield "part of a name", lambda: GameQuery(player=f"{chance.randrange(16**4):04x}")
    yield "a player's key", lambda: GameQuery(player=f"k{chance.randrange(PLAYERS)}")
    yield "a club's month", month
    yield "an opening that every game has", lambda: GameQuery(position="opening 1")
    yield "an opening of 1 % of games", lambda: GameQuery(position=f"line{chance.randrange(LINES)} w")
    yield "a rare position", lambda: GameQuery(position=f"{chance.randrange(16**6):064x} w")
    yield "a later page", lambda: GameQuery(before=chance.randrange(1, games))


def _search_ms(store: ArchiveStore, query: Callable[[], GameQuery]) -> float:
    times = []
    for _ in range(TIMES):
        wanted, began = query(), time.monotonic()
        store.search(wanted)
        times.append((time.monotonic() - began) * 1000)
    return percentile(times, 95)


def _line(name: str, value: float, target: float, unit: str) -> bool:
    mark = " p95" if unit == "ms" else ""
    print(f"{name}: {value:.1f} {unit}{mark} (target {target:.0f})", flush=True)
    return value <= target
