"""The words of the command line: help that is printed whole, and cures that can be followed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.metadata import requires

import click
import pytest
from rich.text import Text
from typer.main import get_command

from scharten.cli import build
from scharten.commands.extras import how_to_add
from scharten_calibration.cli import build as build_calibration


def texts(command: click.Command) -> Iterator[str]:
    """Every help text of a command and of those below it."""
    yield command.help or ""
    for param in command.params:
        yield getattr(param, "help", None) or ""
    for below in getattr(command, "commands", {}).values():
        yield from texts(below)


@pytest.mark.parametrize("make", [build, build_calibration])
def test_help_is_printed_whole(make) -> None:  # type: ignore[no-untyped-def]
    """No bracket in a help text is taken for markup and left out of what people read."""
    said = [text for text in texts(get_command(make())) if text]
    assert len(said) > 10
    assert [text for text in said if Text.from_markup(text).plain != text] == []


@pytest.mark.parametrize("extra", ["club", "archive", "ble"])
def test_what_an_extra_needs_is_named_and_never_this_program(extra: str) -> None:
    """The command names each library of the extra; a package index is never asked for this program's own name."""
    words = shlex.split(how_to_add(extra))
    needed = words[words.index("install") + 1 :]
    assert len(needed) == sum(
        f'extra == "{extra}"' in item.replace("'", '"') for item in requires("scharten") or ()
    )
    assert needed and not any(item.startswith("scharten") for item in needed)
