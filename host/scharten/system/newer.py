"""Whether a newer version of this program exists, as files of this machine know: nothing here asks the network.

Two places may know: a file that the configuration names, and the package lists that apt has fetched from the sources of
the machine's administrator.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from scharten import __version__
from scharten.errors import SchartenError

PACKAGED = "/usr/lib/scharten"
"""Where the Debian package puts the program."""
VERSION = re.compile(r"v?(\d{1,6}(?:\.\d{1,6}){1,3})")
MOST_BYTES = 1024
APT_S = 60.0


@dataclass(frozen=True, slots=True)
class Newer:
    """A version newer than the running one; `source` is `apt` or `file`."""

    version: str
    source: str


def find_newer(file: str, prefix: str = sys.prefix) -> Newer | None:
    """Return a version newer than this program, from apt's lists if it is Debian's package, else from a file.

    `SchartenError` if the file holds no version. An empty `file` names none.
    """
    found = newer_in_apt() if prefix == PACKAGED else None
    return found or (newer_in_file(Path(file)) if file else None)


def newer_in_file(path: Path) -> Newer | None:
    """Return the version in the first line of a file, if it is newer than this program."""
    try:
        with path.open("rb") as opened:
            first = opened.read(MOST_BYTES).decode("utf-8").partition("\n")[0].strip()
    except (OSError, ValueError) as error:
        raise SchartenError.coded("version_unreadable", path=path, why=error) from error
    named = VERSION.fullmatch(first)
    if named is None:
        raise SchartenError.coded("no_version", path=path)
    return Newer(named[1], "file") if _parts(named[1]) > _parts(__version__) else None


def newer_in_apt(running: str = __version__) -> Newer | None:
    """Return the version that `apt upgrade` would install, if it is newer than this package; apt reads its lists only.

    None also where apt is missing, or where the installed package is not the program that runs.
    """
    policy = _output("apt-cache", "policy", "scharten")
    found = re.search(r"^  Installed: (\S+)\n  Candidate: (\S+)$", policy or "", re.MULTILINE)
    if found is None or found[1].rpartition("-")[0] != running:
        return None
    if _output("dpkg", "--compare-versions", found[2], "gt", found[1]) is None:
        return None
    return Newer(found[2].partition("+deb")[0], "apt")


def _parts(version: str) -> tuple[int, ...]:
    """The numbers of a version without the zeros at its end: 1.2 is 1.2.0."""
    named = VERSION.match(version)
    parts = [int(part) for part in named[1].split(".")] if named else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _output(*command: str) -> str | None:
    """Return what a program prints in English, or None if it is missing or fails."""
    try:
        environment = {**os.environ, "LC_ALL": "C"}
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=APT_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
