"""The words of the command line: help that is printed whole, and cures that can be followed."""

from __future__ import annotations

import shlex
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import requires
from pathlib import Path

import click
import pytest
from rich.text import Text
from typer.main import get_command

from lab.daemon_process import end_board
from lab.ports import free_port
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
    words = shlex.split(how_to_add(extra).partition(": ")[2])
    needed = words[words.index("install") + 1 :]
    assert len(needed) == sum(
        f'extra == "{extra}"' in item.replace("'", '"') for item in requires("scharten") or ()
    )
    assert needed and not any(item.startswith("scharten") for item in needed)


@pytest.mark.parametrize("begin", ["2320", "in play"])
def test_a_date_that_cannot_be_counted_has_a_clear_error(tmp_path: Path, begin: str) -> None:
    """Past 2262 Python's own clock raises, at the start or in play: status 1, and a clear message comes last."""
    raising = f"""
import time, threading
def late():
    def fail(): raise OverflowError("timestamp too large")
    time.time = time.time_ns = fail
{"late()" if begin == "2320" else "threading.Timer(3, late).start()"}
import sys
sys.argv[1:] = ["run", "--no-browser", "--port", "0", "--data", {str(tmp_path)!r}]
from scharten.cli import main
main()
"""
    (tmp_path / "scharten.toml").write_text(f"[broker]\nport = {free_port()}\n")
    reported = subprocess.run(
        [sys.executable, "-c", raising], capture_output=True, text=True, timeout=120, check=False
    )
    end_board(tmp_path)
    assert reported.returncode == 1 and "past the year 2262" in reported.stderr
    assert reported.stderr.rstrip().endswith("Set the date, and start again.")
