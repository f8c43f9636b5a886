"""The daemon's own display server: what it is told, its certificate, and its thread."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scharten.config import JOURNAL, Certificate, Config
from scharten.contract.roles import Account
from scharten.contract.topics import Topics
from scharten.display.camera_pictures import ThrowPictures
from scharten.display.hostnames import names_of
from scharten.display.server import DisplayServer
from scharten.display.setup_door import SetupDoor
from scharten.errors import SchartenError
from scharten.games import GAMES_BY_KEY
from scharten.journal.archive import Archive
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.loop_thread import LoopThread
from scharten.players.book import PlayerBook


@dataclass(frozen=True, slots=True)
class ServedPage:
    """A display server that listens."""

    url: str
    port: int
    stop: Callable[[], None]


def start_page(
    config: Config,
    topics: Topics,
    at: tuple[str, int],
    *,
    broker: BrokerAddress,
    secrets: Mapping[str, str],
    open_roles: tuple[str, ...],
    folder: Path,
    arbiter_needs_tls: bool,
    pictures: Callable[[], Mapping[str, bytes]],
    throws: ThrowPictures | None,
    now_ms: Callable[[], int],
    players: PlayerBook,
    setup: SetupDoor | None = None,
) -> ServedPage:
    """Serve the page at an address and port; `SchartenError` when it cannot listen or the certificate is unusable."""
    server = DisplayServer(
        *at,
        broker,
        topics,
        role_secrets=secrets,
        open_roles=open_roles,
        origins=config.web.origins,
        proxy=config.web.proxy,
        language=config.web.language,
        club=config.board.club,
        setup=setup,
        simulated="simulated" in config.source.kinds,
        white_sits_at=config.board.white_sits_at,
        tls_only_roles=(Account.ARBITER.value,) if arbiter_needs_tls else (),
        ssl_context=_certificate(config, folder, at[0]),
        pictures=pictures,
        throws=throws,
        now_ms=now_ms,
        archive=Archive(folder / JOURNAL, GAMES_BY_KEY, players.gone),
        players=players,
        diagnostics=lambda: {"config": config.model_dump(mode="json")},
    )
    thread = LoopThread(server, "display")
    thread.start()
    return ServedPage(server.url, server.port, thread.stop)


def _certificate(config: Config, folder: Path, host: str) -> ssl.SSLContext | None:
    tls = config.web.tls
    if isinstance(tls, Certificate):
        return server_context(Path(tls.cert), Path(tls.key) if tls.key else None)
    if not tls:
        return None
    from scharten.mqtt.tls import ensure_tls  # noqa: PLC0415  (cryptography is slow to load, and rarely needed)

    names = ("127.0.0.1", "localhost", *names_of(host))
    files = ensure_tls(folder / "tls", tuple(dict.fromkeys(names)))
    return server_context(files.certificate, files.key)


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
