"""A Mosquitto and a display server for a test, each on a free port."""

from __future__ import annotations

import asyncio
import socket
import subprocess
import threading
import time
from collections.abc import Collection, Coroutine, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from lab.ports import free_port
from lab.programs import program
from scharten.club.server import ClubServer
from scharten.club.store import ClubStore
from scharten.contract.topics import Topics
from scharten.daemon.features import FEATURES, page_features
from scharten.display.context import Context, DaemonParts, Roles
from scharten.display.server import DisplayServer
from scharten.display.web_server import Serving
from scharten.games import GAMES_BY_KEY
from scharten.mqtt.address import BrokerAddress
from scharten.players.book import PlayerBook

TOPICS = Topics("scharten", "home", "board1")


class Mosquitto:
    """Run Mosquitto as a process that a test can stop and start again on the same port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._config = folder / "mosquitto.conf"
        self._config.write_text(f"listener {self.port} 127.0.0.1\nallow_anonymous true\npersistence false\n")
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    def start(self) -> None:
        """Run it and wait until it listens."""
        self._process = subprocess.Popen(
            [program("mosquitto"), "-c", str(self._config)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        until = time.monotonic() + 10
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.02)
        raise AssertionError("Mosquitto does not listen")

    def stop(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.terminate()
            self._process.wait(40)


def display_server(
    broker: BrokerAddress,
    *,
    port: int = 0,
    features: Iterable[str] = FEATURES,
    role_secrets: Mapping[str, str] | None = None,
    open_roles: Collection[str] = (),
    tls_only_roles: Collection[str] = (),
    simulated: bool = False,
    daemon: DaemonParts | None = None,
    club: str = "",
    **serving: Any,
) -> DisplayServer:
    """A display server with the program's own features; `serving` as in `Serving`."""
    roles = Roles(role_secrets or {}, open_roles, tls_only_roles)
    context = Context(broker, TOPICS, roles, simulated=simulated, daemon=daemon or DaemonParts(), club=club)
    return DisplayServer(Serving("127.0.0.1", port, **serving), context, page_features(context, features))


class Served:
    """Run a display server in its own thread with its own loop."""

    def __init__(self, broker_port: int, **options: Any) -> None:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        port = options.pop("port", 0)
        self.server = self.run(self._made(port, BrokerAddress("127.0.0.1", broker_port), options))
        self.url = self.server.url

    @staticmethod
    async def _made(port: int, broker: BrokerAddress, options: dict[str, Any]) -> DisplayServer:
        server = display_server(broker, port=port, **options)
        await server.start()
        return server

    def run(self, work: Coroutine[Any, Any, Any]) -> Any:
        """Run a coroutine in the server's loop."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(20)

    def stop(self) -> None:
        """Stop the server and its loop."""
        self.run(self.server.stop())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


@contextmanager
def served(broker_port: int, **options: Any) -> Iterator[Served]:
    """Run a display server inside the `with` block."""
    server = Served(broker_port, **options)
    try:
        yield server
    finally:
        server.stop()


@contextmanager
def served_club(
    broker_port: int, folder: Path, secrets: Mapping[str, str], **serving: Any
) -> Iterator[ClubServer]:
    """Run a club's server in its own thread inside the `with` block."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()

    def run(work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, loop).result(30)

    async def made() -> ClubServer:
        at = BrokerAddress("127.0.0.1", broker_port), TOPICS
        book = PlayerBook(folder, "scharten.sqlite3", GAMES_BY_KEY)
        store = ClubStore(folder / "club.sqlite3")
        server = ClubServer(store, book, at, Serving("127.0.0.1", 0, **serving), dict(secrets))
        await server.start()
        return server

    server = run(made())
    try:
        yield server
    finally:
        run(server.stop())
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
