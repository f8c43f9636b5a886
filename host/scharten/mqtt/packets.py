"""The packets of MQTT 3.1.1 and 5 as values; numbers in brackets are sections of the MQTT 5 standard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any


class Version(IntEnum):
    """The protocol level in CONNECT."""

    V311 = 4
    V5 = 5


PacketType = IntEnum(
    "PacketType",
    "CONNECT CONNACK PUBLISH PUBACK PUBREC PUBREL PUBCOMP SUBSCRIBE SUBACK UNSUBSCRIBE UNSUBACK PINGREQ PINGRESP "
    "DISCONNECT",
)
"""The type of a packet, from 1 on [2.1.2]."""


class ReasonCode(IntEnum):
    """Reason codes that this broker gives or reads [2.4]; those from 0x80 on are refusals."""

    SUCCESS = 0x00
    DISCONNECT_WITH_WILL = 0x04
    NO_SUBSCRIPTION_EXISTED = 0x11
    UNSPECIFIED_ERROR = 0x80
    MALFORMED_PACKET = 0x81
    PROTOCOL_ERROR = 0x82
    UNSUPPORTED_PROTOCOL_VERSION = 0x84
    CLIENT_IDENTIFIER_NOT_VALID = 0x85
    NOT_AUTHORIZED = 0x87
    SERVER_SHUTTING_DOWN = 0x8B
    BAD_AUTHENTICATION_METHOD = 0x8C
    KEEP_ALIVE_TIMEOUT = 0x8D
    SESSION_TAKEN_OVER = 0x8E
    TOPIC_FILTER_INVALID = 0x8F
    TOPIC_NAME_INVALID = 0x90
    PACKET_IDENTIFIER_NOT_FOUND = 0x92
    RECEIVE_MAXIMUM_EXCEEDED = 0x93
    TOPIC_ALIAS_INVALID = 0x94
    PACKET_TOO_LARGE = 0x95
    QUOTA_EXCEEDED = 0x97
    SHARED_SUBSCRIPTIONS_NOT_SUPPORTED = 0x9E
    SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED = 0xA1


_ACKS = (PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBREL, PacketType.PUBCOMP)


class Property(IntEnum):
    """Properties of MQTT 5 [2.2.2.2]: the number, a number's width in bytes, and the client's packets that may have it.

    Of those without a width `CORRELATION_DATA` is bytes, `USER` a list of pairs of texts, and the others are texts.
    """

    width: int
    packets: tuple[PacketType, ...]

    def __new__(cls, number: int, width: int = 0, *packets: PacketType) -> Property:
        one = int.__new__(cls, number)
        one._value_, one.width, one.packets = number, width, packets
        return one

    PAYLOAD_FORMAT = 0x01, 1, PacketType.PUBLISH
    MESSAGE_EXPIRY = 0x02, 4, PacketType.PUBLISH
    CONTENT_TYPE = 0x03, 0, PacketType.PUBLISH
    RESPONSE_TOPIC = 0x08, 0, PacketType.PUBLISH
    CORRELATION_DATA = 0x09, 0, PacketType.PUBLISH
    SUBSCRIPTION_ID = 0x0B
    SESSION_EXPIRY = 0x11, 4, PacketType.CONNECT, PacketType.DISCONNECT
    ASSIGNED_CLIENT_ID = 0x12
    SERVER_KEEP_ALIVE = 0x13, 2
    AUTHENTICATION_METHOD = 0x15
    REQUEST_PROBLEM = 0x17, 1, PacketType.CONNECT
    WILL_DELAY = 0x18, 4
    REQUEST_RESPONSE = 0x19, 1, PacketType.CONNECT
    REASON_STRING = 0x1F, 0, *_ACKS, PacketType.DISCONNECT
    RECEIVE_MAXIMUM = 0x21, 2, PacketType.CONNECT
    TOPIC_ALIAS_MAXIMUM = 0x22, 2, PacketType.CONNECT
    TOPIC_ALIAS = 0x23
    RETAIN_AVAILABLE = 0x25, 1
    USER = 0x26, 0, *PacketType
    MAXIMUM_PACKET_SIZE = 0x27, 4, PacketType.CONNECT
    WILDCARDS_AVAILABLE = 0x28, 1
    SUBSCRIPTION_IDS_AVAILABLE = 0x29, 1
    SHARED_AVAILABLE = 0x2A, 1


Properties = Mapping[Property, Any]


@dataclass(frozen=True, slots=True)
class Publish:
    """A message; `packet_id` is 0 at QoS 0."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    packet_id: int = 0
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connect:
    """A client that asks to be let in; `will` is what shall be published when it is gone without DISCONNECT."""

    version: Version
    client_id: str
    clean_start: bool
    keep_alive_s: int
    username: str | None
    password: str | None
    will: Publish | None
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Connack:
    """The broker's answer to CONNECT."""

    reason: ReasonCode
    properties: Properties = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Subscription:
    """One filter of a SUBSCRIBE with its options [3.8.3.1]; UNSUBSCRIBE has none."""

    topic_filter: str
    qos: int = 0
    no_local: bool = False
    retain_as_published: bool = False
    retain_handling: int = 0


@dataclass(frozen=True, slots=True)
class Filters:
    """SUBSCRIBE or UNSUBSCRIBE."""

    kind: PacketType
    packet_id: int
    subscriptions: tuple[Subscription, ...]


@dataclass(frozen=True, slots=True)
class Control:
    """Any other packet: an acknowledgement, a ping, or the end; `reasons` are what the other end may send, any byte."""

    kind: PacketType
    packet_id: int = 0
    reasons: tuple[int, ...] = ()


ClientPacket = Connect | Publish | Filters | Control
BrokerPacket = Connack | Publish | Control
