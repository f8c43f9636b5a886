"""`scharten print-board`: a schartbord to play on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.errors import SchartenError
from scharten.words import LANGUAGES

NINTH_PAWN = """\
Pieces: a chess set has eight pawns and one queen a side; Scharten needs nine and two. For the ninth pawn take a
draughtsman, a stack of two coins or a battery; for the second queen a promoted pawn's queen, or a rook upside down."""


def print_board(
    size: Annotated[int, typer.Option(help="Diameter in cm: 40 or 50.")] = 50,
    paper: Annotated[str, typer.Option(help="sheet: one large page; a4: tiles to cut and glue.")] = "a4",
    white_sits_at: Annotated[
        int, typer.Option(help="Which dartboard numbers stand at the rim: 3 or 20.")
    ] = 3,
    language: Annotated[str, typer.Option(help=f"Of its sentence: {', '.join(LANGUAGES)}.")] = "en",
    out: Annotated[Path, typer.Option(help="Folder for the files.")] = Path(),
) -> None:
    """Write a schartbord to print and play on, as SVG and PDF at true size."""
    from scharten.display.generated.print_board import shapes, widest_foot, windows, write_pdf, write_svg

    if size not in (40, 50) or paper not in ("sheet", "a4") or white_sits_at not in (3, 20):
        raise SchartenError.coded("unprintable", size=size, paper=paper, column=white_sits_at)
    if language not in LANGUAGES:
        raise SchartenError.coded("no_such_language", language=language, known=LANGUAGES)
    pages = windows(size * 10.0, paper == "a4", language)
    drawn = list(shapes(size * 10.0, white_sits_at, language))
    name = f"schartbord-{size}cm-{paper}"
    try:
        out.mkdir(parents=True, exist_ok=True)
        write_pdf(out / f"{name}.pdf", pages, drawn)
        for page in pages:
            write_svg(out / f"{name}{'-' + page.name if page.name else ''}.svg", page, drawn)
    except OSError as error:
        raise SchartenError.coded("unwritable_out", path=out, why=error) from error
    typer.echo(f"{out / name}.pdf: {len(pages)} page(s), and as SVG. Print at 100 %, not fitted to the page.")
    if len(pages) > 1:
        typer.echo("Cut along the marks, lay the tiles in rows A, B, ... from the top, glue edge on edge.")
    typer.echo(NINTH_PAWN)
    typer.echo(f"A piece whose foot is at most {widest_foot(size * 10.0):.0f} mm wide stands on every field.")
