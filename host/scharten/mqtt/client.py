"""The one MQTT client, of host, page's server and simulated board: one paho client at a time, in a thread of its own.

Nothing here ever waits for the broker on behalf of a caller: `publish` and `keep` put into a bounded queue. It is
emptied there and then if nobody else uses the connection, which spares a dart the way through another thread, else by
the thread. Each connection gets a fresh paho client, because a used one sends its old unacknowledged messages after
`on_connect`, and an old retained state would overwrite the newest.
"""

from __future__ import annotations

import contextlib
import logging
import math
import selectors
import socket
import ssl
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from uuid import uuid4

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTErrorCode, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode
from paho.mqtt.subscribeoptions import SubscribeOptions

from scharten.mqtt.address import BrokerAddress, tls_context
from scharten.mqtt.limits import RateLimitedLog
from scharten.mqtt.publish_queue import PublishQueue

log = logging.getLogger(__name__)

KEEPALIVE_S = 5
_UNACKNOWLEDGED = 64
_CONNECT_TIMEOUT_S = 5.0
ASK_AGAIN_S = 15.0
_RETRIES_S = (0.1, 0.2, 0.5, 1.0, 2.0)


class ConnectionState(StrEnum):
    """How the connection is; the page has the words for each."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    NOT_TRUSTED = "not_trusted"
    LOST = "lost"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The state, and in words what is the matter and what to do."""

    state: ConnectionState
    words: str

    @property
    def connected(self) -> bool:
        """Whether messages pass."""
        return self.state is ConnectionState.CONNECTED


@dataclass(frozen=True, slots=True)
class Will:
    """What the broker says, retained, when this program is gone without a word."""

    topic: str
    payload: bytes


MessageHandler = Callable[[str, bytes, bool], None]
"""Called in the client's thread with topic, payload and whether the message had been retained; must not wait."""


class MqttClient:
    """Connects, and connects again whenever the connection is lost.

    `subscribe` before `start`. `keep` is for retained topics: the newest payload of each is published on every
    connection, after the subscriptions stand, and only the newest when the broker is slow. `publish` is for the
    rest: false when not connected or when too many wait. MQTT 5 is spoken where the broker speaks it, so that a
    retained command is known for one even when it comes while this program listens; else 3.1.1. A `quiet` client,
    which tries what it may not do, leaves nothing in the log.
    """

    def __init__(
        self,
        address: BrokerAddress,
        *,
        name: str = "scharten",
        will: Will | None = None,
        on_status: Callable[[ConnectionStatus], None] | None = None,
        mqtt5: bool = True,
        quiet: bool = False,
    ) -> None:
        self._address, self._will = address, will
        self._name, self._tls = name, tls_context(address)
        self._on_status = on_status
        self._try_five = self._five = mqtt5
        self._answered, words = False, f"connecting to {address}"
        self._status = ConnectionStatus(ConnectionState.CONNECTING, words)
        self._handlers: dict[str, MessageHandler] = {}
        self._others_only: set[str] = set()
        self._asked, self._refused, self._ask_again_at = list[str](), list[str](), math.inf
        self._queue = PublishQueue()
        self._warnings, self._quiet, self._stopping = RateLimitedLog(log), quiet, threading.Event()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self._thread = threading.Thread(target=self._run, name=f"mqtt-{name}", daemon=True)
        self._unacknowledged, self._in_flight = 0, _UNACKNOWLEDGED
        self._using = threading.Lock()  # whoever holds it may read from and write to the connection
        self._client: paho.Client | None = None

    @property
    def status(self) -> ConnectionStatus:
        """How the connection is now."""
        return self._status

    @property
    def mqtt5(self) -> bool:
        """Whether MQTT 5 is spoken on this connection."""
        return self._five

    def start(self) -> None:
        """Starts the thread; returns at once."""
        self._thread.start()

    def stop(self, farewell: tuple[str, bytes] | None = None) -> None:
        """Says the farewell (a retained message) and DISCONNECT, and waits for the thread, at most three seconds."""
        if farewell is not None:
            self.keep(*farewell)
        self._stopping.set()
        self._wake()
        if self._thread.is_alive():
            self._thread.join(3)

    def subscribe(self, topic_filter: str, handler: MessageHandler, others_only: bool = False) -> None:
        """Has the handler called for each message of the filter, now and after every reconnection.

        With `others_only` not for this client's own ones (in MQTT 5), and only those kept from before are retained.
        """
        self._handlers[topic_filter] = handler
        if others_only:
            self._others_only.add(topic_filter)

    def keep(self, topic: str, payload: bytes) -> None:
        """Publishes a retained message, now or when there is a connection; the newest payload wins."""
        self._queue.keep(topic, payload)
        self._send()

    def keep_again(self) -> None:
        """Publishes everything that is retained once more, after another client wrote it."""
        self._queue.again()
        self._send()

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Publishes a message once; false, and the message is gone, when there is no connection or no room."""
        taken = self._queue.put(topic, payload, retain)
        if taken:
            self._send()
        return taken

    def _send(self) -> None:
        """Has the queue emptied: here, if the connection is free, else by the client's thread."""
        # A handler of the client's own thread holds the connection already.
        if threading.get_ident() != self._thread.ident and self._using.acquire(blocking=False):
            try:
                client = self._client
                if client is not None:
                    self._empty_queue(client)
                    if client.socket() is not None and not client.want_write():
                        return
            except Exception:
                log.exception("a message could not be sent; the caller goes on")
            finally:
                self._using.release()
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_out.send(b"\0")

    # What follows runs in the client's own thread.

    def _run(self) -> None:
        attempt = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                self._connection()
            except Exception:
                log.exception("the connection to %s is made again after an error", self._address)
            if time.monotonic() - started > 10:
                attempt = 0
            self._stopping.wait(_RETRIES_S[min(attempt, len(_RETRIES_S) - 1)])
            attempt += 1
        self._tell(ConnectionState.STOPPED, "the connection is closed")
        self._wake_in.close()
        self._wake_out.close()

    def _connection(self) -> None:
        """One connection from its beginning to its end."""
        began = time.monotonic()
        try:
            client = self._new_client()
            client.connect(self._address.host, self._address.port, KEEPALIVE_S)
        except ssl.SSLCertVerificationError as error:
            return self._tell(
                ConnectionState.NOT_TRUSTED,
                f"the certificate of {self._address} is not trusted ({error.verify_message}): set broker.ca_file",
            )
        except OSError as error:
            return self._tell(
                ConnectionState.UNREACHABLE,
                f"no broker answers at {self._address} ({error.strerror or error})",
            )
        try:
            self._use(client)
            self._serve(client)
        finally:
            self._use(None)
            self._queue.close()
            self._choose_version(time.monotonic() - began)
            broke = self._status.state in (ConnectionState.CONNECTED, ConnectionState.CONNECTING)
            if broke and not self._stopping.is_set():
                self._tell(ConnectionState.LOST, f"the connection to {self._address} broke; trying again")

    def _choose_version(self, lasted_s: float) -> None:
        """An older broker closes a CONNECT of MQTT 5 at once: then 3.1.1; after a connection that worked, 5 again."""
        if self._answered:
            self._five = self._try_five
        elif lasted_s < KEEPALIVE_S:
            self._five = self._try_five and not self._five

    def _new_client(self) -> paho.Client:
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            # Random, so that nobody can take this connection over by guessing its id.
            client_id=f"{self._name}-{uuid4().hex[:16]}",
            clean_session=None if self._five else True,
            protocol=MQTTProtocolVersion.MQTTv5 if self._five else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        self._answered = False
        client.enable_logger(log)
        client.suppress_exceptions = True
        client.connect_timeout = _CONNECT_TIMEOUT_S
        client.max_inflight_messages_set(_UNACKNOWLEDGED)
        if (account := self._address.account) is not None:
            client.username_pw_set(account.username, account.password)
        if self._will is not None:
            client.will_set(self._will.topic, self._will.payload, 1, True)
        if self._tls is not None:
            client.tls_set_context(self._tls)
        client.on_socket_open = _no_delay
        client.on_connect = self._connected
        client.on_subscribe = self._subscribed
        client.on_message = self._message
        client.on_publish = self._published
        self._unacknowledged, self._in_flight = 0, _UNACKNOWLEDGED
        return client

    def _use(self, client: paho.Client | None) -> None:
        with self._using:
            self._client = client

    def _serve(self, client: paho.Client) -> None:
        with selectors.DefaultSelector() as selector:
            sock = client.socket()
            if sock is None:
                return
            selector.register(self._wake_in, selectors.EVENT_READ)
            selector.register(sock, selectors.EVENT_READ)
            while True:
                with self._using:
                    if client.socket() is not sock:
                        return
                    wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.want_write() else 0)
                    selector.modify(sock, wanted)
                    pending = isinstance(sock, ssl.SSLSocket) and sock.pending() > 0
                ready = {key.fileobj: events for key, events in selector.select(0 if pending else 0.5)}
                if self._wake_in in ready:
                    with contextlib.suppress(BlockingIOError):
                        self._wake_in.recv(4096)
                events = ready.get(sock, 0) | (selectors.EVENT_READ if pending else 0)
                with self._using:
                    if not self._pumped(client, events):
                        return

    def _pumped(self, client: paho.Client, events: int) -> bool:
        """Reads and writes what can be; False when the connection has come to its end."""
        codes = [
            client.loop_read() if events & selectors.EVENT_READ else MQTTErrorCode.MQTT_ERR_SUCCESS,
            client.loop_write() if events & selectors.EVENT_WRITE else MQTTErrorCode.MQTT_ERR_SUCCESS,
            client.loop_misc(),
        ]
        self._empty_queue(client)
        if self._refused and time.monotonic() > self._ask_again_at:
            self._ask_for(client, self._refused)
        return not (any(codes) or self._left(client))

    def _left(self, client: paho.Client) -> bool:
        """Whether this program is stopping and everything has been said."""
        if not self._stopping.is_set() or self._queue.waiting or self._unacknowledged:
            return False
        client.disconnect()
        client.loop_write()
        return True

    def _empty_queue(self, client: paho.Client) -> None:
        while self._unacknowledged < self._in_flight and (message := self._queue.take()):
            topic, payload, retain = message
            self._unacknowledged += 1
            client.publish(topic, payload, 1, retain)

    def _connected(
        self, client: paho.Client, _user: object, _flags: object, reason: ReasonCode, more: Properties | None
    ) -> None:
        if reason.is_failure and self._five and reason.getName() == "Unsupported protocol version":
            return
        self._answered = True
        if reason.is_failure:
            account = self._address.account.username if self._address.account else "no account"
            self._tell(
                ConnectionState.REFUSED,
                f"{self._address} refuses {account} ({reason.getName().lower()}): check broker.credentials",
            )
            return
        self._in_flight = min(_UNACKNOWLEDGED, getattr(more, "ReceiveMaximum", _UNACKNOWLEDGED))
        self._refused = []
        if self._handlers:
            self._ask_for(client, list(self._handlers))
        else:
            self._open_for_messages()

    def _ask_for(self, client: paho.Client, filters: list[str]) -> None:
        """Subscribe; what is refused is asked for again later: a cluster refuses while it chooses a new leader."""
        self._asked, self._ask_again_at = filters, math.inf
        client.subscribe([(one, self._options(one) if self._five else 1) for one in filters])  # type: ignore[arg-type]

    def _options(self, topic_filter: str) -> SubscribeOptions:
        """Only MQTT 5 says of a message to a client that listens already whether it is retained."""
        others_only = topic_filter in self._others_only
        return SubscribeOptions(qos=1, noLocal=others_only, retainAsPublished=not others_only)

    def _subscribed(
        self, _client: object, _user: object, _mid: int, codes: list[ReasonCode], _more: object
    ) -> None:
        refused = [name for name, code in zip(self._asked, codes, strict=False) if code.is_failure]
        if refused and refused != self._refused:
            log.error("%s does not let this account read %s", self._address, ", ".join(refused))
        self._refused, self._ask_again_at = refused, time.monotonic() + ASK_AGAIN_S
        if not self._status.connected:
            self._open_for_messages()

    def _open_for_messages(self) -> None:
        self._queue.open()
        self._tell(ConnectionState.CONNECTED, f"connected to {self._address}")

    def _message(self, _client: paho.Client, _user: object, message: paho.MQTTMessage) -> None:
        for topic_filter, handler in self._handlers.items():
            if paho.topic_matches_sub(topic_filter, message.topic):
                handler(message.topic, bytes(message.payload), message.retain)

    def _published(
        self, _client: object, _user: object, _mid: int, reason: ReasonCode, _more: object
    ) -> None:
        self._unacknowledged -= 1
        if reason.is_failure and not self._quiet:
            words = reason.getName().lower()
            self._warnings.warn(
                "publish", "%s does not let this account write a topic (%s)", self._address, words
            )

    def _tell(self, state: ConnectionState, words: str) -> None:
        if self._status == ConnectionStatus(state, words):
            return
        self._status = ConnectionStatus(state, words)
        good = state in (ConnectionState.CONNECTED, ConnectionState.STOPPED)
        log.log(logging.DEBUG if self._quiet else logging.INFO if good else logging.WARNING, words)
        if self._on_status is not None:
            self._on_status(self._status)


def _no_delay(_client: paho.Client, _user: object, sock: object) -> None:
    assert isinstance(sock, socket.socket)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
