"""The pure parts of the page's scripts, run in Node without a browser."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent
SINCE = (20, 19)
"""The first version of Node that takes scripts with imports for modules by itself."""


@cache
def _reason_to_skip() -> str | None:
    """Return why these tests cannot run here, or None."""
    node = shutil.which("node")
    if node is None:
        return "needs Node"
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=True).stdout
    numbers = tuple(int(part) for part in re.findall(r"\d+", version)[:2])
    return None if numbers >= SINCE else f"needs Node {SINCE[0]}.{SINCE[1]}, this is {version.strip()}"


@pytest.mark.parametrize("name", sorted(path.name for path in FOLDER.glob("*.test.mjs")))
def test_scripts_without_a_browser(name: str) -> None:
    """Each file of node:test passes."""
    if reason := _reason_to_skip():
        pytest.skip(reason)
    ran = subprocess.run(["node", "--test", FOLDER / name], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout[-4000:]
    assert re.search(r"^# pass [1-9]", ran.stdout, re.MULTILINE), "no test ran"
