"""How long from the command to the first state at a subscriber."""

from __future__ import annotations

import platform
import statistics
import tempfile
import time
from pathlib import Path

from scharten.bench.room import Daemon

TARGET_S = 2.0


def run(times: int) -> int:
    """Start the daemon `times` times in new folders and print the figures beside the target; 0 when it is met."""
    taken = [_once(number) for number in range(times)]
    middle, worst = statistics.median(taken), max(taken)
    print(f"start to first state, {times} starts on {platform.machine()}, Python {platform.python_version()}")
    print(f"  median {middle:.2f} s, worst {worst:.2f} s; target under {TARGET_S:.0f} s")
    return 0 if worst < TARGET_S else 1


def _once(number: int) -> float:
    with tempfile.TemporaryDirectory(prefix="scharten-start-") as folder:
        daemon = Daemon(Path(folder))
        began = time.monotonic()
        daemon.start()
        try:
            peer = daemon.peer("arbiter")
            peer.wait(lambda state: state["phase"] == "setup", what="the first state")
            taken = time.monotonic() - began
            peer.close()
            daemon.stop()
        finally:
            daemon.end()
    print(f"  start {number + 1}: {taken:.2f} s", flush=True)
    return taken
