"""`scharten backup` and `scharten restore`: a copy of everything, made while all play on, and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder


def backup(
    folder: Annotated[Path, typer.Argument(help="Where copies go; made when it is missing.")],
    *,
    data: DataFolder = None,
) -> None:
    """Copy journal, club, players, secrets, calibrations and profiles while all play on.

    Each copy is a folder named by its time, verified before it gets its name. Of older copies the newest of seven days
    and of four weeks stay.

    For every night:  0 4 * * *  scharten backup /var/backups/scharten --data /var/lib/scharten
    """
    from scharten.backup import back_up_folder
    from scharten.config import data_folder

    done = back_up_folder(data or data_folder(), folder)
    typer.echo(f"{done.path}: {len(done.files)} files, verified.")
    for name, rows in done.files.items():
        typer.echo(f"  {name}{f': {rows} rows' if rows is not None else ''}")
    for path in done.pruned:
        typer.echo(f"{path.name} removed: newer copies replace it.")


def restore(
    copy: Annotated[Path, typer.Argument(help="A copy that `scharten backup` made.")],
    *,
    data: DataFolder = None,
) -> None:
    """Put a copy back. Stop daemon and club first; the replaced files are kept beside the new ones.

    The copy is verified before anything changes, and a copy of an older version is brought to this one's form.
    `COPY` may also be a journal alone (`scharten.sqlite3` of a copy).
    """
    from scharten.backup import restore_folder
    from scharten.config import JOURNAL, data_folder
    from scharten.journal.form import JOURNAL as FORM
    from scharten.store.copies import restore as restore_database

    goal = data or data_folder()
    if copy.is_dir():
        restored = restore_folder(copy, goal)
        typer.echo(f"{len(restored.files)} files put back into {goal}: {', '.join(restored.files)}.")
        if restored.kept:
            typer.echo(f"The replaced files are in {restored.kept}.")
        return
    done = restore_database(copy, goal / JOURNAL, FORM)
    typer.echo(
        f"{done.rows} inputs put back into {done.path}; the next start goes on with their newest game."
    )
    if done.kept:
        typer.echo(f"What was there is kept as {done.kept}.")
