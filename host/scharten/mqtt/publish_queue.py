"""The queue of messages to publish: the newest payload of each retained topic, and a bounded queue of the rest."""

from __future__ import annotations

import threading
from collections import deque

LENGTH = 1000


class PublishQueue:
    """A queue for any thread; `take` returns messages only while a connection is open."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, bytes] = {}
        self._unsent: dict[str, None] = {}
        self._once: deque[tuple[str, bytes, bool]] = deque()
        self._open = False
        self.dropped = 0

    @property
    def waiting(self) -> bool:
        """Whether messages wait on this connection."""
        return self._open and bool(self._unsent or self._once)

    def keep(self, topic: str, payload: bytes) -> None:
        """Add a retained message; each connection sends the newest payload."""
        with self._lock:
            self._kept[topic] = payload
            self._unsent[topic] = None

    def put(self, topic: str, payload: bytes, retain: bool) -> bool:
        """Add a message to send once; false, and drop it, without a connection or room."""
        with self._lock:
            if not self._open:
                return False
            if len(self._once) >= LENGTH:
                self.dropped += 1
                return False
            self._once.append((topic, payload, retain))
            return True

    def take(self) -> tuple[str, bytes, bool] | None:
        """Return the next message: topic, payload, retained."""
        with self._lock:
            if not self._open:
                return None
            if self._unsent:
                topic = next(iter(self._unsent))
                del self._unsent[topic]
                return topic, self._kept[topic], True
            return self._once.popleft() if self._once else None

    def open(self) -> None:
        """Open for a new connection, which sends all retained messages."""
        with self._lock:
            self._all_unsent()
            self._open = True

    def resend_retained(self) -> None:
        """Send all retained messages again."""
        with self._lock:
            self._all_unsent()

    def _all_unsent(self) -> None:
        # Availability was kept first and goes out last: "online" must follow the newest state.
        self._unsent = dict.fromkeys(reversed(self._kept))

    def close(self) -> None:
        """Close with the connection, and drop the messages to send once."""
        with self._lock:
            self._open = False
            self._once.clear()
