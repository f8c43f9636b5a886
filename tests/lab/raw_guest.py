"""A guest that keeps no rule, connected to a host, and the host's stored inputs of its game."""

from __future__ import annotations

import json
import sqlite3
import ssl
from collections.abc import Iterable
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from lab.daemon_process import wait_for
from lab.two_boards import SECONDS, TwoBoards
from scharten.mqtt.network_thread import stop_thread
from scharten.remote.invitation import Link


class RawGuest:
    """An MQTT client on the host's port for guests, with any login."""

    def __init__(self, link: Link, password: str) -> None:
        self.received: list[tuple[str, bytes]] = []
        self.refused = self.closed = False
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.username_pw_set("guest", password)
        self._client.tls_set(cert_reqs=ssl.CERT_NONE)
        self._client.tls_insecure_set(True)
        self._client.on_message = lambda _c, _d, message: self.received.append(
            (message.topic, bytes(message.payload))
        )
        self._client.on_connect = self._on_connect
        self._client.on_disconnect = self._on_disconnect
        self._client.connect(link.host, link.port)
        self._client.loop_start()

    def _on_connect(self, _client: Client, _data: Any, _flags: Any, reason: Any, _properties: Any) -> None:
        self.refused = reason.is_failure
        self._client.subscribe("#", 1)

    def _on_disconnect(self, *_args: object) -> None:
        self.closed = True

    def send(self, topic: str, payload: bytes) -> None:
        """Publish, and wait until the broker has it or has closed the connection."""
        info = self._client.publish(topic, payload, 1)
        wait_for(lambda: self.closed or info.is_published(), SECONDS, "the broker's answer")

    def flood(self, topic: str, payloads: Iterable[bytes]) -> None:
        """Publish all without waiting in between, then wait until the broker has each or has closed the connection."""
        infos = [self._client.publish(topic, payload, 1) for payload in payloads]
        wait_for(lambda: self.closed or all(info.is_published() for info in infos), SECONDS, "all answers")

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        stop_thread(self._client)


def own_rows(boards: TwoBoards) -> list[dict[str, Any]]:
    """The stored inputs of the host's present game."""
    with sqlite3.connect(boards.host.folder / "scharten.sqlite3") as db:
        query = "SELECT body FROM inputs WHERE match = ? ORDER BY n"
        return [json.loads(body) for (body,) in db.execute(query, (boards.at_host.state["match"],))]


def guest_darts(boards: TwoBoards) -> list[tuple[int, ...]]:
    """The ids of the guest's darts in the host's journal."""
    return [tuple(row["receipt"]) for row in own_rows(boards) if row.get("place") == "seat2"]
