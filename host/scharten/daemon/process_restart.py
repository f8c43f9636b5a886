"""Restart the process from the journal: the cure for a thread that hangs or a referee that cannot be restarted."""

from __future__ import annotations

import json
import logging
import os
import sys
import threading
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

log = logging.getLogger(__name__)

ENVIRONMENT = "SCHARTEN_RESTARTED"
"""The environment variable that passes the reason of a restart to the next process."""
ONLY_ONCE = ("--new-journal", "--new-links")
AT_ONCE = 3
TEN_MINUTES_MS = 600_000
LONGEST_WAIT_S = 60.0
GRACE_S = 0.2
"""Time for pages and devices to learn that play is impossible."""
STOP_S = 0.8
"""Time for the parts to stop; a part that hangs ends with the process."""


@dataclass(frozen=True, slots=True)
class ProcessRestart:
    """Why the previous process restarted, when restarts happened, and the port of its broker."""

    reason: str = ""
    times_ms: tuple[int, ...] = ()
    broker_port: int = 0

    def next_restart(self, reason: str, now_ms: int, broker_port: int) -> ProcessRestart:
        """Return the record of one more restart."""
        recent = tuple(at for at in self.times_ms if 0 <= now_ms - at < TEN_MINUTES_MS)
        return ProcessRestart(reason, (*recent, now_ms), broker_port)

    @property
    def wait_s(self) -> float:
        """Delay before the restart: none for the first three within ten minutes, then 2, 4, 8 ... seconds."""
        delayed = len(self.times_ms) - AT_ONCE
        return min(LONGEST_WAIT_S, 2.0**delayed) if delayed > 0 else 0.0


def restarted_before(environment: MutableMapping[str, str] = os.environ) -> ProcessRestart:
    """Take the record of a restart from the environment; empty after an ordinary start."""
    left = environment.pop(ENVIRONMENT, "{}")
    try:
        fields: Mapping[str, Any] = json.loads(left)
        return ProcessRestart(
            str(fields["reason"]), tuple(map(int, fields["times_ms"])), int(fields["broker_port"])
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        return ProcessRestart()


def restart_process(restarted: ProcessRestart, port: int) -> None:
    """Replace this process by a new one with the same arguments and ports; does not return.

    The process id stays, so systemd, a container and the add-on see no end. Threads that hang are gone.
    """
    os.environ[ENVIRONMENT] = json.dumps(asdict(restarted))
    arguments = restart_command(sys.orig_argv, port)
    log.error("the process restarts from the journal: %s", restarted.reason)
    for handler in logging.getLogger().handlers:
        handler.flush()
    os.execv(sys.executable, [sys.executable, *arguments])


def restart_command(command: Sequence[str], port: int) -> list[str]:
    """Return the arguments of a restart: without one-time options, and with the port of the page."""
    return [*(word for word in command[1:] if word not in ONLY_ONCE), "--port", str(port)]


def within(seconds: float, call: Callable[[], object]) -> None:
    """Call a function and wait for it at most this long."""
    thread = threading.Thread(target=call, name="stopping", daemon=True)
    thread.start()
    thread.join(seconds)
