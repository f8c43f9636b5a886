"""Needs of an optional part of the program, and how to add them to the Python that runs it."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import requires
from importlib.util import find_spec


def how_to_add(extra: str) -> str:
    """Return the command that installs an extra's libraries, never this program from a package index."""
    marker = f'extra == "{extra}"'
    wanted = [
        requirement.split(";")[0].strip()
        for requirement in requires("scharten") or ()
        if marker in requirement.replace("'", '"')
    ]
    if find_spec("pip") is None:  # the Debian package
        pip = ["sudo", "python3", "-m", "pip", "--python", sys.executable]
        return "Add what it needs (sudo apt install python3-pip): " + shlex.join([*pip, "install", *wanted])
    return "Add what it needs: " + shlex.join([sys.executable, "-m", "pip", "install", *wanted])
