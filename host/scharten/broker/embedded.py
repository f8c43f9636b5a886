"""The embedded broker: MQTT 3.1.1 and 5 on one port, for this machine only, in a thread of its own.

A session ends with its connection; the rights of an account are checked at every packet; every queue has a limit.
The broker offers no shared subscriptions, topic aliases or subscription identifiers, and forwards no properties but
the message expiry.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from uuid import uuid4

from scharten.broker.accounts import Accounts
from scharten.broker.connection import Connection, warnings
from scharten.broker.limits import BrokerLimits, ConnectionSlots
from scharten.broker.packets import Connack, Connect, Properties, Property, ReasonCode, Version
from scharten.broker.session import Denied, Routing, Session
from scharten.contract.roles import Account, Acl
from scharten.errors import SchartenError
from scharten.system.loop_thread import LoopThread

log = logging.getLogger(__name__)
_RESERVED = frozenset({Account.HOST, Account.WEB, Account.SIMULATOR})


class EmbeddedBroker:
    """Serve on a loopback address; call `start` and `stop` in one asyncio loop.

    With `port` 0, `start` sets `port` to a free one. Retained messages live as long as the broker: the host publishes
    them at each connection.
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
        admitted: Callable[[asyncio.BaseTransport], object] = lambda transport: None,
    ) -> None:
        if not ipaddress.ip_address(host).is_loopback:
            raise SchartenError.coded("broker_here_only", host=host)
        self.port = port
        self._host, self._accounts, self._acl, self._limits = host, accounts, acl, limits or BrokerLimits()
        self._slots = ConnectionSlots(self._limits)
        self._routing, self._admitted = Routing(acl, denied), admitted

    @property
    def listening(self) -> bool:
        """Whether the port is open."""
        return self._server.is_serving() and all(listener.fileno() >= 0 for listener in self._server.sockets)

    async def start(self) -> None:
        """Listen; `SchartenError` when the port is taken."""
        loop = asyncio.get_running_loop()
        try:
            self._server = await loop.create_server(self.connection, self._host, self.port, backlog=1024)
        except OSError as error:
            raise SchartenError.coded("broker_port", host=self._host, port=self.port, why=error) from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Close the port and every connection."""
        with suppress(ValueError, OSError):  # its socket may be closed already
            self._server.close()
        for session in list(self._routing.sessions.values()):
            session.connection.close(ReasonCode.SERVER_SHUTTING_DOWN)
        self._slots.abort_all()
        while self._routing.sessions:
            await asyncio.sleep(0)

    def connection(self) -> Connection:
        """Make the protocol of a new socket."""
        return Connection(self._slots, self._let_in)

    def end_sessions(self, account: Account) -> None:
        """End every connection of an account, whose secret has changed; call it in the broker's loop."""
        for session in [held for held in self._routing.sessions.values() if held.account is account]:
            session.connection.close(ReasonCode.NOT_AUTHORIZED)

    def _let_in(self, connection: Connection, connect: Connect) -> None:
        """Make a session for a client, or refuse it; refuse a wrong secret with a delay."""
        account = self._accounts.account_of(connect.username, connect.password)
        reason, words = self._refusal(account, connect)
        if account is None or reason:
            name = (connect.username or "")[:32]
            warnings.warn(words, "a client with the name %r is refused: %s", name, words)
            wait_s = self._limits.wrong_secret_s if account is None else 0
            asyncio.get_running_loop().call_later(wait_s, connection.refuse, reason)
            return
        size = self._limits.packet_bytes if account is Account.HOST else self._limits.guest_packet_bytes
        connect, terms = self._terms(connect, size)
        if older := self._routing.sessions.get(connect.client_id):
            older.connection.drop(ReasonCode.SESSION_TAKEN_OVER, "it connected again")
            older.connection.end()
        self._slots.admit(connection.transport, account in _RESERVED)
        self._admitted(connection.transport)
        session = Session(self._routing, account, connect, connection)
        self._routing.sessions[connect.client_id] = session
        connection.serve(session, connect.keep_alive_s, size)
        connection.send(Connack(ReasonCode.SUCCESS, terms))

    def _refusal(self, account: Account | None, connect: Connect) -> tuple[ReasonCode, str]:
        """Return the reason for refusing a client, or `SUCCESS`."""
        if account is None:
            return ReasonCode.NOT_AUTHORIZED, "its name or secret is wrong"
        if connect.will and not self._acl.may_publish(account, connect.will.topic):
            return ReasonCode.NOT_AUTHORIZED, "its last will is for a topic that it may not write"
        held = self._routing.sessions.get(connect.client_id)
        if held is not None and held.account is not account:
            return ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "its client id belongs to another account"
        if not connect.client_id and connect.version is Version.V311 and not connect.clean_start:
            return ReasonCode.CLIENT_IDENTIFIER_NOT_VALID, "it has no client id but wants its session kept"
        if not self._slots.has_room(account in _RESERVED):
            return ReasonCode.QUOTA_EXCEEDED, f"all {self._limits.connections} places are taken"
        return ReasonCode.SUCCESS, ""

    def _terms(self, connect: Connect, largest: int) -> tuple[Connect, Properties]:
        """Return CONNECT with the broker's choices filled in, and the properties of CONNACK [3.2.2.3]."""
        terms: dict[Property, int | str] = {
            Property.SESSION_EXPIRY: 0,
            Property.RECEIVE_MAXIMUM: self._limits.in_flight,
            Property.MAXIMUM_PACKET_SIZE: largest,
            Property.SUBSCRIPTION_IDS_AVAILABLE: 0,
            Property.SHARED_AVAILABLE: 0,
        }
        if not connect.client_id:
            connect = replace(connect, client_id=f"auto-{uuid4().hex}")
            terms[Property.ASSIGNED_CLIENT_ID] = connect.client_id
        most_s = self._limits.keep_alive_s
        if connect.version is Version.V5 and not 0 < connect.keep_alive_s <= most_s:
            connect = replace(connect, keep_alive_s=most_s)
            terms[Property.SERVER_KEEP_ALIVE] = most_s
        return connect, terms


def listening(
    accounts: Accounts, acl: Acl, port: int, exactly: bool, denied: Denied
) -> LoopThread[EmbeddedBroker]:
    """Start an embedded broker at `port`; at a free one if it is taken and not `exactly` required."""
    thread = LoopThread(EmbeddedBroker(accounts, acl, port=port, denied=denied), "broker")
    try:
        thread.start()
    except SchartenError:
        if exactly:
            raise
        log.warning("port %d is taken: the embedded broker uses a free one", port)
        return listening(accounts, acl, 0, True, denied)
    return thread
