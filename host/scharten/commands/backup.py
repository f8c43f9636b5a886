"""`scharten backup` and `scharten restore`: a copy of every game, taken in play and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder


def register(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("backup")(backup)
    app.command("restore")(restore)


def backup(
    folder: Annotated[Path, typer.Argument(help="Where the copy goes; made when it is not there.")],
    *,
    data: DataFolder = None,
) -> None:
    """Copy the journal while the daemon plays on; the copy is verified before it gets its name.

    For every night:  0 4 * * *  scharten backup /var/backups/scharten --data /var/lib/scharten
    """
    from scharten.config import JOURNAL, data_folder
    from scharten.journal.backup import back_up

    done = back_up((data or data_folder()) / JOURNAL, folder)
    typer.echo(f"{done.path}: {done.rows} inputs, verified.")


def restore(
    copy: Annotated[Path, typer.Argument(help="A copy that `scharten backup` made.")],
    *,
    data: DataFolder = None,
) -> None:
    """Put a copy of the journal back. Stop the daemon first; what is there now is kept beside it.

    The copy is verified before anything changes, and a copy of an older version is brought to this one's form.
    """
    from scharten.config import JOURNAL, data_folder
    from scharten.journal.backup import restore as put_back

    done = put_back(copy, (data or data_folder()) / JOURNAL)
    typer.echo(
        f"{done.rows} inputs put back into {done.path}; the next start goes on with their newest game."
    )
    if done.kept:
        typer.echo(f"What was there is kept as {done.kept}.")
