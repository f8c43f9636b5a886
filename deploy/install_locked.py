"""Install a lock's packages, verified by their hashes, with several pips at once, one for each core.

.venv/bin/python deploy/install_locked.py requirements.lock --editable

An installation spends most of its time on reading the registry's long lists, on one core. The parts share no package.
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
"""Each pip needs up to 100 MB, and small machines have little memory."""
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
    """Install the lock; return 0 on success, else pip has written the errors to stderr."""
    parser = argparse.ArgumentParser(description="Install what a lock names.")
    parser.add_argument("lock", type=Path)
    parser.add_argument("--editable", action="store_true", help="this checkout too")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        commands = []
        for number, entries in enumerate(
            split(options.lock.read_text(), min(os.cpu_count() or 1, MOST_AT_ONCE))
        ):
            part = Path(folder) / f"{number}.lock"
            part.write_text("".join(entries))
            commands.append([*PIP, "--require-hashes", "-r", str(part)])
        editable = [[*PIP, "--editable", "."]] if options.editable else []
        # The path file of a checkout whose path is not ASCII stops every Python of LC_ALL=C (relative_paths.py).
        alone = not str(Path.cwd()).isascii()
        return run(commands if alone else [*editable, *commands]) or (run(editable) if alone else 0)


def run(commands: list[list[str]]) -> int:
    """Run the commands at once; return the largest exit status."""
    running = [subprocess.Popen(command) for command in commands]
    return max([process.wait() for process in running], default=0)


def split(lock: str, count: int) -> list[list[str]]:
    """Split the lock's entries into `count` parts with about as many hashes each, so that they take about as long."""
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
