"""Certificates after a year: the page serves a renewed one without a restart; the one that links pin never changes."""

from __future__ import annotations

import datetime
import hashlib
import socket
import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from scharten.daemon import page_server
from scharten.mqtt.pinned import pinned_context
from scharten.remote.door import own_certificate as pinned_certificate
from scharten.remote.invitation import fingerprint_text
from scharten.system.tls import ensure_tls

YEAR = datetime.timedelta(days=380)


@contextmanager
def served(context: ssl.SSLContext) -> Iterator[int]:
    """Complete handshakes with this context; gives the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                        secured.recv(1)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def seen(port: int, trusted: ssl.SSLContext) -> bytes:
    """The certificate that a client sees."""
    with (
        socket.create_connection(("127.0.0.1", port), 10) as plain,
        trusted.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
    ):
        found = secured.getpeercert(binary_form=True)
        assert found
        return found


def _aged(folder: Path, hosts: tuple[str, ...]) -> None:
    """Replace the certificate of a folder by the one of more than a year ago."""
    (folder / "server.pem").unlink()
    ensure_tls(folder, hosts, datetime.datetime.now(datetime.UTC) - YEAR)


def test_a_page_that_runs_for_a_year_serves_a_renewed_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its certificate has lapsed on the disk: the daily look renews it, and a device trusts it as before."""
    monkeypatch.setattr(page_server, "READ_AGAIN_S", 0.0)
    context = page_server.own_certificate(tmp_path, "127.0.0.1")
    trusted = ssl.create_default_context(cafile=tmp_path / "tls" / "ca.pem")
    with served(context) as port:
        first = seen(port, trusted)
        assert seen(port, trusted) == first, "a valid certificate stays"
        _aged(tmp_path / "tls", ("127.0.0.1", "localhost"))
        seen(port, trusted)
        assert seen(port, trusted) != first
        (tmp_path / "tls" / "server.pem").write_text("nonsense")
        assert seen(port, trusted) == seen(port, trusted), "an unusable file changes nothing"


def test_an_invitation_holds_after_its_certificate_lapsed(tmp_path: Path) -> None:
    """A game between two boards goes on after a year: the pinned certificate stays, and guests look at no date."""
    pinned_certificate(tmp_path)
    _aged(tmp_path, ("localhost",))
    der = ssl.PEM_cert_to_DER_cert((tmp_path / "server.pem").read_text())
    pin = hashlib.sha256(der).digest()
    for _ in range(2):
        certificate = pinned_certificate(tmp_path)
        assert certificate.fingerprint == fingerprint_text(pin)
    with served(certificate.context) as port:
        assert seen(port, pinned_context(pin.hex())) == der
