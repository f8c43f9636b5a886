"""`scharten report`: a ZIP file with what a maintainer needs to find a fault."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder
from scharten.commands.words import confirmed, words
from scharten.errors import SchartenError


def report(
    file: Annotated[
        Path | None, typer.Argument(help="The ZIP file to write; by default one with the time of day, here.")
    ] = None,
    *,
    config_file: Annotated[Path | None, typer.Option("--config", help="The configuration in use.")] = None,
    data: DataFolder = None,
    pictures: Annotated[
        int,
        typer.Option(
            min=0,
            max=20,
            help="Include this many of the last throws with their pictures, which show the room.",
        ),
    ] = 0,
    show: Annotated[str, typer.Option(help="Print this part, such as log.txt, and write nothing.")] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Pack a report of a fault: versions, checks, health, log, settings and the newest games.

    Secrets, names of players, club and user are left out. The contents are listed first, and nothing is sent anywhere.
    """
    from scharten import config
    from scharten.display.redaction import HIDDEN
    from scharten.setup.report import NAMELESS, packed, parts

    folder = data or config.data_folder()
    found = parts(config.load(config.find(config_file, folder)), folder, pictures)
    if show:
        chosen = next((part for part in found if part.name == show), None)
        if chosen is None:
            raise SchartenError.coded("no_such_part", part=show, known=[part.name for part in found])
        typer.echo(chosen.content.decode(errors="replace"))
        return
    for part in found:
        typer.echo(f"  {part.name:32} {-(-len(part.content) // 1024):6} kB   {words(f'report.{part.topic}')}")
    hidden = words("report.hidden", hidden=HIDDEN, nameless=NAMELESS)
    typer.echo(f"{hidden} {words('report.hint')}")
    path = file or Path(f"scharten-report-{time.strftime('%Y%m%d-%H%M%S')}.zip")
    if path.exists():
        raise SchartenError.coded("exists", path=path)
    if not yes and not confirmed(words("report.sure", path=path)):
        typer.echo(words("report.not_written"))
        return
    _write(path, packed(found))
    typer.echo(words("report.written", path=path, size=path.stat().st_size // 1024 + 1))


def _write(path: Path, content: bytes) -> None:
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(draft, "wb", opener=lambda name, flags: os.open(name, flags, 0o600)) as out:
            out.write(content)
        draft.replace(path)
    except OSError as error:
        raise SchartenError.coded("unwritable", path=path, why=error.strerror) from error
