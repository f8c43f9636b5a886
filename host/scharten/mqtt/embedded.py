"""The embedded broker: amqtt 0.12, closed down, for this machine only.

What amqtt does as shipped, and what is done about it here:

1. retained messages reach clients that subscribed to nothing → given once per subscription, checked by the ACL
2. a silent client is never dropped, its last will never spoken → `Connection` reads within 1.5 keep-alives
3. a wrong password makes the real client deaf → the secret is checked before any session is touched
4. a second connection leaves the first one deaf → the first is closed, and only its own account may do that
5. a second SUBSCRIBE with a higher QoS is ignored → the newer QoS holds
6. a client that never reads is buffered without bound → `Outbox.offer` drops it
7. no ACL, all interfaces, anyone → `Acl` on publish, subscribe, receive and last will; 127.0.0.1 only; without an
   account, read-only
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
from dataclasses import dataclass

from amqtt.adapters import StreamReaderAdapter, StreamWriterAdapter
from amqtt.broker import Broker
from amqtt.contexts import Action, BrokerConfig, ListenerConfig
from amqtt.errors import AMQTTError, BrokerError, MQTTError
from amqtt.mqtt.connack import ConnackPacket
from amqtt.mqtt.constants import QOS_2
from amqtt.mqtt.packet import CONNECT
from amqtt.session import IncomingApplicationMessage, Session

from scharten.contract.roles import Account, Acl, matches
from scharten.errors import SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.connection import Connection, Limits
from scharten.mqtt.gate import Gate, Guest
from scharten.mqtt.outbox import Outgoing
from scharten.mqtt.packets import BadPacketError, PacketBytes, read_packet
from scharten.mqtt.seldom import Seldom

log = logging.getLogger(__name__)
seldom = Seldom(log)

_ACCOUNT = "scharten.account"
_IDENTIFIER_REJECTED, _UNAVAILABLE, _NOT_AUTHORIZED, _NOT_SUBSCRIBED = 0x02, 0x03, 0x05, 0x80
"""Return codes of CONNACK and SUBACK (MQTT 3.1.1, 3.2.2.3 and 3.9.3)."""
_HOUSE = frozenset({Account.HOST, Account.WEB, Account.SIMULATOR})
"""The daemon's own accounts: a crowd of others cannot take their places."""


class EmbeddedBroker:
    """An MQTT 3.1.1 broker on a loopback address; `start` and `stop` belong to one asyncio loop.

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
        limits: Limits | None = None,
    ) -> None:
        if not ipaddress.ip_address(host).is_loopback:
            raise SchartenError(
                f"the embedded broker does not listen on {host}: it serves this machine only",
                "For other devices use Mosquitto: 'scharten broker-config' writes its configuration.",
            )
        self._host, self.port = host, port
        self._accounts, self._acl, self._limits = accounts, acl, limits or Limits()
        self._broker: _ClosedBroker | None = None

    async def start(self) -> None:
        """Listens; a port that is taken is a `SchartenError` that says so."""
        # At lower levels amqtt writes whole packets (a CONNECT has a secret in it) and what any client can cause.
        logging.getLogger("amqtt").setLevel(logging.ERROR)
        listener = ListenerConfig(bind=f"{self._host}:{self.port}")
        config = BrokerConfig(listeners={"default": listener}, plugins={})
        self._broker = _ClosedBroker(config, self._accounts, self._acl, self._limits)
        try:
            await self._broker.start()
        except BrokerError as error:
            raise SchartenError(
                f"the embedded broker cannot listen on {self._host}:{self.port}: {error}",
                "Is a broker running there already? Set broker.port to a free port, or broker.url to that broker.",
            ) from error
        self.port = self._broker.listening_port

    async def stop(self) -> None:
        """Closes every connection and the port."""
        if self._broker is not None:
            await self._broker.shutdown()
            self._broker = None

    @property
    def connections(self) -> int:
        """Clients that have said who they are."""
        return self._broker.gate.inside if self._broker else 0


class _ClosedBroker(Broker):  # type: ignore[misc]  # amqtt ships no types
    """amqtt's broker with its connection path, delivery and ACL replaced; its session and packet code kept."""

    def __init__(self, config: BrokerConfig, accounts: Accounts, acl: Acl, limits: Limits) -> None:
        super().__init__(config)
        self._accounts, self._acl, self._limits = accounts, acl, limits
        self.gate = Gate(limits.connections, limits.waiting, limits.kept_for_the_house)

    @property
    def listening_port(self) -> int:
        """The port that was bound."""
        port: int = self._servers["default"].instance.sockets[0].getsockname()[1]
        return port

    async def shutdown(self) -> None:
        """Shows everyone out, then closes."""
        self.gate.close()
        await super().shutdown()

    async def _session_monitor(self) -> None:
        """Nothing to watch: a session ends with its connection, so amqtt's clean-up by client id is not run."""

    # Connecting

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        """One connection from its first byte to its last."""
        guest = self.gate.enter(writer.transport.abort)
        if guest is None:
            writer.transport.abort()
            return
        try:
            await self._serve(guest, reader, writer)
        except (
            BadPacketError,
            AMQTTError,
            MQTTError,
            TimeoutError,
            asyncio.IncompleteReadError,
            OSError,
        ) as error:
            # For debugging only: a stranger could fill a disk with such lines.
            log.debug("a connection ended before it was a client: %s", error or type(error).__name__)
        finally:
            self.gate.leave(guest)
            writer.close()

    async def _serve(self, guest: Guest, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        limits = self._limits
        async with asyncio.timeout(limits.connect_s):
            header, body = await read_packet(reader, limits.connect_bytes, limits.connect_s)
            if header.packet_type != CONNECT:
                raise BadPacketError("the first packet is no CONNECT")
            connection, session = await Connection.init_from_connect(
                PacketBytes(header.to_bytes() + body), StreamWriterAdapter(writer), self.plugins_manager
            )
            refused = await self._refusal(session)
            ours = session.attributes.get(_ACCOUNT) in _HOUSE
        if refused is None and not self.gate.has_room(ours):
            seldom.warn("full", "a client is refused: all %d places are taken", limits.connections)
            refused = _UNAVAILABLE
        if refused is None and not self.gate.admit(guest, ours):
            return
        if refused is not None:
            writer.write(ConnackPacket.build(0, refused).to_bytes())
            await writer.drain()
            return
        await self._take_over(session)
        await self._run(connection, session, reader, writer)

    async def _refusal(self, session: Session) -> int | None:
        """Why a client is not let in, as MQTT's return code; no session has been touched yet."""
        account = self._accounts.account_of(session.username, session.password)
        session.password = None
        if account is None:
            seldom.warn(
                "secret", "a wrong name or secret was given for the account %r", (session.username or "")[:32]
            )
            await asyncio.sleep(self._limits.wrong_secret_s)
            return _NOT_AUTHORIZED
        session.attributes[_ACCOUNT] = account
        if session.will_flag and not self._acl.may_publish(account, session.will_topic or ""):
            seldom.warn(
                "will", "a client of %s is refused: its last will is for a topic it may not write", account
            )
            return _NOT_AUTHORIZED
        held, _ = self._sessions.get(session.client_id or "", (None, None))
        if held is not None and held.attributes[_ACCOUNT] is not account:
            seldom.warn("id", "a client of %s is refused: its client id belongs to another account", account)
            return _IDENTIFIER_REJECTED
        return None

    async def _take_over(self, session: Session) -> None:
        """A client that connects again replaces its older connection, which is closed first (MQTT 3.1.1, 3.1.4-2)."""
        while held := self._sessions.get(session.client_id or ""):
            holder, older = held
            if holder.attributes[_ACCOUNT] is not session.attributes[_ACCOUNT]:
                raise BadPacketError("while it waited, another account took its client id")
            older.drop("it connected again")
            async with asyncio.timeout(self._limits.connect_s):
                await older.finished.wait()

    async def _run(
        self,
        connection: Connection,
        session: Session,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """A client's life: CONNACK, messages, last will, and nothing kept of it."""
        account: Account = session.attributes[_ACCOUNT]
        client_id = session.client_id or ""
        # Nothing is kept for a client that is away, so that no stale command waits for it.
        session.clean_session = True
        connection.attach(session, StreamReaderAdapter(reader), StreamWriterAdapter(writer))
        limit = self._limits.packet_bytes if account is Account.HOST else self._limits.guest_packet_bytes
        connection.open(_Desk(self, session, connection), reader, writer, self._limits, limit)
        self._sessions[client_id] = (session, connection)
        session.transitions.connect()
        try:
            await connection.mqtt_connack_authorize(True)
            await connection.start()
            left = asyncio.ensure_future(connection.wait_disconnect())
            await asyncio.wait([left])
            await self._handle_disconnect(session, connection, left)
        finally:
            await self._del_all_subscriptions(session)
            self._sessions.pop(client_id, None)
            connection.finished.set()

    # Messages

    async def receive(self, session: Session, message: IncomingApplicationMessage) -> None:
        """Keeps and passes on what its sender may write; drops the rest (MQTT 3.1.1 has no word for a refusal)."""
        if not self._acl.may_publish(session.attributes[_ACCOUNT], message.topic):
            log.debug("%s may not write %r: dropped", session.attributes[_ACCOUNT], message.topic[:100])
            return
        if message.retain:
            await self.retain_message(session, message.topic, message.data, message.qos)
        # A retained command keeps its mark, so that the host ignores and clears it also while it listens.
        marked = bool(message.retain) and self._acl.topics.role_of(message.topic) is not None
        await self._broadcast_message(session, message.topic, message.data, message.qos, marked)
        # A sender whose packets are all here already must not keep the others waiting.
        await asyncio.sleep(0)

    async def _broadcast_message(
        self,
        session: Session | None,
        topic: str | None,
        data: bytes | bytearray | None,
        force_qos: int | None = None,
        marked: bool = False,
    ) -> None:
        """Offers a message once to each client that subscribed to it and may read it."""
        if topic is None or data is None:
            return
        best: dict[str, int] = {}
        for topic_filter, takers in self._subscriptions.items():
            if matches(topic_filter, topic):
                for taker, granted in takers:
                    name = taker.client_id or ""
                    best[name] = max(best.get(name, 0), granted)
        content = bytes(data)
        for name, granted in best.items():
            taker, connection = self._sessions.get(name, (None, None))
            if isinstance(connection, Connection) and taker is not None:
                qos = granted if force_qos is None else min(granted, force_qos)
                self._offer(taker, connection, Outgoing(topic, content, qos, marked))

    def _offer(self, taker: Session, connection: Connection, message: Outgoing) -> None:
        if self._acl.may_receive(taker.attributes[_ACCOUNT], message.topic):
            connection.offer(message)

    async def _topic_filtering(self, session: Session, topic: str, action: Action) -> bool:
        """amqtt's question, asked by its own code when a client subscribes."""
        account: Account = session.attributes[_ACCOUNT]
        if action is Action.SUBSCRIBE:
            return self._acl.may_subscribe(account, topic)
        return (
            self._acl.may_receive(account, topic)
            if action is Action.RECEIVE
            else self._acl.may_publish(account, topic)
        )

    async def subscribe(self, session: Session, topic_filter: str, qos: int) -> int:
        """The QoS granted, or 0x80 for a filter that is wrong, not allowed, or one too many."""
        held = sum(any(taker is session for taker, _ in takers) for takers in self._subscriptions.values())
        if held >= self._limits.subscriptions:
            return _NOT_SUBSCRIBED
        granted: int = await self.add_subscription((topic_filter, qos), session)
        takers = self._subscriptions.get(topic_filter, [])
        for place, (taker, _) in enumerate(takers):
            if taker is session and granted <= QOS_2:
                takers[place] = (session, granted)
        return granted

    def unsubscribe(self, session: Session, topic_filter: str) -> None:
        """Ends a subscription and forgets a filter that nobody holds."""
        self._del_subscription(topic_filter, session)
        if not self._subscriptions.get(topic_filter, True):
            del self._subscriptions[topic_filter]

    def offer_retained(self, session: Session, connection: Connection, topic_filter: str, qos: int) -> None:
        """The retained messages of one new subscription, to this client only."""
        for topic, kept in self._retained_messages.items():
            if matches(topic_filter, topic):
                self._offer(
                    session, connection, Outgoing(topic, bytes(kept.data), min(qos, kept.qos or 0), True)
                )


@dataclass(frozen=True, slots=True)
class _Desk:
    """One client's side of the broker (`connection.Desk`)."""

    broker: _ClosedBroker
    session: Session
    connection: Connection

    async def received(self, message: IncomingApplicationMessage) -> None:
        await self.broker.receive(self.session, message)

    async def subscribe(self, topic_filter: str, qos: int) -> int:
        return await self.broker.subscribe(self.session, topic_filter, qos)

    def retained(self, topic_filter: str, qos: int) -> None:
        self.broker.offer_retained(self.session, self.connection, topic_filter, qos)

    def unsubscribe(self, topic_filter: str) -> None:
        self.broker.unsubscribe(self.session, topic_filter)
