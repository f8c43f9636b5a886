"""From a bare clone to the first page with `make run`, with uv and with pip, with empty and with full caches."""

from __future__ import annotations

import contextlib
import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from lab.daemon_process import FAST, end_board
from scharten.errors import SchartenError

ROOT = Path(__file__).parents[2]
TARGETS_S = {"uv": 10.0, "pip": 30.0}
LIMIT_S, END_S = 900.0, 30.0


def run(tools: tuple[str, ...]) -> int:
    """Print the seconds beside the target for each tool; return 0 if the empty caches meet it."""
    met = True
    for tool in tools:
        if (uv := _uv() if tool == "uv" else "") is None:
            raise SchartenError("uv is not installed.", f"{sys.executable} -m pip install uv")
        with tempfile.TemporaryDirectory(prefix="scharten-caches-") as caches:
            for state in ("empty", "full"):
                seconds, cpu = _once(uv or "", Path(caches))
                target = TARGETS_S[tool]
                met = met and (seconds <= target or state == "full")
                words = f"{seconds:5.1f} s (target {target:.0f} s), of them {cpu:.1f} s CPU"
                print(f"bare clone to first page with {tool:3}, {state} caches: {words}", flush=True)
    return 0 if met else 1


def _uv() -> str | None:
    beside = Path(sys.executable).with_name("uv")
    return str(beside) if beside.exists() else shutil.which("uv")


def _once(uv: str, caches: Path) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix="scharten-clone-") as folder:
        clone, data = Path(folder) / "scharten", Path(folder) / "data"
        subprocess.run(["git", "clone", "-q", "--no-local", str(ROOT), str(clone)], check=True)
        data.mkdir()
        (data / "scharten.toml").write_text(FAST)
        environment = {**os.environ, "UV_CACHE_DIR": str(caches / "uv"), "PIP_CACHE_DIR": str(caches / "pip")}
        environment.pop("VIRTUAL_ENV", None)
        command = ["make", "-s", "run", f"UV={uv}", f"ARGS=--no-browser --data {data}"]
        with (data / "said.txt").open("wb") as said:
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            cpu, began = before.ru_utime + before.ru_stime, time.monotonic()
            process = subprocess.Popen(
                command, cwd=clone, env=environment, stdout=said, stderr=said, start_new_session=True
            )
            try:
                _first_page(process, data)
                seconds = time.monotonic() - began
            finally:
                _end(process, data)
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return seconds, used.ru_utime + used.ru_stime - cpu


def _end(process: subprocess.Popen[bytes], data: Path) -> None:
    """End `make run` like a closing terminal, with its child processes; raise `SchartenError` if it does not end."""
    try:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait(END_S)
    except subprocess.TimeoutExpired as late:
        said = (data / "said.txt").read_text()[-2000:]
        raise SchartenError(
            f"make run did not end within {END_S:.0f} s: {said}", "See what it says."
        ) from late
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        end_board(data)


def _first_page(process: subprocess.Popen[bytes], data: Path) -> None:
    """Wait for the page at the address that the daemon prints."""
    deadline = time.monotonic() + LIMIT_S
    while time.monotonic() < deadline:
        if process.poll() is not None:
            raise SchartenError(
                f"make run ended: {(data / 'said.txt').read_text()[-2000:]}", "See what it says."
            )
        try:
            url = json.loads((data / "running.json").read_text())["web"]
            with urllib.request.urlopen(url, timeout=5) as answer:
                answer.read()
            return
        except (OSError, ValueError, urllib.error.URLError):
            time.sleep(0.05)
    raise SchartenError(f"no page within {LIMIT_S:.0f} s", "Is the network there?")
