"""The bytes of MQTT 3.1.1 and 5, purely: a `Decoder` for what clients send, `encode` for what the broker sends.

Bytes that are not a packet give one `Problem` whose code is the name of a `ReasonCode`; nothing else is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

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
_FLAGS: Mapping[PacketType, int] = {
    **dict.fromkeys((PacketType.CONNECT, PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBCOMP), 0),
    **dict.fromkeys((PacketType.PINGREQ, PacketType.DISCONNECT), 0),
    **dict.fromkeys((PacketType.PUBREL, PacketType.SUBSCRIBE, PacketType.UNSUBSCRIBE), 2),
}
"""What a client may send besides PUBLISH, and the flags that each must carry [2.1.3]."""
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
        length, start = 0, 1
        while True:
            if start == len(buffer):
                return None
            byte = buffer[start]
            length |= (byte & 0x7F) << (7 * (start - 1))
            start += 1
            if byte < 0x80:
                break
            if start > 4:
                raise _MalformedError("a length of more than four bytes")
        if length > self.limit:
            raise _MalformedError(
                f"a packet of {length} bytes is larger than {self.limit}", ReasonCode.PACKET_TOO_LARGE
            )
        if len(buffer) < start + length:
            return None
        body = bytes(buffer[start : start + length])
        del buffer[: start + length]
        return _decoded(first >> 4, first & 0x0F, body, self.version)


def _decoded(kind: int, flags: int, data: bytes, version: Version | None) -> ClientPacket:
    if kind == PacketType.PUBLISH:
        return _publish(flags, _Body(data), version is Version.V5)
    if kind not in _FLAGS or _FLAGS[PacketType(kind)] != flags:
        raise _MalformedError(f"a client may not send packet type {kind} with flags {flags}")
    body, packet = _Body(data), _READERS[PacketType(kind)]
    if version is not None and kind == PacketType.CONNECT:
        raise _MalformedError("a second CONNECT", ReasonCode.PROTOCOL_ERROR)
    done = packet(PacketType(kind), body, version is Version.V5)
    if body.left:
        raise _MalformedError(f"{body.left} bytes too many in a packet")
    return done


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

    def topic(self) -> str:
        value = self.text()
        if not value or "+" in value or "#" in value:
            raise _MalformedError("a message needs a topic without wildcards", ReasonCode.TOPIC_NAME_INVALID)
        return value

    def varint(self) -> int:
        value = 0
        for place in range(4):
            byte = self.number(1)
            value |= (byte & 0x7F) << (7 * place)
            if byte < 0x80:
                return value
        raise _MalformedError("a length of more than four bytes")

    def properties(self, allowed: frozenset[Property]) -> Properties:
        end = self.varint()
        if not end:
            return ()
        part, found, seen = _Body(self.take(end)), [], set()
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


def _ack(kind: PacketType, body: _Body, five: bool) -> PublishAck:
    packet_id = body.packet_id()
    reason = body.number(1) if five and body.left else 0
    if five and body.left:
        body.properties(_OF_REPLY)
    return PublishAck(kind, packet_id, reason)


def _subscribe(_kind: PacketType, body: _Body, five: bool) -> Subscribe:
    packet_id, wanted = body.packet_id(), []
    if five:
        body.properties(frozenset({Property.USER}))
    while body.left:
        topic_filter, options = body.text(), body.number(1)
        qos, handling = options & 3, options >> 4 & 3
        if not topic_filter or 3 in (qos, handling) or options & (0xC0 if five else 0xFC):
            raise _MalformedError("a subscription with options that do not exist")
        wanted.append(Subscription(topic_filter, qos, bool(options & 4), bool(options & 8), handling))
    if not wanted:
        raise _MalformedError("a SUBSCRIBE without a filter", ReasonCode.PROTOCOL_ERROR)
    return Subscribe(packet_id, tuple(wanted))


def _unsubscribe(_kind: PacketType, body: _Body, five: bool) -> Unsubscribe:
    packet_id, filters = body.packet_id(), []
    if five:
        body.properties(frozenset({Property.USER}))
    while body.left:
        filters.append(body.text())
    if not filters:
        raise _MalformedError("an UNSUBSCRIBE without a filter", ReasonCode.PROTOCOL_ERROR)
    return Unsubscribe(packet_id, tuple(filters))


def _disconnect(_kind: PacketType, body: _Body, five: bool) -> Disconnect:
    reason = body.number(1) if five and body.left else 0
    if five and body.left:
        body.properties(_OF_REPLY)
    return Disconnect(reason)


_READERS: Mapping[PacketType, Callable[[PacketType, _Body, bool], ClientPacket]] = {
    **dict.fromkeys((PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBREL, PacketType.PUBCOMP), _ack),
    PacketType.CONNECT: _connect,
    PacketType.SUBSCRIBE: _subscribe,
    PacketType.UNSUBSCRIBE: _unsubscribe,
    PacketType.PINGREQ: lambda _kind, _body, _five: Ping(),
    PacketType.DISCONNECT: _disconnect,
}


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
            return _framed(packet.kind, _FLAGS[packet.kind], packet.packet_id.to_bytes(2) + reason)
        case SubscriptionAck() if five:
            return _framed(packet.kind, 0, packet.packet_id.to_bytes(2) + b"\0" + bytes(packet.reasons))
        case SubscriptionAck():
            codes = bytes(min(one, ReasonCode.UNSPECIFIED_ERROR) for one in packet.reasons)
            body = codes if packet.kind is PacketType.SUBACK else b""
            return _framed(packet.kind, 0, packet.packet_id.to_bytes(2) + body)
        case Connack() if five:
            return _framed(
                PacketType.CONNACK, 0, bytes((0, packet.reason)) + _properties_bytes(packet.properties)
            )
        case Connack():
            return _framed(PacketType.CONNACK, 0, bytes((0, _OLD_CONNACK.get(packet.reason, 5))))
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
        match value:
            case int():
                parts += value.to_bytes(_WIDTHS[key])
            case str():
                parts += _sized(value.encode())
            case bytes():
                parts += _sized(value)
            case name, text:
                parts += _sized(name.encode()) + _sized(text.encode())
    return _varint_bytes(len(parts)) + bytes(parts)
