"""Write the configuration of a NATS server, or of each node of a cluster, for a club.

The accounts and their rights are those of Mosquitto's files (`mosquitto.py`); a topic's `/` is a `.` there. NATS
refuses a subscription that is wider than its permission, so accounts of all boards get one permission with a wildcard.
The file is JSON, which NATS reads, and holds the passwords.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from scharten.club_broker.federation import ARCHIVE
from scharten.club_broker.mosquitto import Tls, username
from scharten.contract.roles import GRANTS, OF_ALL_BOARDS, Account, Acl, Grant, discovery_topic
from scharten.contract.topics import Topics

ROUTES = "nats-routes"
"""The account by which the nodes of a cluster connect to each other."""
STORE_BYTES, BOARD_BYTES = 256 << 20, 16 << 20
"""Bytes on disk for retained messages, and more for each board: eight finished games of 1 MB, its other topics."""


@dataclass(frozen=True, slots=True)
class NatsNode:
    """One server: its name and host in the cluster, and its ports for MQTT, the other nodes, and programs on it."""

    name: str
    host: str
    bind: str = "0.0.0.0"
    mqtt_port: int = 1883
    route_port: int = 6222
    client_port: int = 4222


@dataclass(frozen=True, slots=True)
class NatsClub:
    """The boards of a club behind these nodes: one, or three or five as a cluster."""

    boards: tuple[str, ...]
    nodes: tuple[NatsNode, ...]
    prefix: str = "scharten"
    name: str = "home"
    anonymous_display: bool = False
    tls: Tls | None = None

    def accounts(self) -> tuple[str, ...]:
        """Return the user names that have a secret."""
        return (*self.grants(), *((ROUTES,) if len(self.nodes) > 1 else ()))

    def grants(self) -> dict[str, Grant]:
        """Return the topics that each account may read and write, by its user name."""
        grants = {
            username(board, account): Acl(Topics(self.prefix, self.name, board)).grant(account)
            for board in self.boards
            for account in Account
            if account not in OF_ALL_BOARDS
        }
        found = tuple(discovery_topic(Topics(self.prefix, self.name, board)) for board in self.boards)
        root = f"{self.prefix}/{self.name}/+"
        for account in sorted(OF_ALL_BOARDS):
            grant = GRANTS[account]
            reads = (*(f"{root}/{topic}" for topic in grant.reads), *found)
            grants[account.value] = Grant(reads, tuple(f"{root}/{topic}" for topic in grant.writes))
        public = tuple(f"{self.prefix}/+/+/{topic}" for topic in GRANTS[Account.DISPLAY].reads)
        return {**grants, ARCHIVE: Grant(public)}


def nats_text(club: NatsClub, node: NatsNode, passwords: Mapping[str, str], store: Path) -> str:
    """Return the configuration of one node; retained messages lie in the folder `store`, on every node."""
    boards = max(1, len(club.boards))
    mqtt: dict[str, Any] = {
        "listen": f"{node.bind}:{node.mqtt_port}",
        "stream_replicas": len(club.nodes),
        "max_ack_pending": 100,
    }
    if club.anonymous_display:
        mqtt["no_auth_user"] = Account.DISPLAY.value
    if club.tls:
        mqtt["tls"] = {"cert_file": str(club.tls.certificate), "key_file": str(club.tls.key)}
    conf: dict[str, Any] = {
        "server_name": node.name,
        "listen": f"127.0.0.1:{node.client_port}",
        "max_connections": 128 * boards,
        "max_payload": 1 << 20,
        "jetstream": {
            "store_dir": str(store),
            "max_memory_store": 64 << 20,
            "max_file_store": STORE_BYTES + boards * BOARD_BYTES,
        },
        "mqtt": mqtt,
        "authorization": {"users": _users(club.grants(), passwords)},
    }
    if len(club.nodes) > 1:
        secret = passwords[ROUTES]
        conf["cluster"] = {
            "name": f"{club.prefix}-{club.name}",
            "listen": f"{node.bind}:{node.route_port}",
            "authorization": {"user": ROUTES, "password": secret},
            "routes": [f"nats://{ROUTES}:{secret}@{other.host}:{other.route_port}" for other in club.nodes],
        }
    return f"# Made by 'scharten broker-config --for nats'.\n{json.dumps(conf, indent=1)}\n"


def _users(grants: Mapping[str, Grant], passwords: Mapping[str, str]) -> list[dict[str, Any]]:
    """Return the accounts; a message of QoS 1 arrives on a subject of `$MQTT.sub`, whatever its topic."""
    return [
        {
            "user": name,
            "password": passwords[name],
            "permissions": {
                "publish": _allowed(grant.writes),
                "subscribe": _allowed((*grant.reads, "$MQTT.sub.>")),
            },
        }
        for name, grant in grants.items()
    ]


def _allowed(filters: Iterable[str]) -> dict[str, list[str]]:
    """Return a permission; an empty list of what is allowed would allow everything."""
    subjects = [topic.replace("/", ".").replace("+", "*").replace("#", ">") for topic in filters]
    return {"allow": subjects} if subjects else {"deny": [">"]}
