"""The packets of MQTT 3.1.1 and 5 as values. In this package, [n] is a section of the MQTT 5 standard."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntEnum


class Version(IntEnum):
    """The protocol level in CONNECT."""

    V311 = 4
    V5 = 5


PacketType = IntEnum(
    "PacketType",
    "CONNECT CONNACK PUBLISH PUBACK PUBREC PUBREL PUBCOMP SUBSCRIBE SUBACK UNSUBSCRIBE UNSUBACK PINGREQ PINGRESP "
    "DISCONNECT",
)
"""The packet types, counted from 1 [2.1.2]."""


class ReasonCode(IntEnum):
    """The reason codes that this broker sends or reads [2.4]; 0x80 and above are refusals."""

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


class Property(IntEnum):
    """The properties of MQTT 5 that this broker reads or sends [2.2.2.2]: number, and width in bytes (0: a text)."""

    width: int

    def __new__(cls, number: int, width: int = 0) -> Property:
        member = int.__new__(cls, number)
        member._value_, member.width = number, width
        return member

    MESSAGE_EXPIRY = 0x02, 4
    SESSION_EXPIRY = 0x11, 4
    ASSIGNED_CLIENT_ID = 0x12
    SERVER_KEEP_ALIVE = 0x13, 2
    RECEIVE_MAXIMUM = 0x21, 2
    MAXIMUM_PACKET_SIZE = 0x27, 4
    SUBSCRIPTION_IDS_AVAILABLE = 0x29, 1
    SHARED_AVAILABLE = 0x2A, 1


Properties = Mapping[Property, int | str]


@dataclass(frozen=True, slots=True)
class Publish:
    """A message; `packet_id` is 0 at QoS 0. The broker forwards no property but the expiry."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    packet_id: int = 0
    expiry_s: int | None = None


@dataclass(frozen=True, slots=True)
class Connect:
    """A client's request to connect; the broker publishes `will` when the client ends without DISCONNECT."""

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
    """A filter of a SUBSCRIBE with its options [3.8.3.1]; UNSUBSCRIBE has no options."""

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
    """Any other packet: an acknowledgement, a ping, or DISCONNECT; `reasons` may be any bytes."""

    kind: PacketType
    packet_id: int = 0
    reasons: tuple[int, ...] = ()


ClientPacket = Connect | Publish | Filters | Control
BrokerPacket = Connack | Publish | Control
