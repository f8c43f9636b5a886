"""`scharten throws`: the throws that the cameras saved."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder
from scharten.commands.words import words
from scharten.errors import SchartenError


def throws(
    match: Annotated[str, typer.Argument(help="A game; without it the games are listed.")] = "",
    file: Annotated[Path | None, typer.Argument(help="The ZIP file to write; MATCH.zip by default.")] = None,
    *,
    data: DataFolder = None,
) -> None:
    """List the games with saved throws, or write all throws of a game into one file.

    The file has each throw's pictures, calibration, beds with probabilities, and the bed that a person entered.
    `scharten detect --replay FILE` measures them again.
    """
    from scharten.config import data_folder
    from scharten.sensors.shown_throws import kept_games
    from scharten.sensors.throw_files import write_packages

    kept = kept_games((data or data_folder()) / "replays")
    if not match:
        if not kept:
            typer.echo(words("throws.none"))
        for name, packages in sorted(kept.items()):
            typer.echo(f"{name}  {words('throws.count', count=len(packages))}")
        return
    if match not in kept:
        raise SchartenError.coded("no_throws", match=match)
    target = file or Path(f"{match}.zip")
    write_packages(kept[match], target)
    typer.echo(f"{target}: {words('throws.count', count=len(kept[match]))}.")
