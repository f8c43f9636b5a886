"""What an optional part of the program needs, and how to add it to the Python that runs it."""

from __future__ import annotations

import shlex
import sys
from importlib.metadata import requires


def how_to_add(extra: str) -> str:
    """The command that installs an extra's own libraries, never this program's name from an index."""
    marker = f'extra == "{extra}"'
    wanted = [
        one.split(";")[0].strip() for one in requires("scharten") or () if marker in one.replace("'", '"')
    ]
    return "Add what it needs: " + shlex.join([sys.executable, "-m", "pip", "install", *wanted])
