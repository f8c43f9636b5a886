"""The address of a broker, and the login there."""

from __future__ import annotations

import re
import ssl
from dataclasses import dataclass, field, replace
from pathlib import Path
from urllib.parse import unquote

from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.mqtt.pinned import pinned_context
from scharten.system.secrets import read_password


@dataclass(frozen=True, slots=True)
class Credentials:
    """An account and its password, which is never shown."""

    username: str
    password: str | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class BrokerAddress:
    """A broker, and the account that logs in (None: no login).

    `ca_file` is the authority of its certificate (None: those of the system). `pinned` replaces authority and name: the
    certificate's SHA-256, or "any" for a certificate that the caller compares itself.
    """

    host: str
    port: int
    tls: bool = False
    ca_file: Path | None = None
    account: Credentials | None = None
    pinned: str = ""

    def __str__(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"

    def for_account(self, account: Credentials | None) -> BrokerAddress:
        """Return the same broker with another account, or without a login."""
        return replace(self, account=account)


LONGEST_URL = 500
"""Longer addresses are refused unread."""


def parse_url(url: str, ca_file: Path | None = None) -> BrokerAddress:
    """`mqtt://[user[:password]@]host[:1883]` or `mqtts://...[:8883]`; anything else is a `SchartenError`."""
    found = len(url) <= LONGEST_URL and re.fullmatch(
        r"(mqtts?)://(?:([^\s/@:]+)(?::([^\s/@]*))?@)?(\[[0-9a-fA-F:]+\]|[^\s/@:\[\]?#]+)(?::(\d{1,5}))?/?",
        url,
    )
    if not found or not 0 < int(found[5] or 1) < 65536:
        raise SchartenError.coded("broker_address", address=redacted(url[:LONGEST_URL]))
    tls = found[1] == "mqtts"
    password = unquote(found[3]) if found[3] else None
    account = Credentials(unquote(found[2]), password) if found[2] else None
    port = int(found[5] or (8883 if tls else 1883))
    return BrokerAddress(found[4].strip("[]"), port, tls, ca_file, account)


def redacted(url: str) -> str:
    """Return a URL without its credentials."""
    return re.sub(r"//.*@", "//***@", url)


def tls_context(address: BrokerAddress) -> ssl.SSLContext | None:
    """Return a context that verifies certificate and host name; None for an address without TLS."""
    if not address.tls:
        return None
    if address.pinned:
        return pinned_context(address.pinned)
    try:
        return ssl.create_default_context(cafile=address.ca_file)
    except OSError as error:
        raise SchartenError.coded("ca_unreadable", path=address.ca_file, why=error) from error


def account_at(url: str, ca_file: Path | None, password_file: Path | None, username: str) -> BrokerAddress:
    """Return a broker with the account of a command line; `username` if the address names none."""
    address = parse_url(url, ca_file)
    if password_file is None:
        return address
    user = address.account.username if address.account else username
    return address.for_account(Credentials(user, read_password(password_file)))


def stored_login(folder: str, board: str, account: Account) -> Credentials | None:
    """Return the login of a board's account at an external broker, from a folder with one password file per account.

    The file is `<board>-<account>`, as `scharten broker-config` writes it, or `<account>`. Its name is the user name,
    unless its second line holds another. None without a folder or such a file.
    """
    for name in (f"{board}-{account.value}", account.value):
        path = Path(folder) / name
        if folder and path.exists():
            password = read_password(path)
            named = path.read_text(encoding="utf-8").splitlines()[1:2]
            return Credentials(named[0].strip() if named and named[0].strip() else name, password)
    if folder and account is Account.HOST:
        raise SchartenError.coded("no_credentials", folder=folder, board=board)
    return None
