"""Only sensors, systemd and the loading of firmware use what Linux alone has."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MAY = ("host/scharten/sensors/", "host/scharten/daemon/systemd.py")
"""The places that may need Linux."""
LINUX = {
    "os": "sched_getaffinity sched_setaffinity sched_setscheduler SCHED_IDLE memfd_create eventfd pidfd_open O_TMPFILE "
    "inotify_init setns unshare copy_file_range getrandom posix_fadvise",
    "socket": "SOCK_CLOEXEC SOCK_NONBLOCK AF_NETLINK AF_PACKET AF_ALG SO_PEERCRED SO_BINDTODEVICE "
    "TCP_USER_TIMEOUT TCP_QUICKACK",
    "select": "epoll EPOLLIN",
    "resource": "prlimit",
    "signal": "signalfd sigtimedwait SIGRTMIN pidfd_send_signal",
}
"""Names that the documentation of Python's library marks as available on Linux alone."""
PATHS = re.compile(r"/(proc|sys|dev/(video|serial|v4l|input|shm|disk))\b")
NAMED = {
    "host/scharten/commands/idle.py": "an error of the file is ignored",
    "host/scharten/setup/doctor.py": "listed where they exist",
    "calibration/scharten_calibration/pico_drive.py": "/proc/mounts where it exists; macOS mounts in /Volumes",
    "calibration/scharten_calibration/cli.py": "an example in --help",
    "calibration/scharten_calibration/camera_cli.py": "an example in --help",
}
"""Modules that name a path of Linux and work without it."""


ATTRIBUTES = {f"{module}.{name}" for module, names in LINUX.items() for name in names.split()}


def needs(tree: ast.Module) -> Iterator[str]:
    """Yield what a module needs of Linux: attributes without a `hasattr` for them, and paths in its texts."""
    asked = {
        ast.literal_eval(call.args[1])
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "hasattr"
        if isinstance(call.args[1], ast.Constant)
    }
    guarded = {name for known in LINUX.values() if asked & set(known.split()) for name in known.split()}
    documents = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body
        if isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and ast.unparse(node) in ATTRIBUTES and node.attr not in guarded:
            yield ast.unparse(node)
        text = node.value if isinstance(node, ast.Constant) and id(node) not in documents else None
        if isinstance(text, str) and PATHS.search(text):
            yield text


@pytest.mark.long
def test_nothing_else_needs_linux() -> None:
    """No other module uses a call that only Linux has, or a path that only Linux has without doing without it."""
    found = {}
    for folder in ("host/scharten", "calibration/scharten_calibration"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            name = str(path.relative_to(ROOT))
            if not name.startswith(MAY) and (needed := [*needs(ast.parse(path.read_text()))]):
                found[name] = needed
    calls = {name: [need for need in needed if not PATHS.search(need)] for name, needed in found.items()}
    assert {name: needed for name, needed in calls.items() if needed} == {}
    assert set(found) == set(NAMED), "name the new one with how it works without the path"


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("import os\nos.sched_setscheduler(0, 1)\n", 1),
        ("import os\nif hasattr(os, 'SCHED_IDLE'):\n    os.sched_setscheduler(0, os.SCHED_IDLE)\n", 0),
        ("import socket\nx = socket.SO_PEERCRED\n", 1),
        ("x = open('/proc/self/stat')\n", 1),
        ("def f():\n    'Reads /proc/self.'\n", 0),
        ("import os\nos.nice(3)\n", 0),
    ],
)
def test_the_check_sees_what_needs_linux(text: str, count: int) -> None:
    """A call or a path is found, one behind `hasattr` or in a docstring is not."""
    assert len([*needs(ast.parse(text))]) == count


def test_python_starts_in_any_locale_where_a_folder_has_an_accent(tmp_path: Path) -> None:
    """An editable install below `s\u00e9t` runs with LC_ALL=C, once its path file is relative; ASCII lines stay."""
    checkout = tmp_path / "s\u00e9t" / "scharten"
    (checkout / "host").mkdir(parents=True)
    (checkout / "host" / "found.py").write_text("print('found')\n")
    environment = {**os.environ, "LC_ALL": "C"}
    environment.pop("PYTHONPATH", None)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(checkout / ".venv")], check=True)
    (packages,) = (checkout / ".venv" / "lib").glob("python3*/site-packages")
    path_file = packages / "_scharten.pth"
    path_file.write_text(f"/usr/nowhere\n{checkout}/host\n", "utf-8")
    command = [sys.executable, str(ROOT / "deploy/relative_paths.py"), ".venv"]
    subprocess.run(command, cwd=checkout, env=environment, check=True)
    started = [str(checkout / ".venv/bin/python"), "-c", "import found"]
    done = subprocess.run(started, env=environment, cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout == "found\n", done.stderr
    assert path_file.read_text("utf-8") == "/usr/nowhere\n../../../../host\n"
