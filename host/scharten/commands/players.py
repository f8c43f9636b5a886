"""`scharten players`: who is kept here, what their darts say, and the tables rebuilt from the journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten.commands.options import DataFolder
from scharten.commands.words import count
from scharten.errors import Problem, SchartenError

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="The name or the id.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    players = typer.Typer(help="The players of this board, and what their darts say.", no_args_is_help=True)
    players.command("list")(list_)
    players.command("add")(add)
    players.command("rebuild")(rebuild)
    players.command("delete")(delete)
    players.command("export")(export)
    app.add_typer(players, name="players")


def list_(*, data: DataFolder = None) -> None:
    """List the players: id, name, games, darts and scatter with its interval."""
    found = _book(data).overview()
    if not found:
        typer.echo("Nobody is kept yet: add somebody here, or in `New game` on the page.", err=True)
    for one in found:
        count = f"{one['games']:4} {'game ' if one['games'] == 1 else 'games'}"
        typer.echo(f"{one['id']}  {one['name']:20} {count}  {_scatter(one['scatter'])}")


def add(
    name: Annotated[str, typer.Argument(help="What they are called.")], *, data: DataFolder = None
) -> None:
    """Keep a player."""
    kept = _book(data).keep({"name": name})
    if isinstance(kept, Problem):
        raise SchartenError(f"{name} cannot be kept: {kept.words}.", kept.cure)
    typer.echo(f"{kept.id}  {kept.profile.name}")


def rebuild(*, data: DataFolder = None) -> None:
    """Build the tables of games and darts anew out of every journal of the folder; the register stays."""
    games, darts = _book(data).rebuild()
    typer.echo(f"{count(games, 'game')}, {count(darts, 'dart')}.")


def delete(
    player: Who,
    *,
    data: DataFolder = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Forget a player with every dart; their games stay, as those of a deleted player."""
    book = _book(data)
    found = _named(book, player)
    if not yes:
        typer.confirm(f"Forget {found['name']} and every dart of theirs?", abort=True)
    book.delete(str(found["id"]))
    typer.echo(
        f"{found['name']} is forgotten. Journals keep what was typed as a name; pages no longer show it."
    )


def export(
    player: Annotated[str | None, typer.Argument(metavar="[PLAYER]", help="A name or id; else all.")] = None,
    *,
    data: DataFolder = None,
    csv: Annotated[
        bool, typer.Option("--csv", help="Every dart as CSV instead of the figures as JSON.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The file; without it, the screen.")] = None,
) -> None:
    """Write what is kept of a player, or of all: figures as JSON, or every dart as CSV."""
    book = _book(data)
    chosen = str(_named(book, player)["id"]) if player is not None else None
    if csv:
        text = book.csv(chosen)
    else:
        told = book.all() if chosen is None else book.player(chosen)
        text = json.dumps(told, ensure_ascii=False, indent=2) + "\n"
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SchartenError(f"{out} cannot be written: {error.strerror}.", "Choose another file.") from error
    typer.echo(str(out))


def _book(data: Path | None) -> Any:
    from scharten.config import JOURNAL, data_folder
    from scharten.games import GAMES_BY_KEY
    from scharten.players.book import PlayerBook

    folder = data or data_folder()
    if not folder.is_dir():
        raise SchartenError(f"There is no folder {folder}.", "Name the data folder with --data.")
    return PlayerBook(folder, JOURNAL, GAMES_BY_KEY, lambda words: typer.echo(f"scharten: {words}", err=True))


def _named(book: Any, wanted: str) -> dict[str, Any]:
    for one in book.players():
        if wanted in (one.id, one.profile.name):
            told: dict[str, Any] = one.told()
            return told
    raise SchartenError(f"There is no player {wanted}.", "`scharten players list` names them.")


def _scatter(told: dict[str, Any]) -> str:
    if not told["darts"]:
        return "no darts yet"
    return f"{told['darts']} darts, {told['mm']:.0f} mm ({told['low']:.0f} to {told['high']:.0f})"
