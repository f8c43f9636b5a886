"""`scharten draw`: the draw of Fischer Random's opening, repeated from its score sheet alone (games 3)."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.words import accepted, words
from scharten.errors import Problem, SchartenError
from scharten.games.draw_sheet import check_draw, draw_row
from scharten.games.fischer_random import FISCHER_RANDOM

HEADER = re.compile(r'^[^\S\n]*\[\s*(\w+)\s+"([^"\n]*)"\s*\]\s*$', re.MULTILINE)


def draw(
    throws: Annotated[
        str | None, typer.Argument(help="What was thrown: 'dice 1,1,1,1,1' or 'darts D20,F5,...'.")
    ] = None,
    *,
    envelope: Annotated[str, typer.Option(help="Five offsets a round for darts, such as 1,2,0,3,0.")] = "",
    check: Annotated[
        Path | None, typer.Option(metavar="SHEET", help="Repeat the draw in the head of a score sheet.")
    ] = None,
) -> None:
    """Draw a Fischer Random opening from dice or darts, or repeat the draw of a score sheet.

    scharten draw "dice 1,1,1,1,1"
    """
    if (throws is None) is (check is None):
        raise SchartenError.coded("nothing_to_draw")
    if check is None:
        typer.echo(answer(draw_row(throws or "", f"--envelope {envelope}" if envelope else "")))
        return
    headers = _headers(check)
    drawn = answer(check_draw(headers))
    typer.echo(f"{drawn}\n{words('draw.right', drawn=headers['OpeningBy'])}")


def answer(found: int | Problem) -> str:
    """Return "NUMBER POSITION", as rows of kind `draw` have it; a `SchartenError` for a wrong draw."""
    number = accepted(found)
    return f"{number} {FISCHER_RANDOM.opening(number).board.fen()}"


def _headers(sheet: Path) -> dict[str, str]:
    try:
        text = sheet.read_text(encoding="utf-8")
    except OSError as error:
        raise SchartenError.coded("unreadable", path=sheet, why=error.strerror) from error
    except UnicodeDecodeError as error:
        raise SchartenError.coded("not_utf8", path=sheet, why=error.reason) from error
    return dict(HEADER.findall(text))
