"""`scharten openings`: what finished games know of a position."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from scharten.commands.idle import run_at_idle_priority
from scharten.commands.options import AsJson, DataFolder, GameOption, LoudOption, OptionalPosition, named_game
from scharten.commands.words import accepted, chosen_language, words
from scharten.errors import Problem, SchartenError
from scharten.game.plain_text import plain
from scharten.words import ENGLISH, text

MOST_LINES = 20


def openings(
    position: OptionalPosition = None,
    *,
    game: GameOption = "scharten",
    loud: LoudOption = False,
    player: Annotated[str, typer.Option(help="Only turns of this player, by name.")] = "",
    scatter: Annotated[
        str,
        typer.Option(
            metavar="LOW-HIGH", help="Only turns of players with this scatter, in mm, such as 20-35."
        ),
    ] = "",
    data: DataFolder = None,
    idle: Annotated[
        bool, typer.Option("--idle", help="Run at idle priority, so that a game may go on.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show what was played in a position, how often, and the results; without POSITION, at the start.

    Loud games also show where the first three pieces of each side were put. Wins are those of the player who made the
    turn. The first call reads every finished game, later calls only new ones.
    """
    from scharten.config import JOURNAL, data_folder
    from scharten.games import GAMES_BY_KEY
    from scharten.match.settings import read_options
    from scharten.openings.people import names_and_scatters
    from scharten.openings.query import OpeningsQuery
    from scharten.openings.query import openings as found_in
    from scharten.openings.table import with_table
    from scharten.players.book import PlayerBook
    from scharten.players.store import FILE

    if idle:
        run_at_idle_priority()
    chosen = named_game(game)
    options = accepted(read_options(chosen, {"kind": "loud" if loud else "silent"}))
    folder = data or data_folder()
    book = (
        PlayerBook(folder, JOURNAL, GAMES_BY_KEY) if (folder / FILE).is_file() else None
    )  # creates no register
    language = ENGLISH if as_json else chosen_language()
    query = OpeningsQuery(chosen, options, position, player, _band(scatter), language)

    def answer(table: Any) -> dict[str, Any] | Problem:
        table.update(_progress)
        return found_in(table, query, *names_and_scatters(book, scatter=bool(scatter)))

    found = accepted(with_table(folder / JOURNAL, GAMES_BY_KEY, answer))
    typer.echo(json.dumps(found, ensure_ascii=False) if as_json else _plain(found))


def _band(text: str) -> tuple[float, float] | None:
    """Return the two values of `20-35`; None without a text."""
    if not text:
        return None
    try:
        low, high = (float(part) for part in text.split("-"))
    except ValueError:
        low, high = 1.0, 0.0
    if not 0 <= low < high < 1000:
        raise SchartenError.coded("no_range", text=text)
    return low, high


def _progress(done: int, games: int) -> None:
    typer.echo(words("openings.progress", done=done, games=games), err=True)


def _plain(found: dict[str, Any]) -> str:
    """Return the answer as lines for a terminal."""
    game, kind, language = found["game"], found["kind"], chosen_language()
    if language != ENGLISH:  # other programs read the English words
        game, kind = text(language, f"game.{game}"), text(language, f"kind.{kind}")
    count = "openings.games_by" if found["player"] else "openings.games"
    lines = [
        f"{game} {kind}, {found['position']}",
        words(count, games=found["games"], player=plain(found["player"] or "")),
        *_listed(found["turns"]),
    ]
    for side in ("white", "black"):
        for piece in (1, 2, 3):
            rows = [row for row in found["placed"] if (row["side"], row["piece"]) == (side, piece)]
            if rows:
                lines += ["", words(f"openings.piece.{side}", piece=piece), *_listed(rows)]
    if len(found["players"]) > 1:
        lines += ["", words("openings.players"), *_listed(found["players"])]
    lines += [words("openings.unreadable", why=fault) for fault in found["unreadable"]]
    return "\n".join(lines)


def _listed(rows: list[dict[str, Any]]) -> list[str]:
    """Return a line for each row: turn, field or name, games, and the results in percent."""
    lines = []
    for row in rows[:MOST_LINES]:
        name = plain(row.get("text") or row.get("field") or row["name"])
        shares = "  ".join(
            f"{words(f'openings.{share}')} {100 * row[share] / row['games']:.0f} %"
            for share in ("wins", "draws", "losses")
        )
        lines.append(f"{name:12} {row['games']:6}  {shares}")
    if len(rows) > MOST_LINES:
        lines.append(words("openings.more", count=len(rows) - MOST_LINES))
    return lines
