"""The table of openings beside a journal: a copy that can be rebuilt from the journal at any time.

Each finished game is replayed once. Triggers add its first turns to sums by position and player, so that a query reads
few rows however many games there are. A position counts once in a game, at its first occurrence.
"""

from __future__ import annotations

import json
import sqlite3
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final, TypeVar

from scharten.errors import SchartenError
from scharten.game.basics import Drop, Result, Side
from scharten.game.protocol import Games
from scharten.journal.journal import JournalReader, StoredMatch
from scharten.journal.replay import replay
from scharten.match.state import Match
from scharten.match.white import Seat

T = TypeVar("T")
FILE: Final = "openings.sqlite3"
VERSION: Final = 3
MOST_TURNS: Final = 40
"""Turns of each game that are counted, both sides together."""
MOST_PLACED: Final = 3
"""Pieces of each side in a loud game whose field is counted."""
EVERY_S: Final = 2.0
POINTS: Final = {
    Result.WHITE_WINS: (2, 0),
    Result.BLACK_WINS: (0, 2),
    Result.DRAW: (1, 1),
    Result.BOTH_LOSE: (0, 0),
    Result.WHITE_HALF: (1, 0),
    Result.BLACK_HALF: (0, 1),
}
"""Half points of White and Black."""
EVERYBODY: Final = 0
"""The player of the sums over all players."""
LEVEL: Final = "level:"
"""The key of a computer's level begins so; the ids of registered players have no colon."""


def _sums(row: str, step: int) -> Iterator[tuple[str, str]]:
    """Return, by table, the statements that add a row to the sums of its player and of everybody, or take it off."""

    def add(table: str, player: str, *columns: str) -> str:
        values = ", ".join(player if column == "player" else f"{row}.{column}" for column in columns)
        names = ", ".join(columns)
        return (
            f"INSERT INTO {table} ({names}, games) VALUES ({values}, {step})"
            f" ON CONFLICT DO UPDATE SET games = games + {step};"
        )

    turn = ("position", "player", "turn", "points", "text", "after")
    piece = ("kind", "player", "side", "nth", "field", "points")
    own = f"{row}.player"
    yield (
        "turns",
        add("turn_sums", str(EVERYBODY), *turn)
        + add("turn_sums", own, *turn)
        + add("player_sums", own, "position", "player", "points"),
    )
    yield "placed", add("placed_sums", str(EVERYBODY), *piece) + add("placed_sums", own, *piece)


_TABLES = (
    "CREATE TABLE read_to (one INTEGER PRIMARY KEY CHECK (one = 1), n INTEGER, match TEXT, digest TEXT) STRICT",
    """CREATE TABLE games (number INTEGER PRIMARY KEY, match TEXT NOT NULL UNIQUE, inputs INTEGER NOT NULL,
        game TEXT NOT NULL, kind TEXT NOT NULL, fault TEXT NOT NULL) STRICT""",
    "CREATE INDEX games_by_kind ON games (game, kind)",
    """CREATE TABLE players (number INTEGER PRIMARY KEY, key TEXT NOT NULL, name TEXT NOT NULL,
        UNIQUE (key, name)) STRICT""",
    """CREATE TABLE positions (number INTEGER PRIMARY KEY, place TEXT NOT NULL, game TEXT NOT NULL,
        kind TEXT NOT NULL, text TEXT NOT NULL, UNIQUE (place, game, kind)) STRICT""",
    "CREATE INDEX games_with_faults ON games (fault) WHERE fault <> ''",
    """CREATE TABLE turns (game INTEGER, position INTEGER, turn TEXT, points INTEGER, player INTEGER, text TEXT,
        after INTEGER, PRIMARY KEY (game, position)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE placed (game INTEGER, kind TEXT, side INTEGER, nth INTEGER, field TEXT, points INTEGER,
        player INTEGER, PRIMARY KEY (game, side, nth)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE turn_sums (position INTEGER, player INTEGER, turn TEXT, points INTEGER, text TEXT, after INTEGER,
        games INTEGER, PRIMARY KEY (position, player, turn, points)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE player_sums (position INTEGER, player INTEGER, points INTEGER, games INTEGER,
        PRIMARY KEY (position, player, points)) STRICT, WITHOUT ROWID""",
    """CREATE TABLE placed_sums (kind TEXT, player INTEGER, side INTEGER, nth INTEGER, field TEXT, points INTEGER,
        games INTEGER, PRIMARY KEY (kind, player, side, nth, field, points)) STRICT, WITHOUT ROWID""",
    *(
        f"CREATE TRIGGER {table}_{event.lower()} AFTER {event} ON {table} BEGIN {statements} END"
        for event, row, step in (("INSERT", "new", 1), ("DELETE", "old", -1))
        for table, statements in _sums(row, step)
    ),
    f"PRAGMA user_version = {VERSION}",
)
Progress = Callable[[int, int], object]
"""Receives the number of games read, and how many there are."""


def place_of(text: str) -> str:
    """Return the part of a position that a query compares: men and side to move, not counters."""
    return " ".join(text.split()[:2])


def with_table(journal: Path, games: Games, use: Callable[[OpeningsTable], T]) -> T:
    """Open the journal's table, use it and close it; a damaged file is made again once.

    `SchartenError` if the disk refuses, or if the journal cannot be read.
    """
    path = journal.with_name(FILE)
    try:
        return _used(journal, games, use)
    except sqlite3.OperationalError as error:
        raise _unusable(path, error) from error
    except sqlite3.DatabaseError:
        for part in ("", "-wal", "-shm"):
            path.with_name(f"{FILE}{part}").unlink(missing_ok=True)
    try:
        return _used(journal, games, use)
    except sqlite3.Error as error:
        raise _unusable(path, error) from error


def _used(journal: Path, games: Games, use: Callable[[OpeningsTable], T]) -> T:
    with closing(OpeningsTable(journal, games)) as table:
        return use(table)


class OpeningsTable:
    """The table of one journal; every method may raise `sqlite3.Error`, which `with_table` handles."""

    def __init__(self, journal: Path, games: Games) -> None:
        self._journal, self._games = journal, games
        if not journal.is_file():
            raise SchartenError.coded("no_journal", path=journal)
        self.db = _opened(journal.with_name(FILE))

    def close(self) -> None:
        """Close the file."""
        self.db.close()

    def waiting(self) -> int:
        """Return how many finished games the table lacks."""
        with closing(JournalReader(self._journal)) as reader:
            return len(self._missing(reader)[0])

    def update(self, progress: Progress = lambda done, total: None) -> None:
        """Read the finished games that the table lacks; an interrupted update continues where it stopped."""
        with closing(JournalReader(self._journal)) as reader:
            games, last = self._missing(reader)
            due = time.monotonic() + EVERY_S
            for done, stored in enumerate(games, 1):
                self._count(reader, stored)
                if time.monotonic() > due:
                    progress(done, len(games))
                    due = time.monotonic() + EVERY_S
        self.db.execute("INSERT OR REPLACE INTO read_to VALUES (1, ?, ?, ?)", last or (0, "", ""))

    def _missing(self, reader: JournalReader) -> tuple[list[StoredMatch], tuple[int, str, str] | None]:
        """Return the finished games since the last update, and the journal's last row before they were listed."""
        last = reader.row()
        read_to = self.db.execute("SELECT n, match, digest FROM read_to").fetchone()
        if read_to and read_to[0] and reader.row(read_to[0]) != read_to:
            self._empty()  # another journal, or one that was restored
            read_to = None
        games = reader.matches(since_n=read_to[0] if read_to else 0)
        return [stored for stored in games if _finished(stored) and not self._holds(stored)], last

    def _holds(self, stored: StoredMatch) -> bool:
        row = self.db.execute("SELECT inputs FROM games WHERE match = ?", (stored.id,)).fetchone()
        return bool(row) and int(row[0]) == stored.inputs

    def _empty(self) -> None:
        self.db.execute("BEGIN IMMEDIATE")
        sums = ("turn_sums", "player_sums", "placed_sums")
        for table in ("read_to", "games", "turns", "placed", *sums, "players", "positions"):
            self.db.execute(f"DELETE FROM {table}")
        self.db.execute("COMMIT")

    def _count(self, reader: JournalReader, stored: StoredMatch) -> None:
        """Replay a game, then replace what the table holds of it, in one transaction."""
        match, fault = None, ""
        try:
            last = deque(replay(reader, stored, self._games, reader.changes(stored.id)), maxlen=1)
            match = last[0].match if last else None
        except SchartenError as error:
            fault = json.dumps(error.by_language())
        self.db.execute("BEGIN IMMEDIATE")
        self._replace(stored, match, fault)
        self.db.execute("COMMIT")

    def _replace(self, stored: StoredMatch, match: Match | None, fault: str) -> None:
        row = self.db.execute("SELECT number FROM games WHERE match = ?", (stored.id,)).fetchone()
        if row:
            for table, column in (("turns", "game"), ("placed", "game"), ("games", "number")):
                self.db.execute(f"DELETE FROM {table} WHERE {column} = ?", row)
        counted = match is not None and match.result is not None
        variant = (match.game.key, str(match.options.kind)) if match and counted else ("", "")
        head = (row[0] if row else None, stored.id, stored.inputs, *variant, fault)
        number = self.db.execute("INSERT INTO games VALUES (?, ?, ?, ?, ?, ?)", head).lastrowid
        if match and counted:
            self.write(number or 0, match)

    def write(self, game: int, match: Match) -> None:
        """Write the first turns of a finished game, within a transaction."""
        assert match.result is not None
        points = POINTS[match.result]
        players = [self._player(match, side) for side in Side]
        placed = [0, 0]
        before = self._position(match, match.opening.situation.text)
        for turn in match.turns[:MOST_TURNS]:
            side = turn.side.index
            reached = self._position(match, turn.position)
            text = turn.text.replace("(=)", "").partition(" ")[0]  # without offer of a draw and bed
            row = (game, before, turn.short, points[side], players[side], text, reached)
            self.db.execute("INSERT OR IGNORE INTO turns VALUES (?, ?, ?, ?, ?, ?, ?)", row)
            before = reached
            if isinstance(turn.action, Drop) and placed[side] < MOST_PLACED:
                placed[side] += 1
                where = (match.game.key, side, placed[side], turn.action.field)
                piece = (game, *where, points[side], players[side])
                self.db.execute("INSERT INTO placed VALUES (?, ?, ?, ?, ?, ?, ?)", piece)

    def _player(self, match: Match, side: Side) -> int:
        """Return the number of a registered player by id, of a computer by level and name, or of a guest by name."""
        seat = 0 if match.side_of(Seat.SEAT1) is side else 1
        level = 0 if match.stand_ins[seat] else match.computers[seat]  # a stand-in has no hand of a level
        key = f"{LEVEL}{level}" if level else match.player_of(side)
        return self._number("players", {"key": key, "name": match.name_of(side) if level or not key else ""})

    def _position(self, match: Match, text: str) -> int:
        where = {"place": place_of(text), "game": match.game.key, "kind": str(match.options.kind)}
        return self._number("positions", where, text)

    def _number(self, table: str, where: dict[str, str], *more: str) -> int:
        """Return the number of a row, which is written if it is new."""
        condition = " AND ".join(f"{column} = ?" for column in where)
        row = self.db.execute(f"SELECT number FROM {table} WHERE {condition}", (*where.values(),)).fetchone()
        if row:
            return int(row[0])
        marks = ", ".join("?" * (len(where) + len(more)))
        query = f"INSERT INTO {table} VALUES (NULL, {marks})"
        return int(self.db.execute(query, (*where.values(), *more)).lastrowid or 0)


def _finished(stored: StoredMatch) -> bool:
    """Whether a match has a result; a recovered one without a summary is replayed to find out."""
    summary: dict[str, Any] = json.loads(stored.summary)
    return not stored.id.startswith("setup-") and (not summary or bool(summary.get("result")))


def _opened(path: Path) -> sqlite3.Connection:
    """Open the table; tables of another version are replaced by empty ones."""
    db = sqlite3.connect(path, isolation_level=None, timeout=10, check_same_thread=False)
    try:
        db.execute("PRAGMA journal_mode = WAL")
        db.execute("PRAGMA synchronous = NORMAL")  # a power cut costs the last games, which are read again
        db.execute("BEGIN IMMEDIATE")
        if db.execute("PRAGMA user_version").fetchone()[0] != VERSION:
            for statement in (*_drops(db), *_TABLES):
                db.execute(statement)
        db.execute("COMMIT")
    except BaseException:
        db.close()
        raise
    return db


def _drops(db: sqlite3.Connection) -> Iterator[str]:
    """Return the statements that remove the tables of an earlier version."""
    for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
        yield f'DROP TABLE "{name}"'


def _unusable(path: Path, error: Exception) -> SchartenError:
    return SchartenError.coded("openings_unusable", path=path, why=error)
