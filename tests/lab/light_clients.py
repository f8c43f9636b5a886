"""Thousands of MQTT clients in one process: the part of MQTT 3.1.1 that publishing and receiving with QoS 1 needs."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

CONNECT, CONNACK, PUBLISH, PUBACK, SUBSCRIBE, SUBACK, DISCONNECT = 1, 2, 3, 4, 8, 9, 14
KEEPALIVE_S = 120


class LightClient(asyncio.Protocol):
    """One client; `received(payload)` is called for each message."""

    def __init__(self, name: str, received: Callable[[bytes], object] = lambda payload: None) -> None:
        self._name, self._received = name, received
        self._bytes = bytearray()
        self._transport: asyncio.Transport | None = None
        self._answered: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._number = 0
        self.acknowledged = 0
        self.lost = False

    @classmethod
    async def connected(
        cls, port: int, name: str, received: Callable[[bytes], object] = lambda payload: None
    ) -> LightClient:
        """Return a client that the broker has accepted."""
        _, made = await asyncio.get_running_loop().create_connection(
            lambda: cls(name, received), "127.0.0.1", port
        )
        await made._said(
            _packet(CONNECT, 0, b"\x00\x04MQTT\x04\x02" + KEEPALIVE_S.to_bytes(2, "big") + _text(name))
        )
        return made

    async def subscribe(self, topic: str) -> None:
        """Subscribe to a topic; its retained message comes first."""
        await self._said(_packet(SUBSCRIBE, 2, b"\x00\x01" + _text(topic) + b"\x01"))

    def publish(self, topic: str, payload: bytes) -> None:
        """Publish a retained message without waiting for its acknowledgement."""
        self._number = self._number % 65535 + 1
        body = _text(topic) + self._number.to_bytes(2, "big") + payload
        if self._transport is not None:
            self._transport.write(_packet(PUBLISH, 0b0011, body))

    def close(self) -> None:
        """Disconnect."""
        if self._transport is not None:
            self._transport.write(_packet(DISCONNECT, 0, b""))
            self._transport.close()

    async def _said(self, packet: bytes) -> None:
        self._answered = asyncio.get_running_loop().create_future()
        assert self._transport is not None
        self._transport.write(packet)
        await asyncio.wait_for(self._answered, 60)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The socket is open."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """The broker has disconnected."""
        self.lost, self._transport = True, None

    def data_received(self, data: bytes) -> None:
        """Take out whole packets, and keep the rest."""
        self._bytes += data
        while (end := _end(self._bytes)) is not None:
            start, stop = end
            kind, flags = self._bytes[0] >> 4, self._bytes[0] & 15
            body = bytes(self._bytes[start:stop])
            del self._bytes[:stop]
            self._take(kind, flags, body)

    def _take(self, kind: int, flags: int, body: bytes) -> None:
        if kind in (CONNACK, SUBACK):
            good = body[-1] < 128 and (kind == SUBACK or body[1] == 0)
            if good:
                self._answered.set_result(None)
            else:
                self._answered.set_exception(ConnectionError(f"{self._name} is refused"))
        elif kind == PUBACK:
            self.acknowledged += 1
        elif kind == PUBLISH:
            at = 2 + int.from_bytes(body[:2], "big")
            if flags & 6:
                if self._transport is not None:
                    self._transport.write(_packet(PUBACK, 0, body[at : at + 2]))
                at += 2
            self._received(body[at:])


def _text(text: str) -> bytes:
    raw = text.encode()
    return len(raw).to_bytes(2, "big") + raw


def _packet(kind: int, flags: int, body: bytes) -> bytes:
    length, size = bytearray(), len(body)
    while True:
        size, low = divmod(size, 128)
        length.append(low | (128 if size else 0))
        if not size:
            return bytes([kind << 4 | flags, *length]) + body


def _end(data: bytearray) -> tuple[int, int] | None:
    """Return begin and end of the first packet's body; None while it is incomplete."""
    length = 0
    for place in range(1, min(len(data), 5)):
        length |= (data[place] & 127) << 7 * (place - 1)
        if data[place] < 128:
            stop = place + 1 + length
            return (place + 1, stop) if len(data) >= stop else None
    return None
