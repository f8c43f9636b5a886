"""`scharten throws`: the games whose throws the cameras kept, and all throws of one game as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder
from scharten.commands.words import count
from scharten.errors import SchartenError


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("throws")(throws)


def throws(
    match: Annotated[str, typer.Argument(help="A game; without it the games are listed.")] = "",
    file: Annotated[Path | None, typer.Argument(help="The ZIP file to write; MATCH.zip by default.")] = None,
    *,
    data: DataFolder = None,
) -> None:
    """List the games whose throws the cameras kept, or write all throws of one game into one file.

    It holds each throw's pictures, calibration, beds with their probabilities and what a person said it was.
    `scharten detect --replay FILE` measures them again.
    """
    from scharten.config import data_folder
    from scharten.sensors.shown_throws import kept_games
    from scharten.sensors.throw_files import write_packages

    kept = kept_games((data or data_folder()) / "replays")
    if not match:
        if not kept:
            typer.echo("No throws are kept here: cameras keep them while a game is played.")
        for name, packages in sorted(kept.items()):
            typer.echo(f"{name}  {count(len(packages), 'throw')}")
        return
    if match not in kept:
        raise SchartenError(f"no throws of {match!r} are kept", "`scharten throws` lists the games that are.")
    target = file or Path(f"{match}.zip")
    write_packages(kept[match], target)
    typer.echo(f"{target}: {count(len(kept[match]), 'throw')}.")
