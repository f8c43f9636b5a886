"""`scharten tables build` and `probe`: exact endgames, kept in the data folder."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from scharten import config
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Kind
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.play.tables import MEN, Table, read, write
from scharten.play.tables import build as work_out
from scharten.play.tables import probe as look

Data = Annotated[Path | None, typer.Option("--data", help="The data folder; the tables lie in `tables`.")]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    tables = typer.Typer(help="Exact endgames: king and one man against king, silent, default options.")
    tables.command("build")(build)
    tables.command("probe")(probe)
    app.add_typer(tables, name="tables")


def build(data: Data = None) -> None:
    """Build every table anew, and print how many placements there are and how many are won."""
    for man in MEN:
        began = time.process_time()
        counts = _built(_folder(data), man).counts
        typer.echo(
            f"K+{man} v K: strong side to move {counts.strong_won} won of {counts.strong}; lone king to move "
            f"{counts.lone_lost} lost of {counts.lone}, {counts.mates} mates, {counts.stalemates} stalemates; "
            f"{time.process_time() - began:.1f} s"
        )


def probe(
    position: Annotated[str, typer.Argument(metavar="POSITION", help="The position string, in quotes.")],
    *,
    data: Data = None,
) -> None:
    """Print `draw`, or who mates and in how many moves; a table that is missing or damaged is built first."""
    found = SCHARTEN.read(position, Options(kind=Kind.SILENT))
    if isinstance(found, Problem):
        raise SchartenError(found.words, found.cure)

    def table_of(man: str) -> Table:
        file = _folder(data) / f"{man}.json"
        kept = read(file.read_text(encoding="utf-8", errors="replace")) if file.exists() else None
        if isinstance(kept, Problem):
            typer.echo(f"{file}: {kept.words}. {kept.cure}", err=True)
        return kept if kept is not None and not isinstance(kept, Problem) else _built(_folder(data), man)

    turns = look(found, table_of)
    if isinstance(turns, Problem):
        raise SchartenError(turns.words, "Use `scharten best` for other positions.")
    if turns is None:
        typer.echo("draw")
        return
    mating = found.side if turns % 2 else found.side.other
    typer.echo("checkmate" if turns == 0 else f"{mating.word} mates in {(turns + 1) // 2}")


def _folder(data: Path | None) -> Path:
    return (data or config.data_folder()) / "tables"


def _built(folder: Path, man: str) -> Table:
    """Build a table and keep it: whole or not at all."""
    table = work_out(man)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f".{man}.json"
        draft.write_text(write(table), encoding="utf-8")
        draft.replace(folder / f"{man}.json")
    except OSError as error:
        raise SchartenError(
            f"the table cannot be kept in {folder}: {error.strerror}", "Give --data."
        ) from error
    return table
