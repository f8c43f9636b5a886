"""A thread that can restart, and that the supervisor can watch."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

log = logging.getLogger(__name__)


class Worker:
    """Run a function in a daemon thread; an exception ends the thread, is logged, and stays in `error`.

    The function adds 1 to `rounds` in each of its rounds, and sets `blocked` around a wait that may take long.
    """

    def __init__(self, name: str, run: Callable[[], object]) -> None:
        self.name, self._run = name, run
        self.rounds, self.blocked = 0, False
        self.error: Exception | None = None
        self._thread: threading.Thread | None = None

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread is not None and self._thread.is_alive()

    @property
    def beats(self) -> int | None:
        """A number that grows while the function works; None while it is blocked."""
        return None if self.blocked else self.rounds

    @property
    def is_current(self) -> bool:
        """Whether the caller runs in this thread."""
        return threading.current_thread() is self._thread

    def start(self) -> None:
        """Start the thread, or a new one after it ended."""
        self.error, self.blocked = None, False
        self._thread = threading.Thread(target=self._guarded, name=self.name, daemon=True)
        self._thread.start()

    def join(self, timeout_s: float) -> None:
        """Wait for the end of the thread."""
        if self._thread is not None and not self.is_current:
            self._thread.join(timeout_s)

    def _guarded(self) -> None:
        try:
            self._run()
        except Exception as error:
            self.error = error
            log.exception("the thread %s ended after an error", self.name)
