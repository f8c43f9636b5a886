"""Clamp the machine's date to the last one that Python can count, in the year 2262.

Past it `time.time` raises, and so does every line of the log. A board whose clock has a flat battery may have any date.
"""

from __future__ import annotations

import time

LATEST_NS = (1 << 63) - 1


def clamp_date() -> None:
    """Replace `time.time` and `time.time_ns` for this process; call this before anything imports `logging`."""
    count_s, count_ns = time.time, time.time_ns

    def clamped_s() -> float:
        try:
            return count_s()
        except OverflowError:
            return LATEST_NS / 1e9

    def clamped_ns() -> int:
        try:
            return count_ns()
        except OverflowError:
            return LATEST_NS

    time.time, time.time_ns = clamped_s, clamped_ns
