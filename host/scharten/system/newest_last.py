"""Publish a state that several threads change, so that the newest state is published last."""

from __future__ import annotations

import threading
from collections.abc import Callable


class NewestLast:
    """Call `publish` after each change, in one thread at a time.

    `publish` reads the state and hands it on. Two threads at once could hand on the older state last, and no later
    change would correct it. A call during another call returns at once; the thread that publishes then publishes again.
    """

    def __init__(self, publish: Callable[[], object]) -> None:
        self._publish = publish
        self._lock = threading.Lock()
        self._publishing = self._changed = False

    def __call__(self) -> None:
        """Publish the state, here or in the thread that publishes at this moment."""
        with self._lock:
            self._changed = True
            if self._publishing:
                return
            self._publishing = True
        try:
            while self._take_change():
                self._publish()
        except BaseException:
            with self._lock:
                self._publishing = False
            raise

    def _take_change(self) -> bool:
        """Whether the state changed since the last call; if not, this thread no longer publishes."""
        with self._lock:
            self._publishing, self._changed = self._changed, False
            return self._publishing
