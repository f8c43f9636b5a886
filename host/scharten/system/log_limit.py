"""A log that repeats no warning more than once a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable


class RateLimitedLog:
    """Warn at most once in `every_s` seconds per kind; callers choose the kinds, so they are few."""

    def __init__(
        self, log: logging.Logger, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._every_s, self._clock = log, every_s, clock
        self._next: dict[str, float] = {}
        self._withheld: dict[str, int] = {}

    def warn(self, kind: str, words: str, *arguments: object) -> None:
        """Log the line now, or count it for the next one."""
        now = self._clock()
        if now < self._next.get(kind, now):
            self._withheld[kind] = self._withheld.get(kind, 0) + 1
            return
        withheld = self._withheld.pop(kind, 0)
        self._next[kind] = now + self._every_s
        more = f" ({withheld} more like it since the last such line)" if withheld else ""
        self._log.warning(words + more, *arguments)
