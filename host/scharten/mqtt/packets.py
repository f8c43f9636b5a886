"""The packets of MQTT 3.1.1 and 5 as values; numbers in brackets are sections of the MQTT 5 standard."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Version(IntEnum):
    """The protocol level in CONNECT."""

    V311 = 4
    V5 = 5


class PacketType(IntEnum):
    """The type of a packet [2.1.2]."""

    CONNECT = 1
    CONNACK = 2
    PUBLISH = 3
    PUBACK = 4
    PUBREC = 5
    PUBREL = 6
    PUBCOMP = 7
    SUBSCRIBE = 8
    SUBACK = 9
    UNSUBSCRIBE = 10
    UNSUBACK = 11
    PINGREQ = 12
    PINGRESP = 13
    DISCONNECT = 14


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


class Property(IntEnum):
    """Properties of MQTT 5 [2.2.2.2]."""

    PAYLOAD_FORMAT = 0x01
    MESSAGE_EXPIRY = 0x02
    CONTENT_TYPE = 0x03
    RESPONSE_TOPIC = 0x08
    CORRELATION_DATA = 0x09
    SUBSCRIPTION_ID = 0x0B
    SESSION_EXPIRY = 0x11
    ASSIGNED_CLIENT_ID = 0x12
    SERVER_KEEP_ALIVE = 0x13
    AUTHENTICATION_METHOD = 0x15
    AUTHENTICATION_DATA = 0x16
    REQUEST_PROBLEM = 0x17
    WILL_DELAY = 0x18
    REQUEST_RESPONSE = 0x19
    REASON_STRING = 0x1F
    RECEIVE_MAXIMUM = 0x21
    TOPIC_ALIAS = 0x23
    RETAIN_AVAILABLE = 0x25
    USER = 0x26
    MAXIMUM_PACKET_SIZE = 0x27
    WILDCARDS_AVAILABLE = 0x28
    SUBSCRIPTION_IDS_AVAILABLE = 0x29
    SHARED_AVAILABLE = 0x2A


Properties = tuple[tuple[Property, int | str | bytes | tuple[str, str]], ...]


@dataclass(frozen=True, slots=True)
class Publish:
    """A message; `packet_id` is 0 at QoS 0."""

    topic: str
    payload: bytes
    qos: int = 0
    retain: bool = False
    packet_id: int = 0
    properties: Properties = ()


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
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class Connack:
    """The broker's answer to CONNECT."""

    reason: ReasonCode
    properties: Properties = ()


@dataclass(frozen=True, slots=True)
class PublishAck:
    """PUBACK, PUBREC, PUBREL or PUBCOMP; `reason` is any byte that a client may send."""

    kind: PacketType
    packet_id: int
    reason: int = 0


@dataclass(frozen=True, slots=True)
class Subscription:
    """One filter of a SUBSCRIBE with its options [3.8.3.1]."""

    topic_filter: str
    qos: int
    no_local: bool = False
    retain_as_published: bool = False
    retain_handling: int = 0


@dataclass(frozen=True, slots=True)
class Subscribe:
    """A client's wish for topics."""

    packet_id: int
    subscriptions: tuple[Subscription, ...]


@dataclass(frozen=True, slots=True)
class Unsubscribe:
    """The end of subscriptions."""

    packet_id: int
    topic_filters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SubscriptionAck:
    """SUBACK or UNSUBACK: one code for each filter, below 3 the QoS granted."""

    kind: PacketType
    packet_id: int
    reasons: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Ping:
    """PINGREQ of a client, PINGRESP of the broker."""


@dataclass(frozen=True, slots=True)
class Disconnect:
    """The end of a connection."""

    reason: int = 0


ClientPacket = Connect | Publish | PublishAck | Subscribe | Unsubscribe | Ping | Disconnect
BrokerPacket = Connack | Publish | PublishAck | SubscriptionAck | Ping | Disconnect
