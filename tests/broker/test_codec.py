"""Bytes into packets and packets into bytes, in both versions: the laws, false lengths, and bytes that are
not packets."""

import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.properties import Properties as PahoProperties

from broker.client import (
    connect_packet,
    packet,
    publish_packet,
    string,
    subscribe_packet,
    unsubscribe_packet,
)
from scharten.broker.codec import Decoder, encode, reason_of
from scharten.broker.packets import (
    ClientPacket,
    Connack,
    Connect,
    Control,
    Filters,
    PacketType,
    Property,
    Publish,
    ReasonCode,
    Subscription,
    Version,
)
from scharten.errors import Problem

V4, V5 = Version.V311, Version.V5
LIMIT = 1000
HELLO = {item: connect_packet("me", "host", "secret", version=item) for item in Version}
TEXT = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
TOPIC = st.text(st.characters(exclude_characters="+#\0", exclude_categories=["Cs"]), min_size=1, max_size=40)
PACKET_ID = st.integers(1, 0xFFFF)
EXPIRY_S = st.one_of(st.none(), st.integers(0, 0xFFFFFFFF))


def read(data: bytes, version: Version = V5, limit: int = LIMIT) -> list[ClientPacket | Problem]:
    """Read everything after a CONNECT, up to the end or the first problem."""
    decoder, found = Decoder(limit), []
    decoder.feed(HELLO[version] + data)
    assert isinstance(decoder.next(), Connect)
    while (packet_read := decoder.next()) is not None:
        found.append(packet_read)
        if isinstance(packet_read, Problem):
            break
    return found


def good(version: Version) -> list[bytes]:
    """Return one of each packet that a client may send after CONNECT."""
    number = b"\0\1" if version is V4 else b"\0\1\0\0"
    return [
        publish_packet(version, "a/b", b"payload"),
        publish_packet(version, "a/b", b"payload", 1, retain=True),
        publish_packet(version, "a/b", b"payload", 2, properties=b"\x02\0\0\0\x05\x26\0\1a\0\1b"),
        subscribe_packet(version, 1, ("a/#", 1)),
        unsubscribe_packet(version, 1, "a/#"),
        packet(0x40, number),
        packet(0x50, b"\0\1"),
        packet(0x62, number),
        packet(0x70, number),
        b"\xc0\0",
        b"\xe0\0",
    ]


@pytest.mark.parametrize("version", Version)
@settings(deadline=None)  # the machine may be busy
@given(
    data=st.data(), topic=TOPIC, payload=st.binary(max_size=300), qos=st.integers(0, 2), retain=st.booleans()
)
def test_a_written_message_is_read_back(
    version: Version, data: st.DataObject, topic: str, payload: bytes, qos: int, retain: bool
) -> None:
    """decode(encode(p)) == p for any topic, payload, quality, number and expiry."""
    expiry_s = data.draw(EXPIRY_S) if version is V5 else None
    packet_id = data.draw(PACKET_ID) if qos else 0
    publish = Publish(topic, payload, qos, retain, packet_id, expiry_s)
    assert read(encode(publish, version), version, 10_000) == [publish]


@pytest.mark.parametrize("version", Version)
@settings(deadline=None)  # the machine may be busy
@given(
    kind=st.sampled_from([PacketType.PUBACK, PacketType.PUBREC, PacketType.PUBREL, PacketType.PUBCOMP]),
    packet_id=PACKET_ID,
    reason=st.sampled_from(list(ReasonCode)),
)
def test_a_written_acknowledgement_is_read_back(
    version: Version, kind: PacketType, packet_id: int, reason: ReasonCode
) -> None:
    """decode(encode(p)) == p; MQTT 3.1.1 has no reasons."""
    ack = Control(kind, packet_id, (reason if version is V5 else 0,))
    assert read(encode(ack, version), version) == [ack]
    goodbye = Control(PacketType.DISCONNECT, 0, ack.reasons)
    assert read(encode(goodbye, version), version) == [goodbye]


@settings(deadline=None)  # the machine may be busy
@given(
    st.lists(
        st.builds(
            Subscription,
            TEXT.filter(bool),
            st.integers(0, 2),
            st.booleans(),
            st.booleans(),
            st.integers(0, 2),
        ),
        min_size=1,
        max_size=5,
    ),
    PACKET_ID,
)
def test_subscriptions_are_read_with_all_their_options(wanted: list[Subscription], packet_id: int) -> None:
    """Read each subscription as the client wrote it, with any filters and options; unsubscribing likewise."""
    options = [
        (
            item.topic_filter,
            item.qos | item.no_local << 2 | item.retain_as_published << 3 | item.retain_handling << 4,
        )
        for item in wanted
    ]
    data = subscribe_packet(5, packet_id, *options)
    assert read(data, V5, 10_000) == [Filters(PacketType.SUBSCRIBE, packet_id, tuple(wanted))]
    names = tuple(Subscription(item.topic_filter) for item in wanted)
    data = unsubscribe_packet(4, packet_id, *(item.topic_filter for item in wanted))
    assert read(data, V4, 10_000) == [Filters(PacketType.UNSUBSCRIBE, packet_id, names)]


@pytest.mark.parametrize("version", Version)
@settings(deadline=None)  # the machine may be busy
@given(
    name=TEXT,
    login=st.one_of(st.just((None, None)), st.tuples(TEXT, TEXT)),
    keep_alive=st.integers(0, 0xFFFF),
    will=st.one_of(st.none(), st.tuples(TOPIC, st.binary(max_size=20))),
)
def test_connect_is_read_as_it_was_written(
    version: Version,
    name: str,
    login: tuple[str | None, str | None],
    keep_alive: int,
    will: tuple[str, bytes] | None,
) -> None:
    """The reader returns version, client id, account, keep-alive and last will."""
    decoder = Decoder(LIMIT)
    decoder.feed(connect_packet(name, *login, keep_alive, will, version))
    left = Publish(will[0], will[1], 0, True) if will else None
    assert decoder.next() == Connect(version, name, True, keep_alive, *login, left)


def test_paho_reads_the_properties_that_are_written() -> None:
    """An independent reader finds every property of a CONNACK; of its own message the broker reads only the expiry."""
    offered = {
        Property.SESSION_EXPIRY: 0,
        Property.RECEIVE_MAXIMUM: 20,
        Property.MAXIMUM_PACKET_SIZE: 65_536,
        Property.ASSIGNED_CLIENT_ID: "auto-1",
        Property.SHARED_AVAILABLE: 0,
    }
    data = encode(Connack(ReasonCode.SUCCESS, offered), V5)
    theirs = PahoProperties(PacketTypes.CONNACK)
    theirs.unpack(data[4:])
    values = theirs.json()
    assert (values["ReceiveMaximum"], values["MaximumPacketSize"], values["AssignedClientIdentifier"]) == (
        20,
        65_536,
        "auto-1",
    )
    assert (values["SessionExpiryInterval"], values["SharedSubscriptionAvailable"]) == (0, 0)
    mine = PahoProperties(PacketTypes.PUBLISH)
    mine.ContentType, mine.MessageExpiryInterval, mine.UserProperty = "json", 9, ("a", "b")
    (publish,) = read(packet(0x30, string("a") + mine.pack() + b"x"))
    assert isinstance(publish, Publish) and (publish.payload, publish.expiry_s) == (b"x", 9)


def test_connect_with_every_property_is_read() -> None:
    """An independent writer's CONNECT has every property of MQTT 5 except a method of authentication [3.1.2.11]."""
    theirs = PahoProperties(PacketTypes.CONNECT)
    theirs.SessionExpiryInterval, theirs.ReceiveMaximum, theirs.MaximumPacketSize = 9, 8, 7
    theirs.TopicAliasMaximum, theirs.RequestResponseInformation, theirs.RequestProblemInformation = 6, 1, 0
    theirs.UserProperty = [("a", "b"), ("a", "c")]
    decoder = Decoder(LIMIT)
    decoder.feed(connect_packet("me", None, None, version=5, properties=theirs.pack()[1:]))
    assert isinstance(connect := decoder.next(), Connect), connect
    assert connect.properties == {Property.RECEIVE_MAXIMUM: 8, Property.MAXIMUM_PACKET_SIZE: 7}


def test_3_1_1_leaves_out_what_it_lacks() -> None:
    """In 3.1.1 refusals have one code, UNSUBACK has none, and DISCONNECT has no fields."""
    assert encode(Connack(ReasonCode.NOT_AUTHORIZED), V4) == b"\x20\2\0\5"
    assert encode(Connack(ReasonCode.QUOTA_EXCEEDED), V4) == b"\x20\2\0\3"
    assert encode(Control(PacketType.SUBACK, 1, (1, ReasonCode.NOT_AUTHORIZED)), V4) == b"\x90\4\0\1\1\x80"
    assert encode(Control(PacketType.UNSUBACK, 1, (0x11,)), V4) == b"\xb0\2\0\1"
    assert encode(Control(PacketType.UNSUBACK, 1, (0x11,)), V5) == b"\xb0\4\0\1\0\x11"
    goodbye = Control(PacketType.DISCONNECT, reasons=(ReasonCode.SESSION_TAKEN_OVER,))
    assert encode(goodbye, V4) == b"\xe0\0"
    assert encode(goodbye, V5) == b"\xe0\1\x8e"
    assert encode(Control(PacketType.PINGRESP), V5) == b"\xd0\0"


@pytest.mark.parametrize("version", Version)
@settings(deadline=None)  # the machine may be busy
@given(data=st.data())
def test_good_packets_are_all_read_however_they_are_cut(version: Version, data: st.DataObject) -> None:
    """Packets may come in any order, back to back, and in pieces of any size."""
    chosen = data.draw(st.lists(st.sampled_from(good(version)), max_size=6))
    stream, decoder, count = HELLO[version] + b"".join(chosen), Decoder(LIMIT), 0
    while stream:
        size = data.draw(st.integers(1, 40))
        decoder.feed(stream[:size])
        stream = stream[size:]
        while (packet_read := decoder.next()) is not None:
            assert not isinstance(packet_read, Problem), packet_read
            count += 1
    assert count == len(chosen) + 1 and not decoder.buffer


@pytest.mark.long
@pytest.mark.parametrize("version", Version)
@settings(deadline=None, max_examples=400)  # the machine may be busy
@given(data=st.data())
def test_bad_bytes_end_in_a_problem_and_nothing_else(version: Version, data: st.DataObject) -> None:
    """Random and mutated bytes, also in CONNECT, never raise, and give no more packets than the bytes allow."""
    whole = HELLO[version] + b"".join(data.draw(st.lists(st.sampled_from(good(version)), max_size=4)))
    at, put = data.draw(st.integers(0, len(whole))), data.draw(st.binary(max_size=12))
    overwritten = data.draw(st.booleans())
    stream = whole[:at] + put + whole[at + len(put) * overwritten :]
    decoder, count = Decoder(LIMIT), 0
    decoder.feed(stream)
    while (packet_read := decoder.next()) is not None:
        count += 1
        if isinstance(packet_read, Problem):
            assert reason_of(packet_read) >= 0x80 and packet_read.words
            break
    assert count <= len(stream) // 2 + 1


@settings(deadline=None)  # the machine may be busy
@given(st.binary(max_size=300))
def test_random_properties_never_raise(data: bytes) -> None:
    """Random bytes in place of properties give properties or a problem."""
    (packet_read,) = read(packet(0x30, string("a") + bytes([len(data) & 0x7F]) + data), V5)
    assert isinstance(packet_read, Publish | Problem)


def test_memory_is_bounded_by_the_packet_size() -> None:
    """A packet that declares 256 MB is refused by its length; a packet within the limit is stored once."""
    decoder = Decoder(LIMIT)
    decoder.feed(HELLO[V5])
    decoder.next()
    decoder.feed(packet(0x30, b"", 268_435_455))
    assert (
        isinstance(packet_read := decoder.next(), Problem)
        and reason_of(packet_read) is ReasonCode.PACKET_TOO_LARGE
    )
    decoder = Decoder(1 << 20)
    decoder.feed(HELLO[V5])
    decoder.next()
    decoder.feed(packet(0x30, string("a"), 1 << 20))
    tracemalloc.start()
    for _ in range(15):
        decoder.feed(b"x" * 65536)
        assert decoder.next() is None
    assert tracemalloc.get_traced_memory()[1] < 4 << 20
    tracemalloc.stop()


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\x30\xff\xff\xff\xff\x01", ReasonCode.MALFORMED_PACKET),
        (packet(0x36, string("a") + b"\0\1"), ReasonCode.MALFORMED_PACKET),
        (packet(0x80, b"\0\1" + string("a") + b"\0"), ReasonCode.MALFORMED_PACKET),
        (packet(0x20, b"\0\0"), ReasonCode.MALFORMED_PACKET),
        (b"\0\0", ReasonCode.MALFORMED_PACKET),
        (b"\xf0\0", ReasonCode.MALFORMED_PACKET),
        (packet(0x30, b"\x00\x09short"), ReasonCode.MALFORMED_PACKET),
        (packet(0x40, b"\1"), ReasonCode.MALFORMED_PACKET),
        (packet(0x40, b"\0\0"), ReasonCode.PROTOCOL_ERROR),
        (packet(0x30, b"\0"), ReasonCode.MALFORMED_PACKET),
        (packet(0x32, string("a") + b"\1"), ReasonCode.MALFORMED_PACKET),
        (packet(0x32, string("a") + b"\0\0"), ReasonCode.PROTOCOL_ERROR),
        (packet(0x30, string("a/+")), ReasonCode.TOPIC_NAME_INVALID),
        (packet(0x30, b"\0\0"), ReasonCode.TOPIC_NAME_INVALID),
        (packet(0x30, b"\0\1\xff"), ReasonCode.MALFORMED_PACKET),
        (packet(0x30, string("a\0")), ReasonCode.MALFORMED_PACKET),
        (HELLO[V4], ReasonCode.PROTOCOL_ERROR),
        (packet(0xC0, b"x"), ReasonCode.MALFORMED_PACKET),
    ],
)
@pytest.mark.parametrize("version", Version)
def test_a_packet_that_lies_is_refused(data: bytes, reason: ReasonCode, version: Version) -> None:
    """Too long, endless, an invalid QoS, wrong flags, a packet for servers only, fields past the end, extra bytes."""
    (packet_read,) = read(data, version)
    assert isinstance(packet_read, Problem) and reason_of(packet_read) is reason, packet_read


@pytest.mark.parametrize(
    ("data", "version", "reason"),
    [
        (packet(0x40, b"\0\1\2"), V4, ReasonCode.MALFORMED_PACKET),
        (packet(0x82, b"\0\1" + string("a")), V4, ReasonCode.MALFORMED_PACKET),
        (subscribe_packet(4, 1, ("a", 4)), V4, ReasonCode.MALFORMED_PACKET),
        (subscribe_packet(5, 1, ("a", 0x31)), V5, ReasonCode.MALFORMED_PACKET),
        (subscribe_packet(5, 1, ("a", 0x41)), V5, ReasonCode.MALFORMED_PACKET),
        (subscribe_packet(5, 1), V5, ReasonCode.PROTOCOL_ERROR),
        (unsubscribe_packet(5, 1), V5, ReasonCode.PROTOCOL_ERROR),
        (
            subscribe_packet(5, 1, ("a", 1), properties=b"\x0b\1"),
            V5,
            ReasonCode.SUBSCRIPTION_IDENTIFIERS_NOT_SUPPORTED,
        ),
        (publish_packet(5, "a", b"", properties=b"\x23\0\1"), V5, ReasonCode.TOPIC_ALIAS_INVALID),
        (publish_packet(5, "a", b"", properties=b"\1\0\1\0"), V5, ReasonCode.PROTOCOL_ERROR),
        (publish_packet(5, "a", b"", properties=b"\x02\0"), V5, ReasonCode.MALFORMED_PACKET),
        (publish_packet(5, "a", b"", properties=b"\x7f\0"), V5, ReasonCode.PROTOCOL_ERROR),
        (publish_packet(5, "a", b"", properties=b"\x26\0\0\0\0" * 820), V5, ReasonCode.PACKET_TOO_LARGE),
        (subscribe_packet(4, 1, *[("a", 0)] * 257), V4, ReasonCode.PACKET_TOO_LARGE),
        (unsubscribe_packet(5, 1, *["a"] * 257), V5, ReasonCode.PACKET_TOO_LARGE),
    ],
)
def test_a_lie_of_one_version_is_refused(data: bytes, version: Version, reason: ReasonCode) -> None:
    """Options and properties that are invalid, misplaced, repeated, or not offered."""
    (packet_read,) = read(data, version)
    assert isinstance(packet_read, Problem) and reason_of(packet_read) is reason, packet_read


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"\xc0\0", ReasonCode.PROTOCOL_ERROR),
        (packet(0x10, string("MQIsdp") + b"\3\2\0\0" + string("a")), ReasonCode.UNSUPPORTED_PROTOCOL_VERSION),
        (connect_packet("a", None, None, version=6), ReasonCode.UNSUPPORTED_PROTOCOL_VERSION),
        (connect_packet("a", None, "secret"), ReasonCode.MALFORMED_PACKET),
        (
            connect_packet("a", None, None, version=5, properties=b"\x15\0\1x"),
            ReasonCode.BAD_AUTHENTICATION_METHOD,
        ),
        (connect_packet("a", None, None, version=5, properties=b"\x21\0\0"), ReasonCode.PROTOCOL_ERROR),
        (connect_packet("a", None, None, version=5, properties=b"\x16\0\1x"), ReasonCode.PROTOCOL_ERROR),
        (connect_packet("a", None, None, will=("#", b"")), ReasonCode.TOPIC_NAME_INVALID),
        (packet(0x10, string("MQTT") + b"\4\1\0\0" + string("a")), ReasonCode.MALFORMED_PACKET),
    ],
)
def test_a_first_packet_that_is_not_a_good_connect_is_refused(data: bytes, reason: ReasonCode) -> None:
    """Another packet, an older or newer version, contradictory flags, or an option that is not offered."""
    decoder = Decoder(LIMIT)
    decoder.feed(data)
    packet_read = decoder.next()
    assert isinstance(packet_read, Problem) and reason_of(packet_read) is reason, packet_read
