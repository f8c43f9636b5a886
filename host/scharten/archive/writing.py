"""Write changes of the archive: to PostgreSQL, which checks its own pages, or to a file with a chain and a mark."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import delete, insert, text
from sqlalchemy.engine import Engine

from scharten.archive.changes import Change, StoredGame
from scharten.archive.form import ARCHIVE, GAME_SQL, adopt, write_game
from scharten.archive.tables import GONE, POSITIONS
from scharten.game.basics import MutableJson
from scharten.store.hold import hold
from scharten.store.store import Store
from scharten.store.upgrade import kept_before_upgrade

log = logging.getLogger(__name__)


class Writer(Protocol):
    """The writing side of a database."""

    def prepare(self) -> None:
        """Verify that changes can be planned and written; `SchartenError` if the files were replaced."""

    @property
    def trouble(self) -> MutableJson | None:
        """The trouble with the file, for the pages: `code`, `args` and English `words`; None if it is valid."""

    def write(self, change: Change) -> None:
        """Write a change durably; `SQLAlchemyError` or `SchartenError` if the database refuses."""

    def clean_up(self) -> None:
        """Remove replaced rows from the files too."""

    def close(self) -> None:
        """Close the database."""


PLACES_SQL = """
    INSERT INTO positions (game, turn, position, started_ms)
    SELECT * FROM unnest(CAST(:games AS integer[]), CAST(:turns AS integer[]), CAST(:positions AS varchar[]),
                         CAST(:times AS bigint[]))
"""
"""Dozens of positions a game, as arrays: row by row they would take several times longer."""


def _places(games: Sequence[StoredGame]) -> dict[str, list[Any]]:
    """The positions of all games, by column."""
    rows = [(game, turn, held) for game in games for turn, held in enumerate(game.positions)]
    return {
        "games": [game.values["id"] for game, _, _ in rows],
        "turns": [turn for _, turn, _ in rows],
        "positions": [held for _, _, held in rows],
        "times": [game.values["started_ms"] for game, _, _ in rows],
    }


class PlainWriter:
    """Writes to PostgreSQL, which guards its own pages."""

    trouble: MutableJson | None = None

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def prepare(self) -> None:
        """Nothing to do: the server keeps its files."""

    def write(self, change: Change) -> None:
        """Write a change in one transaction."""
        with self._engine.begin() as connection:
            if change.games:
                connection.execute(text(GAME_SQL), [game.values for game in change.games])
                played = [game for game in change.games if not game.renamed]
                replaced = [game.values["id"] for game in played if not game.new]
                if replaced:
                    connection.execute(delete(POSITIONS).where(POSITIONS.c.game.in_(replaced)))
                connection.execute(text(PLACES_SQL), _places(played))
            if change.gone:
                connection.execute(insert(GONE), [{"club": club, "player": key} for club, key in change.gone])

    def clean_up(self) -> None:
        """Remove replaced rows from the table's pages. Indexes hold no names, only threes of letters: they can wait."""
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text("VACUUM (INDEX_CLEANUP OFF) games"))

    def close(self) -> None:
        """The engine closes its connections."""


class FileWriter:
    """Writes to a SQLite file, which it locks, verifies and recovers at the start."""

    def __init__(self, path: Path, engine: Engine) -> None:
        if not path.parent.is_dir():
            raise OSError(f"there is no folder {path.parent}")
        self._path, self._engine = path, engine
        adopt(path)
        held = hold(path, ARCHIVE, log.warning, whole=True)
        self._store = Store(path, ARCHIVE, held)
        if words := held.found.words:
            log.log(logging.WARNING if held.found.warning else logging.INFO, "%s: %s", path, words)

    @property
    def trouble(self) -> MutableJson | None:
        """The trouble with the file, for the pages."""
        return self._store.trouble

    def prepare(self) -> None:
        """Verify that the names of the file still lead to it; write it again if not, and read it from there."""
        if self._store.check_files():
            self._engine.dispose()

    def write(self, change: Change) -> None:
        """Write a change and its row of the chain in one transaction."""

        def write(db: sqlite3.Connection) -> None:
            for game in change.games:
                write_game(db, game.values, game.positions)
            db.executemany("INSERT INTO gone VALUES (?, ?)", sorted(change.gone))

        self._store.append_row(None, (change.text,), write)
        self._store.settle()

    def clean_up(self) -> None:
        """Merge the log into the file, where replaced rows are overwritten; remove copies of before an upgrade."""
        self._store.fold()
        for number in range(1, ARCHIVE.newest):
            kept_before_upgrade(self._path, number).unlink(missing_ok=True)

    def close(self) -> None:
        """Note the clean end."""
        self._store.close()
