"""Bytes into packets, and the waiting room."""

import asyncio

import pytest
from amqtt.adapters import BufferReader
from amqtt.mqtt.packet import PUBREL
from amqtt.mqtt.publish import PublishPacket
from hypothesis import given, settings
from hypothesis import strategies as st
from scharten.mqtt.gate import Gate, Guest

from mqtt.client import connect_packet, packet, string
from scharten.contract.roles import Acl
from scharten.contract.topics import Topics
from scharten.errors import SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.embedded import EmbeddedBroker
from scharten.mqtt.packets import (
    BadPacketError,
    Publish,
    decode,
    publish_bytes,
    read_packet,
    reply_bytes,
)

GOOD = [
    connect_packet("me", "host", "secret", will=("a/b", b"gone")),
    packet(0x30, string("a/b") + b"payload"),
    packet(0x32, string("a/b") + b"\0\1payload"),
    packet(0x82, b"\0\1" + string("a/#") + b"\1"),
    packet(0xA2, b"\0\1" + string("a/#")),
    packet(0x40, b"\0\1"),
    packet(0x62, b"\0\1"),
    b"\xc0\0",
    b"\xe0\0",
]


async def _all(data: bytes, limit: int = 1000) -> int:
    """How many packets are read before the end or a refusal; any other exception is a failure."""
    stream, count = asyncio.StreamReader(), 0
    stream.feed_data(data)
    stream.feed_eof()
    while True:
        try:
            header, body = await read_packet(stream, limit, 1.0)
            await decode(header, body)
            count += 1
        except (BadPacketError, asyncio.IncompleteReadError):
            return count


@settings(deadline=None)  # the machine may be busy
@given(st.lists(st.sampled_from(GOOD), max_size=6))
def test_good_packets_are_all_read(packets: list[bytes]) -> None:
    """In any order, back to back."""
    assert asyncio.run(_all(b"".join(packets))) == len(packets)


@settings(deadline=None)  # the machine may be busy
@given(
    st.one_of(
        st.binary(max_size=200),
        st.tuples(st.sampled_from(GOOD), st.integers(0, 60), st.binary(max_size=8)).map(
            lambda one: one[0][: one[1]] + one[2] + one[0][one[1] + len(one[2]) :]
        ),
    )
)
def test_bad_bytes_end_in_a_refusal_and_nothing_else(data: bytes) -> None:
    """Random and mutated bytes raise `BadPacketError` or end; they never read past their packet."""
    assert asyncio.run(_all(data)) <= len(data) // 2


@pytest.mark.parametrize(
    "data",
    [
        packet(0x30, string("a"), 268_435_455),
        b"\x30\xff\xff\xff\xff\x01",
        packet(0x36, string("a") + b"\0\1"),
        packet(0x80, b"\0\1" + string("a") + b"\0"),
        packet(0x20, b"\0\0"),
        b"\0\0",
        b"\xf0\0",
        packet(0x30, b"\x00\x09short"),
        packet(0x40, b"\0\1\2"),
        packet(0x40, b"\1"),
        packet(0x30, b"\0"),
        packet(0x32, string("a") + b"\1"),
        packet(0x32, string("a") + b"\0\0"),
        packet(0x30, string("a/+")),
        packet(0x30, b"\0\1\xff"),
        packet(0x82, b"\0\1" + string("a")),
    ],
)
def test_a_packet_that_lies_is_refused(data: bytes) -> None:
    """Too long, without end, a QoS that does not exist, wrong flags, not a client's, fields past the end, a rest."""
    assert asyncio.run(_all(data)) == 0


@settings(deadline=None)  # the machine may be busy
@given(
    st.text(st.characters(exclude_characters="+#\0", exclude_categories=["Cs"]), min_size=1, max_size=40),
    st.binary(max_size=300),
    st.integers(0, 2),
    st.booleans(),
    st.integers(1, 0xFFFF),
)
def test_a_message_that_is_written_is_the_one_that_is_read(
    topic: str, data: bytes, qos: int, retain: bool, packet_id: int
) -> None:
    """Any topic, payload, quality and number; amqtt, which did this before, reads the same."""

    async def back() -> tuple[object, int]:
        stream = asyncio.StreamReader()
        stream.feed_data(publish_bytes(topic, data, qos, retain, packet_id) + reply_bytes(PUBREL, packet_id))
        return await decode(*await read_packet(stream, 2000, 1.0)), await decode(
            *await read_packet(stream, 2000, 1.0)
        )

    expected = Publish(topic, data, qos, retain, packet_id if qos else 0)
    assert asyncio.run(back()) == (expected, packet_id)
    theirs = asyncio.run(
        PublishPacket.from_stream(BufferReader(publish_bytes(topic, data, qos, retain, packet_id)))
    )
    assert (theirs.topic_name, bytes(theirs.data or b""), theirs.qos, theirs.retain_flag) == (
        topic,
        data,
        qos,
        retain,
    )


def test_a_packet_that_does_not_end_in_time_is_refused() -> None:
    """Half a packet and then silence is a `TimeoutError`."""

    async def half() -> None:
        stream = asyncio.StreamReader()
        stream.feed_data(packet(0x30, b"\0", 100))
        with pytest.raises(TimeoutError):
            await read_packet(stream, 1000, 0.05)

    asyncio.run(half())


def test_a_full_waiting_room_shows_its_oldest_guest_out() -> None:
    """Who is known stays, who says nothing goes, and a newcomer always gets a moment to speak."""
    gate, out = Gate(most=4, waiting=2, kept=0), []
    guests = [gate.enter(lambda n=n: out.append(n)) for n in range(3)]
    assert out == [0] and gate.turned_away == 1
    assert guests[0] and not gate.admit(guests[0], False)
    assert guests[1] and gate.admit(guests[1], False)
    inside: list[Guest | None] = [guests[1]]
    for n in range(3, 6):
        guest = gate.enter(lambda n=n: out.append(n))
        assert guest and gate.admit(guest, False)
        inside.append(guest)
    assert gate.inside == 4 and gate.enter(lambda: None) is None
    for guest in inside:
        assert guest
        gate.leave(guest)
        gate.leave(guest)
    assert gate.inside == 0 and gate.enter(lambda: None) is not None


def test_places_are_kept_for_the_house() -> None:
    """When players and displays have taken all that they may, the referee still gets in, and they when one leaves."""
    gate = Gate(most=4, waiting=2, kept=2)
    guests = [gate.enter(lambda: None) for _ in range(2)]
    for guest in guests:
        assert guest and gate.has_room(False) and gate.admit(guest, False)
    assert not gate.has_room(False) and gate.has_room(True)
    referee = gate.enter(lambda: None)
    assert referee and gate.admit(referee, True)
    gate.leave(referee)
    assert not gate.has_room(False)
    assert guests[0] is not None
    gate.leave(guests[0])
    gate.leave(guests[0])
    assert gate.has_room(False) and gate.inside == 1


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.10", "::"])
def test_the_embedded_broker_serves_this_machine_only(host: str) -> None:
    """Another address is refused with the cure."""
    with pytest.raises(SchartenError, match="broker-config"):
        EmbeddedBroker(Accounts({}), Acl(Topics("scharten", "home", "board1")), host=host)
