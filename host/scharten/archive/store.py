"""Finished games in a database, SQLite or PostgreSQL. Each is stored once, and only if it replays."""

from __future__ import annotations

import builtins
import csv
import json
import threading
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from sqlalchemy import create_engine, delete, insert, or_, select, tuple_
from sqlalchemy.engine import Connection, Engine, make_url
from sqlalchemy.exc import SQLAlchemyError

from scharten.archive.changes import (
    Change,
    StoredGame,
    plan_forgotten,
    plan_games,
    plan_nameless,
)
from scharten.archive.judging import Arrival, Judges, position_of
from scharten.archive.tables import GAMES, GONE, POSITIONS
from scharten.archive.upgrade import Report, upgrade
from scharten.archive.writing import FileWriter, PlainWriter, Writer
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError, detail
from scharten.game.basics import MutableJson, Side
from scharten.games.letters import SHEET_LANGUAGES
from scharten.journal.archive import shown
from scharten.journal.records import named, replayed
from scharten.journal.sheets import sheet_text
from scharten.store.files import connect

MOST_FOUND = 1000
AT_ONCE = 16
"""Games that one transaction stores."""
CSV_ROWS = 100
"""Records that an export holds in memory at a time."""
LISTED = ("started_ms", "ended_ms", "game", "kind", "result", "reason", "turns", "club", "board")


@dataclass(frozen=True, slots=True)
class GameQuery:
    """The conditions of a search; empty fields match every game. `player` is part of a name, or a whole key.

    `before` is the number of the last game of the page before this one.
    """

    player: str = ""
    club: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    position: str = ""
    before: int | None = None


class ArchiveStore:
    """One database, for any thread; `SchartenError` if it cannot be opened or belongs to another program.

    `reading`: never write; a file may then be in use by another archive. `report` receives the progress of an upgrade.
    """

    def __init__(
        self, url: str, *, reading: bool = False, report: Report = lambda stage, percent: None
    ) -> None:
        try:
            self._engine, self._writer = _opened(url, reading, report)
        except (SQLAlchemyError, ImportError, OSError) as error:
            raise _unusable(str(error).partition("\n")[0]) from error
        self._writing, self._judges = threading.Lock(), Judges()

    @property
    def trouble(self) -> MutableJson | None:
        """The trouble with the file, for the pages: `code`, `args` and English `words`; None if it is valid."""
        return self._writer.trouble

    def take(self, club: str, board: str, record: FinishedGame) -> bool | Problem:
        """Store or update a game; return False if nothing is new, or a `Problem` if it does not replay.

        Names are stored outside of the record's digest, names of deleted players not at all.
        """
        return self.take_all([(club, board, record)])[0]

    def take_all(self, records: Sequence[tuple[str, str, FinishedGame]]) -> list[bool | Problem]:
        """Store or update the games of clubs and boards, each a different game, in few transactions.

        Return for each what `take` returns. A game that a working database refuses keeps no other from being stored.
        """
        judging, done = self._judges.judge_all(records), list[bool | Problem]()
        while judged := list(islice(judging, AT_ONCE)):  # the others are judged while these are stored
            stored = iter(self._store_parts([item for item in judged if isinstance(item, Arrival)]))
            done.extend(item if isinstance(item, Problem) else next(stored) for item in judged)
        return done

    def _store_parts(self, arrivals: Sequence[Arrival]) -> list[bool | Problem]:
        """Store in one transaction; if a working database refuses it, in two halves, until each bad game is alone."""
        try:
            return [*self._store(arrivals)]
        except (SQLAlchemyError, SchartenError) as error:
            if len(arrivals) < 2 or not self.works():
                return [_refused(error)] * len(arrivals)
        middle = len(arrivals) // 2
        return [*self._store_parts(arrivals[:middle]), *self._store_parts(arrivals[middle:])]

    def _store(self, arrivals: Sequence[Arrival]) -> list[bool]:
        """Write the games that are new or changed; return for each whether it was."""
        if not arrivals:
            return []
        planned: list[StoredGame | None] = []

        def plan(connection: Connection) -> Change | None:
            planned.extend(plan_games(connection, arrivals))
            new = tuple(game for game in planned if game is not None)
            return Change(new) if new else None

        self._write(plan)
        return [game is not None for game in planned]

    def forget(self, club: str, players: Collection[str]) -> int | Problem:
        """Remove deleted players' names from every game of their club, also from games that arrive later."""
        try:
            written = self._write(lambda connection: plan_forgotten(connection, club, players))
            if written is None:
                return 0
            self._writer.clean_up()
            return len(written.games)
        except (SQLAlchemyError, SchartenError) as error:
            return _refused(error)

    def forget_name(self, name: str) -> int:
        """Remove the name of a guest, who has no key, from every game; return how many games had it."""
        written = self._write(lambda connection: plan_nameless(connection, name))
        self._writer.clean_up()
        return len(written.games) if written else 0

    def _write(self, plan: Callable[[Connection], Change | None]) -> Change | None:
        with self._writing:
            self._writer.prepare()
            with self._engine.connect() as connection:
                change = plan(connection)
            if change is not None:
                self._writer.write(change)
            return change

    def works(self) -> bool:
        """Whether the database stores anything at the moment."""
        probe = {"club": "", "player": ""}
        try:
            with self._engine.begin() as connection:
                connection.execute(delete(GONE).where(GONE.c.club == ""))
                connection.execute(insert(GONE), [probe])
            with self._engine.begin() as connection:
                connection.execute(delete(GONE).where(GONE.c.club == ""))
        except SQLAlchemyError:
            return False
        return True

    def search(self, conditions: GameQuery = GameQuery()) -> list[dict[str, object]]:
        """Return the newest matching games that have a result, at most `MOST_FOUND`."""
        columns = GAMES.c.id, *(GAMES.c[side.word] for side in Side), *(GAMES.c[name] for name in LISTED)
        query, started_ms, number = select(*columns), GAMES.c.started_ms, GAMES.c.id
        if conditions.position:
            # One index gives the newest games of a position in order; a position that comes twice groups as one.
            started_ms, number = POSITIONS.c.started_ms, POSITIONS.c.game
            query = query.join(POSITIONS, number == GAMES.c.id).group_by(started_ms, number, GAMES.c.id)
            query = query.where(POSITIONS.c.position == position_of(conditions.position))
        query = query.where(GAMES.c.result.is_not(None))
        if conditions.player:
            part = f"%{conditions.player.replace('%', '').replace('_', '')}%"
            query = query.where(
                or_(
                    GAMES.c.white.ilike(part),
                    GAMES.c.black.ilike(part),
                    GAMES.c.white_key == conditions.player,
                    GAMES.c.black_key == conditions.player,
                )
            )
        if conditions.club:
            query = query.where(GAMES.c.club == conditions.club)
        if conditions.from_ms is not None:
            query = query.where(started_ms >= conditions.from_ms)
        if conditions.to_ms is not None:
            query = query.where(started_ms < conditions.to_ms)
        if conditions.before is not None:
            last = select(GAMES.c.started_ms).where(GAMES.c.id == conditions.before).scalar_subquery()
            query = query.where(tuple_(started_ms, number) < tuple_(last, conditions.before))
        ordered = query.order_by(started_ms.desc(), number.desc()).limit(MOST_FOUND)
        with self._engine.connect() as connection:
            rows = connection.execute(ordered).mappings()
            return [
                {"match": str(row["id"]), "names": {side.word: row[side.word] for side in Side}}
                | {name: row[name] for name in LISTED}
                for row in rows
            ]

    # --- queries of the archive's pages ---

    def list(self) -> list[dict[str, object]]:
        """Return the games, the newest first."""
        return self.search()

    def clubs(self) -> builtins.list[str]:
        """Return every club with games."""
        with self._engine.connect() as connection:
            return list(connection.execute(select(GAMES.c.club).distinct().order_by(GAMES.c.club)).scalars())

    def game(self, match: str) -> dict[str, object] | None:
        """Return one game to step through, replayed now; `verified` is the digest that the replay confirmed."""
        record = self._record(match)
        if record is None:
            return None
        found = replayed(record)
        if isinstance(found, Problem):
            raise SchartenError.coded("archive_game", match=match, why=found)
        return {
            **shown(named(found, record["names"])),
            "match": match,
            "verified": record["digest"],
            "club": record["club"],
            "board": record["board"],
        }

    def sheet(self, match: str, language: str, until_ms: int | None = None) -> str | None:
        """Return its score sheet; only boards, whose games go on, accept `until_ms`."""
        record = self._record(match)
        if record is None or until_ms is not None or language not in SHEET_LANGUAGES:
            return None
        found = replayed(record)
        return None if isinstance(found, Problem) else sheet_text(named(found, record["names"]), language)

    def _record(self, id_: str) -> dict[str, Any] | None:
        if not id_.isdecimal() or len(id_) > 9:
            return None
        with self._engine.connect() as connection:
            columns = GAMES.c.record, GAMES.c.club, GAMES.c.board
            row = connection.execute(select(*columns).where(GAMES.c.id == int(id_))).first()
        return None if row is None else {**json.loads(row.record), "club": row.club, "board": row.board}

    def write_csv(self, path: Path) -> int:
        """Write a row for each finished game, as the database streams them; return the number of games."""
        columns = [column for column in GAMES.c if column.name not in ("id", "last")]
        query = select(*columns).where(GAMES.c.result.is_not(None)).order_by(GAMES.c.id)
        count = 0
        try:
            with self._engine.connect() as connection, path.open("w", encoding="utf-8", newline="") as file:
                writer = csv.writer(file)
                writer.writerow(column.name for column in columns)
                for row in connection.execution_options(yield_per=CSV_ROWS).execute(query):
                    writer.writerow(row)
                    count += 1
        except OSError as error:
            raise SchartenError.coded("unwritable_csv", path=path, why=error.strerror) from error
        return count

    def close(self) -> None:
        """Close the database."""
        self._judges.close()
        self._engine.dispose()
        self._writer.close()


def _opened(url: str, reading: bool, report: Report) -> tuple[Engine, Writer]:
    """Open the database, and create or upgrade its tables."""
    if make_url(url).get_backend_name() == "sqlite":
        return _opened_file(url, reading)
    engine = create_engine(url)
    upgrade(engine, report)
    return engine, PlainWriter(engine)


def _opened_file(url: str, reading: bool) -> tuple[Engine, Writer]:
    name = make_url(url).database
    if not name or name == ":memory:":
        raise _unusable(detail("names_no_file"))
    path = Path(name).absolute()
    if reading and not path.is_file():
        raise _unusable(detail("no_file", path=path))
    engine = create_engine(url, creator=lambda: connect(path, "ro" if reading else "rw"))
    return engine, PlainWriter(engine) if reading else FileWriter(path, engine)


def _unusable(why: object) -> SchartenError:
    return SchartenError.coded("archive_url", why=why)


def _refused(error: SQLAlchemyError | SchartenError) -> Problem:
    return Problem.reasoned("database", "system", error=str(error).partition("\n")[0])
