"""Run commands in a process of its own, whose environment chooses a language: `python -m words.console`."""

from __future__ import annotations

import json
import sys

from typer.testing import CliRunner

from scharten.cli import build
from scharten.commands.words import chosen_language
from scharten.errors import SchartenError
from scharten_calibration.cli import build as build_calibration

CALIBRATE = "calibrate"
"""The first word of a command of `scharten-calibrate`."""


def output(arguments: list[str]) -> str:
    """Return all that a command prints, with its refusal."""
    if arguments[0] == CALIBRATE:
        found = CliRunner().invoke(build_calibration(), arguments[1:])
    else:
        found = CliRunner().invoke(build(arguments[0]), arguments)
    refused = found.exception
    if refused is not None and not isinstance(refused, SchartenError | SystemExit):
        raise refused
    shown = refused.shown(chosen_language()) if isinstance(refused, SchartenError) else ""
    return found.output + shown


if __name__ == "__main__":
    print(json.dumps([output(arguments) for arguments in json.load(sys.stdin)]))
