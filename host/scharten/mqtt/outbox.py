"""What is on its way to one client: sent at once where it can be, else kept in a row that has a limit."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

from amqtt.mqtt.constants import QOS_0, QOS_2
from amqtt.mqtt.packet import PUBREL

from scharten.mqtt.packets import publish_bytes, reply_bytes

log = logging.getLogger(__name__)

ANSWER_S = 5.0
"""How long a client may take to acknowledge a message before it is given up."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A message on its way to a client."""

    topic: str
    data: bytes
    qos: int
    retain: bool


@dataclass(frozen=True, slots=True)
class Room:
    """How many messages, and how many bytes of them, may wait for a client; how many may be unacknowledged."""

    messages: int
    bytes: int
    in_flight: int


class Outbox:
    """Sends in the order of the offers; belongs to the broker's loop, and never waits for the client.

    `drop` is called, with the reason, when the client does not read.
    """

    def __init__(self, writer: asyncio.StreamWriter, room: Room, drop: Callable[[str], None]) -> None:
        self._writer, self._transport, self._room, self._drop = writer, writer.transport, room, drop
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[Outgoing] = deque()
        self._waiting_bytes = 0
        self._unanswered: dict[int, tuple[int, asyncio.TimerHandle]] = {}
        self._last_id = 0
        self._drained: asyncio.Task[None] | None = None

    def offer(self, message: Outgoing) -> None:
        """Sends a message now or keeps it; a client whose row is full does not read and is dropped."""
        if self._transport.is_closing():
            return
        full = len(self._waiting) >= self._room.messages
        if full or self._waiting_bytes + len(message.data) > self._room.bytes:
            self._drop(f"it does not read ({len(self._waiting)} messages wait for it)")
            return
        self._waiting.append(message)
        self._waiting_bytes += len(message.data)
        self._send()

    def answered(self, packet_id: int) -> None:
        """PUBACK or PUBCOMP: the client has the message."""
        _, timer = self._unanswered.pop(packet_id, (0, None))
        if timer is not None:
            timer.cancel()
            self._send()

    def received(self, packet_id: int) -> None:
        """PUBREC: the first half of QoS 2; its second half begins."""
        qos, timer = self._unanswered.get(packet_id, (0, None))
        if timer is None or qos != QOS_2:
            return
        timer.cancel()
        self._await_answer(packet_id, qos)
        self._transport.write(reply_bytes(PUBREL, packet_id))

    def close(self) -> None:
        """Forgets everything; nothing is sent any more."""
        self._waiting.clear()
        for _, timer in self._unanswered.values():
            timer.cancel()
        self._unanswered.clear()
        if self._drained is not None:
            self._drained.cancel()

    def _send(self) -> None:
        """As much as the client takes now; the rest when it has read or answered."""
        most = self._transport.get_write_buffer_limits()[1]
        while self._waiting and not self._transport.is_closing():
            if self._transport.get_write_buffer_size() > most:
                if self._drained is None:
                    self._drained = self._loop.create_task(self._when_drained())
                return
            if self._waiting[0].qos != QOS_0 and len(self._unanswered) >= self._room.in_flight:
                return
            message = self._waiting.popleft()
            self._waiting_bytes -= len(message.data)
            packet_id = 0 if message.qos == QOS_0 else self._next_id()
            self._transport.write(
                publish_bytes(message.topic, message.data, message.qos, message.retain, packet_id)
            )
            if packet_id:
                self._await_answer(packet_id, message.qos)

    async def _when_drained(self) -> None:
        try:
            await self._writer.drain()
        except OSError:
            return
        finally:
            self._drained = None
        self._send()

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
        self._send()
