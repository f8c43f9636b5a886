"""Certificates after a year: the page serves a renewed one without a restart; links keep their pinned one."""

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
def serve_tls(context: ssl.SSLContext) -> Iterator[int]:
    """Complete handshakes with this context, and yield the port."""
    with socket.create_server(("127.0.0.1", 0)) as listener:

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with suppress(OSError), context.wrap_socket(connection, server_side=True) as secured:
                        secured.recv(1)

        threading.Thread(target=serve, daemon=True).start()
        yield listener.getsockname()[1]


def certificate_seen(port: int, trusted: ssl.SSLContext) -> bytes:
    """Return the certificate that a client sees."""
    with (
        socket.create_connection(("127.0.0.1", port), 10) as plain,
        trusted.wrap_socket(plain, server_hostname="127.0.0.1") as secured,
    ):
        found = secured.getpeercert(binary_form=True)
        assert found
        return found


def _replace_by_an_aged_certificate(folder: Path, hosts: tuple[str, ...]) -> None:
    """Replace the folder's certificate by one from more than a year ago."""
    (folder / "server.pem").unlink()
    ensure_tls(folder, hosts, datetime.datetime.now(datetime.UTC) - YEAR)


def test_a_page_that_runs_for_a_year_serves_a_renewed_certificate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The file's certificate has expired: the daily check renews it, and a device trusts it as before."""
    monkeypatch.setattr(page_server, "READ_AGAIN_S", 0.0)
    context = page_server.own_certificate(tmp_path, "127.0.0.1")
    trusted = ssl.create_default_context(cafile=tmp_path / "tls" / "ca.pem")
    with serve_tls(context) as port:
        first = certificate_seen(port, trusted)
        assert certificate_seen(port, trusted) == first, "a valid certificate stays"
        _replace_by_an_aged_certificate(tmp_path / "tls", ("127.0.0.1", "localhost"))
        certificate_seen(port, trusted)
        assert certificate_seen(port, trusted) != first
        (tmp_path / "tls" / "server.pem").write_text("nonsense")
        assert certificate_seen(port, trusted) == certificate_seen(port, trusted), (
            "an unusable file changes nothing"
        )


def test_an_invitation_stays_valid_after_its_certificate_expired(tmp_path: Path) -> None:
    """The pinned certificate never changes, and guests ignore its dates."""
    pinned_certificate(tmp_path)
    _replace_by_an_aged_certificate(tmp_path, ("localhost",))
    der = ssl.PEM_cert_to_DER_cert((tmp_path / "server.pem").read_text())
    pin = hashlib.sha256(der).digest()
    for _ in range(2):
        certificate = pinned_certificate(tmp_path)
        assert certificate.fingerprint == fingerprint_text(pin)
    with serve_tls(certificate.context) as port:
        assert certificate_seen(port, pinned_context(pin.hex())) == der
