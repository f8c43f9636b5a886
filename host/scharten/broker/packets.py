"""MQTT 3.1.1 packets read whole, bounded and checked before amqtt decodes them.

amqtt reads field by field from the socket: a packet that lies about its length makes it wait for ever or read into
the next one. Here a packet is taken whole within a size and a time, then decoded from its own bytes only.
"""

from __future__ import annotations

import asyncio
from typing import Any

from amqtt.adapters import ReaderAdapter
from amqtt.errors import AMQTTError, MQTTError
from amqtt.mqtt import packet_class
from amqtt.mqtt.packet import (
    CONNECT,
    DISCONNECT,
    PINGREQ,
    PUBACK,
    PUBCOMP,
    PUBLISH,
    PUBREC,
    PUBREL,
    SUBSCRIBE,
    UNSUBSCRIBE,
    MQTTFixedHeader,
)

_FLAGS = {
    SUBSCRIBE: 2,
    UNSUBSCRIBE: 2,
    PUBREL: 2,
    CONNECT: 0,
    PUBACK: 0,
    PUBREC: 0,
    PUBCOMP: 0,
    PINGREQ: 0,
    DISCONNECT: 0,
}
"""What a client may send, and the flags each must carry (MQTT 3.1.1, 2.2.2); PUBLISH has its own."""


class BadPacketError(Exception):
    """Bytes that are no packet a client may send; the connection is closed."""


class PacketBytes(ReaderAdapter):  # type: ignore[misc]  # amqtt ships no types
    """One packet's bytes for amqtt's decoders; reading past the end is a `BadPacketError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def left(self) -> int:
        """Bytes not read yet."""
        return len(self._data) - self._at

    async def read(self, n: int = -1) -> bytes:
        """The next n bytes, all that are left for -1."""
        if n > self.left:
            raise BadPacketError("a field reaches past the end of its packet")
        start = self._at
        self._at = len(self._data) if n < 0 else start + n
        return self._data[start : self._at]

    def feed_eof(self) -> None:
        """Nothing follows in any case."""


async def read_packet(
    stream: asyncio.StreamReader, limit: int, within_s: float
) -> tuple[MQTTFixedHeader, bytes]:
    """One packet: waits without limit for its first byte, at most `within_s` for the rest, at most `limit` bytes.

    Raises `BadPacketError`, `TimeoutError`, or what a closed stream raises.
    """
    first = (await stream.readexactly(1))[0]
    kind, flags = first >> 4, first & 0x0F
    if kind != PUBLISH and _FLAGS.get(kind) != flags:
        raise BadPacketError(f"packet type {kind} with flags {flags} is not for a client to send")
    if kind == PUBLISH and (flags >> 1) & 3 == 3:
        raise BadPacketError("there is no QoS 3")
    async with asyncio.timeout(within_s):
        length = await _length(stream)
        if length > limit:
            raise BadPacketError(f"a packet of {length} bytes is larger than {limit}")
        body = await stream.readexactly(length)
    return MQTTFixedHeader(kind, flags, length), body


async def _length(stream: asyncio.StreamReader) -> int:
    length = 0
    for place in range(4):
        byte = (await stream.readexactly(1))[0]
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return length
    raise BadPacketError("a length of more than four bytes")


async def decode(header: MQTTFixedHeader, body: bytes) -> Any:
    """amqtt's packet from one packet's bytes; `BadPacketError` when they do not add up."""
    source = PacketBytes(body)
    try:
        packet = await packet_class(header).from_stream(source, fixed_header=header)
    except (AMQTTError, MQTTError, ValueError) as error:
        raise BadPacketError(str(error)) from error
    if source.left:
        raise BadPacketError(f"{source.left} bytes too many in a packet")
    return packet
