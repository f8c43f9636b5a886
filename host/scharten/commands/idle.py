"""Idle priority, for commands that run beside a game."""

from __future__ import annotations

import os


def run_at_idle_priority() -> None:
    """Give way to every other process."""
    os.nice(19)
    if hasattr(os, "SCHED_IDLE"):
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
