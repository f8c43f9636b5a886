"""Who a client is: its account by user name and secret, or the display, which only reads and needs no secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from scharten.contract.roles import Account


class Accounts:
    """The secrets of one board's accounts, kept as digests.

    The secrets are random (secrets.py: 160 bits), so one SHA-256 is as safe as a slow password hash and takes a
    microsecond where argon2 held the event loop for 110 ms per client.
    """

    def __init__(self, secrets: Mapping[Account, str], anonymous_display: bool = True) -> None:
        self._digests = {account: _digest(secret) for account, secret in secrets.items()}
        self._anonymous_display = anonymous_display

    def account_of(self, username: str | None, password: str | None) -> Account | None:
        """The account, or None when the name or the secret is wrong; takes the same time for both."""
        if (username is None and password is None) or username == Account.DISPLAY.value:
            return Account.DISPLAY if self._anonymous_display else None
        known = next((one for one in self._digests if one.value == username), None)
        expected = self._digests[known] if known else _digest("no such account")
        right = hmac.compare_digest(expected, _digest(password or ""))
        return known if right else None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
