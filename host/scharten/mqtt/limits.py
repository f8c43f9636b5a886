"""What strangers may cost the embedded broker: bytes, seconds, connections, and lines in the log."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BrokerLimits:
    """What one client may take, and how many clients there may be.

    `reserved` connections are kept for host, page's server and simulated board; `packet_bytes` is for the host,
    `guest_packet_bytes` for everyone else. A client of MQTT 5 is told to speak every `keep_alive_s` at least. A message
    that is not acknowledged within `answer_s` is given up.
    """

    connections: int = 128
    waiting: int = 32
    reserved: int = 16
    connect_s: float = 5.0
    connect_bytes: int = 4096
    packet_s: float = 10.0
    packet_bytes: int = 1024 * 1024
    guest_packet_bytes: int = 64 * 1024
    outbox_messages: int = 1000
    outbox_bytes: int = 4 * 1024 * 1024
    in_flight: int = 20
    subscriptions: int = 64
    keep_alive_s: int = 600
    wrong_secret_s: float = 0.25
    answer_s: float = 5.0


class ConnectionSlots:
    """Counts connections: at most `limits.connections`, at most `limits.waiting` of them before their CONNECT.

    When too many wait the oldest of them is aborted, so that a thousand connections that say nothing never keep out a
    client that does: its CONNECT comes within milliseconds. No crowd of displays can take the reserved ones.
    """

    def __init__(self, limits: BrokerLimits) -> None:
        self.limits = limits
        self._waiting: dict[asyncio.WriteTransport, None] = {}
        self._admitted: dict[asyncio.WriteTransport, bool] = {}

    def open(self, connection: asyncio.WriteTransport) -> bool:
        """A place for a new connection, if need be the longest waiting one's; false when all are admitted ones."""
        if len(self._waiting) >= self.limits.waiting or (self._full() and self._waiting):
            oldest = next(iter(self._waiting))
            self.free(oldest)
            oldest.abort()
        if self._full():
            return False
        self._waiting[connection] = None
        return True

    def has_room(self, reserved: bool) -> bool:
        """Whether a connection that has said who it is may be admitted."""
        others = sum(not one for one in self._admitted.values())
        return reserved or others < self.limits.connections - self.limits.reserved

    def admit(self, connection: asyncio.WriteTransport, reserved: bool) -> None:
        """Counts a waiting connection as admitted."""
        del self._waiting[connection]
        self._admitted[connection] = reserved

    def free(self, connection: asyncio.WriteTransport) -> None:
        """Gives the place back; nothing happens the second time."""
        self._waiting.pop(connection, None)
        self._admitted.pop(connection, None)

    def abort_all(self) -> None:
        """Closes every connection at once."""
        for connection in [*self._waiting, *self._admitted]:
            connection.abort()

    def _full(self) -> bool:
        return len(self._waiting) + len(self._admitted) >= self.limits.connections


class RateLimitedLog:
    """Warns at most once in `every_s` seconds for each kind; kinds are the caller's own words, so they are few."""

    def __init__(
        self, log: logging.Logger, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._every_s, self._clock = log, every_s, clock
        self._next: dict[str, float] = {}
        self._withheld: dict[str, int] = {}

    def warn(self, kind: str, words: str, *arguments: object) -> None:
        """Writes the line now, or counts it for the next one."""
        now = self._clock()
        if now < self._next.get(kind, now):
            self._withheld[kind] = self._withheld.get(kind, 0) + 1
            return
        withheld = self._withheld.pop(kind, 0)
        self._next[kind] = now + self._every_s
        more = f" ({withheld} more like it since the last such line)" if withheld else ""
        self._log.warning(words + more, *arguments)
