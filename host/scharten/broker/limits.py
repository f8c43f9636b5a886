"""Limits of the embedded broker: bytes, seconds, connections."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class BrokerLimits:
    """The limits per client, and on the number of clients.

    `reserved` connections are for host, page server and simulated board. `packet_bytes` holds for the host,
    `guest_packet_bytes` for others. A client of MQTT 5 must send a packet every `keep_alive_s`. The broker stops
    waiting for an acknowledgement after `answer_s`.
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
    """Count connections: at most `limits.connections`, of which `limits.waiting` may be before their CONNECT.

    When too many wait, the oldest is aborted, so a thousand silent connections never keep out a client that sends
    its CONNECT. Displays cannot take the reserved places.
    """

    def __init__(self, limits: BrokerLimits) -> None:
        self.limits = limits
        self._waiting: dict[asyncio.WriteTransport, None] = {}
        self._admitted: dict[asyncio.WriteTransport, bool] = {}

    def open(self, connection: asyncio.WriteTransport) -> bool:
        """Give a new connection a place, if necessary that of the longest waiting one; false when none is left."""
        if len(self._waiting) >= self.limits.waiting or (self._full() and self._waiting):
            oldest = next(iter(self._waiting))
            self.free(oldest)
            oldest.abort()
        if self._full():
            return False
        self._waiting[connection] = None
        return True

    def has_room(self, reserved: bool) -> bool:
        """Whether an authenticated connection may be admitted."""
        others = sum(not reserved_place for reserved_place in self._admitted.values())
        return reserved or others < self.limits.connections - self.limits.reserved

    def admit(self, connection: asyncio.WriteTransport, reserved: bool) -> None:
        """Count a waiting connection as admitted."""
        del self._waiting[connection]
        self._admitted[connection] = reserved

    def free(self, connection: asyncio.WriteTransport) -> None:
        """Free the place of a connection; idempotent."""
        self._waiting.pop(connection, None)
        self._admitted.pop(connection, None)

    def abort_all(self) -> None:
        """Abort every connection."""
        for connection in [*self._waiting, *self._admitted]:
            connection.abort()

    def _full(self) -> bool:
        return len(self._waiting) + len(self._admitted) >= self.limits.connections
