"""The command `scharten-calibrate camera`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Annotated

import typer

from scharten.commands.words import confirmed
from scharten.errors import SchartenError
from scharten_calibration.words import words

_HELP = """Calibrate one to three cameras from the empty board; between games, run it again without arguments.

Take all darts out first. For each camera one point inside the double 20 is needed: click it on the page, or give
it with --d20. For a board in colours that are not found, give four wires instead. Rings and wires are found in the
picture itself; the overlay picture shows what was found.
"""


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("camera", help=_HELP)(camera)


def camera(
    sources: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[CAMERA]...",
            help="/dev/v4l/by-id/..., a URL, a video or a picture of the empty board; by default those of --out.",
        ),
    ] = None,
    *,
    d20: Annotated[
        list[str] | None,
        typer.Option(metavar="X,Y", help="A pixel inside the double 20, one per camera in order."),
    ] = None,
    wires: Annotated[
        list[str] | None,
        typer.Option(
            metavar="'X,Y X,Y X,Y X,Y'",
            help="Where the wires 20/1, 6/10, 3/19 and 11/14 meet the outer wire of the doubles: instead of "
            "--d20, for a board of any colours, one per camera in order.",
        ),
    ] = None,
    out: Annotated[Path, typer.Option(help="The file to write.")] = Path("cameras.toml"),
    size: Annotated[str, typer.Option(help="Resolution of live cameras.")] = "800x600",
    page: Annotated[bool, typer.Option(help="Click the points on a page, on this machine.")] = True,
    page_port: Annotated[int, typer.Option(min=0, max=65535, help="The port of that page.")] = 8767,
    yes: Annotated[bool, typer.Option("--yes", help="Accept every fit that is not refused.")] = False,
    list_cameras: Annotated[bool, typer.Option("--list", help="List the cameras of this machine.")] = False,
) -> None:
    """See _HELP."""
    from scharten.sensors.video import devices
    from scharten_calibration.camera import Job, Terminal, run_camera

    if list_cameras:
        for name in devices() or (words("camera.none"),):
            typer.echo(name)
        return
    points = tuple(pair(text, ",", "--d20", words("form.point")) for text in d20 or ())
    four = tuple(_wires(text) for text in wires or ())
    width, height = pair(size, "x", "--size", words("form.size", example="800x600"))
    job = Job(tuple(sources or ()), points, out.absolute(), (int(width), int(height)), four)
    if page and not points and not four and not yes:
        from scharten_calibration.camera_page import CameraPage

        run_camera(job, CameraPage(page_port, typer.echo), typer.echo)
    else:
        run_camera(job, Terminal(job.out, _ask, typer.echo, yes), typer.echo)


def _ask(question: str) -> bool:
    if not sys.stdin.isatty():
        raise SchartenError.coded("no_terminal")
    return confirmed(question)


def _wires(text: str) -> tuple[tuple[float, float], ...]:
    form = words("form.wires")
    points = tuple(pair(point, ",", "--wires", form) for point in text.split())
    if len(points) != 4:
        raise SchartenError.coded("wires_count", wires=text, points=len(points))
    return points


def pair(text: str, between: str, option: str, form: str) -> tuple[float, float]:
    """Two numbers of an option; `SchartenError` names the right form."""
    number = r"(\d{1,5}(?:\.\d{1,6})?)"
    match = re.fullmatch(number + re.escape(between) + number, text.strip())
    if match is None:
        raise SchartenError.coded("option_form", option=option, given=text, form=form)
    return float(match[1]), float(match[2])
