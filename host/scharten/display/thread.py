"""An asyncio loop in a thread of its own, for the display server."""

from __future__ import annotations

import asyncio
import ssl
import threading
from concurrent.futures import Future
from pathlib import Path

from scharten.display.server import DisplayServer
from scharten.errors import SchartenError


class DisplayThread:
    """Runs a `DisplayServer`; `start` returns when it listens and raises what kept it from listening."""

    def __init__(self, server: DisplayServer) -> None:
        self._server = server
        self._listening: Future[None] = Future()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="display", daemon=True)

    def start(self) -> None:
        """Start the thread and wait until the page is served."""
        self._thread.start()
        self._listening.result()

    def stop(self) -> None:
        """Say goodbye to every page and end the thread, at most five seconds later."""
        if self._thread.is_alive():
            asyncio.run_coroutine_threadsafe(self._server.stop(), self._loop).result(5)
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(5)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_until_complete(self._server.start())
        except BaseException as error:
            self._listening.set_exception(error)
            return
        self._listening.set_result(None)
        self._loop.run_forever()


def server_context(certificate: Path, key: Path | None) -> ssl.SSLContext:
    """TLS for the page; `SchartenError` when certificate or key cannot be used."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise SchartenError(
            f"The certificate {certificate} cannot be used: {error}", "Correct [web] tls."
        ) from error
    return context
