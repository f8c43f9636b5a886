"""MQTT 3.1.1 packets read whole, bounded and checked before amqtt decodes them.

amqtt reads field by field from the socket: a packet that lies about its length makes it wait for ever or read into
the next one. Here a packet is taken whole within a size and a time, then decoded from its own bytes only.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
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


_REPLIES = frozenset((PUBACK, PUBREC, PUBREL, PUBCOMP))


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


@dataclass(frozen=True, slots=True)
class Publish:
    """A PUBLISH as it came; `packet_id` is 0 for QoS 0."""

    topic: str
    data: bytes
    qos: int
    retain: bool
    packet_id: int


def read_publish(flags: int, body: bytes) -> Publish:
    """A PUBLISH from its flags and bytes; `BadPacketError` when they do not add up (MQTT 3.1.1, 3.3)."""
    qos = flags >> 1 & 3
    length = int.from_bytes(body[:2])
    at = 2 + length
    start = at + 2 if qos else at
    if len(body) < max(2, start):
        raise BadPacketError("a field reaches past the end of its packet")
    try:
        topic = body[2:at].decode()
    except UnicodeDecodeError as error:
        raise BadPacketError("a topic that is no text") from error
    packet_id = int.from_bytes(body[at:start])
    if not topic or "+" in topic or "#" in topic or "\0" in topic or (qos and not packet_id):
        raise BadPacketError("a message without a usable topic or number")
    return Publish(topic, body[start:], qos, bool(flags & 1), packet_id)


def read_reply(body: bytes) -> int:
    """The packet id that PUBACK, PUBREC, PUBREL and PUBCOMP consist of."""
    if len(body) != 2:
        raise BadPacketError("an acknowledgement that is more or less than a number")
    return int.from_bytes(body)


def publish_bytes(topic: str, data: bytes, qos: int, retain: bool, packet_id: int) -> bytes:
    """A PUBLISH for a client; QoS 0 has no packet id."""
    name = topic.encode()
    number = packet_id.to_bytes(2) if qos else b""
    length = 2 + len(name) + len(number) + len(data)
    head = bytes((PUBLISH << 4 | qos << 1 | retain,)) + _length_bytes(length)
    return b"".join((head, len(name).to_bytes(2), name, number, data))


def reply_bytes(kind: int, packet_id: int) -> bytes:
    """PUBACK, PUBREC, PUBREL or PUBCOMP."""
    return bytes((kind << 4 | _FLAGS[kind], 2)) + packet_id.to_bytes(2)


def _length_bytes(length: int) -> bytes:
    digits = bytearray()
    while length > 0x7F:
        digits.append(length & 0x7F | 0x80)
        length >>= 7
    digits.append(length)
    return bytes(digits)


async def decode(header: MQTTFixedHeader, body: bytes) -> Any:
    """A `Publish`, the number of an acknowledgement, else amqtt's packet; `BadPacketError` when bytes do not add up."""
    if header.packet_type == PUBLISH:
        return read_publish(header.flags, body)
    if header.packet_type in _REPLIES:
        return read_reply(body)
    source = PacketBytes(body)
    try:
        packet = await packet_class(header).from_stream(source, fixed_header=header)
    except (AMQTTError, MQTTError, ValueError) as error:
        raise BadPacketError(str(error)) from error
    if source.left:
        raise BadPacketError(f"{source.left} bytes too many in a packet")
    return packet
