"""The query over the table of openings: a position's turns, how often, and what came of them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame
from scharten.openings.table import EVERYBODY, LEVEL, OpeningsTable, place_of
from scharten.words import ENGLISH

SCORES: Final = ("losses", "draws", "wins")
"""By half points."""
MOST_NAMED: Final = 50
_NOBODY: Final[Mapping[str, float]] = {}


@dataclass(frozen=True, slots=True)
class OpeningsQuery:
    """A game with its kind, a position of it (None: the start), and whose turns count.

    `player` is a name ("": all players). `scatter` takes only players whose scatter in mm lies between its two values,
    the first included.
    """

    game: AnyGame
    options: GameOptions
    position: str | None = None
    player: str = ""
    scatter: tuple[float, float] | None = None
    language: str = ENGLISH
    """The language of the reasons in `unreadable`."""


def variants(table: OpeningsTable) -> list[dict[str, Any]]:
    """Return the games that were played, the most frequent first: game, kind, number of games."""
    rows = table.db.execute(
        "SELECT game, kind, count(*) AS games FROM games WHERE game <> '' GROUP BY game, kind"
        " ORDER BY games DESC, game, kind"
    )
    return [{"game": game, "kind": kind, "games": games} for game, kind, games in rows]


def openings(
    table: OpeningsTable,
    query: OpeningsQuery,
    names: Mapping[str, str],
    scatters: Mapping[str, float] = _NOBODY,
) -> dict[str, Any] | Problem:
    """Return what finished games know of a position, as JSON; a `Problem` for a wrong position or unknown player.

    `names` are the registered players' names by id, without deleted players; `scatters` are the scatters in mm that are
    known, by id, and of the computer's levels by `level:` and the level. Wins, draws and losses are those of the
    player who made the turn or put the piece.
    """
    text = query.position
    if text is None and query.game.draws is not None:
        words = f"{query.game.key} has many starts"
        return Problem("no_position", words, cure="Name a position, such as the start that was drawn.")
    if text is None:
        text = query.game.situation(query.game.begin(query.options), query.options).text
    elif isinstance(read := query.game.read(text, query.options, finished=True), Problem):
        return read
    chosen = _chosen(table, query, names, scatters)
    if query.player and not chosen:
        words = f"no finished game was played by {query.player}"
        return Problem("no_such_player", words, {"name": query.player}, "Check the name.")
    where = (place_of(text), query.game.key, str(query.options.kind))
    row = table.db.execute(
        "SELECT number FROM positions WHERE place = ? AND game = ? AND kind = ?", where
    ).fetchone()
    number = row[0] if row else 0
    own = [EVERYBODY] if chosen is None else chosen
    turns = _turns(table, number, own)
    return {
        "v": 1,
        "game": query.game.key,
        "kind": str(query.options.kind),
        "position": text,
        "player": query.player,
        "scatter": query.scatter,
        "games": sum(entry["games"] for entry in turns),
        "turns": turns,
        "placed": _placed(table, query, own) if str(query.options.kind) == "loud" else [],
        "players": _players(table, number, names),
        "unreadable": [
            json.loads(fault)[query.language]
            for (fault,) in table.db.execute("SELECT fault FROM games WHERE fault <> ''")
        ],
    }


def _chosen(
    table: OpeningsTable, query: OpeningsQuery, names: Mapping[str, str], scatters: Mapping[str, float]
) -> list[int] | None:
    """Return the numbers of the players of this name and scatter; None for all players."""
    if not query.player and query.scatter is None:
        return None
    wanted, (low, high) = query.player.casefold(), query.scatter or (0.0, 0.0)
    return [
        number
        for number, key, name in table.db.execute("SELECT number, key, name FROM players")
        if (not wanted or _name(key, name, names).casefold() == wanted)
        and (query.scatter is None or low <= scatters.get(key, -1.0) < high)
    ]


def _name(key: str, name: str, names: Mapping[str, str]) -> str:
    """Return a registered player's name of today, "" after a deletion; others have the name of their game."""
    return name if not key or key.startswith(LEVEL) else names.get(key, "")


def _turns(table: OpeningsTable, position: int, own: list[int]) -> list[dict[str, Any]]:
    """Return the turns of a position, the most frequent first."""
    rows = table.db.execute(
        "SELECT s.turn, s.text, p.text, s.points, s.games FROM turn_sums s JOIN positions p ON p.number = s.after"
        f" WHERE s.games > 0 AND s.position = ? AND s.player IN ({_marks(own)})",
        (position, *own),
    )
    found: dict[str, dict[str, Any]] = {}
    for turn, text, reached, points, count in rows:
        entry = found.setdefault(turn, {"turn": turn, "text": text, "position": reached, **_nothing()})
        _add(entry, points, count)
    return sorted(found.values(), key=lambda entry: (-entry["games"], entry["turn"]))


def _placed(table: OpeningsTable, query: OpeningsQuery, own: list[int]) -> list[dict[str, Any]]:
    """Return the fields of the first pieces of each side in loud games, the most frequent first."""
    rows = table.db.execute(
        "SELECT side, nth, field, points, games FROM placed_sums"
        f" WHERE games > 0 AND kind = ? AND player IN ({_marks(own)})",
        (query.game.key, *own),
    )
    found: dict[tuple[int, int, str], dict[str, Any]] = {}
    words = [side.word for side in Side]
    for side, nth, field, points, count in rows:
        place = {"side": words[side], "piece": nth, "field": field, **_nothing()}
        _add(found.setdefault((side, nth, field), place), points, count)
    return sorted(
        found.values(),
        key=lambda entry: (entry["side"] != "white", entry["piece"], -entry["games"], entry["field"]),
    )


def _players(table: OpeningsTable, position: int, names: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the players with most turns in a position, and what came of them; deleted players are left out."""
    rows = table.db.execute(
        "SELECT p.key, p.name, s.points, s.games FROM player_sums s JOIN players p ON p.number = s.player"
        " WHERE s.games > 0 AND s.position = ?",
        (position,),
    )
    found: dict[str, dict[str, Any]] = {}
    for key, guest, points, count in rows:
        name = _name(key, guest, names)
        if name:
            _add(found.setdefault(name, {"name": name, **_nothing()}), points, count)
    return sorted(found.values(), key=lambda entry: (-entry["games"], entry["name"]))[:MOST_NAMED]


def _marks(values: list[int]) -> str:
    return ", ".join("?" * len(values))


def _nothing() -> dict[str, int]:
    return {"games": 0, "wins": 0, "draws": 0, "losses": 0}


def _add(entry: dict[str, Any], points: int, count: int) -> None:
    entry["games"] += count
    entry[SCORES[points]] += count
