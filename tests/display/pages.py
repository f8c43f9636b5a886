"""A display server and pages without a browser."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from browser.servers import Mosquitto, display_server
from scharten.display.server import DisplayServer
from scharten.mqtt.address import BrokerAddress

SECRETS = {"table": "table-secret", "seat1": "one", "arbiter": "boss"}


@asynccontextmanager
async def serving(broker: Mosquitto, **options: Any) -> AsyncIterator[DisplayServer]:
    """A display server with secrets, connected to the broker."""
    options = {"role_secrets": SECRETS, "simulated": True, **options}
    server = display_server(BrokerAddress("127.0.0.1", broker.port), **options)
    await server.start()
    try:
        yield server
    finally:
        await server.stop()


async def healthy(server: DisplayServer, session: aiohttp.ClientSession) -> None:
    """Wait until the server has the host's state."""
    end = time.monotonic() + 40
    while True:
        async with session.get(f"{server.url}/healthz") as response:
            if response.status == 200:
                return
            assert time.monotonic() < end, await response.text()
        await asyncio.sleep(0.02)


class Caller:
    """A page without a browser."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self.socket = socket
        self.seen: list[dict[str, Any]] = []

    async def until(self, topic: str, within: float = 40.0) -> Any:
        """Return the payload of the next message on a topic."""
        async with asyncio.timeout(within):
            while True:
                message = await self.socket.receive_json()
                self.seen.append(message)
                if message["topic"] == topic:
                    return message["payload"]

    async def until_all(self, *topics: str) -> None:
        """Wait until each topic has been seen since the page was opened, in any order."""
        for topic in topics:
            if all(message["topic"] != topic for message in self.seen):
                await self.until(topic)

    async def closed(self) -> int | None:
        """Return the code with which the server closes, after its last messages."""
        async with asyncio.timeout(40):
            while not self.socket.closed:
                message = await self.socket.receive()
                if message.type is aiohttp.WSMsgType.TEXT:
                    self.seen.append(json.loads(message.data))
        return self.socket.close_code


@asynccontextmanager
async def page(
    server: DisplayServer, role: str | None = "table", secret: str | None = "table-secret", origin: str = ""
) -> AsyncIterator[Caller]:
    """Open a socket and send the role's greeting; without a `role` send nothing."""
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
