"""The tables of players, games and darts: one SQLite file beside the journal, each row or game under a digest.

Games and darts can be rebuilt from the journals at any time. The register cannot: a JSON file with a checksum holds a
second copy of it.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final, TypeVar

from scharten.errors import SchartenError
from scharten.players.darts import PlayedGame, ThrownDart, as_row, from_row
from scharten.players.profiles import Player, Profile
from scharten.store.chain import seal
from scharten.store.files import store_error
from scharten.store.form import Naming

FILE: Final = "players.sqlite3"
COPY: Final = "players.json"
SCHEMA: Final = 1
TABLES: Final = (
    """CREATE TABLE players (
        id TEXT PRIMARY KEY, profile TEXT NOT NULL, since_ms INTEGER NOT NULL, gone INTEGER NOT NULL,
        seal TEXT NOT NULL) STRICT""",
    """CREATE TABLE games (
        match TEXT PRIMARY KEY, journal TEXT NOT NULL, inputs INTEGER NOT NULL, body TEXT NOT NULL,
        seal TEXT NOT NULL) STRICT""",
    """CREATE TABLE darts (
        match TEXT NOT NULL REFERENCES games(match) ON DELETE CASCADE, player TEXT NOT NULL, number INTEGER NOT NULL,
        at_ms INTEGER NOT NULL, purpose TEXT NOT NULL, bed TEXT NOT NULL, x_mm REAL, y_mm REAL, foul TEXT NOT NULL,
        aims TEXT NOT NULL, PRIMARY KEY (match, number)) STRICT""",
    "CREATE INDEX darts_by_player ON darts(player)",
)
_NAMING = Naming("register")
_DARTS = "SELECT player, number, at_ms, purpose, bed, x_mm, y_mm, foul, aims FROM darts"
T = TypeVar("T")


class DamagedError(Exception):
    """The tables differ from what was written; the message names the place."""


class PlayerStore:
    """The tables; each query opens and closes the file, so that the daemon and a command can both use it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._copy = folder / COPY

    @property
    def missing(self) -> bool:
        """Whether neither the file nor its second copy exists: it is new, or both were removed."""
        return not self.path.exists() and not self._copy.exists()

    # --- the register ---

    def players(self) -> list[Player]:
        """Return all players, also deleted ones, in the order of registration; `DamagedError` for a damaged row."""
        return self._ask(lambda db: [_player(row) for row in db.execute(_ALL)])

    def save(self, player: Player) -> None:
        """Save a player, new or changed."""
        with self._changed() as db:
            _put_player(db, player)
        self._write_copy()

    def delete(self, player: str) -> bool:
        """Delete a player and every dart; the id stays, so that no journal brings the player back."""
        with self._changed() as db:
            found = db.execute("SELECT since_ms FROM players WHERE id = ? AND gone = 0", (player,)).fetchone()
            if found is None:
                return False
            _forget(db, player, found[0])
        self._write_copy()
        return True

    def forget(self, players: Collection[str]) -> bool:
        """Note deleted players of another register; return whether any was new."""
        with self._changed() as db:
            known = {row[0] for row in db.execute("SELECT id FROM players")}
            new = sorted(set(players) - known)
            for player in new:
                _forget(db, player, 0)
        if new:
            self._write_copy()
        return bool(new)

    def revision(self) -> int:
        """Return a number that changes with every write of any process."""
        return self.path.stat().st_mtime_ns if self.path.exists() else 0

    # --- games and darts ---

    def inputs_by_match(self) -> dict[str, int]:
        """Return how many inputs of each match are in these tables."""
        return self._ask(lambda db: dict(db.execute("SELECT match, inputs FROM games").fetchall()))

    def save_game(self, journal: str, inputs: int, game: PlayedGame, darts: Sequence[ThrownDart]) -> None:
        """Save a game with its darts, replacing an earlier state of it."""
        with self._changed() as db:
            gone = {row[0] for row in db.execute("SELECT id FROM players WHERE gone = 1")}
            others = [dart for dart in darts if dart.player not in gone]
            _put_game(db, journal, inputs, game, others, gone=gone)

    def last_played(self) -> dict[str, int]:
        """Return when each player's last game began, without a look at its darts or digest."""
        found: dict[str, int] = {}
        rows = self._ask(lambda db: db.execute("SELECT body FROM games").fetchall())
        for (body,) in rows:
            game = json.loads(body)
            for player in game["players"]:
                found[player] = max(found.get(player, 0), game["started_ms"])
        return found

    def seals(self) -> dict[str, str]:
        """Return the digest of each match in these tables: it changes with the game or any of its darts."""
        return self._ask(lambda db: dict(db.execute("SELECT match, seal FROM games").fetchall()))

    def game(self, match: str) -> tuple[PlayedGame, list[ThrownDart]]:
        """Return one game with its darts; `DamagedError` if the digest differs."""

        def read(db: sqlite3.Connection) -> tuple[PlayedGame, list[ThrownDart]]:
            game = _game(db, db.execute(f"{_GAMES} WHERE match = ?", (match,)).fetchone())
            rows = db.execute(f"{_DARTS} WHERE match = ? ORDER BY number", (match,))
            return game, [from_row(row) for row in rows]

        return self._ask(read)

    def games(self) -> list[PlayedGame]:
        """Return every game, the oldest first; `DamagedError` if a digest differs."""
        return self._ask(lambda db: list(_games(db)))

    def darts(self, player: str | None = None) -> list[tuple[str, ThrownDart]]:
        """Return (match, dart) of a player, or of all players, the oldest first."""
        query = "SELECT match, " + _DARTS.removeprefix("SELECT ")
        where = (" WHERE player = ?", (player,)) if player else ("", ())
        return self._ask(
            lambda db: [
                (row[0], from_row(row[1:]))
                for row in db.execute(f"{query}{where[0]} ORDER BY at_ms, match, number", where[1])
            ]
        )

    def check(self) -> None:
        """Verify the whole file; raise `DamagedError` for the first fault."""

        def verify(db: sqlite3.Connection) -> None:
            if db.execute("PRAGMA integrity_check").fetchone() != ("ok",):
                raise DamagedError("its pages do not fit together")
            for row in db.execute(_ALL):
                _player(row)
            for row in db.execute(_GAMES).fetchall():
                _game(db, row)

        self._ask(verify)

    def forget_games(self) -> None:
        """Delete games and darts, which the journals still hold."""
        with self._changed() as db:
            db.execute("DELETE FROM games")

    # --- a damaged file ---

    def start_over(self) -> tuple[Path, list[Player]]:
        """Move the file aside and begin a new one; return the old file's path and the readable players."""
        found = self._readable()
        number = 1
        while (kept := self.path.with_name(f"players.damaged-{number}.sqlite3")).exists():
            number += 1
        for suffix in ("-wal", "-shm"):
            self.path.with_name(self.path.name + suffix).unlink(missing_ok=True)
        self.path.rename(kept)
        with self._changed() as db:
            for player in found:
                _put_player(db, player)
        self._write_copy()
        return kept, found

    def _readable(self) -> list[Player]:
        """Return the players in undamaged rows of the file, and those that only the copy still has."""
        found: dict[str, Player] = {player.id: player for player in self._copied()}
        try:
            with closing(sqlite3.connect(f"{self.path.absolute().as_uri()}?mode=ro", uri=True)) as db:
                for row in db.execute(_ALL):
                    try:
                        player = _player(row)
                    except DamagedError:
                        continue
                    found[player.id] = player
        except sqlite3.Error:
            pass  # only the copy can be read
        return list(found.values())

    def _copied(self) -> list[Player]:
        try:
            data = json.loads(self._copy.read_text(encoding="utf-8"))
            rows, stored = data["players"], data["checksum"]
            if seal(json.dumps(rows)) != stored:
                return []
            return [Player(id_, Profile.model_validate(own), since, gone) for id_, own, since, gone in rows]
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def _write_copy(self) -> None:
        rows = [
            [player.id, player.profile.stored(), player.since_ms, player.gone] for player in self.players()
        ]
        draft = self._copy.with_name(f".{self._copy.name}")
        try:
            draft.write_text(
                json.dumps({"checksum": seal(json.dumps(rows)), "players": rows}), encoding="utf-8"
            )
            draft.replace(self._copy)
        except OSError as error:
            raise store_error(self._copy, error, _NAMING, SchartenError) from error

    # --- the file ---

    def _ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        try:
            with closing(self._connect()) as db:
                return question(db)
        except sqlite3.DatabaseError as error:
            raise _trouble(self.path, error) from error

    @contextmanager
    def _changed(self) -> Iterator[sqlite3.Connection]:
        try:
            with closing(self._connect()) as db:
                db.execute("BEGIN IMMEDIATE")
                try:
                    yield db
                except BaseException:
                    db.execute("ROLLBACK")
                    raise
                db.execute("COMMIT")
        except sqlite3.DatabaseError as error:
            raise _trouble(self.path, error) from error

    def _connect(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, isolation_level=None, timeout=10)
        try:
            db.execute("PRAGMA secure_delete = ON")  # deleted players leave no trace in the file
            db.execute("PRAGMA foreign_keys = ON")
            number = db.execute("PRAGMA user_version").fetchone()[0]
            if number > SCHEMA:
                raise SchartenError.coded("newer_players", path=self.path)
            if number == 0:
                db.execute("BEGIN IMMEDIATE")
                if db.execute("PRAGMA user_version").fetchone()[0] == 0:
                    for statement in TABLES:
                        db.execute(statement)
                    for player in self._copied():  # the file was removed, its second copy was not
                        _put_player(db, player)
                    db.execute(f"PRAGMA user_version = {SCHEMA}")
                db.execute("COMMIT")
        except BaseException:
            db.close()
            raise
        return db


_ALL = "SELECT id, profile, since_ms, gone, seal FROM players ORDER BY rowid"
_GAMES = "SELECT match, journal, inputs, body, seal FROM games"


def _player(row: tuple[Any, ...]) -> Player:
    id_, profile, since, gone, stored = row
    if seal(id_, profile, since, gone) != stored:
        raise DamagedError(f"player {id_} is not as it was stored")
    return Player(id_, Profile.model_validate_json(profile), since, bool(gone))


def _put_player(db: sqlite3.Connection, player: Player) -> None:
    row = (player.id, json.dumps(player.profile.stored()), player.since_ms, int(player.gone))
    db.execute(
        "INSERT INTO players VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET"
        " profile = excluded.profile, since_ms = excluded.since_ms, gone = excluded.gone, seal = excluded.seal",
        (*row, seal(*row)),
    )


def _games(db: sqlite3.Connection) -> Iterator[PlayedGame]:
    found = [_game(db, row) for row in db.execute(_GAMES).fetchall()]
    yield from sorted(found, key=lambda game: (game.started_ms, game.match))


def _game(db: sqlite3.Connection, row: tuple[Any, ...]) -> PlayedGame:
    match, journal, inputs, body, stored = row
    if _game_seal(db, match, journal, inputs, body) != stored:
        raise DamagedError(f"game {match} is not as it was stored")
    data = json.loads(body)
    return PlayedGame(**{**data, "players": tuple(data["players"]), "names": tuple(data["names"])})


def _game_seal(db: sqlite3.Connection, match: str, journal: str, inputs: int, body: str) -> str:
    darts = db.execute(f"{_DARTS} WHERE match = ? ORDER BY number", (match,)).fetchall()
    return seal(match, journal, inputs, body, *darts)


def _put_game(
    db: sqlite3.Connection,
    journal: str,
    inputs: int,
    game: PlayedGame,
    darts: Sequence[ThrownDart],
    *,
    gone: set[str],
) -> None:
    names = tuple(
        "" if player in gone else name for player, name in zip(game.players, game.names, strict=True)
    )
    body = json.dumps({**asdict(game), "names": names}, ensure_ascii=False)
    db.execute("DELETE FROM games WHERE match = ?", (game.match,))
    db.execute("INSERT INTO games VALUES (?, ?, ?, ?, '')", (game.match, journal, inputs, body))
    for dart in darts:
        row = (game.match, *as_row(dart))
        db.execute(f"INSERT INTO darts VALUES ({', '.join('?' * len(row))})", row)
    sealed = _game_seal(db, game.match, journal, inputs, body)
    db.execute("UPDATE games SET seal = ? WHERE match = ?", (sealed, game.match))


def _forget(db: sqlite3.Connection, player: str, since_ms: int) -> None:
    """Keep only the id of a player, marked as deleted."""
    _put_player(db, Player(player, Profile(name="-"), since_ms, gone=True))
    touched = [row[0] for row in db.execute("SELECT DISTINCT match FROM darts WHERE player = ?", (player,))]
    touched += [game.match for game in _games(db) if player in game.players]
    for match in dict.fromkeys(touched):
        _without(db, match, player)


def _without(db: sqlite3.Connection, match: str, player: str) -> None:
    """Store a game again without the darts and the name of a player."""
    row = db.execute(f"{_GAMES} WHERE match = ?", (match,)).fetchone()
    rows = db.execute(f"{_DARTS} WHERE match = ? AND player <> ?", (match, player)).fetchall()
    _put_game(db, row[1], row[2], _game(db, row), [from_row(dart_row) for dart_row in rows], gone={player})


def _trouble(path: Path, error: sqlite3.DatabaseError) -> Exception:
    damaged = not isinstance(error, sqlite3.OperationalError) or "malformed" in str(error)
    return DamagedError(str(error)) if damaged else store_error(path, error, _NAMING, SchartenError)
