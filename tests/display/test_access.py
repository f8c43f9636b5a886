"""Access to the display server on real sockets: origins, hosts, roles, secrets."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import aiohttp
import pytest

from browser.fakes import FakeHost, snapshot
from browser.servers import Mosquitto, display_server
from display.pages import SECRETS, healthy, page, serving
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress


def test_a_page_gets_the_last_retained_topics_at_once(broker: Mosquitto, host: FakeHost) -> None:
    """A late page gets the whole snapshot without waiting for the next."""

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
    """Only exact origins are allowed: `null`, another port and another scheme are foreign."""

    async def story() -> None:
        async with serving(broker) as server:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                async with page(server, origin=origin):
                    pass
            assert refused.value.status == 403

    asyncio.run(story())


def test_a_socket_without_an_origin_is_refused(broker: Mosquitto, host: FakeHost) -> None:
    """Every browser sends an Origin; a client without one is not a page of this server."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
                await session.ws_connect(f"{server.url}/ws")
            assert refused.value.status == 403

    asyncio.run(story())


@pytest.mark.parametrize("path", ["/", "/ws", "/healthz", "/metrics", "/js/app.js"])
def test_a_foreign_host_name_is_refused_everywhere(broker: Mosquitto, path: str) -> None:
    """A name that is not this server's gets nothing on any path (DNS rebinding)."""

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
def test_a_wrong_role_or_secret_is_refused_with_its_code(
    broker: Mosquitto, host: FakeHost, role: str, secret: str | None, code: str
) -> None:
    """A role needs its own secret, and a role that this display does not offer is unknown."""

    async def story() -> None:
        async with serving(broker) as server, page(server, role, secret) as caller:
            assert await caller.closed() == 1008
            assert caller.seen == [{"topic": "refused", "payload": {"code": code}}]

    asyncio.run(story())


@pytest.mark.parametrize("role", ["table", "seat1"])
def test_an_open_role_with_an_old_secret_is_refused(broker: Mosquitto, host: FakeHost, role: str) -> None:
    """On this machine a role may be open: a page without a secret gets in, a page with a wrong secret does not."""

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


def test_an_answer_goes_only_to_the_page_that_sent_the_command(broker: Mosquitto, host: FakeHost) -> None:
    """Of two pages with the same role the other gets the state but not the answer, and may not use the same id."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as asking, page(server) as other:
                await asking.until("state")
                await other.until("state")
                command = {"v": 1, "id": "abc", "type": "resume", "match": "m1", "seq": 1}
                await asking.socket.send_json({"topic": "command", "payload": command})
                assert (await asking.until("answer"))["id"] == "abc"
                await other.socket.send_json({"topic": "command", "payload": command})
                assert (await other.until("answer"))["code"] == "malformed"
                host.state(seq=2)
                await other.until("state")
                assert not [
                    seen for seen in other.seen if seen["topic"] == "answer" and seen["payload"]["accepted"]
                ]
        host.state()

    asyncio.run(story())
    assert host.next_command("resume")["role"] == "table"


def test_the_display_role_writes_nothing(broker: Mosquitto, host: FakeHost) -> None:
    """The server lets neither a command nor a throw of this role reach the broker."""

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
    """A page cannot reach the broker: the server accepts only the topics that it knows."""

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
    """A board with a real source refuses darts of the virtual dartboard."""

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
    """While a page reads nothing and hundreds of snapshots pass, its outbox stays small and ends with the newest."""

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


@pytest.mark.parametrize("length", [2, 90, 91, 92, 93, 94, 200, 65_490, 65_500, 65_510, 70_000])
def test_a_message_of_any_length_arrives_whole(broker: Mosquitto, host: FakeHost, length: int) -> None:
    """This holds at the lengths where a WebSocket frame encodes its length differently, and with letters of
    two bytes."""

    async def story() -> None:
        async with serving(broker) as server, page(server) as first, page(server) as other:
            await first.until("links")
            await other.until("links")
            server._deliver("said", json.dumps(words := "é" + "x" * length, ensure_ascii=False))
            assert [await first.until("said"), await other.until("said")] == [words, words]

    asyncio.run(story())


def test_commands_are_refused_and_never_queued_without_the_broker(tmp_path: Any) -> None:
    """A stale command must not arrive when the broker returns."""
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
    """/metrics needs the arbiter's secret."""

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


def test_a_refusal_of_an_address_is_in_the_readers_language(broker: Mosquitto) -> None:
    """A dead link gives its reason in the language of the address or the browser, also under a foreign host name."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            for asked, headers, words in (
                ("?lang=nl", {}, "Er is geen partij bezig."),
                ("", {"Accept-Language": "de-AT,en;q=0.5"}, "Gerade läuft keine Partie."),
                ("", {}, "No game is on."),
            ):
                async with session.get(f"{server.url}/sheet{asked}", headers=headers) as response:
                    assert (response.status, await response.text()) == (404, f"{words}\n")
                    assert response.headers["X-Content-Type-Options"] == "nosniff"
            foreign = {"Host": "rebound.example", "Accept-Language": "de"}
            async with session.get(f"{server.url}/sheet", headers=foreign) as response:
                assert response.status == 421 and "einen anderen Namen" in await response.text()

    asyncio.run(story())


def test_every_answer_carries_the_security_headers(broker: Mosquitto) -> None:
    """Every answer, errors too, forbids inline scripts and styles, referrers, sniffing and framing."""

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


def test_a_port_in_use_is_an_error_with_a_cure(broker: Mosquitto) -> None:
    """The error names the address and the option to change."""

    async def story() -> None:
        async with serving(broker) as server:
            second = display_server(BrokerAddress("127.0.0.1", broker.port), port=server.port)
            with pytest.raises(SchartenError, match="--port"):
                await second.start()

    asyncio.run(story())
