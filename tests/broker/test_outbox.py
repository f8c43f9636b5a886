"""The outbox of one client: how much it sends at a time, in which order, and what happens to the rest."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from broker.client import connect_packet
from scharten.broker.codec import Decoder
from scharten.broker.connection import Connection
from scharten.broker.limits import BrokerLimits, ConnectionSlots
from scharten.broker.outbox import Outbox, RoutedMessage
from scharten.broker.packets import ClientPacket, Properties, Property, Publish, ReasonCode, Version

Play = Callable[[Outbox, asyncio.StreamReader, list[str]], Awaitable[None]]
NONE: Properties = {}
LIMITS = BrokerLimits(outbox_messages=50, outbox_bytes=100_000, in_flight=3)


class BrokerEnd(Connection):
    """The broker's end of the socket, which only records a drop."""

    def drop(self, reason: ReasonCode, words: str) -> None:
        self.dropped.append(words)

    dropped: list[str]


class Receiver:
    """An accepted client: it informs the outbox when the client has read."""

    client_id = "peer"

    def __init__(self, outbox: Outbox) -> None:
        self.outbox, self.writable, self.ended = outbox, outbox.send, outbox.close

    def handle(self, packet: ClientPacket) -> None:
        """Do nothing: the tests answer for the client."""


def played(
    play: Play, limits: BrokerLimits = LIMITS, version: Version = Version.V311, wants: Properties = NONE
) -> None:
    """Yield an outbox on a real socket, and the client's end of it."""

    async def scene() -> None:
        loop = asyncio.get_running_loop()
        let_in: asyncio.Future[tuple[Outbox, BrokerEnd]] = loop.create_future()

        def serve(connection: Connection, _: object) -> None:
            outbox = Outbox(connection, wants)
            connection.serve(Receiver(outbox), 0, 1000)
            let_in.set_result((outbox, connection))

        def newcomer() -> BrokerEnd:
            end = BrokerEnd(ConnectionSlots(limits), serve)
            end.dropped = []
            return end

        server = await loop.create_server(newcomer, "127.0.0.1", 0)
        reader, mine = await asyncio.open_connection(*server.sockets[0].getsockname())
        mine.write(connect_packet("peer", None, None, version=version))
        outbox, connection = await let_in
        try:
            await play(outbox, reader, connection.dropped)
        finally:
            connection.transport.close()
            mine.close()
            server.close()

    asyncio.run(scene())


def message(number: int, qos: int = 1, size: int = 4) -> RoutedMessage:
    return RoutedMessage(Publish("a", number.to_bytes(size), qos))


async def next_of(reader: asyncio.StreamReader, version: Version = Version.V311) -> Publish:
    async with asyncio.timeout(40):
        data = await reader.readexactly(2)
        while data[-1] & 0x80:
            data += await reader.readexactly(1)
        length = sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data[1:]))
        data += await reader.readexactly(length)
    decoder = Decoder(1_000_000)
    decoder.feed(connect_packet("peer", None, None, version=version) + data)
    decoder.next()
    packet = decoder.next()
    assert isinstance(packet, Publish), packet
    return packet


async def silence(reader: asyncio.StreamReader) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.1):
            await reader.readexactly(1)


@pytest.mark.parametrize("qos", [1, 2])
def test_the_number_of_unanswered_messages_is_limited(qos: int) -> None:
    """The fourth message waits for an answer to one of the first three. All come in order with separate numbers."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(5):
            outbox.offer(message(number, qos), 2, False)
        first = [await next_of(reader) for _ in range(3)]
        await silence(reader)
        assert len({item.packet_id for item in first}) == 3
        if qos == 2:
            outbox.received(first[1].packet_id)
            assert await reader.readexactly(4) == b"\x62\x02" + first[1].packet_id.to_bytes(2)
        outbox.answered(first[1].packet_id)
        outbox.answered(first[1].packet_id)  # a repeated answer counts once
        fourth = await next_of(reader)
        await silence(reader)
        assert [item.payload for item in (*first, fourth)] == [number.to_bytes(4) for number in range(4)]
        assert not dropped

    played(play)


def test_an_unanswered_message_is_given_up() -> None:
    """A client that reads but does not acknowledge still gets the next messages, later."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(7):
            outbox.offer(message(number), 2, False)
        assert [(await next_of(reader)).payload[-1] for _ in range(7)] == list(range(7))
        assert not dropped

    played(play, replace(LIMITS, answer_s=0.05))


def test_quality_0_needs_no_answer() -> None:
    """Any number of messages is sent at once."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(40):
            outbox.offer(message(number, qos=0), 2, False)
        assert [(await next_of(reader)).payload[-1] for _ in range(40)] == list(range(40))
        assert not dropped

    played(play)


def test_a_client_that_reads_again_gets_the_rest() -> None:
    """The rest waits while the socket is full, then follows in order without another offer."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(40):
            outbox.offer(message(number, qos=0, size=500_000), 2, False)
            await asyncio.sleep(0)
        assert 0 < len(outbox._waiting) < 40 and not dropped
        assert [(await next_of(reader)).payload[-1] for _ in range(40)] == list(range(40))

    played(play, BrokerLimits(outbox_messages=50, outbox_bytes=50_000_000, in_flight=3))


def test_a_full_queue_drops_the_client() -> None:
    """Too many messages or bytes drop the client with the reason, and discard its queue."""

    async def too_many(outbox: Outbox, _reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(53):
            outbox.offer(message(number), 2, False)
        assert not dropped
        outbox.offer(message(53), 2, False)
        assert len(dropped) == 1 and "50 messages" in dropped[0]

    async def too_large(outbox: Outbox, _reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number in range(5):
            outbox.offer(message(number, size=40_000), 2, False)
        assert not dropped
        outbox.offer(message(5, size=40_000), 2, False)
        assert len(dropped) == 1

    played(too_many)
    played(too_large)


def test_a_client_of_mqtt_5_sets_its_limits() -> None:
    """The outbox respects the client's receive maximum and its maximum packet size."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        for number, size in enumerate((4, 200, 4, 4)):
            outbox.offer(message(number, size=size), 2, False)
        first = [await next_of(reader, Version.V5) for _ in range(2)]
        assert [item.payload[-1] for item in first] == [0, 2]
        await silence(reader)
        outbox.answered(first[0].packet_id)
        assert (await next_of(reader, Version.V5)).payload[-1] == 3 and not dropped

    played(play, version=Version.V5, wants={Property.RECEIVE_MAXIMUM: 2, Property.MAXIMUM_PACKET_SIZE: 100})


def test_an_expired_message_is_not_sent_and_the_rest_shows_its_time() -> None:
    """The expiry counts down while a message waits for a client that does not answer."""

    async def play(outbox: Outbox, reader: asyncio.StreamReader, dropped: list[str]) -> None:
        def living(number: int, seconds: int) -> RoutedMessage:
            return RoutedMessage(Publish("a", bytes([number]), 1, expiry_s=seconds))

        for number, seconds in enumerate((60, 1, 60)):
            outbox.offer(living(number, seconds), 2, False)
        first = await next_of(reader, Version.V5)
        assert first.expiry_s == 60
        await asyncio.sleep(1.6)
        outbox.answered(first.packet_id)
        last = await next_of(reader, Version.V5)
        assert last.payload == b"\2" and last.expiry_s in (57, 58)

    played(play, version=Version.V5, wants={Property.RECEIVE_MAXIMUM: 1})
