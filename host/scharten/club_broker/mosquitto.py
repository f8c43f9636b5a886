"""Write Mosquitto's configuration, ACL and password file for a club.

The ACL is made from the same table as the embedded broker's (`contract.roles`). Accounts are `<board>-<account>`,
so that the first seat of one board cannot move on another; `display` and `organiser` are of every board.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from scharten.contract.roles import GRANTS, OF_ALL_BOARDS, Account, Acl
from scharten.contract.topics import Topics

MEMORY_LIMIT, BOARD_BYTES = 64 << 20, 16 << 20
"""Bytes that Mosquitto may use, and more for each board: eight finished games of 1 MB, its other topics, queues."""
_ITERATIONS = 101
"""Mosquitto's own number; enough, because the secrets are random."""


@dataclass(frozen=True, slots=True)
class Tls:
    """The broker's certificate and its authority."""

    ca: Path
    certificate: Path
    key: Path


@dataclass(frozen=True, slots=True)
class ClubBroker:
    """The boards of a club behind one Mosquitto: `port` is for everybody, `house_port` for the boards' own machines."""

    boards: tuple[str, ...]
    prefix: str = "scharten"
    name: str = "home"
    bind: str = "127.0.0.1"
    port: int = 1883
    house_bind: str = "127.0.0.1"
    house_port: int = 1884
    anonymous_display: bool = False
    tls: Tls | None = None

    def accounts(self) -> tuple[str, ...]:
        """Return the user names; those of all boards come last."""
        per_board = [account for account in Account if account not in OF_ALL_BOARDS]
        return (
            *(username(board, account) for board in self.boards for account in per_board),
            *(account.value for account in Account if account in OF_ALL_BOARDS),
        )


def username(board: str, account: Account) -> str:
    """Return the user name of a board's account."""
    return account.value if account in OF_ALL_BOARDS else f"{board}-{account}"


def password_text(passwords: Mapping[str, str], salt_of: Mapping[str, bytes]) -> str:
    """Return the password file: PBKDF2-SHA512 in Mosquitto's `$7$` form, with a salt of 12 random bytes per user."""
    return "".join(f"{name}:{_hashed(secret, salt_of[name])}\n" for name, secret in passwords.items())


def acl_text(club: ClubBroker) -> str:
    """Return the ACL file; an account may read and write nothing but its grants."""
    lines = ["# Made by 'scharten broker-config': who may read and write what.", ""]
    if club.anonymous_display:
        lines += ["# Without an account: read only.", *_every_board(club, Account.DISPLAY), ""]
    for board in club.boards:
        for account in GRANTS:
            if account not in OF_ALL_BOARDS:
                lines += [f"user {username(board, account)}", *_lines(club, board, account), ""]
    for account in Account:
        if account in OF_ALL_BOARDS:
            lines += [f"user {account}", *_every_board(club, account), ""]
    return "\n".join(lines)


def conf_text(club: ClubBroker, password_file: Path, acl_file: Path) -> str:
    """Return `mosquitto.conf`: limits as in the embedded broker, no messages stored for offline clients.

    A silent connection holds its place for 90 s, so the boards have a listener with places of their own.
    """
    boards = max(1, len(club.boards))
    lines = [
        "# Made by 'scharten broker-config'.",
        "# Displays, players, other devices.",
        f"listener {club.port} {club.bind}",
        f"max_connections {112 * boards}",
        *_tls_lines(club.tls),
        "# The boards' own machines, which no crowd of the others can keep out.",
        f"listener {club.house_port} {club.house_bind}",
        f"max_connections {16 * boards}",
        *_tls_lines(club.tls),
        "# Both.",
        f"allow_anonymous {'true' if club.anonymous_display else 'false'}",
        f"password_file {password_file}",
        f"acl_file {acl_file}",
        "max_packet_size 1048576",
        "max_inflight_messages 100",
        "max_queued_messages 1000",
        "max_queued_bytes 4194304",
        f"memory_limit {MEMORY_LIMIT + boards * BOARD_BYTES}",
        "persistence false",
        "set_tcp_nodelay true",
        "sys_interval 0",
        "log_dest stderr",
        "log_type error",
        "log_type warning",
        "log_type notice",
    ]
    return "\n".join([*lines, ""])


def _tls_lines(tls: Tls | None) -> Sequence[str]:
    if tls is None:
        return ()
    return f"cafile {tls.ca}", f"certfile {tls.certificate}", f"keyfile {tls.key}", "tls_version tlsv1.2"


def _lines(club: ClubBroker, board: str, account: Account) -> list[str]:
    grant = Acl(Topics(club.prefix, club.name, board)).grant(account)
    both = set(grant.reads) & set(grant.writes)
    return [
        *(f"topic readwrite {topic}" for topic in grant.reads if topic in both),
        *(f"topic read {topic}" for topic in grant.reads if topic not in both),
        *(f"topic write {topic}" for topic in grant.writes if topic not in both),
    ]


def _every_board(club: ClubBroker, account: Account) -> list[str]:
    return [line for board in club.boards for line in _lines(club, board, account)]


def _hashed(secret: str, salt: bytes) -> str:
    digest = hashlib.pbkdf2_hmac("sha512", secret.encode(), salt, _ITERATIONS)
    return f"$7${_ITERATIONS}${base64.b64encode(salt).decode()}${base64.b64encode(digest).decode()}"
