"""The command line: a table of commands, and how their help is printed."""

from __future__ import annotations

import copy
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from scharten import __version__
from scharten.errors import SchartenError
from scharten.system.date import clamp_date
from scharten.words import ENGLISH, LANGUAGES, area, fill

UsageError: Any = typer.BadParameter.__mro__[1]
"""Typer's class of errors in a command line: it has no public name, and is Click's in older versions."""
GROUPS: Mapping[str, Mapping[str, str]] = {
    "Play": {"run": "run", "simulate": "simulate", "display": "display", "links": "links", "status": "status",
             "players": "players", "opponent": "opponent", "invite": "remote", "guest": "remote",
             "lobby": "remote"},
    "Records": {"games": "journal", "replay": "journal", "backup": "backup", "restore": "backup", "throws": "throws",
                "review": "review", "openings": "openings"},
    "Set-up": {"doctor": "doctor", "report": "report", "homes": "homes", "print-board": "print_board"},
    "Club": {"club": "club", "archive": "archive", "broker-config": "broker_config", "centre-config": "broker_config",
             "centre": "remote"},
    "Rules and engine": {"moves": "rules", "best": "best", "solve": "best", "advise": "advise", "handicap": "handicap",
                         "tables": "tables",
                         "draw": "draw", "problems": "problems"},
    "Developers": {"perft": "rules", "answer": "rules", "detect": "detect", "asyncapi": "asyncapi"},
}  # fmt: skip
"""By the heading in `--help`: each command, and the module of `scharten.commands` that has it."""


_TYPERS_OWN: Mapping[str, str] = {
    "OPTIONS_PANEL_TITLE": "Options",
    "ARGUMENTS_PANEL_TITLE": "Arguments",
    "COMMANDS_PANEL_TITLE": "Commands",
    "ERRORS_PANEL_TITLE": "Error",
    "DEFAULT_STRING": "[default: {}]",
    "REQUIRED_LONG_STRING": "[required]",
    "ABORTED_TEXT": "Aborted.",
    "RICH_HELP": "Try [blue]'{command_path} {help_option}'[/] for help.",
}
"""Constants of `typer.rich_utils` and their English."""
_USAGE: tuple[str, ...] = ("Usage: ", "[OPTIONS]", "COMMAND [ARGS]...")
"""The words of a line of usage that Typer writes by itself."""


class Command(TyperCommand):
    """A command whose help shows a value's type beside its option (`--port INT`), not in a column between."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with each type in its option's name."""
        TyperCommand.format_help(_shown(self), ctx, formatter)

    def get_usage(self, ctx: Any) -> str:
        """Return the line of usage in the reader's language."""
        return _usage(super().get_usage(ctx))


class Group(TyperGroup):
    """A group of commands, whose help shows types as `Command` does."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Print the help with each type in its option's name."""
        TyperGroup.format_help(_shown(self), ctx, formatter)

    def get_usage(self, ctx: Any) -> str:
        """Return the line of usage in the reader's language."""
        return _usage(super().get_usage(ctx))

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the arguments; an error is shown in the reader's language."""
        with _usage_errors():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run the command that the arguments name; an error in them is shown in the reader's language."""
        with _usage_errors():
            return super().invoke(ctx)


@contextmanager
def _usage_errors() -> Iterator[None]:
    """Translate what Typer prints when the command line is wrong, or when a question is not answered."""
    try:
        yield
    except (UsageError, typer.Abort) as error:
        _name_panels(_help_words())
        if isinstance(error, UsageError):
            from scharten.commands.usage_errors import translate  # noqa: PLC0415 - only an error needs it

            translate(error, _language())
        raise


def _language() -> str:
    return os.environ.get("SCHARTEN_LANGUAGE") or ENGLISH


def _usage(english: str) -> str:
    words = _help_words()
    for part in _USAGE:
        english = english.replace(part, words.get(part, part), 1)
    return english


def _help_words() -> Mapping[str, str]:
    """Return the texts of `--help` in SCHARTEN_LANGUAGE by their English; none in English, which the source has."""
    language = _language()
    return {} if language == ENGLISH else area(language, "help")


def _shown(command: Any) -> Any:
    """Return a copy of a command for its help: in the reader's language, each type in its option's name."""
    words = _help_words()
    _name_panels(words)
    shown = _translated(command, words)
    shown.get_params = lambda ctx: [_with_type(param, ctx, words) for param in command.get_params(ctx)]
    if isinstance(command, TyperGroup):
        shown.get_command = lambda ctx, name: _translated(command.get_command(ctx, name), words)
    return shown


def _translated(command: Any, words: Mapping[str, str]) -> Any:
    shown = copy.copy(command)
    for name in ("help", "epilog", "rich_help_panel"):
        english = getattr(command, name, None)
        if isinstance(english, str):
            setattr(shown, name, _in_language(english, words))
    return shown


def help_key(english: str) -> str:
    """Return the key of a text in `help.json`: its lists of languages and games are places, so a new one fits in."""
    key = english.strip()
    for name, listed in _lists().items():
        key = key.replace(listed, f"{{{name}}}")
    return key


def _lists() -> Mapping[str, str]:
    from scharten.games import GAMES  # noqa: PLC0415 - takes most of a second, which `--version` must not

    return {"languages": ", ".join(LANGUAGES), "games": ", ".join(game.key for game in GAMES)}


def _in_language(english: str, words: Mapping[str, str]) -> str:
    return fill(words.get(help_key(english), english), _lists()) if words else english


def _name_panels(words: Mapping[str, str]) -> None:
    """Set the headings and marks that Typer's help prints by itself, in English again where there is no text."""
    from typer import rich_utils  # noqa: PLC0415 - loads Rich, which only help needs

    for name, english in _TYPERS_OWN.items():
        setattr(rich_utils, name, words.get(english, english))


def _with_type(param: Any, ctx: Any, words: Mapping[str, str]) -> Any:
    shown = copy.copy(param)
    if english := getattr(param, "help", None):
        shown.help = _in_language(english, words)
    if param.param_type_name == "option" and not (param.is_flag or param.count):
        kind = str(param.display_type_rich(ctx=ctx) or "").strip("<>").split(" ")[0].upper()
        shown.opts = [f"{name} {kind}" if name.startswith("--") else name for name in param.opts]
    shown.display_type_rich = lambda ctx: None
    shown._get_number_range_help_str = lambda: None
    return shown


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"scharten {__version__}")
        raise typer.Exit


def build(wanted: str = "") -> typer.Typer:
    """Return the command line, whole or with the command `wanted` alone: loading every module takes a second."""
    app = typer.Typer(
        help="Scharten, almost chess on a dartboard: the referee in the room.",
        cls=Group,
        no_args_is_help=True,
    )

    @app.callback()
    def _root(
        version: bool = typer.Option(
            False, "--version", callback=_version, is_eager=True, help="Print the version."
        ),
    ) -> None:
        """Scharten, almost chess on a dartboard: the referee in the room."""

    if wanted == "--version":
        return app
    rows = [(title, name, module) for title, group in GROUPS.items() for name, module in group.items()]
    for title, name, module in [row for row in rows if row[1] == wanted] or rows:
        _add(app, title, name, import_module(f"scharten.commands.{module}"))
    return app


def _add(app: typer.Typer, title: str, name: str, module: ModuleType) -> None:
    """Add the function, or the group of commands, that the module has under the command's name."""
    found = getattr(module, name.replace("-", "_"))
    if not isinstance(found, typer.Typer):
        epilog = getattr(module, "EPILOG", None)
        app.command(name, cls=Command, rich_help_panel=title, epilog=epilog)(found)
        return
    for command in found.registered_commands:
        command.cls = Command
    app.add_typer(found, name=name, cls=Group, rich_help_panel=title)


def main() -> None:
    """Run the command line. A `SchartenError` is printed in the chosen language, and ends with status 1."""
    clamp_date()
    try:
        build(*sys.argv[1:2])()
    except SchartenError as error:
        print(f"scharten: {error.shown(_language())}", file=sys.stderr)
        sys.exit(1)
