"""Finished games in a database, SQLite or PostgreSQL. Each is stored once, and only if it replays."""

from __future__ import annotations

import builtins
import csv
import json
import re
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from sqlalchemy import and_, create_engine, delete, event, insert, or_, select, text, update
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from scharten.archive.tables import GAMES, GONE, POSITIONS
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError
from scharten.game.basics import MutableJson, Side
from scharten.games.letters import SHEET_LANGUAGES
from scharten.journal.archive import shown
from scharten.journal.records import forgetful, named, nameless, replayed
from scharten.journal.sheets import sheet_text
from scharten.match.orders import BIGGEST
from scharten.match.state import Match

MATCH = re.compile(r"[0-9A-Za-z-]{1,64}")
AHEAD_MS = 86_400_000
"""The most that a board's date may be ahead of the archive's."""
MOST_FOUND = 1000
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


def position_of(text: str) -> str:
    """Return the part of a position that a search compares: men and side to move, not counters."""
    return " ".join(text.split()[:2])[:300]


class ArchiveStore:
    """One database, for any thread; `SchartenError` if it cannot be opened or belongs to another program."""

    def __init__(self, url: str) -> None:
        try:
            self._engine: Engine = create_engine(url)
            if self._engine.dialect.name == "sqlite":
                event.listen(self._engine, "connect", _durable)
            with self._engine.begin() as connection:
                migrated = Config()
                migrated.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
                migrated.attributes["connection"] = connection
                command.upgrade(migrated, "head")
        except (SQLAlchemyError, ImportError, OSError) as error:
            words = str(error).partition("\n")[0]
            raise SchartenError(
                f"The archive's database cannot be used: {words}",
                "Give a URL such as sqlite:////var/lib/scharten/archive.sqlite3 or postgresql+psycopg://user@host/db.",
            ) from error

    @property
    def trouble(self) -> MutableJson | None:
        """The trouble with the file, for the pages: `code`, `args` and English `words`; None if it is valid."""
        return None

    def take(self, club: str, board: str, record: FinishedGame) -> bool | Problem:
        """Store or update a game; return False if nothing is new, or a `Problem` if it does not replay.

        Names are stored outside of the record's digest, names of deleted players not at all.
        """
        match = replayed(record)
        if isinstance(match, Problem):
            return match
        if (wrong := _out_of_bounds(record, match)) is not None:
            return wrong
        try:
            with self._engine.begin() as connection:
                return _store_game(connection, {"club": club, "board": board}, nameless(record), match)
        except SQLAlchemyError as error:
            return _refused(error)

    def forget(self, club: str, players: Collection[str]) -> int | Problem:
        """Remove deleted players' names from every game of their club, also from games that arrive later."""
        try:
            with self._engine.begin() as connection:
                new = set(players) - _gone(connection, club)
                if not new:
                    return 0
                connection.execute(insert(GONE), [{"club": club, "player": player} for player in sorted(new)])
                hit = or_(GAMES.c.white_key.in_(new), GAMES.c.black_key.in_(new))
                rows = connection.execute(select(GAMES.c.id, GAMES.c.record).where(GAMES.c.club == club, hit))
                changed = [(row.id, forgetful(json.loads(row.record), new)) for row in rows.all()]
                _rewrite(connection, changed)
            self._clean_up()
            return len(changed)
        except SQLAlchemyError as error:
            return _refused(error)

    def forget_name(self, name: str) -> int:
        """Remove the name of a guest, who has no key, from every game; return how many games had it."""
        with self._engine.begin() as connection:
            hit = or_(GAMES.c.white == name, GAMES.c.black == name)
            changed = []
            for row in connection.execute(select(GAMES.c.id, GAMES.c.record).where(hit)).all():
                bare = nameless(json.loads(row.record))
                left = {side: "" if other == name else other for side, other in bare["names"].items()}
                changed.append((row.id, cast(FinishedGame, {**bare, "names": left})))
            _rewrite(connection, changed)
        self._clean_up()
        return len(changed)

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

    def _clean_up(self) -> None:
        """Remove deleted rows from the file too."""
        how = {"sqlite": "PRAGMA wal_checkpoint(TRUNCATE)", "postgresql": "VACUUM games"}
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(how[self._engine.dialect.name]))

    def search(self, conditions: GameQuery = GameQuery()) -> list[dict[str, object]]:
        """Return the newest matching games that have a result, at most `MOST_FOUND`."""
        query = select(GAMES).where(GAMES.c.result.is_not(None))
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
            query = query.where(GAMES.c.started_ms >= conditions.from_ms)
        if conditions.to_ms is not None:
            query = query.where(GAMES.c.started_ms < conditions.to_ms)
        if conditions.position:
            held = select(POSITIONS.c.game).where(POSITIONS.c.position == position_of(conditions.position))
            query = query.where(GAMES.c.id.in_(held))
        if conditions.before is not None:
            last = select(GAMES.c.started_ms).where(GAMES.c.id == conditions.before).scalar_subquery()
            equal = and_(GAMES.c.started_ms == last, GAMES.c.id < conditions.before)
            query = query.where(or_(GAMES.c.started_ms < last, equal))
        ordered = query.order_by(GAMES.c.started_ms.desc(), GAMES.c.id.desc()).limit(MOST_FOUND)
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
            raise SchartenError(
                f"Game {match} is damaged: {found.words}.", "Put a backup of the archive in place."
            )
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
            raise SchartenError(
                f"{path} cannot be written: {error.strerror}.", "Choose another file with --csv."
            ) from error
        return count

    def close(self) -> None:
        """Close the database."""
        self._engine.dispose()


def _store_game(connection: Connection, where: Mapping[str, str], record: FinishedGame, match: Match) -> bool:
    """Store a replayed game; return False if nothing is new."""
    conditions = [GAMES.c[name] == value for name, value in (*where.items(), ("match", record["match"]))]
    columns = GAMES.c.id, GAMES.c.last, GAMES.c.white, GAMES.c.black
    known = connection.execute(select(*columns).where(*conditions)).first()
    gone = _gone(connection, where["club"])
    names = {side.word: record["names"][side.word] for side in Side if match.player_of(side) not in gone}  # type: ignore[literal-required]
    if known is not None:  # a deleted name stays deleted, even if an old message repeats it
        names = {side: name for side, name in names.items() if getattr(known, side)}
        if known.last > record["last"]:
            return False
    shown_names = {side.word: names.get(side.word, "") for side in Side}
    if known is not None and (known.last, known.white, known.black) == (
        record["last"],
        *shown_names.values(),
    ):
        return False
    values = {
        **where,
        **{name: record[name] for name in ("match", "last", "digest")},
        **_replayed_values(record, match),
        **shown_names,
        **{f"{side.word}_key": match.player_of(side) or None for side in Side},
        "record": _text({**record, "names": shown_names}),
    }
    if known is None:
        id_ = connection.execute(insert(GAMES).values(values).returning(GAMES.c.id)).scalar_one()
    else:
        id_ = known.id
        connection.execute(update(GAMES).where(GAMES.c.id == id_).values(values))
        connection.execute(delete(POSITIONS).where(POSITIONS.c.game == id_))
    texts = [match.opening.situation.text, *(turn.position for turn in match.turns)]
    rows = [{"game": id_, "turn": at, "position": position_of(text)} for at, text in enumerate(texts)]
    connection.execute(insert(POSITIONS), rows)
    return True


def _replayed_values(record: FinishedGame, match: Match) -> dict[str, object]:
    """The columns that the replay gives; what the record says about itself is not trusted."""
    return {
        "started_ms": match.start.t_ms,
        "ended_ms": _ended_ms(record, match),
        "game": match.game.key,
        "kind": match.options.kind,
        "result": match.result,
        "reason": match.reason,
        "turns": len(match.turns),
    }


def _ended_ms(record: FinishedGame, match: Match) -> int:
    inputs = record["inputs"] or [{}]
    last = inputs[-1].get("t_ms")
    return last if isinstance(last, int) else match.start.t_ms


def _out_of_bounds(record: FinishedGame, match: Match) -> Problem | None:
    """The reason if a value of a game that replays is of no use to a database or a reader."""
    if not MATCH.fullmatch(record["match"]):
        return Problem("malformed", "its id has other characters than letters, digits and -, or over 64")
    if record["last"] > BIGGEST:
        return Problem("malformed", "its number of inputs is too large")
    if any(not name.isprintable() for name in (record["names"]["white"], record["names"]["black"])):
        return Problem("malformed", "a name has control characters")
    if max(match.start.t_ms, _ended_ms(record, match)) > time.time_ns() // 1_000_000 + AHEAD_MS:
        return Problem("future", "it was played in the future: set the date of its board")
    return None


def _rewrite(connection: Connection, changed: Iterable[tuple[int, FinishedGame]]) -> None:
    for id_, record in changed:
        values = {**record["names"], "digest": record["digest"], "record": _text(record)}
        connection.execute(update(GAMES).where(GAMES.c.id == id_).values(values))


def _gone(connection: Connection, club: str) -> set[str]:
    return set(connection.execute(select(GONE.c.player).where(GONE.c.club == club)).scalars())


def _refused(error: SQLAlchemyError) -> Problem:
    return Problem("database", f"the database refuses: {str(error).partition(chr(10))[0]}")


def _text(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def _durable(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON", "secure_delete = ON"):
        connection.execute(f"PRAGMA {pragma}")
