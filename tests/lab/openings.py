"""The time of a query about a position over many finished games.

The referee plays some games, and the command reads them from a journal. The database then copies them, with other
players.
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

from lab.figures import commit, percentile
from match.driver import Table
from players.evening import played, store
from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.match.settings import read_options
from scharten.openings.query import OpeningsQuery, openings
from scharten.openings.table import OpeningsTable, with_table

TARGET_MS = 100.0
TIMES = 40
ORIGINALS, PLAYERS, TURNS = 25, 1000, 12
MOVES = ("e2e4", "d2d4", "g1f3", "c2c4"), ("e7e5", "c7c5", "d7d5", "g8f6")
SERIES = "WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < :copies)"
COPIES = (
    f"{SERIES} INSERT INTO players SELECT NULL, '', 'player ' || n FROM copies WHERE n <= {PLAYERS}",
    f"""{SERIES} INSERT INTO turns SELECT game + n * 1000, position, turn, abs(random()) % 3,
        1 + abs(random()) % {PLAYERS}, text, after FROM turns, copies""",
    f"""{SERIES} INSERT INTO placed SELECT game + n * 1000, kind, side, nth, field, abs(random()) % 3,
        1 + abs(random()) % {PLAYERS} FROM placed, copies""",
    f"{SERIES} INSERT INTO games SELECT number + n * 1000, match || n, inputs, game, kind, '' FROM games, copies",
)


def run(games: int) -> int:
    """Fill a table, then print each figure beside its target; return 0 if all are met."""
    with tempfile.TemporaryDirectory(prefix="scharten-openings-") as folder:
        journal = Path(folder) / "scharten.sqlite3"
        tables = [_chess(seed) for seed in range(ORIGINALS)] + [_loud(seed) for seed in range(ORIGINALS)]
        store(journal, *tables)
        began = time.monotonic()
        with_table(journal, GAMES_BY_KEY, OpeningsTable.update)
        rate = len(tables) / (time.monotonic() - began)
        with_table(journal, GAMES_BY_KEY, lambda table: _fill(table, games // ORIGINALS - 1))
        print(f"{games} games each of chess and loud Scharten, {PLAYERS} players, commit {commit()}")
        print(f"first reading of a journal: {rate:.0f} games a second")
        deep = tables[0].match.turns[3].position
        questions: tuple[tuple[str, Any], ...] = (
            ("the start of chess", _query("chess", "silent")),
            ("the start of chess, one player", _query("chess", "silent", player="player 7")),
            ("a position after four turns", _query("chess", "silent", deep)),
            ("the start and the first pieces of loud Scharten", _query("scharten", "loud")),
        )
        slowest = [_measure(journal, name, query, games) for name, query in questions]
    return 0 if max(slowest) <= TARGET_MS else 1


def _measure(journal: Path, name: str, query: OpeningsQuery, games: int) -> float:
    """Query as the page does: open, look for missing games, answer; return the 95th percentile."""

    def answer(table: OpeningsTable) -> dict[str, Any] | Problem:
        assert table.waiting() == 0
        return openings(table, query, {})

    times: list[float] = []
    found: dict[str, Any] | Problem = {}
    for _ in range(TIMES):
        began = time.monotonic()
        found = with_table(journal, GAMES_BY_KEY, answer)
        times.append((time.monotonic() - began) * 1000)
    assert not isinstance(found, Problem)
    assert query.position or query.player or found["games"] == games // ORIGINALS * ORIGINALS
    worst = percentile(times, 95)
    print(f"{name}: {worst:.1f} ms p95 (target {TARGET_MS:.0f}), {found['games']} games", flush=True)
    return worst


def _query(game: str, kind: str, position: str | None = None, player: str = "") -> OpeningsQuery:
    options = read_options(GAMES_BY_KEY[game], {"kind": kind})
    assert not isinstance(options, Problem)
    return OpeningsQuery(GAMES_BY_KEY[game], options, position, player)


def _fill(table: OpeningsTable, copies: int) -> None:
    for statement in COPIES:
        table.db.execute(statement, {"copies": max(copies, PLAYERS) if "players" in statement else copies})


def _chess(seed: int) -> Table:
    """A game of chess with a common first move and random others."""
    chance, table = random.Random(seed), Table(begin=False)
    table.t += seed * 10_000_000
    table.ok("new_game", game="chess", kind="silent", names={"white": "Ann", "black": "Bob"})
    for move in (chance.choice(MOVES[0]), chance.choice(MOVES[1])):
        table.ok("move", move=move)
    while len(table.match.turns) < TURNS and table.match.under_way:
        table.ok("move", move=chance.choice(table.match.situation.moves))
    return _ended(table, chance)


def _loud(seed: int) -> Table:
    chance = random.Random(seed)
    return _ended(played(TURNS, 25.0, 1000 + seed), chance)


def _ended(table: Table, chance: random.Random) -> Table:
    if table.match.result is None:
        table.ok("resign", "arbiter", side=chance.choice(("white", "black")))
    return table
