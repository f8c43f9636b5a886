"""TLS to a server whose certificate is known by its fingerprint: no authority and no name decides."""

from __future__ import annotations

import hashlib
import hmac
import socket
import ssl

ANY = "any"
"""The fingerprint that every certificate has; the caller compares what it saw."""


def fingerprint_of(sock: ssl.SSLSocket) -> str:
    """Return the SHA-256 of the other side's certificate in hex."""
    return hashlib.sha256(sock.getpeercert(binary_form=True) or b"").hexdigest()


def pinned_context(fingerprint: str) -> ssl.SSLContext:
    """Return a context whose handshake fails unless the certificate has this SHA-256 (hex)."""

    class Pinned(ssl.SSLSocket):
        def do_handshake(self, block: bool = False) -> None:
            super().do_handshake(block)
            if fingerprint != ANY and not hmac.compare_digest(fingerprint_of(self), fingerprint):
                error = ssl.SSLCertVerificationError("the certificate is not the one of the invitation")
                error.verify_message = "it is not the certificate of the invitation"
                raise error

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    context.minimum_version = ssl.TLSVersion.TLSv1_3
    context.sslsocket_class = Pinned
    return context


def read_fingerprint(host: str, port: int, timeout_s: float) -> str:
    """Connect once and return the SHA-256 of the certificate that the server shows; `OSError` if it does not answer."""
    with (
        socket.create_connection((host, port), timeout_s) as plain,
        pinned_context(ANY).wrap_socket(plain, server_hostname=host) as sock,
    ):
        return fingerprint_of(sock)
