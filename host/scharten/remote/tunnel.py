"""TCP connections through a broker: the host's end connects to its door, the guest's end listens on this machine.

Each direction of a connection is a topic; an empty message ends it. A message that the broker drops breaks the TLS
inside, and the guest connects again.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable

from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import ConnectionState, ConnectionStatus, MqttClient, Will
from scharten.remote.meeting import ROOT

CHUNK = 16 * 1024
MOST_PIPES, MOST_EARLY = 8, 64
MOST_BUFFERED = 4 * 1024 * 1024
_FINAL = (ConnectionState.REFUSED, ConnectionState.NOT_TRUSTED)


class _Pipe(asyncio.Protocol):
    """One end of a connection; `topic` is the topic on which it sends."""

    def __init__(self, owner: Tunnel, key: str, topic: str) -> None:
        self._owner, self._key, self._topic = owner, key, topic
        self._transport: asyncio.Transport | None = None
        self._early: list[bytes] = []

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        self._owner.pipes[self._key] = self
        for data in self._early:
            self.write(data)
        self._early.clear()

    def data_received(self, data: bytes) -> None:
        for first in range(0, len(data), CHUNK):
            if not self._owner.client.publish(self._topic, data[first : first + CHUNK]):
                self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._owner.pipes.pop(self._key, None) is not None:
            self._owner.client.publish(self._topic, b"")

    def write(self, data: bytes) -> None:
        """Write what came from the other end, or close at its end."""
        if self._transport is None:
            self._early = [*self._early, data][-MOST_EARLY:]
        elif not data or self._transport.get_write_buffer_size() > MOST_BUFFERED:
            self.close()
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Close this end."""
        if self._transport is not None:
            self._transport.abort()


class Tunnel:
    """Both ends have this in common: a client at the broker, and the connections of one room."""

    def __init__(self, client: MqttClient, receives: str) -> None:
        self.client, self.pipes = client, dict[str, _Pipe]()
        self._loop: asyncio.AbstractEventLoop
        client.subscribe(receives, self._on_message)

    @property
    def listening(self) -> bool:
        """Whether this end works."""
        return True

    async def start(self) -> None:
        """Connect to the broker; it goes on trying."""
        self._loop = asyncio.get_running_loop()
        self.client.start()

    async def stop(self) -> None:
        """Close every connection."""
        for pipe in list(self.pipes.values()):
            pipe.close()
        await asyncio.sleep(0)
        await asyncio.to_thread(self.client.stop)

    def on_status(self, status: ConnectionStatus) -> None:
        """End all connections with the one to the broker, which may have dropped messages."""
        if not status.connected and hasattr(self, "_loop") and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._close_all)

    def receive(self, key: str, data: bytes) -> None:
        """Write what came for a connection, in the loop."""
        if (pipe := self.pipes.get(key)) is not None:
            pipe.write(data)

    def _close_all(self) -> None:
        for pipe in list(self.pipes.values()):
            pipe.close()

    def _on_message(self, topic: str, payload: bytes, _retained: bool) -> None:
        key = topic.partition("/")[2].rpartition("/")[0]
        self._loop.call_soon_threadsafe(self.receive, key, payload)


class HostEnd(Tunnel):
    """Connects each of the guest's connections to the door at `port` of this machine."""

    def __init__(self, address: BrokerAddress, room: str, port: int, will: Will | None = None) -> None:
        client = MqttClient(
            address, name="meeting-host", quick=True, quiet=True, on_status=self.on_status, will=will
        )
        self._port = port
        super().__init__(client, f"{ROOT}/{room}/+/+/in")
        self._tasks: set[asyncio.Task[None]] = set()

    def receive(self, key: str, data: bytes) -> None:
        """Open the connection at its first message."""
        if key not in self.pipes and data and len(self.pipes) < MOST_PIPES:
            pipe = self.pipes[key] = _Pipe(self, key, f"{ROOT}/{key}/out")
            task = self._loop.create_task(self._connect(pipe, key))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)
        super().receive(key, data)

    async def _connect(self, pipe: _Pipe, key: str) -> None:
        try:
            await self._loop.create_connection(lambda: pipe, "127.0.0.1", self._port)
        except OSError:
            self.pipes.pop(key, None)
            self.client.publish(f"{ROOT}/{key}/out", b"")


class GuestEnd(Tunnel):
    """Listens at `port` of this machine; each connection there reaches the host's door."""

    def __init__(self, address: BrokerAddress, room: str) -> None:
        client = MqttClient(address, name="meeting-guest", quick=True, quiet=True, on_status=self.on_status)
        self.port, self._own = 0, f"{room}/{secrets.token_hex(8)}"
        super().__init__(client, f"{ROOT}/{self._own}/+/out")

    async def start(self) -> None:
        """Listen."""
        await super().start()
        self._server = await self._loop.create_server(self._pipe, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the port and every connection."""
        self._server.close()
        await super().stop()

    def _pipe(self) -> _Pipe:
        key = f"{self._own}/{secrets.token_hex(8)}"
        return _Pipe(self, key, f"{ROOT}/{key}/in")


def wait_for_broker(client: MqttClient, seconds: float, sleep: Callable[[float], object] = time.sleep) -> str:
    """Wait until the client is connected; return why it is not, "" if it is."""
    until = time.monotonic() + seconds
    while not client.status.connected and client.status.state not in _FINAL and time.monotonic() < until:
        sleep(0.05)
    return "" if client.status.connected else client.status.words
