"""Write the configuration of a club's bridge to a centre, and of the centre's own Mosquitto.

A bridge only sends, and only public topics: no message of the centre reaches a board. Its session
starts clean at each connection: it sends the newest retained messages, finished games too, and no backlog.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from scharten.contract.roles import GRANTS, KEPT, Account
from scharten.mqtt.address import BrokerAddress

ARCHIVE = "archive"
MEMORY_LIMIT = 1 << 30
"""Bytes that the centre's Mosquitto may use: about 200 boards with eight finished games of the largest size."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A club's bridge: the centre's address with the club's account there."""

    centre: BrokerAddress
    prefix: str
    club: str


def account_of(club: str) -> str:
    """Return a club's user name at the centre."""
    return f"club-{club}"


def bridge_text(bridge: Bridge) -> str:
    """Return the addition to the club's `mosquitto.conf`; it holds the club's password at the centre."""
    account, centre = bridge.centre.account, bridge.centre
    lines = [
        "",
        "# Made by 'scharten broker-config --bridge': what all may see goes to the centre, nothing comes back.",
        f"connection {account_of(bridge.club)}",
        f"address {centre.host}:{centre.port}",
        *(f"topic {bridge.prefix}/{bridge.club}/+/{topic} out 1" for topic in GRANTS[Account.DISPLAY].reads),
        *((f"remote_username {account.username}", f"remote_password {account.password}") if account else ()),
        *((f"bridge_cafile {centre.ca_file}",) if centre.ca_file else ()),
        *(("bridge_capath /etc/ssl/certs",) if centre.tls and not centre.ca_file else ()),
        "cleansession true",
        "local_cleansession true",
        "notifications false",
        "restart_timeout 2 30",
        "keepalive_interval 15",
    ]
    return "\n".join([*lines, ""])


@dataclass(frozen=True, slots=True)
class Centre:
    """A broker to which clubs send; `tls` is the folder of its certificate."""

    clubs: tuple[str, ...]
    prefix: str = "scharten"
    bind: str = "0.0.0.0"
    port: int = 1883
    tls: Path | None = None
    boards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The boards of a club, by its name; a club without an entry may publish for any board."""

    def accounts(self) -> tuple[str, ...]:
        """Return the user names: the clubs', which write their own topics, and the archive's, which reads all."""
        return (*(account_of(club) for club in self.clubs), ARCHIVE)


def centre_conf(centre: Centre, password_file: Path, acl_file: Path) -> str:
    """Return the centre's `mosquitto.conf`; retained messages survive a restart, since clubs may be offline then."""
    tls = centre.tls
    lines = [
        "# Made by 'scharten centre-config'.",
        f"listener {centre.port} {centre.bind}",
        *((f"cafile {tls}/ca.pem", f"certfile {tls}/server.pem", f"keyfile {tls}/server.key") if tls else ()),
        "allow_anonymous false",
        f"password_file {password_file}",
        f"acl_file {acl_file}",
        "max_packet_size 1048576",
        "max_queued_messages 1000",
        "max_queued_bytes 16777216",
        f"memory_limit {MEMORY_LIMIT}",
        "persistence true",
        f"persistence_location {acl_file.parent}/",
        "set_tcp_nodelay true",
        "log_dest stderr",
        "log_type error",
        "log_type warning",
    ]
    return "\n".join([*lines, ""])


def centre_acl(centre: Centre) -> str:
    """Return the centre's ACL; no account may write a command."""
    public = GRANTS[Account.DISPLAY].reads
    written = (*(topic for topic in public if "+" not in topic), *KEPT, "forgotten/organiser")
    lines = ["# Made by 'scharten centre-config'.", ""]
    for club in centre.clubs:
        lines += [f"user {account_of(club)}"]
        boards = centre.boards.get(club) or ("+",)
        lines += [
            f"topic write {centre.prefix}/{club}/{board}/{topic}" for board in boards for topic in written
        ]
        lines += [""]
    lines += [f"user {ARCHIVE}", *(f"topic read {centre.prefix}/+/+/{topic}" for topic in public), ""]
    return "\n".join(lines)
