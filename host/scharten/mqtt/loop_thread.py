"""An asyncio loop in a thread of its own, for the embedded broker and for the display server."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import Future
from typing import Generic, Protocol, TypeVar


class Server(Protocol):
    """What runs in the loop."""

    async def start(self) -> None:
        """Listen, or raise what keeps it from listening."""

    async def stop(self) -> None:
        """Close every connection and free the port."""


ServerT = TypeVar("ServerT", bound=Server)


class LoopThread(Generic[ServerT]):
    """Runs a server; `start` returns when it listens and raises what kept it from listening."""

    def __init__(self, server: ServerT, name: str) -> None:
        self.server = server
        self._listening: Future[asyncio.AbstractEventLoop] = Future()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name=name, daemon=True)

    def start(self) -> None:
        """Start the thread and wait until the server listens."""
        self._thread.start()
        self._listening.result()

    def stop(self) -> None:
        """Stop the server and end the thread, at most five seconds later."""
        if self._thread.is_alive():
            self._listening.result().call_soon_threadsafe(self._stop.set)
            self._thread.join(5)

    async def _main(self) -> None:
        try:
            await self.server.start()
        except BaseException as error:
            self._listening.set_exception(error)
            return
        self._listening.set_result(asyncio.get_running_loop())
        await self._stop.wait()
        await self.server.stop()
