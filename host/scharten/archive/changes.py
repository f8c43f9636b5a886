"""Plan what a transaction of the archive writes: games with their positions, and players who were deleted."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, Row, and_, func, or_, select, tuple_
from sqlalchemy.engine import Connection

from scharten.archive.form import COLUMNS, Player, change_text, game_seal
from scharten.archive.judging import Arrival, Key
from scharten.archive.tables import GAMES, GONE, POSITIONS
from scharten.game.basics import Side
from scharten.journal.records import nameless


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game's columns by name, and its positions by turn.

    `new`: the database has no positions of it. `renamed`: the database has the same positions of it.
    """

    values: Mapping[str, Any]
    positions: tuple[str, ...]
    new: bool = False
    renamed: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The content of one transaction."""

    games: tuple[StoredGame, ...] = ()
    gone: frozenset[Player] = frozenset()

    @property
    def text(self) -> str:
        """Its entry in the chain of a file."""
        seals = {int(game.values["id"]): game_seal(game.values, game.positions) for game in self.games}
        return change_text(seals, self.gone)


def plan_games(connection: Connection, arrivals: Sequence[Arrival]) -> list[StoredGame | None]:
    """Plan how each game is stored, each a different one; None where nothing is new."""
    known = _known_games(connection, arrivals)
    clubs = {arrival.club for arrival in arrivals}
    gone = {club: gone_players(connection, club) for club in clubs}
    planned = [_planned(arrival, known.get(arrival.key), gone[arrival.club]) for arrival in arrivals]
    count = sum(values is not None and "id" not in values for values in planned)
    ids = iter(_next_ids(connection, count) if count else ())
    return [
        None
        if values is None
        else StoredGame(
            {"id": values.get("id") or next(ids), **values}, arrival.positions, new="id" not in values
        )
        for arrival, values in zip(arrivals, planned, strict=True)
    ]


def plan_forgotten(connection: Connection, club: str, players: Collection[str]) -> Change | None:
    """The change that removes deleted players from their club's games; None if all are removed already."""
    new = set(players) - gone_players(connection, club)
    if not new:
        return None
    hit = or_(GAMES.c.white_key.in_(new), GAMES.c.black_key.in_(new))
    found = and_(GAMES.c.club == club, hit)
    games = _renamed(connection, found, lambda row, side: getattr(row, f"{side}_key") in new)
    return Change(games, frozenset((club, player) for player in new))


def plan_nameless(connection: Connection, name: str) -> Change | None:
    """The change that removes a guest's name from every game; None if no game has it."""
    found = or_(GAMES.c.white == name, GAMES.c.black == name)
    games = _renamed(connection, found, lambda row, side: getattr(row, side) == name)
    return Change(games) if games else None


def gone_players(connection: Connection, club: str) -> set[str]:
    """The keys of the players whom a club deleted."""
    return set(connection.execute(select(GONE.c.player).where(GONE.c.club == club)).scalars())


def _renamed(
    connection: Connection, found: ColumnElement[bool], is_gone: Callable[[Row[Any], str], bool]
) -> tuple[StoredGame, ...]:
    """Stored games without the names of the sides that are gone. A replay is not needed: the columns come from one."""
    held: dict[int, list[str]] = defaultdict(list)
    query = select(POSITIONS.c.game, POSITIONS.c.position).join(GAMES, GAMES.c.id == POSITIONS.c.game)
    for game, position in connection.execute(query.where(found).order_by(POSITIONS.c.game, POSITIONS.c.turn)):
        held[game].append(position)
    games = []
    for row in connection.execute(select(GAMES).where(found)):
        bare = nameless(json.loads(row.record))
        names = {side: "" if is_gone(row, side) else name for side, name in bare["names"].items()}
        changed = {**names, "digest": bare["digest"], "record": _text({**bare, "names": names})}
        values = {**{name: getattr(row, name) for name in COLUMNS}, **changed}
        games.append(StoredGame(values, tuple(held[row.id]), renamed=True))
    return tuple(games)


def _known_games(connection: Connection, arrivals: Sequence[Arrival]) -> dict[Key, Any]:
    """The rows of the games that are stored already, with `id`, `last`, `white` and `black`."""
    key = GAMES.c.club, GAMES.c.board, GAMES.c.match
    columns = GAMES.c.id, GAMES.c.last, GAMES.c.white, GAMES.c.black
    wanted = tuple_(*key).in_([arrival.key for arrival in arrivals])
    rows = connection.execute(select(*key, *columns).where(wanted))
    return {(row.club, row.board, row.match): row for row in rows}


def _planned(arrival: Arrival, known: Any, gone: set[str]) -> dict[str, object] | None:
    """The columns of a game without an id if it is new; None if nothing changes."""
    record, players = arrival.record, arrival.players
    names = {side.word: record["names"][side.word] for side in Side if players[side.word] not in gone}  # type: ignore[literal-required]
    if known is not None:  # a deleted name stays deleted, even if an old message repeats it
        names = {side: name for side, name in names.items() if getattr(known, side)}
        if known.last > record["last"]:
            return None
    shown = {side.word: names.get(side.word, "") for side in Side}
    if known is not None and (known.last, known.white, known.black) == (record["last"], *shown.values()):
        return None
    return {
        **({} if known is None else {"id": known.id}),
        **dict(zip(("club", "board", "match"), arrival.key, strict=True)),
        **{name: record[name] for name in ("last", "digest")},
        **arrival.values,
        **shown,
        **{f"{side}_key": player or None for side, player in players.items()},
        "record": _text({**record, "names": shown}),
    }


def _next_ids(connection: Connection, count: int) -> Iterable[int]:
    """Numbers that no game has."""
    if connection.dialect.name == "postgresql":
        numbers = select(func.nextval("games_id_seq")).select_from(func.generate_series(1, count))
        return connection.execute(numbers).scalars().all()
    first = int(connection.execute(select(func.coalesce(func.max(GAMES.c.id), 0))).scalar_one()) + 1
    return range(first, first + count)


def _text(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
