"""The words of the command line: help that is printed whole, and cures that can be followed."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from importlib.metadata import requires
from typing import Any

import pytest
from rich.text import Text
from typer.main import get_command
from typer.testing import CliRunner

from scharten.cli import GROUPS, build, help_key
from scharten.commands.extras import how_to_add
from scharten.words import LANGUAGES, area
from scharten_calibration.cli import build as build_calibration


def texts(command: Any) -> Iterator[str]:
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


PRINTED_BY_TYPER = {"Options", "Arguments", "Commands", "Error", "[default: {}]", "[required]", "Aborted.",
                    "Try [blue]'{command_path} {help_option}'[/] for help.", "Usage: ", "[OPTIONS]",
                    "COMMAND [ARGS]...", "Show this message and exit."}  # fmt: skip
"""Words of Typer's own in a help, and the option --help."""


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_every_help_text_has_a_translation(language: str) -> None:
    """`help.json` has each English text of both programs' `--help`, changed ones included, and nothing else."""
    command = get_command(build())
    epilogs = [below.epilog for below in getattr(command, "commands", {}).values() if below.epilog]
    found = (*texts(command), *texts(get_command(build_calibration())), *epilogs)
    english = {help_key(text) for text in found if text} | set(GROUPS) | PRINTED_BY_TYPER
    assert english ^ area(language, "help").keys() == set()
    assert all(area(language, "help").values())


def test_help_is_printed_in_the_chosen_language(monkeypatch: pytest.MonkeyPatch) -> None:
    """With SCHARTEN_LANGUAGE=de the headings, the commands and the options of `--help` are German."""
    monkeypatch.setenv("SCHARTEN_LANGUAGE", "de")
    words = area("de", "help")
    shown = " ".join(CliRunner().invoke(build(), ["--help"]).output.split())
    assert all(f"─ {words[title]} ─" in shown for title in GROUPS)
    assert words["Register a player."] in CliRunner().invoke(build("players"), ["players", "--help"]).output
    assert words["Open no browser."] in CliRunner().invoke(build("run"), ["run", "--help"]).output
    german = CliRunner().invoke(build("doctor"), ["doctor", "--help"]).output
    assert words["One of {languages}."].format(languages=", ".join(LANGUAGES)) in german
    calibrate = CliRunner().invoke(build_calibration(), ["piezo", "--help"]).output
    assert words["The profile that gets the threshold."] in calibrate


@pytest.mark.parametrize("extra", ["club", "archive", "ble"])
def test_what_an_extra_needs_is_named_and_never_this_program(extra: str) -> None:
    """The command names each library of the extra; a package index is never asked for this program's own name."""
    words = shlex.split(how_to_add(extra))
    needed = words[words.index("install") + 1 :]
    assert len(needed) == sum(
        f'extra == "{extra}"' in item.replace("'", '"') for item in requires("scharten") or ()
    )
    assert needed and not any(item.startswith("scharten") for item in needed)
