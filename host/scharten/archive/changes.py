"""Plan what a transaction of the archive writes: games with their positions, and players who were deleted."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, cast

from sqlalchemy import Row, func, or_, select, tuple_
from sqlalchemy.engine import Connection

from scharten.archive.form import COLUMNS, Player, change_text, game_seal
from scharten.archive.tables import GAMES, GONE, POSITIONS
from scharten.contract.news_models import FinishedGame
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.journal.records import forgetful, nameless
from scharten.match.orders import BIGGEST
from scharten.match.state import Match

MATCH = re.compile(r"[0-9A-Za-z-]{1,64}")
Key = tuple[str, str, str]
AHEAD_MS = 86_400_000
"""The most that a board's date may be ahead of the archive's."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A record of a board without names in its inputs, and the match of its replay."""

    club: str
    board: str
    record: FinishedGame
    match: Match

    @property
    def key(self) -> Key:
        """The game's own name: its club, its board, and its match there."""
        return self.club, self.board, self.record["match"]

    @property
    def positions(self) -> tuple[str, ...]:
        """The positions by turn, as a search compares them."""
        texts = (self.match.opening.situation.text, *(turn.position for turn in self.match.turns))
        return tuple(map(position_of, texts))


@dataclass(frozen=True, slots=True)
class StoredGame:
    """A game's columns by name, and its positions by turn."""

    values: Mapping[str, Any]
    positions: tuple[str, ...]


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


def position_of(text: str) -> str:
    """Return the part of a position that a search compares: men and side to move, not counters."""
    return " ".join(text.split()[:2])[:300]


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
        else StoredGame(_plain({"id": values.get("id") or next(ids), **values}), arrival.positions)
        for arrival, values in zip(arrivals, planned, strict=True)
    ]


def plan_forgotten(connection: Connection, club: str, players: Collection[str]) -> Change | None:
    """The change that removes deleted players from their club's games; None if all are removed already."""
    new = set(players) - gone_players(connection, club)
    if not new:
        return None
    hit = or_(GAMES.c.white_key.in_(new), GAMES.c.black_key.in_(new))
    found = connection.execute(select(GAMES).where(GAMES.c.club == club, hit)).all()
    games = tuple(_renamed(connection, row, forgetful(json.loads(row.record), new)) for row in found)
    return Change(games, frozenset((club, player) for player in new))


def plan_nameless(connection: Connection, name: str) -> Change | None:
    """The change that removes a guest's name from every game; None if no game has it."""
    games = []
    for row in connection.execute(
        select(GAMES).where(or_(GAMES.c.white == name, GAMES.c.black == name))
    ).all():
        bare = nameless(json.loads(row.record))
        left = {side: "" if other == name else other for side, other in bare["names"].items()}
        games.append(_renamed(connection, row, cast(FinishedGame, {**bare, "names": left})))
    return Change(tuple(games)) if games else None


def gone_players(connection: Connection, club: str) -> set[str]:
    """The keys of the players whom a club deleted."""
    return set(connection.execute(select(GONE.c.player).where(GONE.c.club == club)).scalars())


def out_of_bounds(record: FinishedGame, match: Match) -> Problem | None:
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


def _renamed(connection: Connection, row: Row[Any], record: FinishedGame) -> StoredGame:
    """A stored game with the names and the digest of this record."""
    held = select(POSITIONS.c.position).where(POSITIONS.c.game == row.id).order_by(POSITIONS.c.turn)
    positions = tuple(connection.execute(held).scalars())
    changed = {**record["names"], "digest": record["digest"], "record": _text(record)}
    return StoredGame({**{name: getattr(row, name) for name in COLUMNS}, **changed}, positions)


def _known_games(connection: Connection, arrivals: Sequence[Arrival]) -> dict[Key, Any]:
    """The rows of the games that are stored already, with `id`, `last`, `white` and `black`."""
    key = GAMES.c.club, GAMES.c.board, GAMES.c.match
    columns = GAMES.c.id, GAMES.c.last, GAMES.c.white, GAMES.c.black
    wanted = tuple_(*key).in_([arrival.key for arrival in arrivals])
    rows = connection.execute(select(*key, *columns).where(wanted))
    return {(row.club, row.board, row.match): row for row in rows}


def _planned(arrival: Arrival, known: Any, gone: set[str]) -> dict[str, object] | None:
    """The columns of a game without an id if it is new; None if nothing changes."""
    record, match = arrival.record, arrival.match
    names = {side.word: record["names"][side.word] for side in Side if match.player_of(side) not in gone}  # type: ignore[literal-required]
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
        **_replayed_values(record, match),
        **shown,
        **{f"{side.word}_key": match.player_of(side) or None for side in Side},
        "record": _text({**record, "names": shown}),
    }


def _next_ids(connection: Connection, count: int) -> Iterable[int]:
    """Numbers that no game has."""
    if connection.dialect.name == "postgresql":
        numbers = select(func.nextval("games_id_seq")).select_from(func.generate_series(1, count))
        return connection.execute(numbers).scalars().all()
    first = int(connection.execute(select(func.coalesce(func.max(GAMES.c.id), 0))).scalar_one()) + 1
    return range(first, first + count)


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


def _plain(values: Mapping[str, object]) -> dict[str, object]:
    """The values as a database holds them, without enumerations."""
    return {name: value.value if isinstance(value, Enum) else value for name, value in values.items()}


def _text(record: object) -> str:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))
