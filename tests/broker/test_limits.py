"""Limits on the cost of an unauthenticated client to the broker."""

import asyncio
import contextlib
import socket
import time

import pytest

from broker.client import (
    Client,
    closed_within,
    connect_packet,
    logged_in,
    packet,
    publish_packet,
    raw,
    take_packet,
)
from broker.running import TOPICS, Running, embedded
from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.broker.limits import BrokerLimits, ConnectionSlots
from scharten.broker.packets import ReasonCode
from scharten.contract.roles import Account, Acl
from scharten.contract.topics import Topics
from scharten.errors import SchartenError


class Place:
    """A connection that records its abort."""

    def __init__(self) -> None:
        self.aborted = False

    def abort(self) -> None:
        self.aborted = True


def test_when_too_many_wait_the_oldest_is_aborted() -> None:
    """A known client stays, the oldest silent client is aborted, and a newcomer always gets a moment to log in."""
    slots = ConnectionSlots(BrokerLimits(connections=4, waiting=2, reserved=0))
    places = [Place() for _ in range(6)]
    for place in places[:3]:
        assert slots.open(place)
    assert [place.aborted for place in places[:3]] == [True, False, False]
    slots.admit(places[1], False)
    for place in places[3:]:
        assert slots.open(place)
        slots.admit(place, False)
    assert places[2].aborted and not slots.open(Place())
    for place in places * 2:
        slots.free(place)
    assert slots.open(Place())


def test_some_connections_are_reserved() -> None:
    """When players and displays have taken all their places, the referee still gets in; they do when one leaves."""
    slots = ConnectionSlots(BrokerLimits(connections=4, waiting=2, reserved=2))
    first, second, referee = Place(), Place(), Place()
    for place in (first, second):
        assert slots.open(place) and slots.has_room(False)
        slots.admit(place, False)
    assert not slots.has_room(False) and slots.has_room(True)
    assert slots.open(referee)
    slots.admit(referee, True)
    slots.free(referee)
    assert not slots.has_room(False)
    slots.free(first)
    slots.free(first)
    assert slots.has_room(False)


@pytest.mark.parametrize("host", ["0.0.0.0", "192.168.1.10", "::"])
def test_the_embedded_broker_serves_this_machine_only(host: str) -> None:
    """Another address is refused with the cure."""
    with pytest.raises(SchartenError, match="broker-config"):
        EmbeddedBroker(Accounts({}), Acl(Topics("scharten", "home", "board1")), host=host)


def test_a_packet_that_does_not_end_in_time_costs_the_connection() -> None:
    """Half a packet and then a byte now and then: closed, with the reason in MQTT 5. Silence before a packet
    is allowed."""
    with embedded(BrokerLimits(packet_s=0.3)) as running:
        running.version = 5
        with logged_in(running, Account.TABLE, keepalive=60) as sock:
            assert not closed_within(sock, 0.5)
            sock.settimeout(5)
            sock.sendall(packet(0x30, b"\0", 100))
            with contextlib.suppress(OSError):
                for _ in range(12):
                    sock.sendall(b"x")
                    time.sleep(0.05)
            assert take_packet(sock) == (0xE0, bytes([ReasonCode.KEEP_ALIVE_TIMEOUT]))


def test_a_client_that_does_not_read_its_answers_is_not_read_either() -> None:
    """Pings whose answers the client does not read stay in the socket; after `packet_s` the connection is closed."""

    async def scene() -> None:
        ours, theirs = socket.socketpair()
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        theirs.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        theirs.setblocking(False)
        loop = asyncio.get_running_loop()
        broker = EmbeddedBroker(Accounts({}), Acl(TOPICS), limits=BrokerLimits(packet_s=0.3))
        transport, _ = await loop.connect_accepted_socket(broker.connection, ours)
        theirs.sendall(connect_packet("me", None, None))
        async with asyncio.timeout(40):
            for _ in range(300_000):
                if transport.is_closing():
                    break
                with contextlib.suppress(BlockingIOError, BrokenPipeError):
                    theirs.send(b"\xc0\0" * 500)
                await asyncio.sleep(0)
        assert transport.is_closing() and transport.get_write_buffer_size() < 200_000
        theirs.close()

    asyncio.run(scene())


def test_a_wrong_secret_is_answered_late_whatever_follows_it() -> None:
    """Packets after a refused CONNECT neither hasten the answer nor have any effect."""
    with embedded(BrokerLimits(wrong_secret_s=0.3)) as running, Client(running, Account.HOST) as host:
        host.subscribe(TOPICS.command("table"))
        began = time.monotonic()
        with raw(running.port) as sock:
            message = publish_packet(4, TOPICS.command("table"), b"x")
            sock.sendall(connect_packet("me", "table", "wrong") + message * 20)
            assert take_packet(sock) == (0x20, b"\0\5") and time.monotonic() - began >= 0.3
            assert closed_within(sock, 40)
        assert host.next(0.2) is None


def test_the_embedded_broker_names_a_port_in_use(running: Running) -> None:
    """A second broker on the same port fails with an error and a cure."""
    with raw(running.port), pytest.raises(SchartenError, match=r"broker\.port"), embedded(port=running.port):
        pass
