"""The MQTT client of host, page server and simulated board: one paho client at a time, in a thread of its own.

`publish` and `keep` never wait for the broker: they fill a bounded queue. The caller empties it at once if the
connection is free, which saves a dart a change of threads; otherwise the client's thread does. Each connection gets a
new paho client: a used one resends its unacknowledged messages, and an old retained state would overwrite the newest.
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
from scharten.mqtt.publish_queue import PublishQueue
from scharten.system.log_limit import RateLimitedLog
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

KEEPALIVE_S = 5
_UNACKNOWLEDGED = 64
_CONNECT_TIMEOUT_S = 5.0
ASK_AGAIN_S = 15.0
_RETRIES_S = (0.1, 0.2, 0.5, 1.0, 2.0)
_QUICK_CONNECT_S, _QUICK_RETRIES_S = 3.0, (0.1, 0.2, 0.5)
"""For a line across a town: a game waits while it is down."""


class ConnectionState(StrEnum):
    """The state of the connection; the page has a text for each."""

    CONNECTING = "connecting"
    CONNECTED = "connected"
    UNREACHABLE = "unreachable"
    REFUSED = "refused"
    NOT_TRUSTED = "not_trusted"
    LOST = "lost"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The state, and a text with the problem and its cure."""

    state: ConnectionState
    words: str

    @property
    def connected(self) -> bool:
        """Whether messages can pass."""
        return self.state is ConnectionState.CONNECTED


@dataclass(frozen=True, slots=True)
class Will:
    """The retained message that the broker publishes when this program ends without DISCONNECT."""

    topic: str
    payload: bytes


MessageHandler = Callable[[str, bytes, bool], None]
"""Called in the client's thread with topic, payload and the retained flag; must not wait."""


class MqttClient:
    """Connect, and reconnect whenever the connection is lost.

    Call `subscribe` before `start`. `keep` is for retained topics: each connection publishes the newest payload of
    each after subscribing. `publish` is for other messages. The client prefers MQTT 5, in which it recognizes retained
    commands also while connected, and falls back to 3.1.1. A `quiet` client logs nothing. A `quick` one tries again at
    least twice a second, and uses QoS 0: sessions end with their connection, and on a slow line each acknowledgement
    is a packet more that can be lost before the next message.
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
        quick: bool = False,
    ) -> None:
        self._address, self._will = address, will
        self._name, self._tls = name, tls_context(address)
        self._on_status = on_status
        self._retries_s = _QUICK_RETRIES_S if quick else _RETRIES_S
        self._qos = 0 if quick else 1
        self._connect_timeout_s = _QUICK_CONNECT_S if quick else _CONNECT_TIMEOUT_S
        self._try_five = self.mqtt5 = mqtt5  # tried first; spoken on this connection
        self._answered, words = False, f"connecting to {address}"
        self.status = ConnectionStatus(ConnectionState.CONNECTING, words)
        self._handlers: dict[str, MessageHandler] = {}
        self._others_only: set[str] = set()
        self._asked, self._refused, self._ask_again_at = list[str](), list[str](), math.inf
        self._queue = PublishQueue()
        self._warnings, self._quiet, self._stopping = RateLimitedLog(log), quiet, threading.Event()
        self._wake_in, self._wake_out = socket.socketpair()
        self._wake_in.setblocking(False)
        self._wake_out.setblocking(False)
        self.worker = Worker(f"mqtt-{name}", self._run)
        self._unacknowledged, self._in_flight = 0, _UNACKNOWLEDGED
        self._using = threading.Lock()  # guards reading from and writing to the connection
        self._client: paho.Client | None = None

    def start(self) -> None:
        """Start the thread."""
        self.worker.start()

    def stop(self, farewell: tuple[str, bytes] | None = None) -> None:
        """Publish a retained farewell, disconnect, and wait at most three seconds for the thread."""
        if farewell is not None:
            self.keep(*farewell)
        self._stopping.set()
        self._wake()
        self.worker.join(3)

    def subscribe(self, topic_filter: str, handler: MessageHandler, others_only: bool = False) -> None:
        """Call the handler for each message of the filter, on every connection.

        `others_only` (in MQTT 5): without this client's own messages; only messages from before the subscription have
        the retained flag.
        """
        self._handlers[topic_filter] = handler
        if others_only:
            self._others_only.add(topic_filter)

    def keep(self, topic: str, payload: bytes) -> None:
        """Publish a retained message, now and on every connection; the newest payload wins."""
        self._queue.keep(topic, payload)
        self._send()

    def keep_again(self) -> None:
        """Publish all retained messages again, after another client overwrote them."""
        self._queue.resend_retained()
        self._send()

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Publish a message once; false, and drop it, without a connection or room in the queue."""
        taken = self._queue.put(topic, payload, retain)
        if taken:
            self._send()
        return taken

    def _send(self) -> None:
        """Empty the queue here if the connection is free, else wake the client's thread."""
        # A handler of the client's own thread holds the connection already.
        if not self.worker.is_current and self._using.acquire(blocking=False):
            try:
                client = self._client
                if client is not None:
                    self._empty_queue(client)
                    if client.socket() is not None and not client.want_write():
                        return
            except Exception:
                log.exception("a message could not be sent; the caller continues")
            finally:
                self._using.release()
        self._wake()

    def _wake(self) -> None:
        with contextlib.suppress(BlockingIOError, OSError):
            self._wake_out.send(b"\0")

    # The methods below run in the client's own thread.

    def _run(self) -> None:
        attempt = 0
        while not self._stopping.is_set():
            started = time.monotonic()
            try:
                self._connection()
            except Exception:
                log.exception("reconnecting to %s after an error", self._address)
            if time.monotonic() - started > 10:
                attempt = 0
            self.worker.blocked = True
            self._stopping.wait(self._retries_s[min(attempt, len(self._retries_s) - 1)])
            attempt += 1
        self._set_status(ConnectionState.STOPPED, "the connection is closed")
        self._wake_in.close()
        self._wake_out.close()

    def _connection(self) -> None:
        """Run one connection from start to end."""
        began, self.worker.blocked = time.monotonic(), True
        try:
            client = self._new_client()
            client.connect(
                self._address.host, self._address.port, KEEPALIVE_S, properties=self._connect_properties()
            )
        except ssl.SSLCertVerificationError as error:
            return self._set_status(
                ConnectionState.NOT_TRUSTED,
                f"the certificate of {self._address} is not trusted ({error.verify_message}): set broker.ca_file",
            )
        except OSError as error:
            return self._set_status(
                ConnectionState.UNREACHABLE,
                f"no broker answers at {self._address} ({error.strerror or error})",
            )
        try:
            self._use(client)
            self.worker.blocked = False
            self._serve(client)
        finally:
            self._use(None)
            self._queue.close()
            self._choose_version(time.monotonic() - began)
            broke = self.status.state in (ConnectionState.CONNECTED, ConnectionState.CONNECTING)
            if broke and not self._stopping.is_set():
                self._set_status(
                    ConnectionState.LOST, f"the connection to {self._address} broke; trying again"
                )

    def _connect_properties(self) -> Properties | None:
        """The properties of CONNECT."""
        return None

    def _choose_version(self, lasted_s: float) -> None:
        """Use 3.1.1 if the broker closes a CONNECT of MQTT 5 at once; after a working connection try 5 again."""
        if self._answered:
            self.mqtt5 = self._try_five
        elif lasted_s < KEEPALIVE_S:
            self.mqtt5 = self._try_five and not self.mqtt5

    def _new_client(self) -> paho.Client:
        client = paho.Client(
            CallbackAPIVersion.VERSION2,
            # Random, so that nobody can take over the connection by guessing the id.
            client_id=f"{self._name}-{uuid4().hex[:16]}",
            clean_session=None if self.mqtt5 else True,
            protocol=MQTTProtocolVersion.MQTTv5 if self.mqtt5 else MQTTProtocolVersion.MQTTv311,
            reconnect_on_failure=False,
        )
        self._answered = False
        client.enable_logger(log)
        client.suppress_exceptions = True
        client.connect_timeout = self._connect_timeout_s
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
                self.worker.rounds += 1
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
        """Read and write what is possible; False at the end of the connection."""
        codes = [
            client.loop_read() if events & selectors.EVENT_READ else MQTTErrorCode.MQTT_ERR_SUCCESS,
            client.loop_write() if events & selectors.EVENT_WRITE else MQTTErrorCode.MQTT_ERR_SUCCESS,
            client.loop_misc(),
        ]
        self._empty_queue(client)
        if self._refused and time.monotonic() > self._ask_again_at:
            self._ask_for(client, self._refused)
        return not (any(codes) or self._disconnect_when_done(client))

    def _disconnect_when_done(self, client: paho.Client) -> bool:
        """Disconnect and return True if the client stops and nothing is left to send."""
        if not self._stopping.is_set() or self._queue.waiting or self._unacknowledged:
            return False
        client.disconnect()
        client.loop_write()
        return True

    def _empty_queue(self, client: paho.Client) -> None:
        while self._unacknowledged < self._in_flight and (message := self._queue.take()):
            topic, payload, retain = message
            self._unacknowledged += 1
            client.publish(topic, payload, self._qos, retain)

    def _connected(
        self, client: paho.Client, _user: object, _flags: object, reason: ReasonCode, more: Properties | None
    ) -> None:
        if reason.is_failure and self.mqtt5 and reason.getName() == "Unsupported protocol version":
            return
        self._answered = True
        if reason.is_failure:
            account = self._address.account.username if self._address.account else "no account"
            self._set_status(
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
        """Subscribe; ask again later for refused filters, since a cluster refuses while it elects a leader."""
        self._asked, self._ask_again_at = filters, math.inf
        client.subscribe([(name, self._options(name) if self.mqtt5 else self._qos) for name in filters])  # type: ignore[arg-type]

    def _options(self, topic_filter: str) -> SubscribeOptions:
        """Only MQTT 5 can keep the retained flag of messages that arrive after the subscription."""
        others_only = topic_filter in self._others_only
        return SubscribeOptions(qos=self._qos, noLocal=others_only, retainAsPublished=not others_only)

    def _subscribed(
        self, _client: object, _user: object, _mid: int, codes: list[ReasonCode], _more: object
    ) -> None:
        refused = [name for name, code in zip(self._asked, codes, strict=False) if code.is_failure]
        if refused and refused != self._refused:
            log.error("%s does not let this account read %s", self._address, ", ".join(refused))
        self._refused, self._ask_again_at = refused, time.monotonic() + ASK_AGAIN_S
        if not self.status.connected:
            self._open_for_messages()

    def _open_for_messages(self) -> None:
        self._queue.open()
        self._set_status(ConnectionState.CONNECTED, f"connected to {self._address}")

    def _message(self, _client: paho.Client, _user: object, message: paho.MQTTMessage) -> None:
        for topic_filter, handler in self._handlers.items():
            if paho.topic_matches_sub(topic_filter, message.topic):
                handler(message.topic, bytes(message.payload), message.retain)

    def _published(
        self, _client: object, _user: object, _mid: int, reason: ReasonCode, _more: object
    ) -> None:
        self._unacknowledged -= 1
        if reason.is_failure and not self._quiet:
            words = "%s does not let this account write a topic (%s)"
            self._warnings.warn("publish", words, self._address, reason.getName().lower())

    def _set_status(self, state: ConnectionState, words: str) -> None:
        if self.status == ConnectionStatus(state, words):
            return
        self.status = ConnectionStatus(state, words)
        good = state in (ConnectionState.CONNECTED, ConnectionState.STOPPED)
        log.log(logging.DEBUG if self._quiet else logging.INFO if good else logging.WARNING, words)
        if self._on_status is not None:
            self._on_status(self.status)


def _no_delay(_client: paho.Client, _user: object, sock: object) -> None:
    assert isinstance(sock, socket.socket)
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
