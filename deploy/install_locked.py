"""What a lock names, installed with its hashes by several pips at once, one for each core.

.venv/bin/python deploy/install_locked.py requirements.lock --editable

Most of the time of an installation pip reads the registry's long lists, on one core; the parts share no package.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

MOST_AT_ONCE = 4
"""Each pip takes up to 100 MB, which a small machine has to have."""
PIP = (
    sys.executable,
    "-m",
    "pip",
    "install",
    "-q",
    "--no-compile",
    "--disable-pip-version-check",
    "--no-deps",
)


def main() -> int:
    """0 when everything is installed; what went wrong is on stderr, by pip."""
    asked = argparse.ArgumentParser(description="Install what a lock names.")
    asked.add_argument("lock", type=Path)
    asked.add_argument("--editable", action="store_true", help="this checkout too")
    wish = asked.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands = [[*PIP, "--editable", "."]] if wish.editable else []
        for number, entries in enumerate(
            split(wish.lock.read_text(), min(os.cpu_count() or 1, MOST_AT_ONCE))
        ):
            part = Path(folder) / f"{number}.lock"
            part.write_text("".join(entries))
            commands.append([*PIP, "--require-hashes", "-r", str(part)])
        running = [subprocess.Popen(command) for command in commands]
        return max([process.wait() for process in running])


def split(lock: str, count: int) -> list[list[str]]:
    """The lock's entries in so many parts that take about as long: a package with many files has a long list."""
    entries = [entry for entry in re.split(r"(?m)^(?=\S)", lock) if "==" in entry]
    parts: list[list[str]] = [[] for _ in range(count)]
    files = [0] * count
    for entry in sorted(entries, key=lambda entry: entry.count("--hash"), reverse=True):
        least = files.index(min(files))
        parts[least].append(entry)
        files[least] += entry.count("--hash")
    return [part for part in parts if part]


if __name__ == "__main__":
    sys.exit(main())
