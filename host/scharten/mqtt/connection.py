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
    Disconnect,
    ReasonCode,
    Version,
)

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)
_PACKETS_A_TURN = 8
"""A sender whose packets are all here already must not keep the others waiting."""


class Receiver(Protocol):
    """Who gets the packets after CONNECT."""

    def handle(self, packet: ClientPacket) -> None:
        """The next packet."""

    def writable(self) -> None:
        """The client has read what had been written."""

    def ended(self) -> None:
        """The connection is gone; called once."""


class Connection(asyncio.Protocol):
    """Gives packets one after the other; stops reading while the client does not read its answers.

    Until `serve`, the whole exchange may take `limits.connect_s`; then a packet must be whole within `limits.packet_s`
    of its beginning, and answers must be read as soon.
    """

    transport: asyncio.Transport

    def __init__(self, slots: ConnectionSlots, let_in: Callable[[Connection, Connect], None]) -> None:
        self._slots, self._let_in, self.limits = slots, let_in, slots.limits
        self._loop = asyncio.get_running_loop()
        self.decoder = Decoder(self.limits.connect_bytes)
        self._connect: Connect | None = None
        self._receiver: Receiver | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = self._silence_s = math.inf
        self._begun = self._full = self._closed = self._ended = False

    def serve(self, receiver: Receiver, keep_alive_s: int, limit: int) -> None:
        """From now on the packets, of at most `limit` bytes, are this receiver's."""
        self._receiver, self.decoder.limit = receiver, limit
        # 3.1.2.10: one and a half keep-alives of silence are the end.
        self._silence_s = keep_alive_s * 1.5 or math.inf
        self._expect(self._silence_s)

    def send(self, packet: BrokerPacket) -> None:
        """Writes a packet; nothing happens once the connection is closed."""
        if not self.transport.is_closing():
            self.transport.write(encode(packet, self.decoder.version or Version.V311))

    def drop(self, reason: ReasonCode, words: str) -> None:
        """Closes the connection with the reason, and says why in the log."""
        name = self._connect.client_id if self._connect else ""
        warnings.warn("drop", "the client %r is dropped: %s", name, words)
        self.close(reason)

    def close(self, reason: ReasonCode | None = None) -> None:
        """Closes the connection when what was written has been read; with a reason at once, told in MQTT 5."""
        if reason is not None and self.decoder.version is Version.V5:
            self.send(Disconnect(reason))
        unread = self.transport.get_write_buffer_size()
        self._closed = True
        if reason is not None and unread:
            self.transport.abort()
        else:
            self.transport.close()
        if unread:
            self._expect(self.limits.packet_s)

    def abort(self) -> None:
        """Closes the connection at once."""
        self._closed = True
        self.transport.abort()

    def end(self) -> None:
        """Has everybody forget the connection, now if that has not been done yet."""
        if self._ended:
            return
        self._ended = self._closed = True
        if self._timer is not None:
            self._timer.cancel()
        self._slots.free(self)
        if self._receiver is not None:
            self._receiver.ended()

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The connection stands."""
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._expect(self.limits.connect_s)
        if not self._slots.open(self):
            self.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone, whoever ended it."""
        if exc is not None:
            log.debug("a connection broke: %s", exc)
        self.end()

    def data_received(self, data: bytes) -> None:
        """Bytes of the client."""
        self.decoder.feed(data)
        self._next_packets()

    def pause_writing(self) -> None:
        """The client does not read: nor do we."""
        self._full = True
        self.transport.pause_reading()
        self._expect(self.limits.packet_s)

    def resume_writing(self) -> None:
        """The client has read."""
        self._full = False
        if not self._closed:
            self._expect(self._silence_s)
            if self._receiver is not None:
                self._receiver.writable()
            self._next_packets()

    def _next_packets(self) -> None:
        for _ in range(_PACKETS_A_TURN):
            if self._closed or self._full:
                return
            if self._connect is not None and self._receiver is None:
                self.transport.pause_reading()  # its CONNECT is answered first
                return
            packet = self.decoder.next()
            if packet is None:
                self._wait_for_more()
                return
            self._begun = False
            self._handle(packet)
        self.transport.pause_reading()
        self._loop.call_soon(self._next_packets)

    def _handle(self, packet: ClientPacket | Problem) -> None:
        if self._receiver is None:
            self._handle_first(packet)
        elif isinstance(packet, Problem):
            self.drop(reason_of(packet), f"it sent a bad packet: {packet}")
        else:
            self._expect(self._silence_s)
            self._receiver.handle(packet)

    def _handle_first(self, packet: ClientPacket | Problem) -> None:
        if isinstance(packet, Connect):
            self._connect = packet
            self._let_in(self, packet)
            return
        if isinstance(packet, Problem) and reason_of(packet) is ReasonCode.UNSUPPORTED_PROTOCOL_VERSION:
            self.send(Connack(ReasonCode.UNSUPPORTED_PROTOCOL_VERSION))
        self.close()

    def _wait_for_more(self) -> None:
        if self._receiver and self.decoder.unfinished and not self._begun:
            self._begun = True
            self._expect(min(self.limits.packet_s, self._silence_s))
        self.transport.resume_reading()

    def _expect(self, within_s: float) -> None:
        """Sets the deadline; a timer that comes earlier looks again then, so that a packet costs none."""
        self._deadline = self._loop.time() + within_s
        if self._timer is None or self._timer.when() > self._deadline:
            if self._timer is not None:
                self._timer.cancel()
            self._look_at(self._deadline)

    def _look_at(self, when: float) -> None:
        self._timer = self._loop.call_at(when, self._look) if when < math.inf else None

    def _look(self) -> None:
        if self._loop.time() < self._deadline and not self._closed:
            self._look_at(self._deadline)
        elif self._receiver is not None and not self._closed:
            self.drop(ReasonCode.KEEP_ALIVE_TIMEOUT, "it fell silent")
        else:
            self.abort()
