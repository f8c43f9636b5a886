"""The secrets of the accounts: random, in a file that only its owner may read, never in a log."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from scharten.contract.roles import Account
from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, Credentials, parse_url

WITH_SECRET: tuple[Account, ...] = tuple(one for one in Account if one is not Account.DISPLAY)
"""The display reads what everybody may see and needs none."""


def new_secret() -> str:
    """160 random bits as 27 letters, digits, `-` and `_`: fit for a URL, an MQTT password and a QR code."""
    return secrets.token_urlsafe(20)


def load_or_make(path: Path) -> dict[Account, str]:
    """The secrets in the file, made at the first call; an account that the file lacks gets one.

    `SchartenError` when others may read the file, or when it is damaged.
    """
    known = _read(path) if path.exists() else {}
    missing = [one for one in WITH_SECRET if one not in known]
    if missing:
        known |= {one: new_secret() for one in missing}
        _write(path, known)
    return known


def renew(path: Path, accounts: tuple[Account, ...] = WITH_SECRET) -> dict[Account, str]:
    """New secrets for these accounts (for a new evening: old links stop working); the others keep theirs."""
    known = load_or_make(path) | {one: new_secret() for one in accounts}
    _write(path, known)
    return known


def read_password(path: Path) -> str:
    """The first line of a password file that belongs to one account; others must not be able to read it."""
    _only_ours(path)
    try:
        password = path.read_text(encoding="utf-8").partition("\n")[0].strip()
    except (OSError, UnicodeDecodeError) as error:
        raise SchartenError(
            f"the password file {path} cannot be read: {error}", "Give the right file."
        ) from error
    if not password:
        raise SchartenError(
            f"the password file {path} is empty", "Write the account's password on its first line."
        )
    return password


def account_at(url: str, ca_file: Path | None, password_file: Path | None, username: str) -> BrokerAddress:
    """A broker with the account that a command is given; `username` where the address names none."""
    address = parse_url(url, ca_file)
    if password_file is None:
        return address
    user = address.account.username if address.account else username
    return address.for_account(Credentials(user, read_password(password_file)))


def stored_login(folder: str, board: str, account: Account) -> Credentials | None:
    """The login of a board's account at another broker, from a folder with one password file for each account.

    The file is called `<board>-<account>`, as `scharten broker-config` writes it, or only `<account>`; its name is
    the user's name unless the file's second line says another. None without a folder or such a file.
    """
    for name in (f"{board}-{account.value}", account.value):
        path = Path(folder) / name
        if folder and path.exists():
            password = read_password(path)
            named = path.read_text(encoding="utf-8").splitlines()[1:2]
            return Credentials(named[0].strip() if named and named[0].strip() else name, password)
    if folder and account is Account.HOST:
        raise SchartenError(
            f"broker.credentials: {folder} holds neither {board}-host nor host.",
            "Copy the board's files there from the secrets that scharten broker-config wrote.",
        )
    return None


def write_private(path: Path, text: str) -> None:
    """Writes a file of mode 600, whole or not at all."""
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
        write_private(path, json.dumps({one.value: secret for one, secret in known.items()}, indent=2) + "\n")
    except OSError as error:
        raise SchartenError(
            f"the secrets cannot be written to {path}: {error}",
            "Choose a data folder you may write with --data.",
        ) from error


def _read(path: Path) -> dict[Account, str]:
    _only_ours(path)
    try:
        raw = json.loads(path.read_text(encoding="utf-8"))
        known = {Account(name): secret for name, secret in raw.items()}
        if not all(isinstance(secret, str) and len(secret) >= 16 for secret in known.values()):
            raise ValueError("a secret in it is too short")
    except (OSError, ValueError, AttributeError, RecursionError) as error:
        raise SchartenError(
            f"the file of secrets {path} is damaged: {error}",
            "Delete it: new secrets are made at the next start, and every link must be opened again.",
        ) from error
    return known


def _only_ours(path: Path) -> None:
    try:
        mode = path.stat().st_mode & 0o777
    except OSError as error:
        raise SchartenError(f"{path} cannot be read: {error}", "Give the right file.") from error
    if mode & 0o077:
        raise SchartenError(
            f"{path} holds secrets and others may read it (mode {mode:o})", f"Run: chmod 600 {path}"
        )
