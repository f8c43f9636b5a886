"""The archive's SQLite file: its tables, its chain of changes, and what recovery takes from a damaged one.

Games are updated in place, so the chain does not run through them. Each transaction adds one row to `changes`: the
seal of every game that it wrote, and the players whose names it removed. A game is valid if it fits its newest seal.
"""

from __future__ import annotations

import json
import sqlite3
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from pathlib import Path

from scharten.store.chain import growing, link, seal
from scharten.store.files import UNREADABLE, connect, locked
from scharten.store.form import Form, Naming, Row
from scharten.store.recover import mark_the_end

COLUMNS = (
    "id", "club", "board", "match", "last", "started_ms", "ended_ms", "game", "kind", "white", "black", "white_key",
    "black_key", "result", "reason", "turns", "digest", "record",
)  # fmt: skip
_GAME = f"SELECT {', '.join(COLUMNS)} FROM games WHERE id = ?"
_POSITIONS = "SELECT turn, position FROM positions WHERE game = ? ORDER BY turn"
_GONE = """CREATE TABLE IF NOT EXISTS gone (
    club VARCHAR(32) NOT NULL, player VARCHAR(16) NOT NULL, PRIMARY KEY (club, player))"""
_CHANGES = "CREATE TABLE changes (n INTEGER PRIMARY KEY, entry TEXT NOT NULL, chain TEXT NOT NULL) STRICT"
_TABLES = (
    """CREATE TABLE games (
        id INTEGER NOT NULL PRIMARY KEY, club VARCHAR(32) NOT NULL, board VARCHAR(32) NOT NULL,
        match VARCHAR(64) NOT NULL, last BIGINT NOT NULL, started_ms BIGINT NOT NULL, ended_ms BIGINT NOT NULL,
        game VARCHAR(32) NOT NULL, kind VARCHAR(16) NOT NULL, white VARCHAR(40) NOT NULL, black VARCHAR(40) NOT NULL,
        white_key VARCHAR(16), black_key VARCHAR(16), result VARCHAR(8), reason VARCHAR(40), turns INTEGER NOT NULL,
        digest VARCHAR(64) NOT NULL, record TEXT NOT NULL, CONSTRAINT one_game_once UNIQUE (club, board, match))""",
    "CREATE INDEX games_by_time ON games (started_ms)",
    """CREATE TABLE positions (
        game INTEGER NOT NULL, turn INTEGER NOT NULL, position VARCHAR(300) NOT NULL, PRIMARY KEY (game, turn),
        FOREIGN KEY(game) REFERENCES games (id) ON DELETE CASCADE)""",
    "CREATE INDEX games_by_position ON positions (position)",
    _GONE,
    _CHANGES,
)
_POSITIONS_BY_TIME = (
    "ALTER TABLE positions ADD COLUMN started_ms BIGINT NOT NULL DEFAULT 0",
    "UPDATE positions SET started_ms = coalesce((SELECT g.started_ms FROM games g WHERE g.id = positions.game), 0)",
    "DROP INDEX games_by_position",
    "CREATE INDEX games_by_position ON positions (position, started_ms, game)",
)
_MOST_ON_A_PAGE = 100
"""An entry takes at least forty bytes; a larger number in a damaged file is no number of a row."""
Seals = dict[int, str]
Player = tuple[str, str]
"""A club and a player's key in it."""


def game_seal(game: Mapping[str, object], positions: Sequence[str]) -> str:
    """The seal of a game: all of its columns by name, and its positions by turn."""
    return seal(*(game[name] for name in COLUMNS), *positions)


def change_text(seals: Mapping[int, str], gone: Iterable[Player]) -> str:
    """The entry of a change."""
    return json.dumps({"games": {str(id_): sealed for id_, sealed in seals.items()}, "gone": sorted(gone)})


def _read_change(text: str) -> tuple[Seals, set[Player]]:
    """The content of an entry; nothing if it cannot be read."""
    try:
        entry = json.loads(text)
        seals = {int(id_): str(sealed) for id_, sealed in entry["games"].items()}
        return seals, {(str(club), str(player)) for club, player in entry["gone"]}
    except (ValueError, TypeError, KeyError, AttributeError):
        return {}, set()


def _stored(db: sqlite3.Connection, id_: int) -> tuple[dict[str, object], list[str]] | None:
    """A game and its positions; None if it is missing or unreadable."""
    try:
        row = db.execute(_GAME, (id_,)).fetchone()
        positions = [text for _, text in growing(db.execute(_POSITIONS, (id_,)))]
    except UNREADABLE:
        return None
    return None if row is None else (dict(zip(COLUMNS, row, strict=True)), positions)


def _seal_of(db: sqlite3.Connection, id_: int) -> str:
    found = _stored(db, id_)
    return game_seal(*found) if found else ""


def _faults(db: sqlite3.Connection) -> Iterator[str]:
    seals: Seals = {}
    gone: set[Player] = set()
    for _, text in growing(db.execute("SELECT n, entry FROM changes ORDER BY n")):
        written, removed = _read_change(text)
        seals |= written
        gone |= removed
    for id_, sealed in seals.items():
        if _seal_of(db, id_) != sealed:
            yield f"game {id_} is not as it was stored"
    if db.execute("SELECT count(*) FROM games").fetchone()[0] != len(seals):
        yield "the table games has a row that no change names"
    if set(db.execute("SELECT club, player FROM gone WHERE club != ''")) != gone:  # '' is the trial row
        yield "the table gone is not as it was stored"


def _known(texts: Iterable[str]) -> tuple[dict[int, set[str]], set[Player]]:
    """Every seal of each game, and every removed player. A damaged row may hold good seals: none fits by chance."""
    seals: dict[int, set[str]] = defaultdict(set)
    gone: set[Player] = set()
    for text in texts:
        written, removed = _read_change(text)
        gone |= removed
        for id_, sealed in written.items():
            seals[id_].add(sealed)
    return seals, gone


def _believed(db: sqlite3.Connection, rows: Iterator[tuple[Row, bool]]) -> Iterator[Row]:
    """The confirmed changes of which every game is intact."""
    listed = list(rows)
    seals, _ = _known(text for (_, text), _ in listed)
    intact = {id_ for id_, fitting in seals.items() if _seal_of(db, id_) in fitting}
    for row, agrees in listed:
        if agrees and _read_change(row[1])[0].keys() <= intact:
            yield row


def _rescue(old: sqlite3.Connection, new: sqlite3.Connection, rows: Iterator[Row]) -> int:
    """Chain the believed changes again, copy every intact game, and name in a last change what those do not name."""
    n, previous = 0, ""
    current: Seals = {}
    removed: set[Player] = set()
    for _, text in rows:
        n, previous = _append(new, n, previous, text)
        seals, gone = _read_change(text)
        current |= seals
        removed |= gone
    known, every = _known(_texts(old))
    late = {}
    for id_, fitting in sorted(known.items()):
        found = _stored(old, id_)
        if found is None or (sealed := game_seal(*found)) not in fitting:
            continue
        write_game(new, *found)
        if current.get(id_) != sealed:
            late[id_] = sealed
    new.executemany("INSERT INTO gone VALUES (?, ?)", sorted(every))
    if late or every != removed:
        n, previous = _append(new, n, previous, change_text(late, every - removed))
    return n


def _texts(db: sqlite3.Connection) -> Iterator[str]:
    """The readable entries one by one, because an unreadable page must not hide the next."""
    pages = db.execute("PRAGMA page_count").fetchone()[0]
    with suppress(*UNREADABLE):
        last = db.execute("SELECT max(n) FROM changes").fetchone()[0] or 0
        for n in range(1, min(last, pages * _MOST_ON_A_PAGE) + 1):
            with suppress(*UNREADABLE):
                row = db.execute("SELECT entry FROM changes WHERE n = ?", (n,)).fetchone()
                if row:
                    yield row[0]


def _append(db: sqlite3.Connection, n: int, previous: str, text: str) -> tuple[int, str]:
    chain = link(previous, (n + 1, text))
    db.execute(ARCHIVE.insert, (n + 1, text, chain))
    return n + 1, chain


def write_game(db: sqlite3.Connection, game: Mapping[str, object], positions: Sequence[str]) -> None:
    """Write a game and its positions, within the caller's transaction."""
    db.execute(GAME_SQL, game)
    db.execute("DELETE FROM positions WHERE game = ?", (game["id"],))
    rows = ((game["id"], turn, position, game["started_ms"]) for turn, position in enumerate(positions))
    db.executemany("INSERT INTO positions (game, turn, position, started_ms) VALUES (?, ?, ?, ?)", rows)


GAME_SQL = (
    f"INSERT INTO games ({', '.join(COLUMNS)}) VALUES ({', '.join(f':{name}' for name in COLUMNS)})"
    f" ON CONFLICT (id) DO UPDATE SET {', '.join(f'{name} = excluded.{name}' for name in COLUMNS[1:])}"
)
"""Store a game by its number; SQLite and PostgreSQL understand it."""

ARCHIVE = Form(
    naming=Naming("archive"),
    items="changes",
    table="changes",
    columns=("n", "entry", "chain"),
    tables=("games", "positions", "gone", "changes"),
    steps=(_TABLES, _POSITIONS_BY_TIME),
    chained=1,
    fill=lambda _db: None,
    faults=_faults,
    believed=_believed,
    rescue=_rescue,
    cure="the boards send their last eight games again; compare older ones with the boards' own archives",
)


def is_unchained(path: Path) -> bool:
    """Whether this is an archive of a version whose file had no chain."""
    if not path.exists():
        return False
    try:
        with closing(connect(path, "ro")) as db:
            query = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
            return ARCHIVE.version(db) == 0 and db.execute(query).fetchone() is not None
    except UNREADABLE:
        return False


def adopt(path: Path) -> None:
    """Give an archive without a chain its chain and mark; `SchartenError` if another program uses it."""
    lock = locked(path)
    try:
        if not is_unchained(path):
            return
        with closing(connect(path, "rw")) as db:
            db.execute("BEGIN IMMEDIATE")
            for statement in (_GONE, _CHANGES, "DROP TABLE alembic_version"):
                db.execute(statement)
            ids = [id_ for (id_,) in db.execute("SELECT id FROM games ORDER BY id")]
            gone = set(db.execute("SELECT club, player FROM gone WHERE club != ''"))
            if ids or gone:
                _append(db, 0, "", change_text({id_: _seal_of(db, id_) for id_ in ids}, gone))
            db.execute(f"PRAGMA user_version = {ARCHIVE.chained}")
            db.execute("COMMIT")
            ARCHIVE.upgrade(db)
        mark_the_end(path, ARCHIVE)
    finally:
        lock.close()
