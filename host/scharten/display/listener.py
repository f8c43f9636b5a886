"""The page's port: accepts connections, limited in number and in time, before a request costs anything.

A connection waits until its whole request head has come. When places run out, the connection that waits longest is
closed. So thousands of silent connections never keep out a browser, whose request comes within milliseconds.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """The number of connections, in all and from one other machine, and the time for each step."""

    connections: int = 640
    per_address: int = 160
    head_s: float = 10.0
    handshake_s: float = 5.0
    idle_s: float = 15.0
    pause_s: float = 0.1


class _Connection(asyncio.Protocol):
    """A connection that hands everything to aiohttp's own protocol."""

    def __init__(self, inner: asyncio.Protocol, address: str, owner: Listener) -> None:
        self.inner, self.address, self._owner = inner, address, owner
        self.transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        self.page = False

    def close(self) -> None:
        """Close it at once, also in the middle of a TLS handshake."""
        if self.transport is not None:
            self.transport.abort()
        elif self.task is not None:
            self.task.cancel()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._owner.on_made(self, transport)
        self.inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.on_lost(self)
        self.inner.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        self.inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self.inner.eof_received()

    def pause_writing(self) -> None:
        self.inner.pause_writing()

    def resume_writing(self) -> None:
        self.inner.resume_writing()


class Listener:
    """Listens for one server; `start` and `stop` belong to one asyncio loop."""

    def __init__(
        self,
        protocol: Callable[[], asyncio.Protocol],
        ssl_context: ssl.SSLContext | None = None,
        limits: ConnectionLimits | None = None,
    ) -> None:
        self._protocol, self._ssl, self._limits = protocol, ssl_context, limits or ConnectionLimits()
        self._waiting: dict[_Connection, None] = {}
        self._served: dict[_Connection, None] = {}
        self._by_transport: dict[asyncio.BaseTransport, _Connection] = {}
        self._addresses: Counter[str] = Counter()
        self._sockets: list[socket.socket] = []
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def listening(self) -> bool:
        """Whether every address of the name is open."""
        return all(listening.fileno() >= 0 for listening in self._sockets)

    async def start(self, host: str, port: int, also: Iterable[str] = ()) -> int:
        """Listen on every address of these names, all at one port; return it. `OSError` when it is in use."""
        for name in (host, *also):
            await self._listen(name, port)
            port = port or int(self._sockets[0].getsockname()[1])
        return port

    async def _listen(self, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        flags = socket.AI_PASSIVE
        for family, kind, number, _, address in await loop.getaddrinfo(
            host or None, port, type=socket.SOCK_STREAM, flags=flags
        ):
            listening = socket.socket(family, kind, number)
            self._sockets.append(listening)
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            if family == socket.AF_INET6:
                listening.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
            listening.setblocking(False)
            listening.bind(address)
            listening.listen(256)
            self._tasks.append(loop.create_task(self._accept(listening)))

    async def stop(self) -> None:
        """Accept no more connections, and close all."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        for connection in (*self._waiting, *self._served):
            connection.close()

    def served(self, transport: asyncio.BaseTransport | None, page: bool) -> None:
        """Note that a whole request head has come; with `page` the connection stays open as long as the page."""
        found = self._by_transport.get(transport) if transport is not None else None
        if found is not None:
            found.page = page
            self._waiting.pop(found, None)
            self._served.pop(found, None)
            self._served[found] = None  # the newest last

    def on_made(self, connection: _Connection, transport: asyncio.BaseTransport) -> None:
        """Register a connection that can be written to."""
        self._by_transport[transport] = connection

    def on_lost(self, connection: _Connection) -> None:
        """Forget a closed connection."""
        self._forget(connection)
        if connection.transport is not None:
            self._by_transport.pop(connection.transport, None)

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                sock, address = await loop.sock_accept(listening)
            except OSError as error:
                warnings.warn("accept", "the page cannot take a connection in: %s", error)
                await asyncio.sleep(self._limits.pause_s)
                continue
            if self._make_room(address[0]):
                self._open(sock, address[0])
            else:
                sock.close()
            await asyncio.sleep(0)  # a closed connection is gone before the next is accepted

    def _make_room(self, address: str) -> bool:
        """Return whether there is a place, made by closing a waiting or idle connection if needed."""
        mine = None if _is_local(address) else address
        if mine and self._addresses[mine] >= self._limits.per_address:
            return self._close_oldest(lambda connection: connection.address == mine)
        if len(self._waiting) + len(self._served) >= self._limits.connections:
            return self._close_oldest(lambda connection: True)
        return True

    def _close_oldest(self, among: Callable[[_Connection], bool]) -> bool:
        """Close the connection that waits longest, or else the one that idles longest; False without any."""
        idle = (connection for connection in self._served if not connection.page)
        oldest = next((connection for connection in (*self._waiting, *idle) if among(connection)), None)
        warnings.warn(
            "full",
            "all connections of the page are in use; an idle connection was closed, or a new one is refused",
        )
        if oldest is None:
            return False
        self._forget(oldest)
        oldest.close()
        return True

    def _open(self, sock: socket.socket, address: str) -> None:
        loop = asyncio.get_running_loop()
        connection = _Connection(self._protocol(), address, self)
        self._waiting[connection] = None
        self._addresses[address] += 1
        connection.task = loop.create_task(self._connect(sock, connection))
        loop.call_later(self._limits.head_s, self._close_if_waiting, connection)

    async def _connect(self, sock: socket.socket, connection: _Connection) -> None:
        tls = self._limits.handshake_s if self._ssl else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: connection, sock, ssl=self._ssl, ssl_handshake_timeout=tls
            )
        except (OSError, asyncio.CancelledError):
            self.on_lost(connection)
            sock.close()

    def _close_if_waiting(self, connection: _Connection) -> None:
        if connection in self._waiting:
            connection.close()

    def _forget(self, connection: _Connection) -> None:
        if connection in self._waiting or connection in self._served:
            self._waiting.pop(connection, None)
            self._served.pop(connection, None)
            self._addresses[connection.address] -= 1
            if not self._addresses[connection.address]:
                del self._addresses[connection.address]


def _is_local(address: str) -> bool:
    """Return whether the address is this machine's; a proxy here stands for many others."""
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
