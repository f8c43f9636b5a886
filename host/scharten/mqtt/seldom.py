"""Warnings that a stranger could cause by the thousand: one line a minute of each kind, with how many there were."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable


class Seldom:
    """Warns at most once in `every_s` seconds for each kind; kinds are the caller's own words, so they are few."""

    def __init__(
        self, log: logging.Logger, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._every_s, self._clock = log, every_s, clock
        self._next: dict[str, float] = {}
        self._unsaid: dict[str, int] = {}

    def warn(self, kind: str, words: str, *arguments: object) -> None:
        """Says it now, or counts it for the next time."""
        now = self._clock()
        if now < self._next.get(kind, now):
            self._unsaid[kind] = self._unsaid.get(kind, 0) + 1
            return
        unsaid = self._unsaid.pop(kind, 0)
        self._next[kind] = now + self._every_s
        more = f" ({unsaid} more like it since the last such line)" if unsaid else ""
        self._log.warning(words + more, *arguments)
