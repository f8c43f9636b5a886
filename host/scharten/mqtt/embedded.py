"""The embedded broker: MQTT 3.1.1 and 5 on one port, for this machine only, in a thread of its own.

A session ends with its connection, so nothing waits for a client that is away; what an account may do is checked at
every packet; every queue has a limit. Shared subscriptions, topic aliases and subscription identifiers are not offered.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import threading
from concurrent.futures import Future
from dataclasses import replace
from uuid import uuid4

from scharten.contract.roles import Account, Acl, matches
from scharten.errors import Problem, SchartenError
from scharten.mqtt.accounts import Accounts
from scharten.mqtt.codec import encode, reason_of
from scharten.mqtt.connection import ClientConnection, PacketStream, delivered
from scharten.mqtt.limits import ConnectionSlots, Limits, RateLimitedLog, Slot
from scharten.mqtt.outbox import Message
from scharten.mqtt.packets import (
    Connack,
    Connect,
    Properties,
    Property,
    Publish,
    Reason,
    Subscription,
    Version,
)

log = logging.getLogger(__name__)
warnings = RateLimitedLog(log)

_RESERVED = frozenset({Account.HOST, Account.WEB, Account.SIMULATOR})
_ROUTES = 256
"""How many topics are remembered with who receives them."""


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
        limits: Limits | None = None,
    ) -> None:
        if not ipaddress.ip_address(host).is_loopback:
            raise SchartenError(
                f"the embedded broker does not listen on {host}: it serves this machine only",
                "For other devices use Mosquitto: 'scharten broker-config' writes its configuration.",
            )
        self.port = port
        self._host, self._accounts, self._acl, self._limits = host, accounts, acl, limits or Limits()
        self._slots = ConnectionSlots(self._limits)
        self._connections: dict[str, ClientConnection] = {}
        self._retained: dict[str, Message] = {}
        self._routes: dict[str, tuple[ClientConnection, ...]] = {}

    async def start(self) -> None:
        """Listens; `SchartenError` when the port is taken."""
        try:
            self._server = await asyncio.start_server(self._accept, self._host, self.port, backlog=1024)
        except OSError as error:
            raise SchartenError(
                f"the embedded broker cannot listen on {self._host}:{self.port}: {error}",
                "Is a broker running there already? Set broker.port to a free port, or broker.url to that broker.",
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Closes the port and every connection."""
        self._server.close()
        connections = list(self._connections.values())
        for one in connections:
            one.close(Reason.SERVER_SHUTTING_DOWN)
        self._slots.abort_all()
        for one in connections:
            await one.finished.wait()

    @property
    def connections(self) -> int:
        """Clients that have said who they are."""
        return self._slots.admitted

    # Connecting

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One connection from its first byte to its last."""
        slot = self._slots.open(writer.transport.abort)
        if slot is None:
            writer.transport.abort()
            return
        try:
            await self._serve(slot, reader, writer)
        except (TimeoutError, OSError) as error:
            # For debugging only: a stranger could fill a disk with such lines.
            log.debug("a connection ended before it was a client: %s", error or type(error).__name__)
        finally:
            self._slots.free(slot)
            writer.close()

    async def _serve(self, slot: Slot, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        limits = self._limits
        stream = PacketStream(reader, limits.connect_bytes, limits.connect_s)
        async with asyncio.timeout(limits.connect_s):
            connect = await stream.next()
            if isinstance(connect, Problem) and reason_of(connect) is Reason.UNSUPPORTED_PROTOCOL_VERSION:
                writer.write(encode(Connack(Reason.UNSUPPORTED_PROTOCOL_VERSION), Version.V311))
            if not isinstance(connect, Connect):
                return
            account = await self._account(connect)
        reason = self._refusal(account, connect)
        if account is None or reason:
            writer.write(encode(Connack(reason), connect.version))
            await writer.drain()
            return
        if not self._slots.admit(slot, account in _RESERVED):
            return
        connect, assigned = self._assigned(connect)
        if not await self._take_over(connect.client_id, account):
            return
        size = limits.packet_bytes if account is Account.HOST else limits.guest_packet_bytes
        stream.decoder.limit = size
        writer.write(encode(Connack(Reason.SUCCESS, (*self._offer(size), *assigned)), connect.version))
        await self._run(ClientConnection(self, account, connect, writer, limits), stream)

    async def _account(self, connect: Connect) -> Account | None:
        account = self._accounts.account_of(connect.username, connect.password)
        if account is None:
            name = (connect.username or "")[:32]
            warnings.warn("secret", "a wrong name or secret was given for the account %r", name)
            await asyncio.sleep(self._limits.wrong_secret_s)
        return account

    def _refusal(self, account: Account | None, connect: Connect) -> Reason:
        """Why a client is not let in, or `SUCCESS`; no other client has been touched yet."""
        if account is None:
            return Reason.NOT_AUTHORIZED
        if connect.will and not self._acl.may_publish(account, connect.will.topic):
            warnings.warn(
                "will", "a client of %s is refused: its last will is for a topic it may not write", account
            )
            return Reason.NOT_AUTHORIZED
        held = self._connections.get(connect.client_id)
        if held is not None and held.account is not account:
            warnings.warn(
                "id", "a client of %s is refused: its client id belongs to another account", account
            )
            return Reason.CLIENT_IDENTIFIER_NOT_VALID
        if not connect.client_id and connect.version is Version.V311 and not connect.clean_start:
            return Reason.CLIENT_IDENTIFIER_NOT_VALID
        if not self._slots.has_room(account in _RESERVED):
            warnings.warn("full", "a client is refused: all %d places are taken", self._limits.connections)
            return Reason.QUOTA_EXCEEDED
        return Reason.SUCCESS

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

    async def _take_over(self, client_id: str, account: Account) -> bool:
        """Closes an older connection of the same client first; False when another account has the id by now."""
        while older := self._connections.get(client_id):
            if older.account is not account:
                return False
            older.drop(Reason.SESSION_TAKEN_OVER, "it connected again")
            async with asyncio.timeout(self._limits.connect_s):
                await older.finished.wait()
        return True

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

    async def _run(self, client: ClientConnection, stream: PacketStream) -> None:
        """A client's life, after which nothing of it is kept; a will with a delay speaks at once [3.1.2.5]."""
        self._connections[client.client_id] = client
        try:
            await client.run(stream)
        finally:
            client.outbox.close()
            del self._connections[client.client_id]
            self.subscriptions_changed()
            client.finished.set()
            if client.will is not None:
                kept = tuple(one for one in client.will.properties if one[0] is not Property.WILL_DELAY)
                self.publish(client, replace(client.will, properties=kept))

    # Messages

    def may_publish(self, account: Account, topic: str) -> bool:
        """Whether the account may write there."""
        return self._acl.may_publish(account, topic)

    def may_subscribe(self, account: Account, topic_filter: str) -> bool:
        """Whether the filter could bring the account anything."""
        return self._acl.may_subscribe(account, topic_filter)

    def publish(self, sender: ClientConnection, publish: Publish) -> None:
        """Keeps a message if it is retained, and offers it once to each client that subscribed and may read it."""
        message = Message.of(publish)
        if publish.retain:
            self._retained.pop(publish.topic, None)
            if publish.payload:
                self._retained[publish.topic] = message
        for receiver in self._receivers(publish.topic):
            wanted = receiver.delivery(publish.topic, receiver is sender)
            if wanted is not None:
                qos, as_published = wanted
                receiver.outbox.offer(delivered(message, qos, publish.retain and as_published))

    def _receivers(self, topic: str) -> tuple[ClientConnection, ...]:
        """Who subscribed to the topic and may read it; remembered until a subscription changes."""
        known = self._routes.get(topic)
        if known is None:
            if len(self._routes) >= _ROUTES:
                self._routes.clear()
            known = self._routes[topic] = tuple(
                one
                for one in self._connections.values()
                if one.delivery(topic, False) and self._acl.may_receive(one.account, topic)
            )
        return known

    def subscriptions_changed(self) -> None:
        """Forgets who receives what."""
        self._routes.clear()

    def send_retained(self, receiver: ClientConnection, subscription: Subscription) -> None:
        """Offers the retained messages of one new subscription to this client only."""
        for topic, kept in list(self._retained.items()):
            if kept.expired:
                del self._retained[topic]
            elif matches(subscription.topic_filter, topic) and self._acl.may_receive(receiver.account, topic):
                receiver.outbox.offer(delivered(kept, subscription.qos, True))


class BrokerThread:
    """An asyncio loop with an `EmbeddedBroker`; `start` returns when it listens and raises what kept it from it."""

    def __init__(self, broker: EmbeddedBroker) -> None:
        self.broker = broker
        self._listening: Future[None] = Future()
        self._stop: asyncio.Event | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread = threading.Thread(target=lambda: asyncio.run(self._main()), name="broker", daemon=True)

    def start(self) -> None:
        """Starts the thread and waits for the port."""
        self._thread.start()
        self._listening.result()

    def stop(self) -> None:
        """Closes the broker and waits for the thread, at most five seconds."""
        if self._loop is not None and self._stop is not None and self._thread.is_alive():
            self._loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(5)

    async def _main(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        try:
            await self.broker.start()
        except BaseException as error:
            self._listening.set_exception(error)
            return
        self._listening.set_result(None)
        await self._stop.wait()
        await self.broker.stop()


def listening(accounts: Accounts, acl: Acl, port: int, exactly: bool) -> BrokerThread:
    """An embedded broker that listens: at this port, or, unless it must be exactly this one, at a free one."""
    thread = BrokerThread(EmbeddedBroker(accounts, acl, port=port))
    try:
        thread.start()
    except SchartenError:
        if exactly:
            raise
        log.warning("port %d is taken: the embedded broker uses a free one", port)
        thread = BrokerThread(EmbeddedBroker(accounts, acl, port=0))
        thread.start()
    return thread
