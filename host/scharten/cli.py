"""The command line: one function per command, each in its own module of `scharten.commands`."""

from __future__ import annotations

import sys
import time
from importlib import import_module

import typer

from scharten import __version__
from scharten.errors import SchartenError

COMMANDS: tuple[str, ...] = (
    "run",
    "simulate",
    "display",
    "club",
    "archive",
    "homes",
    "links",
    "journal",
    "backup",
    "players",
    "doctor",
    "report",
    "rules",
    "best",
    "advise",
    "tables",
    "opponent",
    "draw",
    "detect",
    "throws",
    "asyncapi",
    "print_board",
    "broker_config",
)
ALONE = frozenset(
    {
        "run",
        "simulate",
        "display",
        "club",
        "archive",
        "homes",
        "links",
        "doctor",
        "report",
        "detect",
        "throws",
        "opponent",
    }
)
"""Modules with one command, of the same name: when it is the one that is wanted, the others need not be loaded."""

DATE = (
    "the date of this machine is past the year 2262, which cannot be counted.\nSet the date, and start again."
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"scharten {__version__}")
        raise typer.Exit


def build(wanted: str = "") -> typer.Typer:
    """The command line, whole or as much as `wanted` needs: a board must not wait for the referee to be loaded."""
    app = typer.Typer(
        help="Scharten, almost chess on a dartboard: the referee in the room.", no_args_is_help=True
    )

    @app.callback()
    def _root(
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        """Scharten, almost chess on a dartboard: the referee in the room."""

    for name in (wanted,) if wanted in ALONE else COMMANDS:
        import_module(f"scharten.commands.{name}").register(app)
    return app


def main() -> None:
    """Run the command line; a `SchartenError` is told in words and ends with status 1."""
    try:
        time.time()  # Python's own logging cannot even be loaded on a date that it cannot count
        build(*sys.argv[1:2])()
    except SchartenError as error:
        print(f"scharten: {error}", file=sys.stderr)
        sys.exit(1)
    except OverflowError:
        if _counted_date():
            raise
        print(f"scharten: {DATE}", file=sys.stderr)
        sys.exit(1)


def _counted_date() -> bool:
    """Whether Python can tell the date of this machine: in ns since 1970, in 64 bits."""
    try:
        return bool(time.time_ns())
    except OverflowError:
        return False
