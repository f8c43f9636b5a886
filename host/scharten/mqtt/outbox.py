"""What is on its way to one client: sent at once where it can be, else kept in a queue that has a limit."""

from __future__ import annotations

import asyncio
import logging
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, replace

from scharten.mqtt.codec import encode
from scharten.mqtt.limits import BrokerLimits
from scharten.mqtt.packets import PacketType, Property, Publish, PublishAck, ReasonCode, Version

log = logging.getLogger(__name__)

ANSWER_S = 5.0
"""How long a client may take to acknowledge a message before it is given up."""


@dataclass(frozen=True, slots=True)
class RoutedMessage:
    """A message on its way through the broker; `expires_at` is when it is worth nothing any more (steady clock)."""

    publish: Publish
    expires_at: float | None = None

    @classmethod
    def of(cls, publish: Publish) -> RoutedMessage:
        """A message that came just now, with its time to live counted from here [3.3.2.3.3]."""
        life = next((value for key, value in publish.properties if key is Property.MESSAGE_EXPIRY), None)
        return cls(publish, time.monotonic() + life if isinstance(life, int) else None)

    @property
    def expired(self) -> bool:
        """Whether it is not to be delivered any more."""
        return self.expires_at is not None and self.expires_at <= time.monotonic()

    def delivered(self, qos: int, retain: bool) -> RoutedMessage:
        """The message as one receiver gets it: at the lower QoS of the two."""
        publish = self.publish
        qos = min(publish.qos, qos)
        if (qos, retain) == (publish.qos, publish.retain):
            return self
        return replace(self, publish=replace(publish, qos=qos, retain=retain))

    def numbered(self, packet_id: int) -> Publish:
        """The packet to be sent now, with the time that it has left."""
        publish = replace(self.publish, packet_id=packet_id)
        if self.expires_at is None:
            return publish
        left = Property.MESSAGE_EXPIRY, max(1, round(self.expires_at - time.monotonic()))
        properties = (left if one[0] is Property.MESSAGE_EXPIRY else one for one in publish.properties)
        return replace(publish, properties=tuple(properties))


class Outbox:
    """Sends in the order of the offers; belongs to the broker's loop, and never waits for the client.

    At most `in_flight` messages are unacknowledged, and none is larger than `largest` bytes. `drop` is called, with
    reason and words, when the client does not read.
    """

    def __init__(
        self,
        transport: asyncio.Transport,
        limits: BrokerLimits,
        drop: Callable[[ReasonCode, str], None],
        version: Version = Version.V311,
        *,
        in_flight: int = 0xFFFF,
        largest: int = 1 << 32,
    ) -> None:
        self._transport, self._drop = transport, drop
        self._most = transport.get_write_buffer_limits()[1]
        self._limits, self._version, self._largest = limits, version, largest
        self._in_flight = min(limits.in_flight, in_flight)
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[RoutedMessage] = deque()
        self._waiting_bytes = 0
        self._unanswered: dict[int, tuple[int, asyncio.TimerHandle]] = {}
        self._last_id = 0

    def offer(self, message: RoutedMessage) -> None:
        """Sends a message now or keeps it; a client whose queue is full does not read and is dropped."""
        if self._transport.is_closing():
            return
        size = len(message.publish.payload)
        full = len(self._waiting) >= self._limits.outbox_messages
        if full or self._waiting_bytes + size > self._limits.outbox_bytes:
            self._drop(
                ReasonCode.QUOTA_EXCEEDED, f"it does not read ({len(self._waiting)} messages wait for it)"
            )
            return
        self._waiting.append(message)
        self._waiting_bytes += size
        self.send()

    def answered(self, packet_id: int) -> None:
        """PUBACK or PUBCOMP: the client has the message, or refuses it."""
        _, timer = self._unanswered.pop(packet_id, (0, None))
        if timer is not None:
            timer.cancel()
            self.send()

    def received(self, packet_id: int) -> None:
        """PUBREC: the first half of QoS 2; its second half begins."""
        qos, timer = self._unanswered.get(packet_id, (0, None))
        if timer is None or qos != 2:
            return
        timer.cancel()
        self._await_answer(packet_id, qos)
        self._transport.write(encode(PublishAck(PacketType.PUBREL, packet_id), self._version))

    def close(self) -> None:
        """Forgets everything; nothing is sent any more."""
        self._waiting.clear()
        for _, timer in self._unanswered.values():
            timer.cancel()
        self._unanswered.clear()

    def send(self) -> None:
        """As much as the client takes now; to be called again when it has read."""
        while self._waiting and not self._transport.is_closing():
            if self._transport.get_write_buffer_size() > self._most:
                return
            qos = self._waiting[0].publish.qos
            if qos and len(self._unanswered) >= self._in_flight:
                return
            message = self._waiting.popleft()
            self._waiting_bytes -= len(message.publish.payload)
            if message.expired:
                continue
            packet_id = self._next_id() if qos else 0
            data = encode(message.numbered(packet_id), self._version)
            if len(data) > self._largest:
                log.debug("a message of %d bytes is more than this client takes", len(data))
                continue
            self._transport.write(data)
            if packet_id:
                self._await_answer(packet_id, qos)

    def _next_id(self) -> int:
        while True:
            self._last_id = self._last_id % 0xFFFF + 1
            if self._last_id not in self._unanswered:
                return self._last_id

    def _await_answer(self, packet_id: int, qos: int) -> None:
        timer = self._loop.call_later(ANSWER_S, self._give_up, packet_id)
        self._unanswered[packet_id] = qos, timer

    def _give_up(self, packet_id: int) -> None:
        self._unanswered.pop(packet_id, None)
        log.debug("a message was not acknowledged within %s s", ANSWER_S)
        self.send()
