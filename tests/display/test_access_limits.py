"""The limits of the display server: guesses, places, silence, messages and their sizes."""

from __future__ import annotations

import asyncio
import socket
from pathlib import Path

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request

from browser.fakes import FakeHost
from browser.servers import Mosquitto
from display.pages import page, serving
from scharten.display.access import Limits, Places, hosts_of, origin_allowed
from scharten.display.listener import ConnectionLimits, Listener


def test_guessing_is_stopped_early(broker: Mosquitto) -> None:
    """After the allowed number of wrong secrets in a minute, the server checks none from that address."""

    async def story() -> None:
        async with serving(broker, limits=Limits(wrong_secrets_per_minute=3)) as server:
            codes = []
            for _ in range(5):
                async with page(server, "table", "guess") as caller:
                    await caller.closed()
                    codes.append(caller.seen[0]["payload"]["code"])
            assert codes == ["wrong_secret"] * 3 + ["too_many_guesses"] * 2
            async with page(server) as caller:
                assert (await caller.until("welcome"))["role"] == "table"

    asyncio.run(story())


def test_a_role_that_requires_tls_is_refused_only_from_elsewhere(broker: Mosquitto) -> None:
    """A role of `tls_only` may open a page on this machine without TLS, since nothing leaves the machine."""

    async def story() -> None:
        async with (
            serving(broker, tls_only_roles=("arbiter",)) as server,
            page(server, "arbiter", "boss") as caller,
        ):
            assert (await caller.until("welcome"))["role"] == "arbiter"
        assert server._access.refusal("arbiter", "boss", "192.0.2.7", False) == "needs_tls"
        assert server._access.refusal("arbiter", "boss", "192.0.2.7", True) is None

    asyncio.run(story())


def test_a_silent_page_is_closed_in_time(broker: Mosquitto) -> None:
    """A page without a first message is closed after its time."""

    async def story() -> None:
        async with (
            serving(broker, limits=Limits(first_message_s=0.2)) as server,
            page(server, None) as caller,
        ):
            await caller.closed()
            assert caller.seen[-1]["payload"]["code"] == "no_first_message"

    asyncio.run(story())


def test_displays_have_their_own_number_of_places(broker: Mosquitto) -> None:
    """The third display of two is refused, but the table still gets in, and so does a display once another
    has left."""

    async def story() -> None:
        async with serving(broker, limits=Limits(pages=2)) as server:
            async with page(server, "display", None) as first, page(server, "display", None) as second:
                await first.until("welcome")
                await second.until("welcome")
                async with page(server, "display", None) as third:
                    assert (await third.until("refused"))["code"] == "connections"
                async with page(server, role="table", secret="table-secret") as table:
                    await table.until("welcome")
            for _ in range(100):
                if not server._web.places.of_client:
                    break
                await asyncio.sleep(0.02)
            async with page(server, "display", None) as late:
                await late.until("welcome")

    asyncio.run(story())


def test_a_seats_link_takes_no_place_of_another_role(broker: Mosquitto) -> None:
    """Of three pages with the table's secret, where two may be open, the oldest is closed. The arbiter's two
    pages stay and send commands, and a third arbiter gets in."""

    async def story() -> None:
        async with (
            serving(broker, limits=Limits(pages_per_role=2)) as server,
            page(server, "arbiter", "boss") as judge,
            page(server, "table", "table-secret") as first,
        ):
            await judge.until("welcome")
            await first.until("welcome")
            async with page(server, "table", "table-secret") as second:
                await second.until("welcome")
                async with page(server, "table", "table-secret") as third:
                    await third.until("welcome")
                    await first.closed()
                    for caller in (judge, second, third):
                        await caller.socket.send_json({"topic": "nonsense", "payload": {"id": "1"}})
                        assert (await caller.until("answer"))["id"] == "1"

    asyncio.run(story())


def test_an_address_has_a_number_of_places_but_a_proxy_has_all() -> None:
    """Another machine's third guest of two is refused, but not roles with a secret; a proxy here stands for many."""
    places = Places(Limits(pages=9, pages_per_client=2))

    def enters(client: str, role: str | None = None) -> bool:
        return places.admit(places.open(client, lambda: None), role)

    assert [enters("192.0.2.7") for _ in range(3)] == [True, True, False]
    assert enters("192.0.2.7", "seat1") and enters("192.0.2.8")
    assert all(enters("127.0.0.1") for _ in range(6)) and not enters("127.0.0.1")


def test_a_silent_page_makes_room_for_the_next() -> None:
    """With two waiting places the third page closes the first and no other."""
    closed: list[int] = []
    places = Places(Limits(pages_waiting=2))
    for number in range(3):
        places.open("192.0.2.7", lambda number=number: closed.append(number))
    assert closed == [0]


@pytest.mark.parametrize(
    ("origin", "host", "good"),
    [
        ("http://board.local:80", "board.local", True),
        ("http://board.local:80", "board.local:80", True),
        ("https://board.local:443", "board.local", True),
        ("https://board.local", "board.local:443", True),
        ("http://board.local:443", "board.local", False),
        ("http://board.local:8080", "board.local", False),
    ],
)
def test_a_browser_leaves_the_port_out_that_its_scheme_implies(origin: str, host: str, good: bool) -> None:
    """Ports 80 and 443 are not written in Host and Origin; every other port must be."""
    assert (host in hosts_of([origin])) is good
    request = make_mocked_request("GET", "/ws", {"Origin": f"{origin.partition(':')[0]}://{host}"})
    assert origin_allowed(request, [origin]) is good


def test_silent_connections_make_room_and_are_closed_in_time(broker: Mosquitto) -> None:
    """A port with four places and six silent connections: the two oldest are closed at once, a request is
    served, and soon afterwards every silent connection is closed."""

    async def story() -> None:
        limits = ConnectionLimits(connections=4, head_s=0.5)
        async with serving(broker, connections=limits) as server, aiohttp.ClientSession() as session:
            silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(6)]
            silent[5][1].write(b"GET / HTTP/1.1\r\nHost")
            for reader, _ in silent[:2]:
                assert await asyncio.wait_for(reader.read(), 40) == b""
            async with session.get(server.url) as answer:
                assert answer.status == 200
            for reader, writer in silent[2:]:
                assert await asyncio.wait_for(reader.read(), 40) == b""
                writer.close()

    asyncio.run(story())


@pytest.mark.parametrize("host", ["elsewhere.example", "127.0.0.1:{port}"])
def test_refused_socket_requests_make_room(broker: Mosquitto, host: str) -> None:
    """A request for /ws that was refused, for its host or without an upgrade, idles and gives up its place."""

    async def story() -> None:
        async with serving(broker, connections=ConnectionLimits(connections=4)) as server:
            asked = f"GET /ws HTTP/1.1\r\nHost: {host.format(port=server.port)}\r\n\r\n".encode()
            opened = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(4)]
            for reader, writer in opened:
                writer.write(asked)
                assert (await reader.readline()).startswith(b"HTTP/1.1 4")
            async with page(server) as caller:
                assert (await caller.until("welcome"))["role"] == "table"
            for _, writer in opened:
                writer.close()

    asyncio.run(story())


def test_too_many_messages_end_the_connection(broker: Mosquitto, host: FakeHost) -> None:
    """A page may send a burst; a page that sends more is closed."""

    async def story() -> None:
        limits = Limits(messages_per_second=1, burst=5)
        async with serving(broker, limits=limits) as server, page(server) as caller:
            for n in range(20):
                await caller.socket.send_json({"topic": "nonsense", "payload": {"id": str(n)}})
            await caller.closed()
            assert caller.seen[-1]["payload"] == {"code": "too_many_messages"}

    asyncio.run(story())


def test_a_frame_over_the_limit_ends_the_connection(broker: Mosquitto, host: FakeHost) -> None:
    """One megabyte never enters memory as a message."""

    async def story() -> None:
        async with serving(broker) as server, page(server) as caller:
            await caller.until("welcome")
            await caller.socket.send_str("x" * 1_000_000)
            assert await caller.closed() == 1009

    asyncio.run(story())


@pytest.mark.parametrize("frame", ["", "[]", "null", "{", '"v"', "1e999", "[" * 4000])
def test_a_broken_first_message_is_refused(broker: Mosquitto, frame: str) -> None:
    """A first message that is not a greeting is refused with its code, and the socket closes."""

    async def story() -> None:
        async with serving(broker) as server, page(server, None) as caller:
            await caller.socket.send_str(frame)
            await caller.closed()
            assert caller.seen[-1]["payload"]["code"] == "malformed"

    asyncio.run(story())


def test_a_backlog_of_connections_stays_within_the_limit() -> None:
    """When a whole backlog arrives at once, hardly more sockets are open than there are places."""
    places, most = 20, 0

    def descriptors() -> int:
        return len(list(Path("/proc/self/fd").iterdir()))

    def protocol() -> asyncio.Protocol:
        nonlocal most
        most = max(most, descriptors())
        return asyncio.Protocol()

    async def story() -> None:
        listener = Listener(protocol, limits=ConnectionLimits(connections=places))
        port = await listener.start("127.0.0.1", 0)
        lines = [
            socket.create_connection(("127.0.0.1", port), 40) for _ in range(200)
        ]  # the loop stands still
        before = descriptors()
        while not all(_ended(line) for line in lines[:-places]):
            await asyncio.sleep(0)
        assert 0 < most - before <= places + 5
        await listener.stop()
        for line in lines:
            line.close()

    asyncio.run(story())


def _ended(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return line.recv(1) == b""
    except BlockingIOError:
        return False
    except ConnectionError:
        return True
