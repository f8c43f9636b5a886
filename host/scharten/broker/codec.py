"""Decode the packets of clients and encode those of the broker, in MQTT 3.1.1 and 5; pure.

Bytes that are no packet give one `Problem`, whose code is the name of a `ReasonCode`. Nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scharten.broker.packets import (
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
from scharten.errors import Problem

_MOST_FILTERS, _MOST_PROPERTIES = 256, 4096
"""Filters and bytes of properties in one packet: each costs the reader far more than the sender."""
_NOT_OFFERED = {
    0x0B: ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
    0x15: ReasonCode.BAD_AUTHENTICATION_METHOD,
    0x23: ReasonCode.TOPIC_ALIAS_INVALID,
}
"""Properties of features that CONNACK excludes, and the reason for refusing them."""
_WIDTHS: Mapping[int, int] = {
    **dict.fromkeys((0x01, 0x17, 0x19), 1),
    **dict.fromkeys((0x21, 0x22), 2),
    **dict.fromkeys((0x02, 0x11, 0x18, 0x27), 4),
    **dict.fromkeys((0x03, 0x08, 0x09, 0x1F), 0),
}
"""Every other property that a client may send: its width in bytes, 0 for a field with its own length [2.2.2.2]."""
_USER_PROPERTY = 0x26
_OLD_CONNACK = {
    ReasonCode.SUCCESS: 0,
    ReasonCode.UNSUPPORTED_PROTOCOL_VERSION: 1,
    ReasonCode.CLIENT_IDENTIFIER_NOT_VALID: 2,
    ReasonCode.QUOTA_EXCEEDED: 3,
}
"""The return codes of MQTT 3.1.1; any other refusal is 5, not authorized."""


class _MalformedError(Exception):
    """Internal to this module: `Decoder.next` turns it into a `Problem`."""

    def __init__(self, words: str, reason: ReasonCode = ReasonCode.MALFORMED_PACKET) -> None:
        super().__init__(words)
        self.reason = reason


def reason_of(problem: Problem) -> ReasonCode:
    """The reason code of a `Problem` of this module."""
    return ReasonCode[problem.code.upper()]


class Decoder:
    """Cut a client's bytes into packets; `buffer` holds at most one packet of `limit` bytes and the last feed.

    CONNECT must come first and sets the version. A `Problem` is the last result.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.version: Version | None = None
        self.buffer = bytearray()

    def feed(self, data: bytes) -> None:
        """Add bytes; then call `next` until it returns None."""
        self.buffer += data

    def next(self) -> ClientPacket | Problem | None:
        """Return the next packet, or None while it is incomplete."""
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
    """Return a length and the index behind it; None if the data end within it [1.5.5]."""
    length = 0
    for place, byte in enumerate(data[at : at + 4]):
        length |= (byte & 0x7F) << (7 * place)
        if byte < 0x80:
            return length, at + place + 1
    if len(data) - at >= 4:
        raise _MalformedError("a length of more than four bytes")
    return None


class _Body:
    """A reader of one packet's bytes, or of its properties."""

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

    def properties(self, *wanted: Property) -> dict[Property, int]:
        """Read the properties and return the wanted ones; MQTT 3.1.1 has none."""
        found: dict[Property, int] = {}
        if not self.five:
            return found
        counted = _varint(self._data, self._at)
        if counted is None:
            raise _MalformedError("a field reaches past the end of its packet")
        length, self._at = counted
        if length > _MOST_PROPERTIES:
            words = f"{length} bytes of properties, more than {_MOST_PROPERTIES}"
            raise _MalformedError(words, ReasonCode.PACKET_TOO_LARGE)
        part, seen = _Body(self.take(length), 0, True), set[int]()
        while part.left:
            number = part.number(1)
            if number == _USER_PROPERTY:  # the only one that may come more than once
                part.text(), part.text()
                continue
            if number in _NOT_OFFERED:
                raise _MalformedError(f"property {number} is not available", _NOT_OFFERED[number])
            if number not in _WIDTHS or number in seen:
                raise _MalformedError(f"property {number} does not belong here", ReasonCode.PROTOCOL_ERROR)
            seen.add(number)
            value = part.number(_WIDTHS[number]) if _WIDTHS[number] else len(part.binary())
            if number in wanted:
                found[Property(number)] = value
        if 0 in (found.get(Property.RECEIVE_MAXIMUM), found.get(Property.MAXIMUM_PACKET_SIZE)):
            raise _MalformedError("a maximum of 0", ReasonCode.PROTOCOL_ERROR)
        return found


def _publish(_kind: PacketType, body: _Body) -> Publish:
    qos = body.flags >> 1 & 3
    if qos == 3:
        raise _MalformedError("there is no QoS 3")
    topic = body.topic()
    packet_id = body.packet_id() if qos else 0
    expiry_s = body.properties(Property.MESSAGE_EXPIRY).get(Property.MESSAGE_EXPIRY)
    return Publish(topic, body.take(body.left), qos, bool(body.flags & 1), packet_id, expiry_s)


def _connect(_kind: PacketType, body: _Body) -> Connect:
    name, level = body.binary(), body.number(1)
    if name != b"MQTT" or level not in (Version.V311, Version.V5):
        raise _MalformedError("neither MQTT 3.1.1 nor 5", ReasonCode.UNSUPPORTED_PROTOCOL_VERSION)
    version, flags, keep_alive_s = Version(level), body.number(1), body.number(2)
    has_will, will_qos = bool(flags & 0x04), flags >> 3 & 3
    lonely_password = version is Version.V311 and flags & 0xC0 == 0x40
    if flags & 1 or will_qos == 3 or (not has_will and flags & 0x38) or lonely_password:
        raise _MalformedError("flags of CONNECT that contradict each other")
    body.five = version is Version.V5
    properties = body.properties(Property.RECEIVE_MAXIMUM, Property.MAXIMUM_PACKET_SIZE)
    client_id, will = body.text(), None
    if has_will:
        expiry_s = body.properties(Property.MESSAGE_EXPIRY).get(Property.MESSAGE_EXPIRY)
        will = Publish(body.topic(), body.binary(), will_qos, bool(flags & 0x20), 0, expiry_s)
    username = body.text() if flags & 0x80 else None
    password = body.binary().decode("utf-8", "surrogateescape") if flags & 0x40 else None
    return Connect(version, client_id, bool(flags & 2), keep_alive_s, username, password, will, properties)


def _filters(kind: PacketType, body: _Body) -> Filters:
    packet_id, found = body.packet_id(), []
    body.properties()
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
        body.properties()
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
"""The packets of clients: the required flags (None: they hold values) [2.1.3], and the reader of the body."""


def encode(packet: BrokerPacket, version: Version) -> bytes:
    """Encode a packet of the broker; MQTT 3.1.1 has no code for most reasons."""
    five, flags = version is Version.V5, 0
    match packet:
        case Publish(topic, payload, qos, retain):
            kind, flags = PacketType.PUBLISH, qos << 1 | retain
            packet_id = packet.packet_id.to_bytes(2) if qos else b""
            expiry = {} if packet.expiry_s is None else {Property.MESSAGE_EXPIRY: packet.expiry_s}
            body = b"".join((_sized(topic), packet_id, _properties_bytes(expiry, five), payload))
        case Connack(reason):
            kind = PacketType.CONNACK
            code = reason if five else _OLD_CONNACK.get(reason, 5)
            body = bytes((0, code)) + _properties_bytes(packet.properties, five)
        case Control(PacketType.SUBACK | PacketType.UNSUBACK as kind, number, reasons):
            old = bytes(min(reason, 0x80) for reason in reasons if kind is PacketType.SUBACK)
            body = number.to_bytes(2) + (b"\0" + bytes(reasons) if five else old)
        case Control(kind, number, reasons):
            flags = 2 if kind is PacketType.PUBREL else 0
            body = (number.to_bytes(2) if number else b"") + bytes(reasons if five and any(reasons) else ())
    return b"".join((bytes((kind << 4 | flags,)), _varint_bytes(len(body)), body))


def _sized(text: str) -> bytes:
    data = text.encode()
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
        parts.append(key)
        parts += value.to_bytes(key.width) if isinstance(value, int) else _sized(value)
    return _varint_bytes(len(parts)) + bytes(parts)
