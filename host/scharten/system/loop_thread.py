"""An asyncio loop in a thread of its own, for the embedded broker and the page server."""

from __future__ import annotations

import asyncio
import errno
import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, Generic, Protocol, TypeVar

from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)

ROUND_S = 0.5


class Server(Protocol):
    """The server in the loop."""

    @property
    def listening(self) -> bool:
        """Whether the port is open; any thread may ask."""

    async def start(self) -> None:
        """Listen, or raise why that is impossible."""

    async def stop(self) -> None:
        """Close every connection and free the port."""


ServerT = TypeVar("ServerT", bound=Server)


class LoopThread(Generic[ServerT]):
    """Run a server; `start` returns when it listens, or raises its exception."""

    def __init__(self, server: ServerT, name: str) -> None:
        self.server, self.name, self.beats = server, name, 0
        self.error: Exception | None = None
        self._listening: Future[asyncio.AbstractEventLoop] = Future()
        self._stop = asyncio.Event()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    @property
    def alive(self) -> bool:
        """Whether the loop runs and the server's port is open."""
        return self._thread.is_alive() and self.server.listening

    def start(self) -> None:
        """Start the thread and wait until the server listens."""
        self._thread.start()
        self._listening.result()

    def stop(self) -> None:
        """Stop the server and end the thread, at most five seconds later."""
        if self._thread.is_alive():
            self._listening.result().call_soon_threadsafe(self._stop.set)
            self._thread.join(5)

    def _run(self) -> None:
        try:
            asyncio.run(self._main())
        except Exception as error:
            self.error = error
            log.exception("the loop of %s ended after an error", self.name)

    async def _main(self) -> None:
        asyncio.get_running_loop().set_exception_handler(_on_loop_error)
        try:
            await self.server.start()
        except BaseException as error:
            self._listening.set_exception(error)
            return
        self._listening.set_result(asyncio.get_running_loop())
        stop = asyncio.ensure_future(self._stop.wait())
        while not stop.done():
            self.beats += 1
            await asyncio.wait((stop,), timeout=ROUND_S)
        await self.server.stop()


def _on_loop_error(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """Log a failed accept in one line: asyncio reports it with a traceback for each connection that waits."""
    error = context.get("exception")
    if isinstance(error, OSError) and error.errno in (
        errno.EMFILE,
        errno.ENFILE,
        errno.ENOBUFS,
        errno.ENOMEM,
    ):
        warnings.warn("accept", "no further connection can be taken in: %s", error)
        return
    loop.default_exception_handler(context)


class RestartedServer(Generic[ServerT]):
    """A server that runs, and how to start another in its place."""

    def __init__(self, thread: LoopThread[ServerT], start: Callable[[], LoopThread[ServerT]]) -> None:
        self.thread, self._start = thread, start

    def restart(self) -> None:
        """Stop the server's remains and start a new one."""
        self.thread.stop()
        self.thread = self._start()

    def stop(self) -> None:
        """Stop the server."""
        self.thread.stop()
