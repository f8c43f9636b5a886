"""How long from the command to the first state at a subscriber."""

from __future__ import annotations

import platform
import socket
import statistics
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from lab.daemon_process import FAST, DaemonProcess, Peer, wait_for
from scharten.errors import SchartenError

TARGET_S = 2.0


def run(times: int) -> int:
    """Start the daemon `times` times in new folders and print the figures beside the target; 0 when it is met."""
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


@contextmanager
def _reserved_port() -> Iterator[int]:
    """A free port that stays ours until the daemon listens on it.

    Merely found and let go, it can be anybody's by then: the display would meet a stranger and wait in vain.
    """
    with socket.socket() as probe:
        probe.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # bound but not listening: the daemon still may
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
    """A display that only looks, as soon as the broker lets it in."""
    try:
        return Peer("127.0.0.1", port, "scharten/home/board1", "display", None)
    except OSError:
        return None
