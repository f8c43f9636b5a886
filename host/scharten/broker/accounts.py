"""Find a client's account by user name and secret; the display only reads and needs no secret."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Mapping

from scharten.contract.roles import Account


class Accounts:
    """The digests of one board's secrets.

    Secrets are 160 random bits (secrets.py), so SHA-256 is as safe as a slow password hash, which would block the
    event loop for 110 ms per client.
    """

    def __init__(self, secrets: Mapping[Account, str], anonymous_display: bool = True) -> None:
        self._digests = {account: _digest(secret) for account, secret in secrets.items()}
        self._anonymous_display = anonymous_display

    def account_of(self, username: str | None, password: str | None) -> Account | None:
        """Return the account, or None if the name or the secret is wrong; both take the same time."""
        if (username is None and password is None) or username == Account.DISPLAY.value:
            return Account.DISPLAY if self._anonymous_display else None
        known = next((account for account in self._digests if account.value == username), None)
        expected = self._digests[known] if known else _digest("no such account")
        right = hmac.compare_digest(expected, _digest(password or ""))
        return known if right else None


def _digest(secret: str) -> bytes:
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).digest()
