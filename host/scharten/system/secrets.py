"""The secrets of the accounts: random, in a file that only its owner may read, never in a log."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from scharten.contract.roles import Account
from scharten.errors import SchartenError

WITH_SECRET: tuple[Account, ...] = tuple(account for account in Account if account is not Account.DISPLAY)
"""Accounts with a secret; the display reads public topics and needs none."""


def new_secret() -> str:
    """160 random bits as 27 letters, digits, `-` and `_`: fit for a URL, an MQTT password and a QR code."""
    return secrets.token_urlsafe(20)


def load_or_make(path: Path) -> dict[Account, str]:
    """Return the secrets in the file; make missing ones.

    `SchartenError` when others may read the file, or when it is damaged.
    """
    known = _read(path) if path.exists() else {}
    missing = [account for account in WITH_SECRET if account not in known]
    if missing:
        known |= {account: new_secret() for account in missing}
        _write(path, known)
    return known


def renew(path: Path, accounts: tuple[Account, ...] = WITH_SECRET) -> dict[Account, str]:
    """Replace the secrets of these accounts, so that old links stop working."""
    known = load_or_make(path) | {account: new_secret() for account in accounts}
    _write(path, known)
    return known


def read_password(path: Path) -> str:
    """Return the first line of a password file; `SchartenError` when others may read the file."""
    _only_ours(path)
    try:
        password = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError.coded("password_unreadable", path=path, why=error) from error
    if not password:
        raise SchartenError.coded("password_empty", path=path)
    return password


def write_private(path: Path, text: str) -> None:
    """Write a file of mode 600 atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _write(path: Path, known: Mapping[Account, str]) -> None:
    try:
        write_private(
            path, json.dumps({account.value: secret for account, secret in known.items()}, indent=2) + "\n"
        )
    except OSError as error:
        raise SchartenError.coded("secrets_unwritable", path=path, why=error) from error


def _read(path: Path) -> dict[Account, str]:
    _only_ours(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {Account(name): secret for name, secret in raw.items()}
        if not all(isinstance(secret, str) and len(secret) >= 16 for secret in known.values()):
            raise ValueError("a secret in it is too short")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise SchartenError.coded("secrets_damaged", path=path, why=error) from error
    return known


def _only_ours(path: Path) -> None:
    try:
        mode = path.stat().st_mode & 0o777
    except OSError as error:
        raise SchartenError.coded("password_unreadable", path=path, why=error) from error
    if mode & 0o077:
        raise SchartenError.coded("secret_open", path=path, mode=f"{mode:o}")
