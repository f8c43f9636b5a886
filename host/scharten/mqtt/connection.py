"""One connection to the embedded broker: its packets in turn, and an end for who is silent or does not read."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Protocol

from scharten.errors import Problem
from scharten.mqtt.codec import Decoder, encode, reason_of
from scharten.mqtt.limits import ConnectionSlots, RateLimitedLog
from scharten.mqtt.packets import (
    BrokerPacket,
    ClientPacket,
    Connack,
    Connect,
    Control,
    PacketType,
    ReasonCode,
    Version,
)

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)
_PACKETS_A_TURN = 8
"""A sender whose packets are all here already must not keep the others waiting."""


class Receiver(Protocol):
    """Gets the packets after CONNECT, hears that the client has read what was written, and once that it is gone."""

    client_id: str

    def handle(self, packet: ClientPacket) -> None: ...
    def writable(self) -> None: ...
    def ended(self) -> None: ...


class Connection(asyncio.Protocol):
    """Gives packets one after the other; stops reading while the client does not read its answers.

    Until `serve`, the whole exchange may take `limits.connect_s`; then a packet must be whole within `limits.packet_s`
    of its beginning, and answers must be read as soon.
    """

    transport: asyncio.Transport

    def __init__(self, slots: ConnectionSlots, let_in: Callable[[Connection, Connect], None]) -> None:
        self._slots, self._let_in, self.limits = slots, let_in, slots.limits
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder(self.limits.connect_bytes)
        self._receiver: Receiver | None = None
        self._silence_s = math.inf
        self._deadline = self._loop.time() + self.limits.connect_s
        self._timer = self._loop.call_at(self._deadline, self._look)
        self._paused = False
        self.version = Version.V311

    def serve(self, receiver: Receiver, keep_alive_s: int, limit: int) -> None:
        """From now on the packets, of at most `limit` bytes, are this receiver's."""
        self._receiver, self._decoder.limit, self._paused = receiver, limit, False
        self._silence_s = keep_alive_s * 1.5 or math.inf  # more is the end [3.1.2.10]
        self._expect(self._silence_s)

    def send(self, packet: BrokerPacket) -> None:
        """Writes a packet; nothing happens once the connection is closed."""
        if not self.transport.is_closing():
            self.transport.write(encode(packet, self.version))

    def drop(self, reason: ReasonCode, words: str) -> None:
        """Closes the connection with the reason, and says why in the log."""
        name = self._receiver.client_id if self._receiver else ""
        warnings.warn("drop", "the client %r is dropped: %s", name, words)
        self.close(reason)

    def close(self, reason: ReasonCode | None = None) -> None:
        """Closes the connection when what was written has been read; with a reason at once, told in MQTT 5."""
        if reason is not None and self.version is Version.V5:
            self.send(Control(PacketType.DISCONNECT, reasons=(reason,)))
        if reason is not None and self.transport.get_write_buffer_size():
            self.transport.abort()
        self.transport.close()
        self._expect(self.limits.packet_s)

    def refuse(self, reason: ReasonCode) -> None:
        """Answers CONNECT with why the client is not let in, and closes the connection."""
        self.send(Connack(reason))
        self.close()

    def end(self) -> None:
        """Has everybody forget the connection, now if that has not been done yet."""
        self._timer.cancel()
        self._slots.free(self.transport)
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.ended()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        if not self._slots.open(transport):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        log.debug("a connection ended: %s", exc or "closed")
        self.end()

    def data_received(self, data: bytes) -> None:
        self._decoder.feed(data)
        self._next_packets()

    def pause_writing(self) -> None:
        """The client does not read: nor do we."""
        self._pause()
        self._expect(self.limits.packet_s)

    def resume_writing(self) -> None:
        """The client has read."""
        self._paused = False
        if self._receiver is not None and not self.transport.is_closing():
            self._expect(self._silence_s)
            self._receiver.writable()
            self._next_packets()

    def _pause(self) -> None:
        self._paused = True
        self.transport.pause_reading()

    def _next_packets(self) -> None:
        for _ in range(_PACKETS_A_TURN):
            if self._paused or self.transport.is_closing():
                return
            packet = self._decoder.next()
            if packet is None:
                if self._decoder.buffer:
                    self._expect(min(self.limits.packet_s, self._deadline - self._loop.time()))
                self.transport.resume_reading()
                return
            self._handle(packet)
        self.transport.pause_reading()
        self._loop.call_soon(self._next_packets)

    def _handle(self, packet: ClientPacket | Problem) -> None:
        if isinstance(packet, Connect):
            self.version = packet.version
            self._pause()  # until it is answered
            self._let_in(self, packet)
        elif self._receiver is not None and not isinstance(packet, Problem):
            self._expect(self._silence_s)
            self._receiver.handle(packet)
        elif isinstance(packet, Problem):
            reason = reason_of(packet)
            if self._receiver is not None:
                self.drop(reason, f"it sent a bad packet: {packet}")
            elif reason is ReasonCode.UNSUPPORTED_PROTOCOL_VERSION:
                self.refuse(reason)
            else:
                self.close()

    def _expect(self, within_s: float) -> None:
        """Sets the deadline; a timer that comes earlier looks again then, so that a packet costs none."""
        self._deadline = self._loop.time() + within_s
        if self._deadline < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._look)
        elif self._receiver is None or self.transport.is_closing():
            self.transport.abort()
        else:
            self.drop(ReasonCode.KEEP_ALIVE_TIMEOUT, "it fell silent")
