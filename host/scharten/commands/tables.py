"""`scharten tables build` and `probe`: exact endgames, kept in the data folder."""

from __future__ import annotations

import contextlib
import os
import time
from pathlib import Path
from typing import Annotated

import typer

from scharten import config
from scharten.commands.options import DataFolder
from scharten.commands.words import accepted, words
from scharten.game.basics import Kind

tables = typer.Typer(
    help="Exact endgames: a king and one or two men against a king, silent, default options."
)


@tables.command()
def build(
    *,
    data: DataFolder = None,
    missing: Annotated[
        bool, typer.Option("--missing", help="Build only missing and damaged tables.")
    ] = False,
    parent: Annotated[
        int, typer.Option(hidden=True, help="Work at idle priority until this parent process has ended.")
    ] = 0,
) -> None:
    """Build every table, and print how many placements it has and how many are won.

    Takes about a minute and a half of one core of a PC, and 14 MB of disk. The daemon builds missing tables by
    itself, at idle priority, unless `opponent.tables` is false.
    """
    from scharten.opponent.table_files import TableFiles
    from scharten.play.retrograde import ORDER
    from scharten.play.tables import longest, name_of

    if parent:
        _yield_to_others()
    files = TableFiles(_folder(data), lambda message: typer.echo(message, err=True), most=8)
    began, count = time.process_time(), 0
    for men in ORDER:
        if parent and os.getppid() != parent:
            return
        if missing and files(men) is not None:
            continue
        since, count = time.process_time(), count + 1
        table, counts = files.build(men)
        typer.echo(
            words(
                "tables.built",
                men=f"K+{'+'.join(name_of(men))} v K",
                strong_won=counts.strong_won,
                strong=counts.strong,
                longest=(longest(table) + 1) // 2,
                lone_lost=counts.lone_lost,
                lone=counts.lone,
                mates=counts.mates,
                stalemates=counts.stalemates,
                seconds=f"{time.process_time() - since:.1f}",
            )
        )
    typer.echo(words("tables.done", count=count, seconds=f"{time.process_time() - began:.0f}"))


def _yield_to_others() -> None:
    """Run only while no other process wants the processor."""
    os.nice(19)
    if hasattr(os, "sched_setscheduler"):
        with contextlib.suppress(OSError):  # a container may forbid it
            os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))


@tables.command()
def probe(
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The position string, in quotes.")],
    *,
    data: DataFolder = None,
) -> None:
    """Print `draw`, or who mates and in how many moves; a table that is missing or damaged is built first."""
    from scharten.games.scharten.game import SCHARTEN
    from scharten.games.scharten.options import Options
    from scharten.opponent.table_files import TableFiles
    from scharten.play.tables import probe as look

    found = accepted(SCHARTEN.read(position, Options(kind=Kind.SILENT)))
    files = TableFiles(_folder(data), lambda message: typer.echo(message, err=True))
    probed = look(found, lambda men: files.sure(men)[0])
    turns = accepted(probed, cure=words("tables.cure"))
    if turns is None:
        typer.echo(words("tables.draw"))
        return
    if turns == 0:
        typer.echo(words("tables.checkmate"))
        return
    mating = found.side if turns % 2 else found.side.other
    typer.echo(words(f"tables.mates.{mating.word}", moves=(turns + 1) // 2))


def _folder(data: Path | None) -> Path:
    return (data or config.data_folder()) / "tables"
