"""`scharten backup` and `scharten restore`: a copy of everything, made while all play on, and put back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.options import DataFolder
from scharten.commands.words import words


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
    typer.echo(words("backup.done", path=done.path, files=len(done.files)))
    for name, rows in done.files.items():
        typer.echo(f"  {name if rows is None else words('backup.rows', name=name, rows=rows)}")
    for path in done.pruned:
        typer.echo(words("backup.pruned", name=path.name))


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
        names = ", ".join(restored.files)
        typer.echo(words("restore.files", count=len(restored.files), folder=goal, names=names))
        if restored.kept:
            typer.echo(words("restore.replaced", path=restored.kept))
        return
    done = restore_database(copy, goal / JOURNAL, FORM)
    typer.echo(words("restore.inputs", rows=done.rows, path=done.path))
    if done.kept:
        typer.echo(words("restore.kept", path=done.kept))
