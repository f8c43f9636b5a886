"""Who gets through the display server's door: origins, hosts, roles, secrets, limits; on real sockets."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp
import pytest
from aiohttp.test_utils import make_mocked_request

from browser.fakes import FakeHost, snapshot
from browser.servers import TOPICS, Mosquitto
from scharten.display.access import Limits, Places, hosts_of, origin_allowed
from scharten.display.listener import ConnectionLimits
from scharten.display.server import DisplayServer
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress

SECRETS = {"table": "table-secret", "seat1": "one", "arbiter": "boss"}


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A Mosquitto on a free port."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    yield mosquitto
    mosquitto.stop()


@pytest.fixture(scope="module")
def host(broker: Mosquitto) -> Iterator[FakeHost]:
    """A host that answers every command and has published one snapshot."""
    fake = FakeHost(broker.port)
    fake.state()
    yield fake
    fake.stop()


@asynccontextmanager
async def serving(broker: Mosquitto, **options: Any) -> AsyncIterator[DisplayServer]:
    """A display server with secrets, connected to the broker."""
    options = {"role_secrets": SECRETS, "simulated": True, **options}
    server = DisplayServer("127.0.0.1", 0, BrokerAddress("127.0.0.1", broker.port), TOPICS, **options)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def healthy(server: DisplayServer, session: aiohttp.ClientSession) -> None:
    """Wait until the server has the host's state."""
    for _ in range(200):
        async with session.get(f"{server.url}/healthz") as response:
            if response.status == 200:
                return
        await asyncio.sleep(0.02)
    raise AssertionError(await response.text())


class Caller:
    """A page without a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.seen: list[dict[str, Any]] = []

    async def until(self, topic: str, within: float = 5.0) -> Any:
        """The payload of the next message on a topic."""
        async with asyncio.timeout(within):
            while True:
                message = await self.socket.receive_json()
                self.seen.append(message)
                if message["topic"] == topic:
                    return message["payload"]

    async def closed(self) -> int | None:
        """The code with which the server closes, after whatever it still says."""
        async with asyncio.timeout(5):
            while not self.socket.closed:
                message = await self.socket.receive()
                if message.type is aiohttp.WSMsgType.TEXT:
                    self.seen.append(json.loads(message.data))
        return self.socket.close_code


@asynccontextmanager
async def page(
    server: DisplayServer, role: str | None = "table", secret: str | None = "table-secret", origin: str = ""
) -> AsyncIterator[Caller]:
    """A socket that has said who it is (nothing, when `role` is None)."""
    async with (
        aiohttp.ClientSession() as session,
        session.ws_connect(
            f"{server.url}/ws",
            headers={"Origin": origin or server.url},
            timeout=aiohttp.ClientWSTimeout(ws_close=2),
        ) as socket,
    ):
        if role is not None:
            await socket.send_json({"v": 1, "role": role, "secret": secret})
        yield Caller(socket)


def test_a_page_gets_the_last_retained_topics_at_once(broker: Mosquitto, host: FakeHost) -> None:
    """A page that comes late has the whole snapshot without waiting for the next one."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as caller:
                welcome = await caller.until("welcome")
                assert (welcome["role"], welcome["simulated"], welcome["board"]) == ("table", True, "board1")
                assert (await caller.until("state"))["match"] == "m1"

    asyncio.run(story())


@pytest.mark.parametrize("origin", ["null", "http://evil.example", "http://127.0.0.1:1", "https://localhost"])
def test_a_foreign_origin_opens_no_socket(broker: Mosquitto, host: FakeHost, origin: str) -> None:
    """Exact origins only; `null`, another port and another scheme are all foreign."""

    async def story() -> None:
        async with serving(broker) as server:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with page(server, origin=origin):
                    pass
            assert refused.value.status == 403

    asyncio.run(story())


def test_a_socket_without_an_origin_is_refused(broker: Mosquitto, host: FakeHost) -> None:
    """Every browser sends an Origin; what sends none is no page of ours."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{server.url}/ws")
            assert refused.value.status == 403

    asyncio.run(story())


@pytest.mark.parametrize("path", ["/", "/ws", "/healthz", "/metrics", "/js/app.js"])
def test_a_foreign_host_name_is_refused_everywhere(broker: Mosquitto, path: str) -> None:
    """DNS rebinding: a name that is not ours gets nothing, whatever the path."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            headers = {"Host": f"evil.example:{server.port}"}
            async with session.get(f"{server.url}{path}", headers=headers) as response:
                assert response.status == 421
                assert "Content-Security-Policy" in response.headers

    asyncio.run(story())


@pytest.mark.parametrize(
    ("role", "secret", "code"),
    [
        ("table", "wrong", "wrong_secret"), ("table", None, "wrong_secret"), ("table", "", "wrong_secret"),
        ("seat1", "table-secret", "wrong_secret"), ("arbiter", "one", "wrong_secret"), ("seat2", "one", "unknown_role"),
        ("host", "boss", "unknown_role"), ("web", None, "unknown_role"), ("", None, "unknown_role"),
    ],
)  # fmt: skip
def test_a_wrong_role_or_secret_is_told_so_and_shown_out(
    broker: Mosquitto, host: FakeHost, role: str, secret: str | None, code: str
) -> None:
    """A role needs its own secret; roles that this display does not offer do not exist."""

    async def story() -> None:
        async with serving(broker) as server, page(server, role, secret) as caller:
            assert await caller.closed() == 1008
            assert caller.seen == [{"topic": "refused", "payload": {"code": code}}]

    asyncio.run(story())


@pytest.mark.parametrize("role", ["table", "seat1"])
def test_an_open_role_with_an_old_secret_is_told_so(broker: Mosquitto, host: FakeHost, role: str) -> None:
    """On this machine a role may be open to all: without a secret one gets in, with a wrong one it is refused."""

    async def story() -> None:
        async with serving(broker, open_roles=("table", "seat1")) as server:
            for secret, welcome in (
                (None, True),
                ("", True),
                (SECRETS[role], True),
                ("old", False),
                (7, False),
            ):
                async with page(server, role, secret) as caller:  # type: ignore[arg-type]
                    if welcome:
                        assert (await caller.until("welcome"))["role"] == role
                    else:
                        assert await caller.closed() == 1008
                        assert caller.seen == [{"topic": "refused", "payload": {"code": "wrong_secret"}}]

    asyncio.run(story())


def test_a_guesser_is_stopped_before_he_has_tried_much(broker: Mosquitto) -> None:
    """Ten wrong secrets a minute from one address, then none are looked at."""

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


def test_a_role_that_needs_tls_is_refused_only_from_elsewhere(broker: Mosquitto) -> None:
    """`tls_only_roles` lets localhost in without TLS, as nothing leaves the machine."""

    async def story() -> None:
        async with (
            serving(broker, tls_only_roles=("arbiter",)) as server,
            page(server, "arbiter", "boss") as caller,
        ):
            assert (await caller.until("welcome"))["role"] == "arbiter"
        assert server._access.refusal("arbiter", "boss", "192.0.2.7", False) == "needs_tls"
        assert server._access.refusal("arbiter", "boss", "192.0.2.7", True) is None

    asyncio.run(story())


def test_a_page_that_says_nothing_is_shown_out_in_time(broker: Mosquitto) -> None:
    """A half-open page holds its place only for the time that a first message may take."""

    async def story() -> None:
        async with (
            serving(broker, limits=Limits(first_message_s=0.2)) as server,
            page(server, None) as caller,
        ):
            await caller.closed()
            assert caller.seen[-1]["payload"]["code"] == "no_first_message"

    asyncio.run(story())


def test_displays_have_a_number_of_places_and_take_none_of_the_roles_with_a_secret(broker: Mosquitto) -> None:
    """The third display of two is refused, the table still gets in, and a display again when one has gone."""

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
            async with page(server, "display", None) as again:
                await again.until("welcome")

    asyncio.run(story())


def test_one_address_has_a_number_of_places_and_a_proxy_all() -> None:
    """Another machine's third guest of two is refused, roles with a secret are not; a proxy here stands for many."""
    places = Places(Limits(pages=9, pages_per_client=2))

    def enters(client: str, secret: bool = False) -> bool:
        return places.admit(places.open(client, lambda: None), secret)

    assert [enters("192.0.2.7") for _ in range(3)] == [True, True, False]
    assert enters("192.0.2.7", secret=True) and enters("192.0.2.8")
    assert all(enters("127.0.0.1") for _ in range(6)) and not enters("127.0.0.1")


def test_pages_that_say_nothing_make_room_for_the_next() -> None:
    """With two waiting places the third page shuts the first out, and nobody else."""
    shut: list[int] = []
    places = Places(Limits(pages_waiting=2))
    for number in range(3):
        places.open("192.0.2.7", lambda number=number: shut.append(number))
    assert shut == [0]


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


def test_connections_that_send_nothing_make_room_and_are_closed_in_time(broker: Mosquitto) -> None:
    """A port with four places and six silent connections: the two oldest are closed at once, a request is served,
    and a little later none of the silent ones is open."""

    async def story() -> None:
        limits = ConnectionLimits(connections=4, head_s=0.5)
        async with serving(broker, connections=limits) as server, aiohttp.ClientSession() as session:
            silent = [await asyncio.open_connection("127.0.0.1", server.port) for _ in range(6)]
            silent[5][1].write(b"GET / HTTP/1.1\r\nHost")
            for reader, _ in silent[:2]:
                assert await asyncio.wait_for(reader.read(), 5) == b""
            async with session.get(server.url) as answer:
                assert answer.status == 200
            for reader, writer in silent[2:]:
                assert await asyncio.wait_for(reader.read(), 5) == b""
                writer.close()

    asyncio.run(story())


def test_too_many_messages_end_the_connection(broker: Mosquitto, host: FakeHost) -> None:
    """The burst is honoured, what goes beyond is not."""

    async def story() -> None:
        limits = Limits(messages_per_second=1, burst=5)
        async with serving(broker, limits=limits) as server, page(server) as caller:
            for n in range(20):
                await caller.socket.send_json({"topic": "nonsense", "payload": {"id": str(n)}})
            await caller.closed()
            assert caller.seen[-1]["payload"] == {"code": "too_many_messages"}

    asyncio.run(story())


def test_a_frame_over_the_limit_ends_the_connection(broker: Mosquitto, host: FakeHost) -> None:
    """One megabyte is never taken into memory as a message."""

    async def story() -> None:
        async with serving(broker) as server, page(server) as caller:
            await caller.until("welcome")
            await caller.socket.send_str("x" * 1_000_000)
            assert await caller.closed() == 1009

    asyncio.run(story())


@pytest.mark.parametrize("frame", ["", "[]", "null", "{", '"v"', "1e999", "[" * 4000])
def test_a_broken_first_message_is_refused(broker: Mosquitto, frame: str) -> None:
    """Whatever is no greeting ends the conversation politely."""

    async def story() -> None:
        async with serving(broker) as server, page(server, None) as caller:
            await caller.socket.send_str(frame)
            await caller.closed()
            assert caller.seen[-1]["payload"]["code"] == "malformed"

    asyncio.run(story())


def test_an_answer_goes_only_to_the_page_that_asked(broker: Mosquitto, host: FakeHost) -> None:
    """Two pages of one role: the other sees the state, not the answer; and may not use the same id."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as one, page(server) as two:
                await one.until("state")
                await two.until("state")
                command = {"v": 1, "id": "abc", "type": "resume", "match": "m1", "seq": 1}
                await one.socket.send_json({"topic": "command", "payload": command})
                assert (await one.until("answer"))["id"] == "abc"
                await two.socket.send_json({"topic": "command", "payload": command})
                assert (await two.until("answer"))["code"] == "malformed"
                host.state(seq=2)
                await two.until("state")
                assert not [
                    seen for seen in two.seen if seen["topic"] == "answer" and seen["payload"]["accepted"]
                ]
        host.state()

    asyncio.run(story())
    assert host.heard("resume")["role"] == "table"


def test_the_display_role_writes_nothing(broker: Mosquitto, host: FakeHost) -> None:
    """Read-only is enforced at the server: neither a command nor a throw gets to the broker."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server, "display", None) as caller:
                await caller.until("state")
                await caller.socket.send_json(
                    {"topic": "command", "payload": {"v": 1, "id": "d", "type": "pause"}}
                )
                assert (await caller.until("answer"))["code"] == "not_allowed"
                await caller.socket.send_json({"topic": "simulator/throw", "payload": {"v": 1, "miss": True}})
                assert (await caller.until("answer"))["code"] == "not_allowed"
                await asyncio.sleep(0.2)

    asyncio.run(story())
    assert not host.commands
    assert not host.throws


def test_no_page_can_name_another_topic(broker: Mosquitto, host: FakeHost) -> None:
    """The broker is not reachable through the page: only the two topics of the contract are known."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as caller:
                for topic in (
                    "state",
                    "command/arbiter",
                    "../x",
                    "scharten/home/board1/command/arbiter",
                    "#",
                    7,
                    None,
                ):
                    await caller.socket.send_json(
                        {"topic": topic, "payload": {"v": 1, "id": "t", "type": "pause"}}
                    )
                    assert (await caller.until("answer"))["code"] == "malformed"

    asyncio.run(story())
    assert not host.commands


def test_a_throw_needs_a_simulated_board(broker: Mosquitto, host: FakeHost) -> None:
    """Where the source is real the virtual dartboard does not exist."""

    async def story(simulated: bool) -> str | None:
        async with serving(broker, simulated=simulated) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as caller:
                await caller.until("state")
                await caller.socket.send_json({"topic": "simulator/throw", "payload": {"v": 1, "miss": True}})
                await caller.socket.send_json({"topic": "x", "payload": {"id": "end"}})
                return str((await caller.until("answer"))["code"])

    assert asyncio.run(story(False)) == "not_allowed"
    assert asyncio.run(story(True)) == "malformed"
    assert host.thrown() == {"v": 1, "miss": True}


def test_a_slow_page_gets_the_newest_snapshot_not_a_backlog(broker: Mosquitto, host: FakeHost) -> None:
    """While a page reads nothing, hundreds of snapshots pass; what waits for it stays small, the last is the newest."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as slow:
                await slow.until("state")
                transport = slow.socket.get_extra_info("socket")
                assert transport is not None
                padding = "x" * 25_000
                for seq in range(2, 402):
                    server._deliver("state", json.dumps(snapshot(seq=seq, padding=padding)))
                    await asyncio.sleep(0)
                connection = next(iter(server._pages))
                assert len(connection._newest) <= 2
                assert connection.skipped > 100
                last = 0
                while last != 401:
                    last = (await slow.until("state"))["seq"]

    asyncio.run(story())


def test_commands_are_refused_while_the_broker_is_away_and_never_sent_later(tmp_path: Any) -> None:
    """A stale command must not arrive when the broker comes back."""
    mosquitto = Mosquitto(tmp_path)
    first = FakeHost(mosquitto.port)
    first.state()

    async def story() -> None:
        async with serving(mosquitto) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as caller:
                await caller.until("state")
                mosquitto.stop()
                while (await caller.until("link"))["broker"]:
                    pass
                async with session.get(f"{server.url}/healthz") as response:
                    assert response.status == 503
                await caller.socket.send_json(
                    {"topic": "command", "payload": {"v": 1, "id": "late", "type": "resign", "side": "white"}}
                )
                assert (await caller.until("answer"))["code"] == "no_broker"
                mosquitto.start()
                assert (await caller.until("link", 10))["broker"]
                await asyncio.sleep(0.5)

    try:
        asyncio.run(story())
        assert not first.commands
    finally:
        first.stop()
        mosquitto.stop()


def test_figures_are_for_the_arbiter(broker: Mosquitto, host: FakeHost) -> None:
    """/metrics asks for the arbiter's secret, in constant time like any other."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            for header in (None, "Bearer ", "Bearer one", "Basic boss"):
                headers = {"Authorization": header} if header else {}
                async with session.get(f"{server.url}/metrics", headers=headers) as response:
                    assert response.status == 401
            async with session.get(
                f"{server.url}/metrics", headers={"Authorization": "Bearer boss"}
            ) as response:
                assert response.status == 200
                assert "scharten_display_pages" in await response.text()

    asyncio.run(story())


def test_every_answer_carries_the_security_headers(broker: Mosquitto) -> None:
    """No inline script or style, no referrer, no sniffing, no framing; also on errors."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            for path in ("/", "/js/app.js", "/healthz", "/nothing", "/../server.py", "/%2e%2e/server.py"):
                async with session.get(f"{server.url}{path}") as response:
                    policy = response.headers["Content-Security-Policy"]
                    assert "default-src 'none'" in policy
                    assert "unsafe" not in policy
                    assert response.headers["Referrer-Policy"] == "no-referrer"
                    assert response.headers["X-Content-Type-Options"] == "nosniff"
                    assert "def " not in (await response.text())[:200] or path.endswith(".js")
            async with session.get(f"{server.url}/nothing") as response:
                assert response.status == 404

    asyncio.run(story())


def test_a_taken_port_is_told_with_the_cure(broker: Mosquitto) -> None:
    """The error names the address and what to do."""

    async def story() -> None:
        async with serving(broker) as server:
            second = DisplayServer("127.0.0.1", server.port, BrokerAddress("127.0.0.1", broker.port), TOPICS)
            with pytest.raises(SchartenError, match="--port"):
                await second.start()

    asyncio.run(story())
