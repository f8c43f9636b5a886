"""A centre: a broker at which hosts and guests meet. It is open to all, and carries only their connections and a lobby.

Rooms are found by name only, nothing of them is retained, and every queue is bounded.
"""

from __future__ import annotations

import asyncio
import ssl
from dataclasses import dataclass
from pathlib import Path

from scharten.broker.accounts import Accounts
from scharten.broker.embedded import EmbeddedBroker
from scharten.broker.limits import BrokerLimits
from scharten.contract.roles import Account, Acl, Grant
from scharten.contract.topics import Topics
from scharten.display.listener import ConnectionLimits, Listener
from scharten.errors import SchartenError
from scharten.remote.meeting import ROOT, is_lobby_topic, is_room_topic
from scharten.system.tls import ensure_tls

_LIMITS = ConnectionLimits(connections=600, per_address=64)
_BROKER = BrokerLimits(
    connections=600, waiting=64, reserved=0, guest_packet_bytes=20 * 1024, subscriptions=4, in_flight=500
)


@dataclass(frozen=True, slots=True)
class MeetingAcl(Acl):
    """All may write in rooms and lobby, and read rooms whose name they know."""

    def grant(self, account: Account) -> Grant:
        """Return the account's filters."""
        return Grant((f"{ROOT}/#",), (f"{ROOT}/#",)) if account is Account.DISPLAY else Grant()

    def may_publish(self, account: Account, topic: str) -> bool:
        """Whether the topic is in a room or the lobby."""
        return account is Account.DISPLAY and (is_room_topic(topic) or is_lobby_topic(topic))

    def may_subscribe(self, account: Account, topic_filter: str) -> bool:
        """Whether the filter names its room."""
        levels = topic_filter.split("/")
        named = len(levels) >= 3 and levels[0] == ROOT and levels[1] not in ("+", "#")
        return account is Account.DISPLAY and named

    def may_retain(self, topic: str) -> bool:
        """Whether a message stays: only in the lobby."""
        return is_lobby_topic(topic)


class Centre:
    """The server of a `LoopThread`; with `port` 0 it sets `port` to a free one."""

    def __init__(self, folder: Path, host: str, port: int) -> None:
        files = ensure_tls(folder / "centre-tls", (host,))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.minimum_version = ssl.TLSVersion.TLSv1_3
        context.load_cert_chain(files.certificate, files.key)
        self.host, self.port = host, port
        self._broker = EmbeddedBroker(
            Accounts({}),
            MeetingAcl(Topics("none", "none", "none")),
            port=0,
            limits=_BROKER,
            admitted=self._admitted,
        )
        self._listener = Listener(self._broker.connection, context, _LIMITS)

    @property
    def listening(self) -> bool:
        """Whether the port is open."""
        return self._listener.listening

    async def start(self) -> None:
        """Listen; `SchartenError` when the port is taken."""
        await self._broker.start()
        try:
            self.port = await self._listener.start(self.host, self.port)
        except OSError as error:
            await self._broker.stop()
            raise SchartenError.coded("centre_port", port=self.port, why=error.strerror or error) from error

    async def stop(self) -> None:
        """Close every connection."""
        await self._listener.stop()
        await self._broker.stop()

    def _admitted(self, transport: asyncio.BaseTransport) -> None:
        self._listener.served(transport, page=True)
