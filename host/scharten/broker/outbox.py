"""Send messages to one client: at once if possible, otherwise from a bounded queue."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from dataclasses import replace

from scharten.broker.codec import encode
from scharten.broker.connection import Connection
from scharten.broker.packets import Control, PacketType, Properties, Property, Publish, ReasonCode

log = logging.getLogger(__name__)


class RoutedMessage:
    """A message on its way; its expiry counts from here [3.3.2.3.3]."""

    def __init__(self, publish: Publish) -> None:
        self.publish = publish
        self._expires_at = time.monotonic() + (math.inf if publish.expiry_s is None else publish.expiry_s)

    @property
    def expired(self) -> bool:
        """Whether it is too late to deliver the message."""
        return self._expires_at <= time.monotonic()

    def packet(self, qos: int, retain: bool, packet_id: int) -> Publish:
        """Return the message for a receiver, with the time that is left."""
        timed = self.publish.expiry_s is not None
        left_s = max(1, round(self._expires_at - time.monotonic())) if timed else None
        return replace(self.publish, qos=qos, retain=retain, packet_id=packet_id, expiry_s=left_s)


class Outbox:
    """Send messages in order, in the broker's loop and without blocking it.

    `wants` may lower the number of unacknowledged messages and their size. A client that does not read is dropped;
    a message without an acknowledgement within `limits.answer_s` counts as delivered.
    """

    def __init__(self, connection: Connection, wants: Properties) -> None:
        self._connection, self._transport, self._limits = connection, connection.transport, connection.limits
        self._most = self._transport.get_write_buffer_limits()[1]
        self._in_flight = min(self._limits.in_flight, int(wants.get(Property.RECEIVE_MAXIMUM, 0xFFFF)))
        self._largest = float(wants.get(Property.MAXIMUM_PACKET_SIZE, math.inf))
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[RoutedMessage, int, bool]] = deque()
        self._waiting_bytes = self._last_id = 0
        self._unanswered: dict[int, float] = {}
        """Deadlines by packet identifier, the oldest first."""
        self._wakes = False

    def offer(self, message: RoutedMessage, qos: int, retain: bool) -> None:
        """Send or queue a message, at the lower QoS of the two; drop a client whose queue is full."""
        if self._connection.closing:
            return
        size, count = len(message.publish.payload), len(self._waiting)
        if count >= self._limits.outbox_messages or self._waiting_bytes + size > self._limits.outbox_bytes:
            words = f"it does not read ({count} messages wait for it)"
            self._connection.drop(ReasonCode.QUOTA_EXCEEDED, words)
            return
        self._waiting.append((message, min(message.publish.qos, qos), retain))
        self._waiting_bytes += size
        self.send()

    def answered(self, packet_id: int) -> None:
        """Handle PUBACK or PUBCOMP: the client has taken or refused the message."""
        if self._unanswered.pop(packet_id, None) is not None:
            self.send()

    def received(self, packet_id: int) -> None:
        """Handle PUBREC: start the second half of QoS 2."""
        if self._unanswered.pop(packet_id, None) is not None:
            self._unanswered[packet_id] = self._loop.time() + self._limits.answer_s
            self._connection.send(Control(PacketType.PUBREL, packet_id))

    def close(self) -> None:
        """Discard the queue."""
        self._waiting.clear()

    def send(self) -> None:
        """Send as much as the client takes now; call this again when the client has read."""
        while self._waiting and not self._connection.closing:
            message, qos, retain = self._waiting[0]
            if self._transport.get_write_buffer_size() > self._most or (qos and self._must_wait()):
                return
            self._waiting.popleft()
            self._waiting_bytes -= len(message.publish.payload)
            if message.expired:
                continue
            packet_id = self._next_id() if qos else 0
            data = encode(message.packet(qos, retain, packet_id), self._connection.version)
            if len(data) > self._largest:
                log.debug("a message of %d bytes is more than this client takes", len(data))
                continue
            self._transport.write(data)
            if packet_id:
                self._unanswered[packet_id] = self._loop.time() + self._limits.answer_s

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % 0xFFFF + 1
            if self._last_id not in self._unanswered:
                return self._last_id

    def _must_wait(self) -> bool:
        """Whether to wait for an acknowledgement; a timer calls `send` when the oldest one is overdue."""
        if len(self._unanswered) < self._in_flight:
            return False
        oldest, until = next(iter(self._unanswered.items()))
        if until <= self._loop.time():
            del self._unanswered[oldest]
            return False
        if not self._wakes:
            self._wakes = True
            self._loop.call_at(until, self._wake)
        return True

    def _wake(self) -> None:
        self._wakes = False
        self.send()
