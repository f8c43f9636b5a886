"""Needs of an optional part of the program, and how to add them to the Python that runs it."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec

from scharten.errors import SchartenError


def how_to_add(extra: str) -> str:
    """Return the command that installs an extra's libraries, never this program from a package index."""
    marker = f'extra == "{extra}"'
    wanted = [
        requirement.split(";")[0].strip()
        for requirement in requires("scharten") or ()
        if marker in requirement.replace("'", '"')
    ]
    python = (
        [sys.executable, "-m", "pip"]
        if has_pip()
        else ["sudo", "python3", "-m", "pip", "--python", sys.executable]
    )
    return shlex.join([*python, "install", *wanted])


def has_pip() -> bool:
    """Return whether this program's Python has pip; that of the Debian package has not."""
    return find_spec("pip") is not None


def lacking(command: str, library: str | None) -> SchartenError:
    """Return the error of a command whose extra, of the same name, is not installed."""
    code = "needs_library" if has_pip() else "needs_library_and_pip"
    return SchartenError.coded(code, command=command, library=library, install=how_to_add(command))
