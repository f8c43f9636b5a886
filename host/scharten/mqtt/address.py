"""Where a broker is and how to log in there."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field
from pathlib import Path

from scharten.errors import SchartenError


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker is; `ca_file` is the authority that signed its certificate (the system's when None)."""

    host: str
    port: int
    tls: bool = False
    ca_file: Path | None = None

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account and its password, which is never shown."""

    username: str
    password: str = field(repr=False)


def parse_url(url: str, ca_file: Path | None = None) -> BrokerAddress:
    """`mqtt://host[:1883]` or `mqtts://host[:8883]`; anything else is a `SchartenError`."""
    found = re.fullmatch(r"(mqtts?)://(\[[0-9a-fA-F:]+\]|[^\s/@:\[\]]+)(?::(\d{1,5}))?/?", url)
    if found is None or int(found[3] or 0) > 65535:
        raise SchartenError(
            f"{redacted(url)!r} is no address of a broker",
            "Write mqtt://host:1883 or mqtts://host:8883; the account goes into broker.credentials.",
        )
    tls = found[1] == "mqtts"
    return BrokerAddress(found[2].strip("[]"), int(found[3] or (8883 if tls else 1883)), tls, ca_file)


def redacted(url: str) -> str:
    """The URL without the credentials that someone may have put into it."""
    return re.sub(r"//[^/@]*@", "//***@", url)


def tls_context(address: BrokerAddress) -> ssl.SSLContext | None:
    """Verification of the certificate and of its name, always; None for an address without TLS."""
    if not address.tls:
        return None
    try:
        return ssl.create_default_context(cafile=address.ca_file)
    except OSError as error:
        raise SchartenError(
            f"the authority's certificate {address.ca_file} cannot be read: {error}",
            "Set broker.ca_file to a PEM file.",
        ) from error
