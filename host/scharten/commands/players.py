"""`scharten players`: the register of players, their darts, and tables rebuilt from the journals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from scharten.commands.idle import run_at_idle_priority
from scharten.commands.options import AsJson, DataFolder
from scharten.commands.words import accepted, chosen_language, confirmed, words
from scharten.errors import SchartenError
from scharten.words import text

Who = Annotated[str, typer.Argument(metavar="PLAYER", help="The name or the id.")]


players = typer.Typer(help="List, add, delete and export the players of this board.", no_args_is_help=True)


@players.command("list")
def list_(
    *,
    data: DataFolder = None,
    as_json: AsJson = False,
    idle: Annotated[
        bool, typer.Option("--idle", help="Run at idle priority, so that a game may go on.")
    ] = False,
) -> None:
    """List the players: id, name, games, darts and scatter with its interval."""
    if idle:
        run_at_idle_priority()
    book = _book(data)
    if as_json:
        typer.echo(json.dumps(book.with_heads(), ensure_ascii=False))
        return
    found = book.overview()
    if not found:
        typer.echo(words("players.none"), err=True)
    for player in found:
        played = words("players.games", games=player["games"])
        typer.echo(f"{player['id']}  {player['name']:20} {played:>12}  {_scatter(player['scatter'])}")


@players.command()
def add(name: Annotated[str, typer.Argument(help="The name.")], *, data: DataFolder = None) -> None:
    """Register a player."""
    saved = accepted(_book(data).save({"name": name}), words("players.refused", name=name))
    typer.echo(f"{saved.id}  {saved.profile.name}")


@players.command("stand-in")
def stand_in(
    player: Who,
    *,
    agree: Annotated[
        bool, typer.Option("--agree/--withdraw", help="The player agrees to it, or no longer does.")
    ],
    data: DataFolder = None,
) -> None:
    """Note whether a player agrees that the computer plays as they do; nobody does at first."""
    book = _book(data)
    found = _named(book, player)
    profile = {**found["profile"], "stand_in": agree}
    accepted(book.save(profile, str(found["id"])), words("players.refused", name=found["name"]))
    key = "players.stand_in.agreed" if agree else "players.stand_in.withdrawn"
    typer.echo(words(key, name=found["name"]))


@players.command("stand-ins")
def stand_ins(*, data: DataFolder = None, as_json: AsJson = False) -> None:
    """List the players as whom the computer may play: scatter, and the level that chooses their moves."""
    found = _book(data).stand_ins()
    if as_json:
        typer.echo(json.dumps(found, ensure_ascii=False))
        return
    if not found:
        typer.echo(words("players.stand_in.none"), err=True)
    for player in found:
        key = "few" if player["mm"] is None else f"by_{player['level_by']}"
        typer.echo(words(f"players.stand_in.{key}", **player))


@players.command()
def rebuild(*, data: DataFolder = None) -> None:
    """Rebuild the tables of games and darts from every journal of the folder; the register stays."""
    games, darts = _book(data).rebuild()
    typer.echo(words("players.rebuilt", games=games, darts=darts))


@players.command()
def delete(
    player: Who,
    *,
    data: DataFolder = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Delete a player and all their darts; their games stay, without the name."""
    book = _book(data)
    found = _named(book, player)
    if not yes and not confirmed(words("players.sure", name=found["name"])):
        raise typer.Abort
    book.delete(str(found["id"]))
    typer.echo(words("players.deleted", name=found["name"]))


@players.command()
def export(
    player: Annotated[str | None, typer.Argument(metavar="[PLAYER]", help="A name or id; else all.")] = None,
    *,
    data: DataFolder = None,
    csv: Annotated[
        bool, typer.Option("--csv", help="Every dart as CSV instead of the figures as JSON.")
    ] = False,
    out: Annotated[Path | None, typer.Option(help="The file; without it, the screen.")] = None,
) -> None:
    """Export a player, or all: figures as JSON, or every dart as CSV."""
    book = _book(data)
    chosen = str(_named(book, player)["id"]) if player is not None else None
    if csv:
        text = book.csv(chosen)
    else:
        figures = book.all() if chosen is None else book.player(chosen)
        text = json.dumps(figures, ensure_ascii=False, indent=2) + "\n"
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SchartenError.coded("unwritable", path=out, why=error.strerror) from error
    typer.echo(str(out))


def _book(data: Path | None) -> Any:
    from scharten.config import JOURNAL, data_folder
    from scharten.games import GAMES_BY_KEY
    from scharten.players.book import PlayerBook

    folder = data or data_folder()
    if not folder.is_dir():
        raise SchartenError.coded("no_data_folder", folder=folder)
    return PlayerBook(folder, JOURNAL, GAMES_BY_KEY, lambda words: typer.echo(f"scharten: {words}", err=True))


def _named(book: Any, wanted: str) -> dict[str, Any]:
    for player in book.players():
        if wanted in (player.id, player.profile.name):
            return {**player.as_json(), "profile": player.profile.model_dump(mode="json")}
    raise SchartenError(words("players.unknown", name=wanted), words("players.unknown.cure"))


def _scatter(scatter: dict[str, Any]) -> str:
    if not scatter["darts"]:
        return text(chosen_language(), "players.no_darts")
    figures = {name: f"{scatter[name]:.0f}" for name in ("darts", "mm", "low", "high")}
    return words("players.scatter", **figures)
