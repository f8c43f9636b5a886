"""Finished games in a database, SQLite or PostgreSQL: each once, however often it is seen, and only if it replays."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from pydantic import TypeAdapter, ValidationError
from sqlalchemy import create_engine, delete, event, insert, or_, select, update
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from scharten.archive.tables import GAMES, POSITIONS
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Language
from scharten.games import GAMES_BY_KEY
from scharten.journal.archive import shown
from scharten.journal.sheets import sheet_text
from scharten.journal.stored_inputs import decode_stored
from scharten.match.digest import digest
from scharten.match.referee import begun_by, step
from scharten.match.settings import Start
from scharten.match.state import Match, begin

MOST_FOUND = 1000
_RECORD: TypeAdapter[FinishedGame] = TypeAdapter(FinishedGame)
LISTED = ("started_ms", "ended_ms", "game", "kind", "result", "reason", "turns", "club", "board")


@dataclass(frozen=True, slots=True)
class Search:
    """What is looked for; what is left out does not matter. `player` is part of a name, or a whole key."""

    player: str = ""
    club: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    position: str = ""


def read_record(payload: bytes) -> FinishedGame | Problem:
    """A record of the topic `finished/<slot>`."""
    try:
        return _RECORD.validate_json(payload)
    except ValidationError as error:
        return Problem("malformed", f"this is no record of a game: {error.error_count()} fields are wrong")


def replayed(record: Mapping[str, Any]) -> Match | Problem:
    """The game played again; a refusal where it does not give its digest or its result."""
    if record["inputs"] is None:
        return Problem("too_long", "the game came without its inputs")
    try:
        match = begin(Start.model_validate_json(json.dumps(record["start"])), GAMES_BY_KEY)
        for number, body in enumerate(record["inputs"]):
            given = decode_stored(body)
            match = begun_by(match, given) if number == 0 and match.id else step(match, given)[0]
    except (ValueError, KeyError, TypeError, SchartenError) as error:
        return Problem("unreadable", f"its inputs cannot be read: {error}")
    same = (match.id, match.result, digest(match)) == (record["match"], record["result"], record["digest"])
    return match if same else Problem("digest", "its inputs do not give the game that the record says")


def position_of(text: str) -> str:
    """What two positions have in common that are the same: men and side to move, not counters."""
    return " ".join(text.split()[:2])[:300]


class ArchiveStore:
    """One database; from any thread. `SchartenError` when it cannot be opened or is of another program."""

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

    def take(self, club: str, board: str, record: FinishedGame) -> bool | Problem:
        """Keep a game, or put right the kept one; False when nothing is new. What does not replay is refused."""
        match = replayed(record)
        if isinstance(match, Problem):
            return match
        try:
            with self._engine.begin() as connection:
                return self._keep(connection, {"club": club, "board": board}, record, match)
        except SQLAlchemyError as error:
            return Problem("database", f"the database refuses: {str(error).partition(chr(10))[0]}")

    def _keep(
        self, connection: Connection, where: Mapping[str, str], record: FinishedGame, match: Match
    ) -> bool:
        names, keys = record["names"], record["players"]
        values = {
            **where,
            **{name: record[name] for name in ("match", "last", "started_ms", "ended_ms", "game", "kind")},
            **{name: record[name] for name in ("result", "reason", "turns", "digest")},
            "white": names["white"],
            "black": names["black"],
            "white_key": keys[0],
            "black_key": keys[1],
            "record": json.dumps(record, ensure_ascii=False, separators=(",", ":")),
        }
        same = [
            GAMES.c.club == where["club"],
            GAMES.c.board == where["board"],
            GAMES.c.match == record["match"],
        ]
        known = connection.execute(select(GAMES.c.id, GAMES.c.last).where(*same)).first()
        if known is not None and known.last >= record["last"]:
            return False
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

    def search(self, wanted: Search = Search()) -> list[dict[str, object]]:
        """The newest finished games that fit."""
        query = select(GAMES).where(GAMES.c.result.is_not(None))
        if wanted.player:
            part = f"%{wanted.player.replace('%', '').replace('_', '')}%"
            query = query.where(
                or_(
                    GAMES.c.white.ilike(part),
                    GAMES.c.black.ilike(part),
                    GAMES.c.white_key == wanted.player,
                    GAMES.c.black_key == wanted.player,
                )
            )
        if wanted.club:
            query = query.where(GAMES.c.club == wanted.club)
        if wanted.from_ms is not None:
            query = query.where(GAMES.c.started_ms >= wanted.from_ms)
        if wanted.to_ms is not None:
            query = query.where(GAMES.c.started_ms < wanted.to_ms)
        if wanted.position:
            held = select(POSITIONS.c.game).where(POSITIONS.c.position == position_of(wanted.position))
            query = query.where(GAMES.c.id.in_(held))
        with self._engine.connect() as connection:
            rows = connection.execute(query.order_by(GAMES.c.started_ms.desc()).limit(MOST_FOUND)).mappings()
            return [
                {
                    "match": str(row["id"]),
                    **{name: row[name] for name in LISTED},
                    "names": {"white": row["white"], "black": row["black"]},
                }
                for row in rows
            ]

    # --- as the pages of a board's archive ask ---

    def list(self) -> list[dict[str, object]]:
        """The newest games first."""
        return self.search()

    def game(self, match: str) -> dict[str, object] | None:
        """One game to step through, replayed now: `verified` says whether it still gives its digest."""
        record = self._record(match)
        if record is None:
            return None
        found = replayed(record)
        return (
            None
            if isinstance(found, Problem)
            else {**shown(found), "match": match, "verified": record["digest"]}
        )

    def sheet(self, match: str, language: str, until_ms: int | None = None) -> str | None:
        """Its score sheet; `until_ms` is for boards, whose games go on."""
        record = self._record(match)
        found = None if record is None or until_ms is not None else replayed(record)
        if found is None or isinstance(found, Problem) or language not in [one.value for one in Language]:
            return None
        return sheet_text(found, Language(language))

    def _record(self, id_: str) -> dict[str, Any] | None:
        if not id_.isdecimal() or len(id_) > 9:
            return None
        with self._engine.connect() as connection:
            row = connection.execute(select(GAMES.c.record).where(GAMES.c.id == int(id_))).first()
        return None if row is None else dict(json.loads(row.record))

    def write_parquet(self, path: Path) -> int:
        """Write every finished game with its turns for research; gives how many games there are."""
        import pyarrow as pa  # noqa: PLC0415  (slow to load)
        import pyarrow.parquet as pq  # noqa: PLC0415

        columns = [one for one in GAMES.c if one.name not in ("id", "last")]
        with self._engine.connect() as connection:
            rows = connection.execute(
                select(*columns).where(GAMES.c.result.is_not(None)).order_by(GAMES.c.id)
            )
            found = [dict(row) for row in rows.mappings()]
        table = pa.table({one.name: [row[one.name] for row in found] for one in columns})
        pq.write_table(table, path)
        return len(found)

    def close(self) -> None:
        """Leave the database."""
        self._engine.dispose()


def _durable(connection: Any, _record: object) -> None:
    for pragma in ("journal_mode = WAL", "synchronous = FULL", "foreign_keys = ON"):
        connection.execute(f"PRAGMA {pragma}")
