"""Features plug into the page's server: it works without each of them, and no other module imports them."""

from __future__ import annotations

import ast
import asyncio
import logging
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import aiohttp
import pytest

import scharten
from browser.fakes import FakeHost, snapshot
from browser.servers import TOPICS, Mosquitto
from display.pages import Caller, healthy, page, serving
from lab.daemon_process import DaemonProcess
from scharten.daemon.features import FEATURES
from scharten.display.context import Context
from scharten.display.feature import Bus, Feature, Payload
from scharten.display.server import DisplayServer
from scharten.display.web_server import Serving
from scharten.mqtt.address import BrokerAddress

HOST = Path(scharten.__file__).parent
LIST = HOST / "daemon" / "features.py"
REMOVED = ("players", "archive", "throws")


def without(name: str) -> tuple[str, ...]:
    """The program's list minus one feature of `display/features`."""
    return tuple(module for module in FEATURES if module != f"scharten.display.features.{name}")


def imported(path: Path) -> Iterator[str]:
    """Return the full name of everything that a module imports."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
            yield str(node.module)


@pytest.mark.long
def test_only_the_list_names_a_feature() -> None:
    """No module of the program imports a feature's module, and the list has one line for each feature."""
    for path in HOST.rglob("*.py"):
        assert not set(imported(path)) & set(FEATURES), path
    lines = LIST.read_text(encoding="utf-8").splitlines()
    assert [line.strip().strip('",') for line in lines if line.startswith('    "scharten.')] == list(FEATURES)
    folder = {
        f"scharten.display.features.{path.stem}" for path in (HOST / "display/features").glob("[a-z]*.py")
    }
    assert folder < set(FEATURES)


async def command_is_answered(caller: Caller) -> None:
    """A command of the table still reaches the referee and its answer the page."""
    payload = {"v": 1, "id": "c1", "type": "pause"}
    await caller.socket.send_json({"topic": "command", "payload": payload})
    assert (await caller.until("answer"))["id"] == "c1"


@pytest.mark.parametrize(
    ("name", "field", "topic", "address"),
    [
        ("players", "players", "players", "/players.json"),
        ("archive", "archive", None, "/sheet"),
        ("throws", "throws", "look", "/throws/m1.json"),
        ("simulator", "simulated", "simulator/throw", None),
        ("projector", None, "light", None),
        ("status", None, None, "/metrics"),
    ],
)
def test_the_server_works_without_a_feature(
    broker: Mosquitto, host: FakeHost, name: str, field: str | None, topic: str | None, address: str | None
) -> None:
    """The page is greeted and gets state and answers; the feature's own requests are refused cleanly."""

    async def story() -> None:
        async with serving(broker, features=without(name)) as server, page(server) as caller:
            assert field not in await caller.until("welcome")
            assert (await caller.until("state"))["match"] == "m1"
            if topic is not None:
                await caller.socket.send_json({"topic": topic, "payload": {"v": 1, "id": "x"}})
                assert (await caller.until("answer"))["code"] == "malformed"
            await command_is_answered(caller)
            async with aiohttp.ClientSession() as session:
                async with session.get(f"{server.url}{address or '/nothing'}") as response:
                    assert response.status == 404
                async with session.get(f"{server.url}/") as response:
                    assert response.status == 200

    asyncio.run(story())


class Failing(Feature):
    """A feature that raises on every state and on every request of a page."""

    async def start(self, bus: Bus) -> None:
        bus.subscribe("state", self._raise)

    def topics(self) -> dict[str, Any]:
        return {"fail": self._fail}

    def _raise(self, payload: Payload) -> None:
        raise RuntimeError("on purpose")

    async def _fail(self, _page: object, payload: Payload) -> None:
        self._raise(payload)


class Listening(Feature):
    """A feature that remembers the states it received."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.turns: list[Any] = []

    async def start(self, bus: Bus) -> None:
        bus.subscribe("state", lambda state: self.turns.append(state["turns"]))


def test_a_feature_that_raises_harms_no_other(
    broker: Mosquitto, host: FakeHost, caplog: pytest.LogCaptureFixture
) -> None:
    """Pages still get every state and answer, other features every message, and the log has the reason."""
    context = Context(BrokerAddress("127.0.0.1", broker.port), TOPICS)
    listening = Listening(context)

    async def story() -> None:
        server = DisplayServer(Serving("127.0.0.1", 0), context, (Failing(context), listening))
        await server.start()
        try:
            async with page(server, "display", None) as caller:
                await caller.until("state")
                await caller.socket.send_json({"topic": "fail", "payload": {}})
                host.publish("state", snapshot(turns=77))
                while (await caller.until("state"))["turns"] != 77:
                    pass
        finally:
            await server.stop()

    with caplog.at_level(logging.ERROR):
        asyncio.run(story())
    host.state()
    assert listening.turns[-1] == 77
    assert {record.message for record in caplog.records} == {
        "a feature of the page failed on state",
        "a feature of the page failed on a request",
    }


@pytest.fixture(scope="module")
def smaller(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the program without three features: neither their modules nor their lines in the list exist."""
    copy = tmp_path_factory.mktemp("copy") / "scharten"
    shutil.copytree(HOST, copy, ignore=shutil.ignore_patterns("__pycache__"))
    lines = LIST.read_text(encoding="utf-8").splitlines(keepends=True)
    for name in REMOVED:
        (copy / "display" / "features" / f"{name}.py").unlink()
        lines.remove(f'    "scharten.display.features.{name}",\n')
    (copy / "daemon" / "features.py").write_text("".join(lines), encoding="utf-8")
    return copy.parent


@pytest.mark.long
def test_a_game_is_played_without_three_features(smaller: Path, tmp_path: Path) -> None:
    """A copy of the program without their files starts, plays a turn, shows it on a page and stores the game."""
    environment = {"PYTHONPATH": str(smaller)}
    where = [sys.executable, "-c", "import scharten; print(scharten.__file__)"]
    found = subprocess.run(where, env=environment, capture_output=True, text=True, check=True)
    assert found.stdout.startswith(str(smaller)), "the copy runs, not this program"
    daemon = DaemonProcess(tmp_path / "data", environment=environment).start()
    try:
        url = daemon.running["web"]
        peer = daemon.peer()
        peer.new_game(kind="silent")
        assert peer.ask("move", move=peer.state["moves"][0])["accepted"]
        peer.wait(lambda state: state["turns"] == 1)
        asyncio.run(_page_shows_turns(url, 1))
        assert peer.ask("resign", side="white")["accepted"]
        peer.close()
        assert daemon.stop() == 0
    finally:
        daemon.end()


async def _page_shows_turns(url: str, turns: int) -> None:
    """Wait until a page's state has this number of turns; the addresses of the removed features give 404."""
    async with aiohttp.ClientSession() as session, session.ws_connect(f"{url}/ws", origin=url) as socket:
        await socket.send_json({"v": 1, "role": "display"})
        caller = Caller(socket)
        welcome = await caller.until("welcome")
        assert not {*REMOVED} & {*welcome}
        for address in ("/players.json", "/archive/games.json", "/throws/m1.json"):
            async with session.get(f"{url}{address}") as response:
                assert response.status == 404, address
        async with session.get(f"{url}/healthz") as response:
            assert response.status == 200
        # The page's server and the peer get a new state from the broker in no fixed order.
        while (await caller.until("state"))["turns"] != turns:
            pass


def test_all_features_greet_a_page(broker: Mosquitto, host: FakeHost) -> None:
    """With all features the server is healthy and greets a page with every field and message."""

    async def story() -> None:
        async with serving(broker) as server, aiohttp.ClientSession() as session:
            await healthy(server, session)
            async with page(server) as caller:
                welcome = await caller.until("welcome")
                assert {"archive", "players", "throws", "throw", "asked", "simulated", "club", "setup"} < set(
                    welcome
                )
                while not {"results", "seated", "links"} <= {message["topic"] for message in caller.seen}:
                    caller.seen.append(await caller.socket.receive_json())

    asyncio.run(story())
