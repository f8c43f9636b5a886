"""`scharten print-board`: a schartbord to play on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.words import words
from scharten.errors import SchartenError
from scharten.words import LANGUAGES


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
    typer.echo(words("print.pages", path=f"{out / name}.pdf", pages=len(pages)))
    if len(pages) > 1:
        typer.echo(words("print.cut"))
    typer.echo(words("print.ninth_pawn"))
    typer.echo(words("print.foot", mm=f"{widest_foot(size * 10.0):.0f}"))
