"""The time from the command to the first state at a subscriber, and from `make run` to a game with the computer."""

from __future__ import annotations

import os
import platform
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.daemon_process import FAST, DaemonProcess, Peer, reported, wait_for
from scharten.errors import SchartenError

TARGET_S = 2.0
GAME_S = 5.0
ROOT = Path(__file__).parents[2]


def run(times: int) -> int:
    """Start the daemon `times` times in new folders, and print the figures beside the target; return 0 if it is met."""
    taken = [_once(number) for number in range(times)]
    middle, worst = statistics.median(taken), max(taken)
    print(f"start to first state, {times} starts on {platform.machine()}, Python {platform.python_version()}")
    print(f"  median {middle:.2f} s, worst {worst:.2f} s; target under {TARGET_S:.0f} s")
    return 0 if worst < TARGET_S else 1


def _once(number: int) -> float:
    with _reserved_port() as port, tempfile.TemporaryDirectory(prefix="scharten-start-") as folder:
        daemon = DaemonProcess(Path(folder), FAST.replace("[broker]\nport = 0", f"[broker]\nport = {port}"))
        began = time.monotonic()
        daemon.start()
        try:
            display = wait_for(lambda: _display(port), 30, "the broker")
            _first_state(daemon, display)
            taken = time.monotonic() - began
            display.close()
            assert daemon.running
            daemon.stop()
        finally:
            daemon.end()
    print(f"  start {number + 1}: {taken:.2f} s", flush=True)
    return taken


def first_game(times: int) -> int:
    """Run `make run` in new data folders until the computer has made its first turn; return 0 if all are in time."""
    subprocess.run(["make", "-s", ".venv/run.stamp"], cwd=ROOT, check=True)  # no install is timed
    before = _cpu_s()
    pages, games = zip(*(_first_game(number) for number in range(times)), strict=True)
    print(f"make run to a game against the computer, {times} times, the environment being there")
    print(f"  the page is served: median {statistics.median(pages):.2f} s, worst {max(pages):.2f} s")
    median, worst = statistics.median(games), max(games)
    print(f"  the computer's first turn: median {median:.2f} s, worst {worst:.2f} s; target {GAME_S:.0f} s")
    print(f"  of it CPU, each of all processes together: {(_cpu_s() - before) / times:.2f} s")
    return 0 if worst < GAME_S else 1


def _cpu_s() -> float:
    """Return the CPU time of ended processes in seconds; a busy machine does not change it."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _first_game(number: int) -> tuple[float, float]:
    with tempfile.TemporaryDirectory(prefix="scharten-game-") as name:
        folder = Path(name)
        daemon = DaemonProcess(folder, "[broker]\nport = 0\n[web]\nport = 0\n")
        arguments = f"ARGS=--no-browser --config {daemon.config} --data {folder}"
        began = time.monotonic()
        with daemon.log.open("ab") as log:
            made = subprocess.Popen(
                ["make", "-s", "run", arguments],
                cwd=ROOT,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        try:
            url = str(wait_for(lambda: reported(folder), 60, "the daemon to play")["page"])
            with urllib.request.urlopen(url) as page:
                assert page.status == 200
            served = time.monotonic() - began
            table = daemon.peer(running=reported(folder))
            table.new_game(kind="silent", computers={"seat1": 5, "seat2": None})
            table.wait(lambda state: state["turns"] > 0, what="the computer's turn")
            taken = time.monotonic() - began
            table.close()
        finally:
            os.killpg(made.pid, signal.SIGTERM)
            made.wait(20)
            daemon.end()
    print(f"  {number + 1}: page {served:.2f} s, first turn {taken:.2f} s", flush=True)
    return served, taken


@contextmanager
def _reserved_port() -> Iterator[int]:
    """Reserve a free port until the daemon listens on it.

    A port that is found and released may belong to another program by then, and the display would wait in vain.
    """
    with socket.socket() as probe:
        probe.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # bound but not listening, so that the daemon can still listen
        probe.bind(("127.0.0.1", 0))
        yield int(probe.getsockname()[1])


def _first_state(daemon: DaemonProcess, display: Peer) -> None:
    until = time.monotonic() + 30
    while not display.state:
        assert daemon.process is not None
        if daemon.process.poll() is not None or time.monotonic() > until:
            raise SchartenError(
                "the display waited in vain for the first state",
                f"The daemon said:\n{daemon.log.read_text()}",
            )
        time.sleep(0.002)


def _display(port: int) -> Peer | None:
    """Return a read-only display, as soon as the broker accepts it."""
    try:
        return Peer("127.0.0.1", port, "scharten/home/board1", "display", None)
    except OSError:
        return None
