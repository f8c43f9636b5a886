"""Finished games in a database, SQLite or PostgreSQL: each once, however often it is seen, and only if it replays."""

from __future__ import annotations

import builtins
import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, delete, event, insert, or_, select, text, update
from sqlalchemy.engine import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from scharten.archive.tables import GAMES, GONE, POSITIONS
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Language, Side
from scharten.journal.archive import shown
from scharten.journal.records import forgetful, named, nameless, replayed
from scharten.journal.sheets import sheet_text
from scharten.match.state import Match

MOST_FOUND = 1000
LISTED = ("started_ms", "ended_ms", "game", "kind", "result", "reason", "turns", "club", "board")


@dataclass(frozen=True, slots=True)
class GameQuery:
    """What is looked for; what is left out does not matter. `player` is part of a name, or a whole key."""

    player: str = ""
    club: str = ""
    from_ms: int | None = None
    to_ms: int | None = None
    position: str = ""


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
        """Keep a game, or put right the kept one; False when nothing is new. What does not replay is refused.

        Names are kept outside of the record's digest; those of players who were deleted are not kept.
        """
        match = replayed(record)
        if isinstance(match, Problem):
            return match
        try:
            with self._engine.begin() as connection:
                return _keep(connection, {"club": club, "board": board}, nameless(record), match)
        except SQLAlchemyError as error:
            return _refused(error)

    def forget(self, club: str, players: Collection[str]) -> int | Problem:
        """Take the names of deleted players out of every game of their club, and keep none that comes later."""
        try:
            with self._engine.begin() as connection:
                new = set(players) - _gone(connection, club)
                if not new:
                    return 0
                connection.execute(insert(GONE), [{"club": club, "player": one} for one in sorted(new)])
                hit = or_(GAMES.c.white_key.in_(new), GAMES.c.black_key.in_(new))
                rows = connection.execute(select(GAMES.c.id, GAMES.c.record).where(GAMES.c.club == club, hit))
                changed = [(row.id, forgetful(json.loads(row.record), new)) for row in rows.all()]
                _rewrite(connection, changed)
            self._clean_up()
            return len(changed)
        except SQLAlchemyError as error:
            return _refused(error)

    def forget_name(self, name: str) -> int:
        """Take the name of a guest, who has no key, out of every game; gives how many games had it."""
        with self._engine.begin() as connection:
            hit = or_(GAMES.c.white == name, GAMES.c.black == name)
            changed = []
            for row in connection.execute(select(GAMES.c.id, GAMES.c.record).where(hit)).all():
                bare = nameless(json.loads(row.record))
                left = {side: "" if one == name else one for side, one in bare["names"].items()}
                changed.append((row.id, cast(FinishedGame, {**bare, "names": left})))
            _rewrite(connection, changed)
        self._clean_up()
        return len(changed)

    def _clean_up(self) -> None:
        """What was deleted leaves the file too."""
        how = {"sqlite": "PRAGMA wal_checkpoint(TRUNCATE)", "postgresql": "VACUUM games"}
        with self._engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
            connection.execute(text(how[self._engine.dialect.name]))

    def search(self, wanted: GameQuery = GameQuery()) -> list[dict[str, object]]:
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

    def clubs(self) -> builtins.list[str]:
        """Every club of which there are games."""
        with self._engine.connect() as connection:
            return list(connection.execute(select(GAMES.c.club).distinct().order_by(GAMES.c.club)).scalars())

    def game(self, match: str) -> dict[str, object] | None:
        """One game to step through, replayed now: `verified` says whether it still gives its digest."""
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
        """Its score sheet; `until_ms` is for boards, whose games go on."""
        record = self._record(match)
        if record is None or until_ms is not None or language not in [one.value for one in Language]:
            return None
        found = replayed(record)
        return (
            None
            if isinstance(found, Problem)
            else sheet_text(named(found, record["names"]), Language(language))
        )

    def _record(self, id_: str) -> dict[str, Any] | None:
        if not id_.isdecimal() or len(id_) > 9:
            return None
        with self._engine.connect() as connection:
            columns = GAMES.c.record, GAMES.c.club, GAMES.c.board
            row = connection.execute(select(*columns).where(GAMES.c.id == int(id_))).first()
        return None if row is None else {**json.loads(row.record), "club": row.club, "board": row.board}

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


def _keep(connection: Connection, where: Mapping[str, str], record: FinishedGame, match: Match) -> bool:
    """Keep one game that was played again; False when nothing is new."""
    same = [GAMES.c[name] == value for name, value in (*where.items(), ("match", record["match"]))]
    columns = GAMES.c.id, GAMES.c.last, GAMES.c.white, GAMES.c.black
    known = connection.execute(select(*columns).where(*same)).first()
    gone = _gone(connection, where["club"])
    names = {side.word: record["names"][side.word] for side in Side if match.player_of(side) not in gone}  # type: ignore[literal-required]
    if known is not None:  # a name that was deleted once stays deleted, whatever old message comes
        names = {side: name for side, name in names.items() if getattr(known, side)}
        if known.last > record["last"]:
            return False
    told = {side.word: names.get(side.word, "") for side in Side}
    if (
        known is not None
        and known.last == record["last"]
        and told == {"white": known.white, "black": known.black}
    ):
        return False
    values = {
        **where,
        **{name: record[name] for name in ("match", "last", "started_ms", "ended_ms", "game", "kind")},
        **{name: record[name] for name in ("result", "reason", "turns", "digest")},
        **told,
        **{f"{side.word}_key": match.player_of(side) or None for side in Side},
        "record": _text({**record, "names": told}),
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
