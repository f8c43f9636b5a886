"""A federation's pages: display servers with 500 pages each, as processes, beside a thousand boards on one
Mosquitto."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from dataclasses import dataclass

from lab import ENVIRONMENT
from lab.daemon_process import wait_for
from lab.figures import percentile
from lab.mosquitto import answers
from lab.ports import free_port
from lab.process_figures import cpu_s, memory_mb
from scharten.errors import SchartenError

PAGES = 500
"""Pages of one display server."""


@dataclass
class Served:
    """One display server and its pages."""

    server: subprocess.Popen[bytes]
    crowd: subprocess.Popen[str]
    memory_mb: float = 0.0
    cpu_s: float = 0.0


class Pages:
    """Display servers with their crowds; each shows one board of the first club, for `states` states."""

    def __init__(self, stack: ExitStack, port: int, servers: int, states: int) -> None:
        self._states = states
        self.p99_ms = 0.0
        places = [_served(stack, port, f"board{number}") for number in range(servers)]
        crowds = [_crowd(stack, url, states) for _, url in places]
        self.served = [Served(server, crowd) for (server, _), crowd in zip(places, crowds, strict=True)]
        for item in self.served:
            assert item.crowd.stdout is not None
            if item.crowd.stdout.readline().strip() != "ready":
                raise SchartenError(f"The {PAGES} pages did not all connect.", "Look at the lines above.")
            item.cpu_s = -cpu_s(item.server.pid)

    def reported(self) -> list[str]:
        """Return the figures of every server as text, once its pages have the last state."""
        lines = []
        for number, item in enumerate(self.served):
            assert item.crowd.stdout is not None
            found = json.loads(item.crowd.stdout.readline())
            item.cpu_s += cpu_s(item.server.pid)
            item.memory_mb = memory_mb(item.server.pid)
            late = found["late"]
            self.p99_ms = max(self.p99_ms, percentile(late, 99))
            lines.append(
                f"display server {number + 1}, {PAGES} pages, {self._states} states: "
                f"p50 {percentile(late, 50):.1f}, p99 {percentile(late, 99):.1f} ms, {found['skipped']} skipped; "
                f"{item.memory_mb:.0f} MB, {item.cpu_s / self._states / PAGES * 1e6:.0f} us of CPU a page and state"
            )
        return lines


def _served(stack: ExitStack, port: int, board: str) -> tuple[subprocess.Popen[bytes], str]:
    """Start `scharten display` for one board; return its address once it listens."""
    own = free_port()
    command = [sys.executable, "-m", "scharten", "display", "--broker", f"mqtt://127.0.0.1:{port}"]
    command += ["--club", "club0", "--board", board, "--port", str(own)]
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    stack.callback(_ended, server)
    wait_for(lambda: answers(own), 60, f"the display server of {board}")
    return server, f"http://127.0.0.1:{own}"


def _crowd(stack: ExitStack, url: str, states: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "lab.crowd", url, str(PAGES), str(states)]
    crowd = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=ENVIRONMENT)
    stack.callback(_ended, crowd)
    return crowd


def _ended(process: subprocess.Popen[bytes] | subprocess.Popen[str]) -> None:
    process.kill()
    process.wait()
