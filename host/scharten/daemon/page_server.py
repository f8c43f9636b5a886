"""Start the daemon's page server in a thread of its own."""

from __future__ import annotations

import ipaddress
import logging
import ssl
import time
from collections.abc import Callable
from pathlib import Path

from scharten.config import Certificate, Config
from scharten.daemon.features import page_features
from scharten.display.context import Context
from scharten.display.hostnames import names_of
from scharten.display.server import DisplayServer
from scharten.display.web_server import Serving
from scharten.errors import SchartenError
from scharten.system.loop_thread import LoopThread

log = logging.getLogger(__name__)

READ_AGAIN_S = 86_400.0


def start_page(
    config: Config, folder: Path, host: str, port: int, context: Context
) -> LoopThread[DisplayServer]:
    """Serve the page; `SchartenError` when the server cannot listen or the certificate is unusable."""
    web = config.web
    serving = Serving(
        host,
        port,
        tuple(web.origins),
        _certificate(config, folder, host),
        proxy=web.proxy,
        language=web.language,
        also=() if _serves_this_machine(host) else ("127.0.0.1",),
    )
    server = DisplayServer(serving, context, page_features(context))
    thread = LoopThread(server, "display")
    thread.start()
    return thread


def _serves_this_machine(host: str) -> bool:
    """Return whether a page at this address also answers at 127.0.0.1, as people's bookmarks have it."""
    return host in ("localhost", "0.0.0.0", "") or ipaddress.ip_address(host).is_loopback


def _certificate(config: Config, folder: Path, host: str) -> ssl.SSLContext | None:
    tls = config.web.tls
    if isinstance(tls, Certificate):
        given = Path(tls.cert), Path(tls.key) if tls.key else None
        return server_context(lambda: given)
    return own_certificate(folder, host) if tls else None


def own_certificate(folder: Path, host: str) -> ssl.SSLContext:
    """Return the TLS context with a certificate of the data folder's own authority."""
    from scharten.system.tls import ensure_tls  # noqa: PLC0415  (cryptography is slow to load, and rarely needed)

    names = tuple(dict.fromkeys(("127.0.0.1", "localhost", *names_of(host))))

    def ensured() -> tuple[Path, Path]:
        files = ensure_tls(folder / "tls", names)
        return files.certificate, files.key

    return server_context(ensured)


def server_context(files: Callable[[], tuple[Path, Path | None]]) -> ssl.SSLContext:
    """Return the TLS context of the page; `SchartenError` when certificate or key is unusable.

    `files` gives the paths of both. They are read again each day at a handshake: a program that runs for a year then
    serves the renewed certificate, without a restart.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    due_s = time.monotonic() + READ_AGAIN_S

    def read_again(*_handshake: object) -> None:
        nonlocal due_s
        if time.monotonic() >= due_s:
            due_s = time.monotonic() + READ_AGAIN_S
            try:
                _load(context, *files())
            except SchartenError as error:
                log.warning("the certificate before stays in use: %s", error)

    _load(context, *files())
    context.sni_callback = read_again
    return context


def _load(context: ssl.SSLContext, certificate: Path, key: Path | None) -> None:
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise SchartenError.coded("page_certificate", path=certificate, why=error) from error
