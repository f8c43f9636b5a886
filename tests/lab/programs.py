"""Programs that tests and benchmarks start; a test whose program is missing is skipped with the package to install."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from unittest import SkipTest

from scharten.errors import SchartenError


class MissingProgramError(SchartenError, SkipTest):
    """A program is not installed. pytest skips the test, `make bench` prints the message."""


def program(name: str, package: str = "") -> str:
    """Return the path of a program. Raises `MissingProgramError`."""
    found = shutil.which(name, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/games")
    if found is None:
        raise MissingProgramError(f"{name} is not installed: package {package or name}")
    return found


def shared_library(source: Path, folder: Path, *flags: str) -> Path:
    """Compile a library for LD_PRELOAD into a folder and return its path."""
    library = folder / f"{source.stem}.so"
    command: Sequence[str] = (
        program("gcc"),
        "-O1",
        "-Wall",
        "-Wextra",
        "-Werror",
        "-fPIC",
        "-shared",
        *flags,
    )
    subprocess.run([*command, "-o", str(library), str(source), "-ldl", "-lpthread"], check=True)
    return library
