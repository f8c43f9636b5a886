"""What waits to be published: of retained topics the newest payload, and a bounded queue of all else."""

from __future__ import annotations

import threading
from collections import deque

LENGTH = 1000


class PublishQueue:
    """Filled from any thread; gives its messages while it is open, that is while there is a connection."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}
        self._once: deque[tuple[str, bytes, bool]] = deque()
        self._open = False
        self.dropped = 0

    @property
    def waiting(self) -> bool:
        """Whether something is left to be sent on this connection."""
        return self._open and bool(self._unsent or self._once)

    def keep(self, topic: str, payload: bytes) -> None:
        """A retained message; the newest payload wins, and is sent again on every connection."""
        with self._lock:
            self._kept[topic] = payload
            self._unsent[topic] = None

    def put(self, topic: str, payload: bytes, retain: bool) -> bool:
        """A message that is sent once; false, and it is gone, when there is no connection or no room."""
        with self._lock:
            if not self._open:
                return False
            if len(self._once) >= LENGTH:
                self.dropped += 1
                return False
            self._once.append((topic, payload, retain))
            return True

    def take(self) -> tuple[str, bytes, bool] | None:
        """The next message: topic, payload, retained."""
        with self._lock:
            if not self._open:
                return None
            if self._unsent:
                topic = next(iter(self._unsent))
                del self._unsent[topic]
                return topic, self._kept[topic], True
            return self._once.popleft() if self._once else None

    def open(self) -> None:
        """A new connection: everything retained is sent on it."""
        with self._lock:
            self._all_unsent()
            self._open = True

    def again(self) -> None:
        """Somebody else wrote what is retained: everything is sent once more."""
        with self._lock:
            self._all_unsent()

    def _all_unsent(self) -> None:
        # The first kept is availability: it says "online" last, when the rest is true again.
        self._unsent = dict.fromkeys(reversed(self._kept))

    def close(self) -> None:
        """The connection is gone, and with it what was to be sent once."""
        with self._lock:
            self._open = False
            self._once.clear()
