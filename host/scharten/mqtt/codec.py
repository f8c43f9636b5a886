"""The bytes of MQTT 3.1.1 and 5, purely: a `Decoder` for what clients send, `encode` for what the broker sends.

Bytes that are not a packet give one `Problem` whose code is the name of a `ReasonCode`; nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scharten.errors import Problem
from scharten.mqtt.packets import (
    BrokerPacket,
    ClientPacket,
    Connack,
    Connect,
    Control,
    Filters,
    PacketType,
    Properties,
    Property,
    Publish,
    ReasonCode,
    Subscription,
    Version,
)

_MOST_FILTERS, _MOST_PROPERTIES = 256, 4096
"""In one packet, filters and bytes: each costs the reader far more than the sender."""
_PROPERTIES: Mapping[int, Property] = {one.value: one for one in Property}
_NOT_OFFERED = {
    Property.TOPIC_ALIAS: ReasonCode.TOPIC_ALIAS_INVALID,
    Property.SUBSCRIPTION_ID: ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
    Property.AUTHENTICATION_METHOD: ReasonCode.BAD_AUTHENTICATION_METHOD,
}
"""What CONNACK says that this broker does not do, and the reason for a client that asks for it all the same."""
_OLD_CONNACK = {
    ReasonCode.SUCCESS: 0,
    ReasonCode.UNSUPPORTED_PROTOCOL_VERSION: 1,
    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID: 2,
    ReasonCode.QUOTA_EXCEEDED: 3,
}
"""The return codes of MQTT 3.1.1; every other refusal is 5, not authorized."""


class _MalformedError(Exception):
    """Never leaves this module: becomes the `Problem` that `Decoder.next` gives."""

    def __init__(self, words: str, reason: ReasonCode = ReasonCode.MALFORMED_PACKET) -> None:
        super().__init__(words)
        self.reason = reason


def reason_of(problem: Problem) -> ReasonCode:
    """The reason code of a `Problem` of this module."""
    return ReasonCode[problem.code.upper()]


class Decoder:
    """Cuts a client's bytes into packets; `buffer` has at most one unfinished of `limit` bytes and the last `feed`.

    The version is the one in CONNECT, which must come first. After a `Problem` there is nothing more to be had.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.version: Version | None = None
        self.buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Takes more bytes; `next` is to be called until it gives None before the next ones."""
        self.buffer += data

    def next(self) -> ClientPacket | Problem | None:
        """The next packet; None when it is not whole yet."""
        try:
            return self._next() if self.buffer else None
        except _MalformedError as error:
            return Problem(error.reason.name.lower(), str(error))

    def _next(self) -> ClientPacket | None:
        kind, flags = divmod(self.buffer[0], 16)
        if (self.buffer[0] == PacketType.CONNECT << 4) is not (self.version is None):
            raise _MalformedError("CONNECT is the first packet and no other", ReasonCode.PROTOCOL_ERROR)
        counted = _varint(self.buffer, 1)
        if counted is None:
            return None
        length, start = counted
        if length > self.limit:
            words = f"a packet of {length} bytes is larger than {self.limit}"
            raise _MalformedError(words, ReasonCode.PACKET_TOO_LARGE)
        if len(self.buffer) < start + length:
            return None
        body = _Body(bytes(self.buffer[start : start + length]), flags, self.version is Version.V5)
        del self.buffer[: start + length]
        expected, read = _CLIENT_PACKETS.get(kind, (-1, _control))
        if expected not in (flags, None):
            raise _MalformedError(f"a client may not send packet type {kind} with flags {flags}")
        packet = read(PacketType(kind), body)
        if body.left:
            raise _MalformedError(f"{body.left} bytes too many in a packet")
        if isinstance(packet, Connect):
            self.version = packet.version
        return packet


def _varint(data: bytes | bytearray, at: int) -> tuple[int, int] | None:
    """A length and where it ends; None when it goes on after the data [1.5.5]."""
    length = 0
    for place, byte in enumerate(data[at : at + 4]):
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return length, at + place + 1
    if len(data) - at >= 4:
        raise _MalformedError("a length of more than four bytes")
    return None


class _Body:
    """The bytes of one packet, or of its properties, read from front to back."""

    def __init__(self, data: bytes, flags: int, five: bool) -> None:
        self.flags, self.five = flags, five
        self._data, self._at = data, 0

    @property
    def left(self) -> int:
        return len(self._data) - self._at

    def take(self, count: int) -> bytes:
        if count > self.left:
            raise _MalformedError("a field reaches past the end of its packet")
        self._at += count
        return self._data[self._at - count : self._at]

    def number(self, width: int) -> int:
        return int.from_bytes(self.take(width))

    def packet_id(self) -> int:
        if number := self.number(2):
            return number
        raise _MalformedError("a packet identifier of 0", ReasonCode.PROTOCOL_ERROR)

    def binary(self) -> bytes:
        return self.take(self.number(2))

    def text(self) -> str:
        try:
            value = self.binary().decode()
        except UnicodeDecodeError as error:
            raise _MalformedError("a text that is not UTF-8") from error
        if "\0" in value:
            raise _MalformedError("a text that contains a null character")
        return value

    def topic(self) -> str:
        value = self.text()
        if not value or "+" in value or "#" in value:
            raise _MalformedError("a message needs a topic without wildcards", ReasonCode.TOPIC_NAME_INVALID)
        return value

    def properties(self, packet: PacketType, also: Property | None = None) -> Properties:
        """Those that the packet may have, and `also`; MQTT 3.1.1 has none."""
        found: dict[Property, Any] = {}
        users: list[tuple[str, str]] = []
        if not self.five:
            return found
        counted = _varint(self._data, self._at)
        if counted is None:
            raise _MalformedError("a field reaches past the end of its packet")
        length, self._at = counted
        if length > _MOST_PROPERTIES:
            words = f"{length} bytes of properties, more than {_MOST_PROPERTIES}"
            raise _MalformedError(words, ReasonCode.PACKET_TOO_LARGE)
        part = _Body(self.take(length), 0, True)
        while part.left:
            number = part.number(1)
            key = _PROPERTIES.get(number)
            if key in _NOT_OFFERED:
                raise _MalformedError(f"{key.name.lower()} is not available", _NOT_OFFERED[key])
            if key is None or key in found or not (packet in key.packets or key is also):
                raise _MalformedError(f"property {number} does not belong here", ReasonCode.PROTOCOL_ERROR)
            if key is Property.USER:
                users.append((part.text(), part.text()))
            else:
                found[key] = part.value(key)
        return found | {Property.USER: users} if users else found

    def value(self, key: Property) -> int | str | bytes:
        if key is Property.CORRELATION_DATA:
            return self.binary()
        if not key.width:
            return self.topic() if key is Property.RESPONSE_TOPIC else self.text()
        number = self.number(key.width)
        never_zero = key in (Property.RECEIVE_MAXIMUM, Property.MAXIMUM_PACKET_SIZE)
        if (never_zero and not number) or (key.width == 1 and number > 1):
            raise _MalformedError(f"{key.name.lower()} may not be {number}", ReasonCode.PROTOCOL_ERROR)
        return number


def _publish(_kind: PacketType, body: _Body) -> Publish:
    qos = body.flags >> 1 & 3
    if qos == 3:
        raise _MalformedError("there is no QoS 3")
    topic = body.topic()
    packet_id = body.packet_id() if qos else 0
    properties = body.properties(PacketType.PUBLISH)
    return Publish(topic, body.take(body.left), qos, bool(body.flags & 1), packet_id, properties)


def _connect(kind: PacketType, body: _Body) -> Connect:
    name, level = body.binary(), body.number(1)
    if name != b"MQTT" or level not in (Version.V311, Version.V5):
        raise _MalformedError("neither MQTT 3.1.1 nor 5", ReasonCode.UNSUPPORTED_PROTOCOL_VERSION)
    version, flags, keep_alive_s = Version(level), body.number(1), body.number(2)
    has_will, will_qos = bool(flags & 0x04), flags >> 3 & 3
    lonely_password = version is Version.V311 and flags & 0xC0 == 0x40
    if flags & 1 or will_qos == 3 or (not has_will and flags & 0x38) or lonely_password:
        raise _MalformedError("flags of CONNECT that contradict each other")
    body.five = version is Version.V5
    properties, client_id, will = body.properties(kind), body.text(), None
    if has_will:
        of_will = body.properties(PacketType.PUBLISH, Property.WILL_DELAY)
        will = Publish(body.topic(), body.binary(), will_qos, bool(flags & 0x20), 0, of_will)
    username = body.text() if flags & 0x80 else None
    password = body.binary().decode("utf-8", "surrogateescape") if flags & 0x40 else None
    return Connect(version, client_id, bool(flags & 2), keep_alive_s, username, password, will, properties)


def _filters(kind: PacketType, body: _Body) -> Filters:
    packet_id, found = body.packet_id(), []
    body.properties(kind)
    while body.left:
        topic_filter, options = body.text(), body.number(1) if kind is PacketType.SUBSCRIBE else 0
        qos, handling = options & 3, options >> 4 & 3
        if not topic_filter or 3 in (qos, handling) or options & (0xC0 if body.five else 0xFC):
            raise _MalformedError("a subscription with options that do not exist")
        found.append(Subscription(topic_filter, qos, bool(options & 4), bool(options & 8), handling))
        if len(found) > _MOST_FILTERS:
            raise _MalformedError(f"more than {_MOST_FILTERS} filters", ReasonCode.PACKET_TOO_LARGE)
    if not found:
        raise _MalformedError(f"a {kind.name} without a filter", ReasonCode.PROTOCOL_ERROR)
    return Filters(kind, packet_id, tuple(found))


def _control(kind: PacketType, body: _Body) -> Control:
    if kind is PacketType.PINGREQ:
        return Control(kind)
    packet_id = 0 if kind is PacketType.DISCONNECT else body.packet_id()
    reason = body.number(1) if body.five and body.left else 0
    if body.left:
        body.properties(kind)
    return Control(kind, packet_id, (reason,))


_CLIENT_PACKETS: Mapping[int, tuple[int | None, Callable[[PacketType, _Body], ClientPacket]]] = {
    PacketType.CONNECT: (0, _connect),
    PacketType.PUBLISH: (None, _publish),
    PacketType.PUBACK: (0, _control),
    PacketType.PUBREC: (0, _control),
    PacketType.PUBREL: (2, _control),
    PacketType.PUBCOMP: (0, _control),
    PacketType.SUBSCRIBE: (2, _filters),
    PacketType.UNSUBSCRIBE: (2, _filters),
    PacketType.PINGREQ: (0, _control),
    PacketType.DISCONNECT: (0, _control),
}
"""What a client may send: the flags that each must carry, where they say nothing [2.1.3], and who reads it."""


def encode(packet: BrokerPacket, version: Version) -> bytes:
    """The bytes of what the broker sends; MQTT 3.1.1 has no word for most reasons."""
    five, flags = version is Version.V5, 0
    match packet:
        case Publish(topic, payload, qos, retain):
            kind, flags = PacketType.PUBLISH, qos << 1 | retain
            packet_id = packet.packet_id.to_bytes(2) if qos else b""
            body = b"".join((_sized(topic), packet_id, _properties_bytes(packet.properties, five), payload))
        case Connack(reason):
            kind = PacketType.CONNACK
            code = reason if five else _OLD_CONNACK.get(reason, 5)
            body = bytes((0, code)) + _properties_bytes(packet.properties, five)
        case Control(PacketType.SUBACK | PacketType.UNSUBACK as kind, number, reasons):
            old = bytes(min(one, 0x80) for one in reasons if kind is PacketType.SUBACK)
            body = number.to_bytes(2) + (b"\0" + bytes(reasons) if five else old)
        case Control(kind, number, reasons):
            flags = 2 if kind is PacketType.PUBREL else 0
            body = (number.to_bytes(2) if number else b"") + bytes(reasons if five and any(reasons) else ())
    return b"".join((bytes((kind << 4 | flags,)), _varint_bytes(len(body)), body))


def _sized(data: str | bytes) -> bytes:
    data = data.encode() if isinstance(data, str) else data
    return len(data).to_bytes(2) + data


def _varint_bytes(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _properties_bytes(properties: Properties, five: bool) -> bytes:
    if not five:
        return b""
    parts = bytearray()
    for key, value in properties.items():
        for one in value if key is Property.USER else (value,):
            parts.append(key)
            parts += (
                one.to_bytes(key.width)
                if key.width
                else b"".join(map(_sized, one if key is Property.USER else (one,)))
            )
    return _varint_bytes(len(parts)) + bytes(parts)
