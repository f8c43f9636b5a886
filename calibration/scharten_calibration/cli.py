"""`scharten-calibrate`: what has to be done once with a board: mapping its matrix, its knocks, its cameras."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from scharten.cli import Command, Group
from scharten.commands.words import chosen_language
from scharten.dartboard.beds import Bed, parse_bed
from scharten.dartboard.profile import NAME
from scharten.errors import SchartenError
from scharten_calibration import camera_cli, projector_cli
from scharten_calibration.words import words

Port = Annotated[str, typer.Option(help="The board's serial port, such as /dev/serial/by-id/...")]
Baud = Annotated[int, typer.Option(help="115200, or 250000 if the firmware was built so.")]


def build() -> typer.Typer:
    """The whole command line."""
    app = typer.Typer(
        help="What a dartboard needs once, before it is played on.", cls=Group, no_args_is_help=True
    )
    app.command("matrix")(matrix)
    app.command("piezo")(piezo)
    app.command("boards")(boards)
    app.command("flash")(flash)
    camera_cli.register(app)
    projector_cli.register(app)
    for command in app.registered_commands:
        command.cls = Command
    return app


def main() -> None:
    """Run the command line; a `SchartenError` is printed in words, and the exit status is 1."""
    os.environ.setdefault("OPENCV_LOG_LEVEL", "OFF")  # camera errors have messages of our own
    try:
        build()()
    except SchartenError as error:
        print(f"scharten-calibrate: {error.shown(chosen_language())}", file=sys.stderr)
        sys.exit(1)
    except OSError as error:  # a full disk, a folder that may not be written
        print(f"scharten-calibrate: {error.filename or '-'}: {error.strerror or error}", file=sys.stderr)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


def matrix(
    *,
    port: Port,
    out: Annotated[Path, typer.Option(help="The profile to write.")] = Path("board.toml"),
    name: Annotated[str, typer.Option(help="The profile's name: 1 to 16 letters, digits, _ or -.")] = "board",
    baud: Baud = 115200,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Start over, whatever an interrupted run has kept.")
    ] = False,
    replace: Annotated[
        bool, typer.Option("--replace", help="Map again although the profile exists.")
    ] = False,
    page: Annotated[bool, typer.Option(help="Show the bed to press on a page, on this machine.")] = True,
    page_port: Annotated[int, typer.Option(min=0, max=65535, help="The port of that page.")] = 8766,
    bed: Annotated[
        list[str] | None,
        typer.Option(help="Map only this bed of a finished profile again, such as D7; repeatable."),
    ] = None,
    lines: Annotated[str, typer.Option(help="Number of drive and sense lines to scan, such as 9x12.")] = "",
    seed: Annotated[int | None, typer.Option(help="The order of the verify pass, for tests.")] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each state as a line of JSON, for a program that shows it.")
    ] = False,
) -> None:
    """Map a board: press each bed when it is asked for. Takes about ten minutes; may be interrupted with q."""
    from scharten_calibration.mapping import MappingWord
    from scharten_calibration.matrix import JsonLines, Mapping, MappingView, run_matrix

    printed = JsonLines()
    if NAME.fullmatch(name) is None:
        raise SchartenError.coded("profile_name", name=name)

    def picture(on_request: Callable[[MappingWord], None]) -> MappingView:
        if as_json:
            return printed
        from scharten_calibration.page import MappingPage

        return MappingPage(page_port, on_request)

    mapping = Mapping(
        port, baud, out.absolute(), name, fresh, replace, seed, tuple(map(_bed, bed or ())), _lines(lines)
    )
    run_matrix(mapping, printed.say if as_json else _say, picture if page or as_json else None)


def boards(
    *,
    profile: Annotated[
        str, typer.Option(help="Name the wiring of this profile: a file or an installed one.")
    ] = "",
) -> None:
    """List known boards by their tails and matrix, or name the wiring of a board of yours."""
    from rich.console import Console
    from rich.table import Table

    from scharten.sensors.profiles import load_profile
    from scharten_calibration.boards import known_boards, same_wiring, wiring_name

    if profile:
        mapped = load_profile(profile)
        known = same_wiring(mapped)
        _say(
            words(
                "boards.profile",
                path=profile,
                drives=mapped.drives,
                senses=mapped.senses,
                wiring=wiring_name(mapped),
            )
        )
        _say(words("boards.like" if known else "boards.unlike", known=known))
        return
    columns = ("board", "tails", "singles", "profile", "source")
    table = Table(*(words(f"boards.column.{column}") for column in columns))
    for board in known_boards():
        singles = words("boards.separate" if board.separate_singles else "boards.shared")
        profile_name = board.profile or words("boards.map")
        maker, source = words(f"boards.maker.{board.maker}"), words(f"boards.source.{board.source}")
        table.add_row(maker, board.tails, singles, profile_name, source)
    Console().print(table)
    _say(words("boards.other"))


def _lines(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    drives, _, senses = text.partition("x")
    if not (drives.isdecimal() and senses.isdecimal() and 1 <= int(drives) <= 16 and 1 <= int(senses) <= 16):
        raise SchartenError.coded("no_matrix", lines=text)
    return int(drives), int(senses)


def _bed(text: str) -> Bed:
    bed = parse_bed(text)
    if bed is None:
        raise SchartenError.coded("no_bed", bed=text)
    return bed


def flash(
    *,
    port: Annotated[
        str | None, typer.Option(help="The board's serial port; found by itself if it is the only one.")
    ] = None,
    board: Annotated[
        str | None, typer.Option(help="mega2560, uno (also a Nano) or pico, where the port does not tell.")
    ] = None,
    image: Annotated[
        Path | None,
        typer.Option(
            help="An image of your own, such as firmware/build/uno.hex.", exists=True, dir_okay=False
        ),
    ] = None,
) -> None:
    """Load the firmware onto a board; no compiler is needed (an Arduino needs avrdude)."""
    from scharten_calibration.flash import run_flash

    run_flash(port, board, _say, image)


def piezo(
    *,
    port: Port,
    profile: Annotated[Path, typer.Option(help="The profile that gets the threshold.")] = Path("board.toml"),
    baud: Baud = 115200,
) -> None:
    """Find the knock threshold: throw five misses, lean on the board three times."""
    from scharten_calibration.knocks import run_piezo

    run_piezo(port, baud, profile.absolute(), _say)


def _say(words: str) -> None:
    from rich.console import Console

    Console(highlight=False, soft_wrap=True).print(
        words,
        markup=False,
        style="bold red" if words.startswith("NO: ") else "bold" if words.startswith("[") else None,
    )
