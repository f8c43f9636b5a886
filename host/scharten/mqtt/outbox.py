"""What is on its way to one client: sent at once where it can be, else kept in a queue that has a limit."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections import deque
from dataclasses import replace

from scharten.mqtt.codec import encode
from scharten.mqtt.connection import Connection
from scharten.mqtt.packets import Control, PacketType, Properties, Property, Publish, ReasonCode

log = logging.getLogger(__name__)


class RoutedMessage:
    """A message that came just now, with its time to live counted from here [3.3.2.3.3]."""

    def __init__(self, publish: Publish) -> None:
        self.publish = publish
        life_s: float = publish.properties.get(Property.MESSAGE_EXPIRY, math.inf)
        self._expires_at = time.monotonic() + life_s

    @property
    def expired(self) -> bool:
        """Whether it is not to be delivered any more."""
        return self._expires_at <= time.monotonic()

    def packet(self, qos: int, retain: bool, packet_id: int) -> Publish:
        """The message as one receiver gets it now, with the time that it has left."""
        properties = self.publish.properties
        if Property.MESSAGE_EXPIRY in properties:
            left_s = max(1, round(self._expires_at - time.monotonic()))
            properties = {**properties, Property.MESSAGE_EXPIRY: left_s}
        return replace(self.publish, qos=qos, retain=retain, packet_id=packet_id, properties=properties)


class Outbox:
    """Sends in the order of the offers; belongs to the broker's loop, and never waits for the client.

    `wants` may lower how many messages are unacknowledged at most, and how large one may be. A client that does not
    read is dropped; one that does not acknowledge within `limits.answer_s` is not waited for.
    """

    def __init__(self, connection: Connection, wants: Properties) -> None:
        self._connection, self._transport, self._limits = connection, connection.transport, connection.limits
        self._most = self._transport.get_write_buffer_limits()[1]
        self._in_flight = min(self._limits.in_flight, wants.get(Property.RECEIVE_MAXIMUM, 0xFFFF))
        self._largest = wants.get(Property.MAXIMUM_PACKET_SIZE, math.inf)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[tuple[RoutedMessage, int, bool]] = deque()
        self._waiting_bytes = self._last_id = 0
        self._unanswered: dict[int, float] = {}
        """Until when each is waited for, the oldest first."""
        self._wakes = False

    def offer(self, message: RoutedMessage, qos: int, retain: bool) -> None:
        """Sends a message now, at the lower QoS of the two, or keeps it; drops a client whose queue is full."""
        if self._transport.is_closing():
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
        """PUBACK or PUBCOMP: the client has the message, or refuses it."""
        if self._unanswered.pop(packet_id, None) is not None:
            self.send()

    def received(self, packet_id: int) -> None:
        """PUBREC: the first half of QoS 2; its second half begins."""
        if self._unanswered.pop(packet_id, None) is not None:
            self._unanswered[packet_id] = self._loop.time() + self._limits.answer_s
            self._connection.send(Control(PacketType.PUBREL, packet_id))

    def close(self) -> None:
        """Forgets everything; nothing is sent any more."""
        self._waiting.clear()

    def send(self) -> None:
        """As much as the client takes now; to be called again when it has read."""
        while self._waiting and not self._transport.is_closing():
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
        """Whether an answer must come first; if it does not, `send` is called when the oldest is given up."""
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
