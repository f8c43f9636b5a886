"""The page's port: takes connections in, bounded in number and in time, before a request costs anything.

A connection that has sent no whole request head is waiting; when places run out the longest waiting one makes room,
so that thousands that say nothing never keep out a browser, whose request comes within milliseconds.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import socket
import ssl
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from scharten.mqtt.limits import RateLimitedLog

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """How many connections there may be, in all and from one other machine, and how long each step may take."""

    connections: int = 640
    per_address: int = 160
    head_s: float = 10.0
    handshake_s: float = 5.0
    idle_s: float = 15.0
    pause_s: float = 0.1


class _Connection(asyncio.Protocol):
    """One connection: hands everything to aiohttp's own protocol, and knows how far it came."""

    def __init__(self, inner: asyncio.Protocol, address: str, owner: Listener) -> None:
        self.inner, self.address, self._owner = inner, address, owner
        self.transport: asyncio.Transport | None = None
        self.task: asyncio.Task[None] | None = None
        self.page = False

    def close(self) -> None:
        """End it at once, also in the middle of a TLS handshake."""
        if self.transport is not None:
            self.transport.abort()
        elif self.task is not None:
            self.task.cancel()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        self._owner.made(self, transport)
        self.inner.connection_made(transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._owner.gone(self)
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

    async def start(self, host: str, port: int) -> int:
        """Listen on every address of a name; gives the port. `OSError` when it is taken."""
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
        return int(self._sockets[0].getsockname()[1])

    async def stop(self) -> None:
        """Take nobody in any more, and close what is open."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for listening in self._sockets:
            listening.close()
        for one in (*self._waiting, *self._served):
            one.close()

    def served(self, transport: asyncio.BaseTransport | None, page: bool) -> None:
        """A whole request head has come on this connection; `page`: it stays open for as long as the page does."""
        found = self._by_transport.get(transport) if transport is not None else None
        if found is not None:
            found.page = page
            self._waiting.pop(found, None)
            self._served.pop(found, None)
            self._served[found] = None  # the newest last

    def made(self, one: _Connection, transport: asyncio.BaseTransport) -> None:
        """A connection can be written to."""
        self._by_transport[transport] = one

    def gone(self, one: _Connection) -> None:
        """A connection is no more."""
        self._forget(one)
        if one.transport is not None:
            self._by_transport.pop(one.transport, None)

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
            await asyncio.sleep(
                0
            )  # however fast they come: who was shut out is gone before the next is taken in

    def _make_room(self, address: str) -> bool:
        """Whether there is a place, if need be that of a connection that waits or idles."""
        mine = None if _is_local(address) else address
        if mine and self._addresses[mine] >= self._limits.per_address:
            return self._shut_out(lambda one: one.address == mine)
        if len(self._waiting) + len(self._served) >= self._limits.connections:
            return self._shut_out(lambda one: True)
        return True

    def _shut_out(self, among: Callable[[_Connection], bool]) -> bool:
        """Close the longest waiting connection, or else the one that idles longest."""
        rows = (self._waiting, (one for one in self._served if not one.page))
        oldest = next((one for row in rows for one in row if among(one)), None)
        warnings.warn(
            "full", "the page has all its connections; one that was idle made room or a new one is refused"
        )
        if oldest is None:
            return False
        self._forget(oldest)
        oldest.close()
        return True

    def _open(self, sock: socket.socket, address: str) -> None:
        loop = asyncio.get_running_loop()
        one = _Connection(self._protocol(), address, self)
        self._waiting[one] = None
        self._addresses[address] += 1
        one.task = loop.create_task(self._connect(sock, one))
        loop.call_later(self._limits.head_s, self._too_late, one)

    async def _connect(self, sock: socket.socket, one: _Connection) -> None:
        tls = self._limits.handshake_s if self._ssl else None
        try:
            await asyncio.get_running_loop().connect_accepted_socket(
                lambda: one, sock, ssl=self._ssl, ssl_handshake_timeout=tls
            )
        except (OSError, asyncio.CancelledError):
            self.gone(one)
            sock.close()

    def _too_late(self, one: _Connection) -> None:
        if one in self._waiting:
            one.close()

    def _forget(self, one: _Connection) -> None:
        if one in self._waiting or one in self._served:
            self._waiting.pop(one, None)
            self._served.pop(one, None)
            self._addresses[one.address] -= 1
            if not self._addresses[one.address]:
                del self._addresses[one.address]


def _is_local(address: str) -> bool:
    """A proxy of this machine stands for many others."""
    return ipaddress.ip_address(address.partition("%")[0]).is_loopback
