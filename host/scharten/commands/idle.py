"""Idle priority, for commands that run beside a game."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

AUTOGROUP = Path("/proc/self/autogroup")


def run_at_idle_priority() -> None:
    """Give way to every other process.

    Linux shares the processor among sessions first, then among the processes of one. In the daemon's session this
    process would use up the daemon's share, so it takes a session of its own (`man 7 sched`, autogroup).
    """
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    with suppress(OSError):  # begun by a shell it has its own group already
        os.setsid()
        AUTOGROUP.write_text("10")
