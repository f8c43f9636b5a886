"""The embedded broker: MQTT 3.1.1 and 5 on one port, for this machine only, in a thread of its own.

A session ends with its connection, so nothing waits for a client that is away; what an account may do is checked at
every packet; every queue has a limit. Shared subscriptions, topic aliases and subscription identifiers are not offered.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from dataclasses import replace
from uuid import uuid4

from scharten.contract.roles import Account, Acl
from scharten.errors import SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.connection import Connection
from scharten.mqtt.limits import BrokerLimits, ConnectionSlots, RateLimitedLog
from scharten.mqtt.loop_thread import LoopThread
from scharten.mqtt.packets import Connack, Connect, Properties, Property, ReasonCode, Version
from scharten.mqtt.session import Denied, Routing, Session

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)

_RESERVED = frozenset({Account.HOST, Account.WEB, Account.SIMULATOR})


class EmbeddedBroker:
    """Serves on a loopback address; `start` and `stop` belong to one asyncio loop.

    `port` 0 takes a free one; after `start`, `port` says which. Retained messages live as long as the broker: the
    host publishes them again whenever it connects.
    """

    def __init__(
        self,
        accounts: Accounts,
        acl: Acl,
        *,
        host: str = "127.0.0.1",
        port: int = 1883,
        limits: BrokerLimits | None = None,
        denied: Denied = lambda account, topic: None,
    ) -> None:
        if not ipaddress.ip_address(host).is_loopback:
            raise SchartenError(
                f"the embedded broker does not listen on {host}: it serves this machine only",
                "For other devices use Mosquitto: 'scharten broker-config' writes its configuration.",
            )
        self.port = port
        self._host, self._accounts, self._acl, self._limits = host, accounts, acl, limits or BrokerLimits()
        self._slots = ConnectionSlots(self._limits)
        self._routing = Routing(acl, denied)

    async def start(self) -> None:
        """Listens; `SchartenError` when the port is taken."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self.connection, self._host, self.port, backlog=1024)
        except OSError as error:
            raise SchartenError(
                f"the embedded broker cannot listen on {self._host}:{self.port}: {error}",
                "Is a broker running there already? Set broker.port to a free port, or broker.url to that broker.",
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Closes the port and every connection."""
        self._server.close()
        for session in list(self._routing.sessions.values()):
            session.connection.close(ReasonCode.SERVER_SHUTTING_DOWN)
        self._slots.abort_all()
        while self._routing.sessions:
            await asyncio.sleep(0)

    # Connecting

    def connection(self) -> Connection:
        """What serves one more socket."""
        return Connection(self._slots, self._let_in)

    def _let_in(self, connection: Connection, connect: Connect) -> None:
        """Makes a session for a newcomer, or refuses it with the reason, one with a wrong secret after a while."""
        account = self._accounts.account_of(connect.username, connect.password)
        reason = self._refusal(account, connect)
        if account is None or reason:
            if account is None:
                later = asyncio.get_running_loop().call_later
                later(self._limits.wrong_secret_s, _refuse, connection, reason)
            else:
                _refuse(connection, reason)
            return
        connect, assigned = self._assigned(connect)
        if older := self._routing.sessions.get(connect.client_id):
            older.connection.drop(ReasonCode.SESSION_TAKEN_OVER, "it connected again")
            older.connection.end()
        self._slots.admit(connection, account in _RESERVED)
        size = self._limits.packet_bytes if account is Account.HOST else self._limits.guest_packet_bytes
        session = self._routing.sessions[connect.client_id] = Session(
            self._routing, account, connect, connection
        )
        connection.serve(session, connect.keep_alive_s, size)
        connection.send(Connack(ReasonCode.SUCCESS, (*self._offer(size), *assigned)))

    def _refusal(self, account: Account | None, connect: Connect) -> ReasonCode:
        """Why a client is not let in, or `SUCCESS`; no other client has been touched yet."""
        if account is None:
            name = (connect.username or "")[:32]
            warnings.warn("secret", "a wrong name or secret was given for the account %r", name)
            return ReasonCode.NOT_AUTHORIZED
        if connect.will and not self._acl.may_publish(account, connect.will.topic):
            warnings.warn(
                "will", "a client of %s is refused: its last will is for a topic it may not write", account
            )
            return ReasonCode.NOT_AUTHORIZED
        held = self._routing.sessions.get(connect.client_id)
        if held is not None and held.account is not account:
            warnings.warn(
                "id", "a client of %s is refused: its client id belongs to another account", account
            )
            return ReasonCode.CLIENT_IDENTIFIER_NOT_VALID
        if not connect.client_id and connect.version is Version.V311 and not connect.clean_start:
            return ReasonCode.CLIENT_IDENTIFIER_NOT_VALID
        if not self._slots.has_room(account in _RESERVED):
            warnings.warn("full", "a client is refused: all %d places are taken", self._limits.connections)
            return ReasonCode.QUOTA_EXCEEDED
        return ReasonCode.SUCCESS

    def _assigned(self, connect: Connect) -> tuple[Connect, Properties]:
        """The CONNECT with what the broker decides for the client, and the words for that [3.2.2.3]."""
        told: Properties = ()
        if not connect.client_id:
            connect = replace(connect, client_id=f"auto-{uuid4().hex}")
            told = ((Property.ASSIGNED_CLIENT_ID, connect.client_id),)
        most = self._limits.keep_alive_s
        if connect.version is Version.V5 and not 0 < connect.keep_alive_s <= most:
            connect = replace(connect, keep_alive_s=most)
            told = (*told, (Property.SERVER_KEEP_ALIVE, most))
        return connect, told

    def _offer(self, largest: int) -> Properties:
        """What this broker does and does not do, for a client of MQTT 5 [3.2.2.3]; QoS 2 is what no word means."""
        return (
            (Property.SESSION_EXPIRY, 0),
            (Property.RECEIVE_MAXIMUM, self._limits.in_flight),
            (Property.RETAIN_AVAILABLE, 1),
            (Property.MAXIMUM_PACKET_SIZE, largest),
            (Property.WILDCARDS_AVAILABLE, 1),
            (Property.SUBSCRIPTION_IDS_AVAILABLE, 0),
            (Property.SHARED_AVAILABLE, 0),
        )


def _refuse(connection: Connection, reason: ReasonCode) -> None:
    connection.send(Connack(reason))
    connection.close()


def listening(
    accounts: Accounts, acl: Acl, port: int, exactly: bool, denied: Denied
) -> LoopThread[EmbeddedBroker]:
    """An embedded broker that listens: at this port, or, unless it must be exactly this one, at a free one."""
    thread = LoopThread(EmbeddedBroker(accounts, acl, port=port, denied=denied), "broker")
    try:
        thread.start()
    except SchartenError:
        if exactly:
            raise
        log.warning("port %d is taken: the embedded broker uses a free one", port)
        thread = LoopThread(EmbeddedBroker(accounts, acl, port=0, denied=denied), "broker")
        thread.start()
    return thread
