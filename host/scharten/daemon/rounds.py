"""A thread of periodic work: restart sensors, report figures."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from scharten.system.worker import Worker

log = logging.getLogger(__name__)

ROUND_S = 2.0
"""Seconds between two rounds."""


class Rounds:
    """Call each function every two seconds; log an exception once and try again."""

    def __init__(self, report: Callable[[str, Exception], object] = lambda name, error: None) -> None:
        self.calls: list[Callable[[], object]] = []
        self.worker = Worker("rounds", self._run)
        self._report = report
        self._refused: dict[Callable[[], object], str] = {}
        self._stopping = threading.Event()

    def stop(self) -> None:
        """End the thread."""
        self._stopping.set()
        self.worker.join(3)

    def _run(self) -> None:
        while not self._stopping.wait(ROUND_S):
            self.worker.rounds += 1
            for call in self.calls:
                self._try(call)

    def _try(self, call: Callable[[], object]) -> None:
        try:
            call()
            self._refused.pop(call, None)
        except Exception as error:  # play goes on without it
            if self._refused.get(call) != str(error):
                log.warning("periodic work failed and is tried again: %s", error)
                self._report("rounds", error)
            self._refused[call] = str(error)
