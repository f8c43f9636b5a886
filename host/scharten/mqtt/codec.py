"""The bytes of MQTT 3.1.1 and 5, purely: a `Decoder` for what clients send, `encode` for what the broker sends.

Bytes that are not a packet give one `Problem` whose code is the name of a `ReasonCode`; nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TypeVar

from scharten.errors import Problem
from scharten.mqtt.packets import (
    BrokerPacket,
    ClientPacket,
    Connack,
    Connect,
    Disconnect,
    PacketType,
    Ping,
    Properties,
    Property,
    Publish,
    PublishAck,
    ReasonCode,
    Subscribe,
    Subscription,
    SubscriptionAck,
    Unsubscribe,
    Version,
)

_T = TypeVar("_T")
_MOST_FILTERS, _MOST_PROPERTIES = 256, 4096
"""In one packet, filters and bytes: each costs the reader far more than the sender."""
_P = Property
_WIDTHS: Mapping[Property, int] = {
    **dict.fromkeys((_P.PAYLOAD_FORMAT, _P.REQUEST_PROBLEM, _P.REQUEST_RESPONSE, _P.RETAIN_AVAILABLE), 1),
    **dict.fromkeys((_P.WILDCARDS_AVAILABLE, _P.SUBSCRIPTION_IDS_AVAILABLE, _P.SHARED_AVAILABLE), 1),
    **dict.fromkeys((_P.RECEIVE_MAXIMUM, _P.SERVER_KEEP_ALIVE), 2),
    **dict.fromkeys((_P.MESSAGE_EXPIRY, _P.SESSION_EXPIRY, _P.WILL_DELAY, _P.MAXIMUM_PACKET_SIZE), 4),
}
"""How many bytes the numbers take; of the rest two are binary, `USER` is a pair of texts, and the others are texts."""
_BINARY = frozenset({_P.CORRELATION_DATA, _P.AUTHENTICATION_DATA})
_OF_PUBLISH = frozenset({_P.PAYLOAD_FORMAT, _P.MESSAGE_EXPIRY, _P.CONTENT_TYPE, _P.RESPONSE_TOPIC,
                         _P.CORRELATION_DATA, _P.USER})  # fmt: skip
_OF_CONNECT = frozenset({_P.SESSION_EXPIRY, _P.AUTHENTICATION_DATA, _P.REQUEST_PROBLEM, _P.REQUEST_RESPONSE,
                         _P.RECEIVE_MAXIMUM, _P.MAXIMUM_PACKET_SIZE, _P.USER})  # fmt: skip
_OF_REPLY = frozenset({_P.SESSION_EXPIRY, _P.REASON_STRING, _P.USER})
_NOT_ZERO = frozenset({_P.RECEIVE_MAXIMUM, _P.MAXIMUM_PACKET_SIZE})
_NOT_OFFERED = {
    _P.TOPIC_ALIAS: ReasonCode.TOPIC_ALIAS_INVALID,
    _P.SUBSCRIPTION_ID: ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
    _P.AUTHENTICATION_METHOD: ReasonCode.BAD_AUTHENTICATION_METHOD,
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
    """Cuts a client's bytes into packets; holds at most one unfinished packet of `limit` bytes and the last `feed`.

    The version is the one in CONNECT, which must come first. After a `Problem` there is nothing more to be had.
    """

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.version: Version | None = None
        self._buffer = bytearray()

    @property
    def unfinished(self) -> bool:
        """Whether the beginning of a packet is held."""
        return bool(self._buffer)

    def feed(self, data: bytes) -> None:
        """Takes more bytes; `next` is to be called until it gives None before the next ones."""
        self._buffer += data

    def next(self) -> ClientPacket | Problem | None:
        """The next packet; None when it is not whole yet."""
        try:
            packet = self._next()
        except _MalformedError as error:
            return Problem(error.reason.name.lower(), str(error))
        if isinstance(packet, Connect):
            self.version = packet.version
        return packet

    def _next(self) -> ClientPacket | None:
        buffer = self._buffer
        if not buffer:
            return None
        first = buffer[0]
        if self.version is None and first != PacketType.CONNECT << 4:
            raise _MalformedError("the first packet is not CONNECT", ReasonCode.PROTOCOL_ERROR)
        counted = _varint(buffer, 1)
        if counted is None:
            return None
        length, start = counted
        if length > self.limit:
            raise _MalformedError(
                f"a packet of {length} bytes is larger than {self.limit}", ReasonCode.PACKET_TOO_LARGE
            )
        if len(buffer) < start + length:
            return None
        body = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return _decoded(first >> 4, first & 0x0F, body, self.version)


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


def _decoded(kind: int, flags: int, data: bytes, version: Version | None) -> ClientPacket:
    body, five = _Body(data), version is Version.V5
    if kind == PacketType.PUBLISH:
        return _publish(flags, body, five)
    expected, read = _CLIENT_PACKETS.get(kind, (-1, _ping))
    if flags != expected:
        raise _MalformedError(f"a client may not send packet type {kind} with flags {flags}")
    if version is not None and kind == PacketType.CONNECT:
        raise _MalformedError("a second CONNECT", ReasonCode.PROTOCOL_ERROR)
    packet = read(PacketType(kind), body, five)
    if body.left:
        raise _MalformedError(f"{body.left} bytes too many in a packet")
    return packet


class _Body:
    """One packet's bytes, read from front to back."""

    def __init__(self, data: bytes) -> None:
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

    def all(self, read: Callable[[], _T]) -> Iterator[_T]:
        for _ in range(_MOST_FILTERS):
            if not self.left:
                return
            yield read()
        if self.left:
            raise _MalformedError(f"more than {_MOST_FILTERS} filters", ReasonCode.PACKET_TOO_LARGE)

    def topic(self) -> str:
        value = self.text()
        if not value or "+" in value or "#" in value:
            raise _MalformedError("a message needs a topic without wildcards", ReasonCode.TOPIC_NAME_INVALID)
        return value

    def properties(self, allowed: frozenset[Property]) -> Properties:
        counted = _varint(self._data, self._at)
        if counted is None:
            raise _MalformedError("a field reaches past the end of its packet")
        length, self._at = counted
        if not length:
            return ()
        if length > _MOST_PROPERTIES:
            words = f"{length} bytes of properties, more than {_MOST_PROPERTIES}"
            raise _MalformedError(words, ReasonCode.PACKET_TOO_LARGE)
        part, found, seen = _Body(self.take(length)), [], set()
        while part.left:
            number = part.number(1)
            if number in _NOT_OFFERED:
                key = Property(number)
                raise _MalformedError(f"{key.name.lower()} is not available", _NOT_OFFERED[key])
            if number not in allowed or (number in seen and number != Property.USER):
                raise _MalformedError(f"property {number} does not belong here", ReasonCode.PROTOCOL_ERROR)
            key = Property(number)
            seen.add(key)
            found.append((key, part.value(key)))
        return tuple(found)

    def value(self, key: Property) -> int | str | bytes | tuple[str, str]:
        if width := _WIDTHS.get(key):
            number = self.number(width)
            if (key in _NOT_ZERO and not number) or (width == 1 and number > 1):
                raise _MalformedError(f"{key.name.lower()} may not be {number}", ReasonCode.PROTOCOL_ERROR)
            return number
        if key in _BINARY:
            return self.binary()
        if key is Property.USER:
            return self.text(), self.text()
        return self.topic() if key is Property.RESPONSE_TOPIC else self.text()


def _publish(flags: int, body: _Body, five: bool) -> Publish:
    qos = flags >> 1 & 3
    if qos == 3:
        raise _MalformedError("there is no QoS 3")
    topic = body.topic()
    packet_id = body.packet_id() if qos else 0
    properties = body.properties(_OF_PUBLISH) if five else ()
    return Publish(topic, body.take(body.left), qos, bool(flags & 1), packet_id, properties)


def _connect(_kind: PacketType, body: _Body, _five: bool) -> Connect:
    name, level = body.binary(), body.number(1)
    if name != b"MQTT" or level not in (Version.V311, Version.V5):
        raise _MalformedError("neither MQTT 3.1.1 nor 5", ReasonCode.UNSUPPORTED_PROTOCOL_VERSION)
    version, flags, keep_alive_s = Version(level), body.number(1), body.number(2)
    has_will, will_qos = bool(flags & 0x04), flags >> 3 & 3
    lonely_password = version is Version.V311 and flags & 0xC0 == 0x40
    if flags & 1 or will_qos == 3 or (not has_will and flags & 0x38) or lonely_password:
        raise _MalformedError("flags of CONNECT that contradict each other")
    five = version is Version.V5
    properties = body.properties(_OF_CONNECT) if five else ()
    client_id, will = body.text(), None
    if has_will:
        of_will = body.properties(_OF_PUBLISH | {Property.WILL_DELAY}) if five else ()
        will = Publish(body.topic(), body.binary(), will_qos, bool(flags & 0x20), 0, of_will)
    username = body.text() if flags & 0x80 else None
    password = body.binary().decode("utf-8", "surrogateescape") if flags & 0x40 else None
    return Connect(version, client_id, bool(flags & 2), keep_alive_s, username, password, will, properties)


def _reason(body: _Body, five: bool) -> int:
    reason = body.number(1) if five and body.left else 0
    if five and body.left:
        body.properties(_OF_REPLY)
    return reason


def _ack(kind: PacketType, body: _Body, five: bool) -> PublishAck:
    return PublishAck(kind, body.packet_id(), _reason(body, five))


def _filters(kind: PacketType, body: _Body, five: bool) -> Subscribe | Unsubscribe:
    packet_id = body.packet_id()
    if five:
        body.properties(frozenset({Property.USER}))
    if not body.left:
        raise _MalformedError(f"a {kind.name} without a filter", ReasonCode.PROTOCOL_ERROR)
    if kind is PacketType.UNSUBSCRIBE:
        return Unsubscribe(packet_id, tuple(body.all(body.text)))
    return Subscribe(packet_id, tuple(body.all(lambda: _subscription(body, five))))


def _subscription(body: _Body, five: bool) -> Subscription:
    topic_filter, options = body.text(), body.number(1)
    qos, handling = options & 3, options >> 4 & 3
    if not topic_filter or 3 in (qos, handling) or options & (0xC0 if five else 0xFC):
        raise _MalformedError("a subscription with options that do not exist")
    return Subscription(topic_filter, qos, bool(options & 4), bool(options & 8), handling)


def _disconnect(_kind: PacketType, body: _Body, five: bool) -> Disconnect:
    return Disconnect(_reason(body, five))


def _ping(_kind: PacketType, _body: _Body, _five: bool) -> Ping:
    return Ping()


_CLIENT_PACKETS: Mapping[int, tuple[int, Callable[[PacketType, _Body, bool], ClientPacket]]] = {
    PacketType.CONNECT: (0, _connect),
    PacketType.PUBACK: (0, _ack),
    PacketType.PUBREC: (0, _ack),
    PacketType.PUBREL: (2, _ack),
    PacketType.PUBCOMP: (0, _ack),
    PacketType.SUBSCRIBE: (2, _filters),
    PacketType.UNSUBSCRIBE: (2, _filters),
    PacketType.PINGREQ: (0, _ping),
    PacketType.DISCONNECT: (0, _disconnect),
}
"""What a client may send besides PUBLISH: the flags that each must carry [2.1.3], and who reads it."""


def encode(packet: BrokerPacket, version: Version) -> bytes:
    """The bytes of what the broker sends; MQTT 3.1.1 has no word for most reasons."""
    five = version is Version.V5
    match packet:
        case Publish():
            packet_id = packet.packet_id.to_bytes(2) if packet.qos else b""
            properties = _properties_bytes(packet.properties) if five else b""
            parts = (_sized(packet.topic.encode()), packet_id, properties, packet.payload)
            return _framed(PacketType.PUBLISH, packet.qos << 1 | packet.retain, b"".join(parts))
        case PublishAck():
            reason = bytes((packet.reason,)) if five and packet.reason else b""
            flags = _CLIENT_PACKETS[packet.kind][0]
            return _framed(packet.kind, flags, packet.packet_id.to_bytes(2) + reason)
        case SubscriptionAck():
            codes = bytes(packet.reasons if five else (min(one, 0x80) for one in packet.reasons))
            if not five and packet.kind is PacketType.UNSUBACK:
                codes = b""
            return _framed(packet.kind, 0, packet.packet_id.to_bytes(2) + b"\0" * five + codes)
        case Connack():
            code = packet.reason if five else _OLD_CONNACK.get(packet.reason, 5)
            properties = _properties_bytes(packet.properties) if five else b""
            return _framed(PacketType.CONNACK, 0, bytes((0, code)) + properties)
        case Disconnect():
            return _framed(PacketType.DISCONNECT, 0, bytes((packet.reason,)) if five else b"")
        case Ping():
            return _framed(PacketType.PINGRESP, 0, b"")


def _framed(kind: PacketType, flags: int, body: bytes) -> bytes:
    return b"".join((bytes((kind << 4 | flags,)), _varint_bytes(len(body)), body))


def _sized(data: bytes) -> bytes:
    return len(data).to_bytes(2) + data


def _varint_bytes(number: int) -> bytes:
    digits = bytearray()
    while number > 0x7F:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def _properties_bytes(properties: Properties) -> bytes:
    parts = bytearray()
    for key, value in properties:
        parts.append(key)
        if isinstance(value, int):
            parts += value.to_bytes(_WIDTHS[key])
        else:
            for one in value if isinstance(value, tuple) else (value,):
                parts += _sized(one if isinstance(one, bytes) else one.encode())
    return _varint_bytes(len(parts)) + bytes(parts)
