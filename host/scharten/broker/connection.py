"""One connection to the embedded broker: read its packets, and drop a client that is silent or does not read."""

from __future__ import annotations

import asyncio
import logging
import math
from collections.abc import Callable
from typing import Protocol

from scharten.broker.codec import Decoder, encode, reason_of
from scharten.broker.limits import ConnectionSlots
from scharten.broker.packets import (
    BrokerPacket,
    ClientPacket,
    Connack,
    Connect,
    Control,
    PacketType,
    ReasonCode,
    Version,
)
from scharten.errors import Problem
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)
_LINGER_S = 2.0
_LINGER_BYTES = 256 << 10
"""How long a client may take to read why it was dropped, and how much it may send until then."""
_PACKETS_A_TURN = 8
"""Packets per turn of the loop, so that a fast sender does not delay the others."""


class Receiver(Protocol):
    """The session of a connection: gets packets after CONNECT, `writable` when the client has read, and `ended`."""

    client_id: str

    def handle(self, packet: ClientPacket) -> None: ...
    def writable(self) -> None: ...
    def ended(self) -> None: ...


class Connection(asyncio.Protocol):
    """Pass packets on in order; stop reading while the client does not read its answers.

    A client must complete its CONNECT within `limits.connect_s`. After that it must complete each packet, and read
    each answer, within `limits.packet_s`.
    """

    transport: asyncio.Transport
    _timer: asyncio.TimerHandle

    def __init__(self, slots: ConnectionSlots, let_in: Callable[[Connection, Connect], None]) -> None:
        self._slots, self._let_in, self.limits = slots, let_in, slots.limits
        self._loop = asyncio.get_running_loop()
        self._decoder = Decoder(self.limits.connect_bytes)
        self._receiver: Receiver | None = None
        self._silence_s = math.inf
        self._paused = self._leaving = False
        self._discarded = 0
        self.version = Version.V311

    @property
    def closing(self) -> bool:
        """Whether nothing more is sent or handled."""
        return self._leaving or self.transport.is_closing()

    def serve(self, receiver: Receiver, keep_alive_s: int, limit: int) -> None:
        """Pass packets of at most `limit` bytes to this receiver."""
        self._receiver, self._decoder.limit, self._paused = receiver, limit, False
        self._silence_s = keep_alive_s * 1.5 or math.inf  # more is the end [3.1.2.10]
        self._expect(self._silence_s)

    def send(self, packet: BrokerPacket) -> None:
        """Write a packet, unless the connection is closed."""
        if not self.closing:
            self.transport.write(encode(packet, self.version))

    def drop(self, reason: ReasonCode, words: str, *, patient: bool = True) -> None:
        """Close the connection with a reason, and log it; `patient` lets a client that sends read the reason."""
        name = self._receiver.client_id if self._receiver else ""
        warnings.warn("drop", "the client %r is dropped: %s", name, words)
        self.close(reason, patient)

    def close(self, reason: ReasonCode | None = None, patient: bool = False) -> None:
        """Close after the client has read the output; with a reason, end the session at once.

        In MQTT 5 the client gets the reason. While it still sends, closing discards that packet on its way.
        """
        if self.closing:
            return
        if reason is not None and self.version is Version.V5:
            self.send(Control(PacketType.DISCONNECT, reasons=(reason,)))
        if reason is not None and self.transport.get_write_buffer_size():
            self.transport.abort()
        elif patient and self.version is Version.V5:
            self._linger()
            return
        self.transport.close()
        self._expect(self.limits.packet_s)

    def _linger(self) -> None:
        """End the session; discard what the client sends until it closes its side, or the time is over."""
        self._leaving = True
        self.transport.write_eof()
        self.transport.resume_reading()
        self._loop.call_later(_LINGER_S, self.transport.abort)
        self._loop.call_soon(self._end_session)

    def refuse(self, reason: ReasonCode) -> None:
        """Answer CONNECT with a refusal, and close."""
        self.send(Connack(reason))
        self.close()

    def end(self) -> None:
        """Release the place and end the session; idempotent."""
        self._timer.cancel()
        self._slots.free(self.transport)
        self._end_session()

    def _end_session(self) -> None:
        receiver, self._receiver = self._receiver, None
        if receiver is not None:
            receiver.ended()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        # Behind TLS a client that breaks off its handshake never gets here.
        self._deadline = self._loop.time() + self.limits.connect_s
        self._timer = self._loop.call_at(self._deadline, self._check_deadline)
        if not self._slots.open(transport):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        log.debug("a connection ended: %s", exc or "closed")
        self.end()

    def data_received(self, data: bytes) -> None:
        if self._leaving:
            self._discarded += len(data)
            if self._discarded > _LINGER_BYTES:
                self.transport.pause_reading()
            return
        self._decoder.feed(data)
        self._next_packets()

    def pause_writing(self) -> None:
        """Stop reading while the client does not read."""
        self._pause()
        self._expect(self.limits.packet_s)

    def resume_writing(self) -> None:
        """Read and write again."""
        self._paused = False
        if self._receiver is not None and not self.closing:
            self._expect(self._silence_s)
            self._receiver.writable()
            self._next_packets()

    def _pause(self) -> None:
        self._paused = True
        self.transport.pause_reading()

    def _next_packets(self) -> None:
        for _ in range(_PACKETS_A_TURN):
            if self._paused or self.closing:
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
                self.drop(reason, f"it sent a bad packet: {packet}", patient=False)
            elif reason is ReasonCode.UNSUPPORTED_PROTOCOL_VERSION:
                self.refuse(reason)
            else:
                self.close()

    def _expect(self, within_s: float) -> None:
        """Set the deadline; an earlier timer checks and re-arms itself, so a packet costs no new timer."""
        self._deadline = self._loop.time() + within_s
        if self._deadline < self._timer.when():
            self._timer.cancel()
            self._timer = self._loop.call_at(self._deadline, self._check_deadline)

    def _check_deadline(self) -> None:
        if self._loop.time() < self._deadline:
            self._timer = self._loop.call_at(self._deadline, self._check_deadline)
        elif self._receiver is None or self.transport.is_closing():
            self.transport.abort()
        else:
            self.drop(ReasonCode.KEEP_ALIVE_TIMEOUT, "it fell silent")
