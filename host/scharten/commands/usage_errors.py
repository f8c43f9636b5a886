"""Errors of the command line itself, such as an unknown option, in the reader's language: Typer's own are English."""

from __future__ import annotations

import re
from typing import Any

from scharten.words import ENGLISH, text

_MESSAGES = tuple(
    (code, re.compile(pattern))
    for code, pattern in (
        ("missing_argument", r"Missing argument '(?P<name>.*)'\."),
        ("missing_option", r"Missing option '(?P<name>.*)'\."),
        ("missing_command", r"Missing command\."),
        ("options_like_it", r"No such option: (?P<name>\S+) \(Possible options: (?P<known>.*)\)"),
        ("no_option", r"No such option: (?P<name>\S+).*"),
        ("commands_like_it", r"No such command '(?P<name>.*?)'\. Did you mean (?P<known>.*)\?"),
        ("no_command", r"No such command '(?P<name>.*)'\."),
        ("extra_argument", r"Got unexpected extra arguments?(?:\(s\))? \((?P<name>.*)\)"),
        ("needs_value", r"Option '(?P<name>.*)' requires an argument\."),
        ("takes_no_value", r"Option '(?P<name>.*)' does not take a value\."),
        ("integer", r"Invalid value for '(?P<name>.*?)': Input should be a valid integer.*"),
        ("number", r"Invalid value for '(?P<name>.*?)': Input should be a valid number.*"),
        ("at_most", r"Invalid value for '(?P<name>.*?)': Input should be less than or equal to (?P<most>\S+)"),
        ("at_least", r"Invalid value for '(?P<name>.*?)': Input should be greater than or equal to (?P<least>\S+)"),
        ("no_such_file", r"Invalid value for '(?P<name>.*?)': \w+ '(?P<path>.*)' does not exist\."),
        ("folder", r"Invalid value for '(?P<name>.*?)': \w+ '(?P<path>.*)' is a directory\."),
        ("wrong_value", r"Invalid value for '(?P<name>.*?)': .*"),
        ("unknown", r"(?s:.*)"),
    )
)  # fmt: skip
"""By the text `command.usage.<code>`: Typer's English message, the first that matches."""


def usage_error_text(language: str, english: str) -> str:
    """Return Typer's message about the command line in a language; English stays as it is."""
    if language == ENGLISH:
        return english
    code, values = next(
        (code, found.groupdict()) for code, pattern in _MESSAGES if (found := pattern.fullmatch(english))
    )
    return text(language, f"command.usage.{code}", **values)


def translate(error: Any, language: str) -> None:
    """Let an error of Typer show its message in a language; Typer prints it, and ends with its status."""
    shown = usage_error_text(language, error.format_message())
    error.format_message = lambda: shown
