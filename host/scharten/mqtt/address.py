"""Where a broker is and how to log in there."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from scharten.errors import SchartenError


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account and its password, which is never shown."""

    username: str
    password: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """Where the broker is, and who logs in there: without `account` a stranger.

    `ca_file` is the authority that signed its certificate (the system's when None).
    """

    host: str
    port: int
    tls: bool = False
    ca_file: Path | None = None
    account: Credentials | None = None

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    def for_account(self, account: Credentials | None) -> BrokerAddress:
        """The same broker for another account, or for a stranger."""
        return replace(self, account=account)


LONGEST_URL = 500
"""Characters of the longest address that is looked at at all."""


def parse_url(url: str, ca_file: Path | None = None) -> BrokerAddress:
    """`mqtt://[user[:password]@]host[:1883]` or `mqtts://...[:8883]`; anything else is a `SchartenError`."""
    found = len(url) <= LONGEST_URL and re.fullmatch(
        r"(mqtts?)://(?:([^\s/@:]+)(?::([^\s/@]*))?@)?(\[[0-9a-fA-F:]+\]|[^\s/@:\[\]?#]+)(?::(\d{1,5}))?/?",
        url,
    )
    if not found or not 0 < int(found[5] or 1) < 65536:
        raise SchartenError(
            f"{redacted(url[:LONGEST_URL])!r} is not the address of a broker",
            "Write mqtt://host:1883 or mqtts://host:8883.",
        )
    tls = found[1] == "mqtts"
    password = unquote(found[3]) if found[3] else None
    account = Credentials(unquote(found[2]), password) if found[2] else None
    port = int(found[5] or (8883 if tls else 1883))
    return BrokerAddress(found[4].strip("[]"), port, tls, ca_file, account)


def redacted(url: str) -> str:
    """The URL without the credentials that someone may have put into it."""
    return re.sub(r"//.*@", "//***@", url)


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
