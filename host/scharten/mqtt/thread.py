"""An asyncio loop in a thread of its own, for the embedded broker."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import Future

from scharten.contract.roles import Acl
from scharten.errors import SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.embedded import EmbeddedBroker

log = logging.getLogger(__name__)


class BrokerThread:
    """Runs an `EmbeddedBroker`; `start` returns when it listens and raises what kept it from listening."""

    def __init__(self, broker: EmbeddedBroker) -> None:
        self.broker = broker
        self._listening: Future[None] = Future()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    def start(self) -> None:
        """Starts the thread and waits for the port."""
        self._thread.start()
        self._listening.result()

    def stop(self) -> None:
        """Closes the broker and waits for the thread, at most five seconds."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(5)

    def _run(self) -> None:
        asyncio.run(self._main())

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            await self.broker.start()
        except BaseException as error:
            self._listening.set_exception(error)
            return
        self._listening.set_result(None)
        await self._stop.wait()
        await self.broker.stop()


def listening(accounts: Accounts, acl: Acl, port: int, exactly: bool) -> BrokerThread:
    """An embedded broker that listens: at this port, or, unless it must be exactly this one, at a free one."""
    thread = BrokerThread(EmbeddedBroker(accounts, acl, port=port))
    try:
        thread.start()
    except SchartenError:
        if exactly:
            raise
        log.warning("port %d is taken: the embedded broker uses a free one", port)
        thread = BrokerThread(EmbeddedBroker(accounts, acl, port=0))
        thread.start()
    return thread
