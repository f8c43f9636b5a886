"""The display server's MQTT client: a paho thread in, a bounded hand-over to the loop, nothing queued out."""

from __future__ import annotations

import asyncio
import json
import logging
import secrets
import socket
import ssl
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from paho.mqtt.client import Client, ConnectFlags, DisconnectFlags, MQTTMessage
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.reasoncodes import ReasonCode

from scharten.contract.topics import BROADCAST, RETAINED, Topic, Topics

log = logging.getLogger(__name__)

GLANCE = (Topic.AVAILABILITY, Topic.HEALTH, Topic.STATE)  # of every board, for the club's view
MAX_PAYLOAD = 256 * 1024  # a whole score sheet is the largest honest payload
MAX_PENDING = 512


def is_retained(topic: str) -> bool:
    """Whether only the newest payload counts; `board2/state` is such a topic as well as `state`."""
    return topic.rpartition("/")[2] in RETAINED


class BrokerAddress(NamedTuple):
    """Where the broker listens and who we are there; `tls` carries the certificates to trust."""

    host: str
    port: int
    username: str | None = None
    password: str | None = None
    tls: ssl.SSLContext | None = None


@dataclass
class Handover:
    """What the paho thread left for the loop: the newest of what is retained, a bounded row of the rest."""

    newest: dict[str, str] = field(default_factory=dict)
    passing: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=MAX_PENDING))
    link: bool | None = None
    woken: bool = False


class Bridge:
    """Carries the topics of one board, or with `all_boards` the public ones of the club, between broker and loop.

    `deliver(topic, json_text)` is called in the loop, the topic below the board's or the club's own; `link(up)`
    when the broker comes or goes. `publish` refuses while it is away: a stale command must not arrive later.
    """

    def __init__(
        self,
        address: BrokerAddress,
        topics: Topics,
        deliver: Callable[[str, str], None],
        link: Callable[[bool], None],
        *,
        all_boards: bool = False,
    ) -> None:
        self.base = f"{topics.club_root if all_boards else topics.root}/"
        names = (f"+/{name}" for name in GLANCE) if all_boards else (*BROADCAST, f"{Topic.ANSWER}/+")
        self._filters = [(self.base + name, 1) for name in sorted(names)]
        self.connected = False
        self.refusal: str | None = None
        self.dropped = 0
        self._deliver, self._link = deliver, link
        self._lock = threading.Lock()
        self._left = Handover()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._address = address
        self._client = self._build(address)

    def _build(self, address: BrokerAddress) -> Client:
        client = Client(
            CallbackAPIVersion.VERSION2,
            client_id=f"display-{secrets.token_hex(8)}",
            protocol=MQTTProtocolVersion.MQTTv311,
            clean_session=True,
        )
        if address.username:
            client.username_pw_set(address.username, address.password)
        if address.tls is not None:
            client.tls_set_context(address.tls)
        client.reconnect_delay_set(min_delay=1, max_delay=4)
        client.suppress_exceptions = True
        client.enable_logger(log)
        client.on_connect = self._on_connect
        client.on_disconnect = self._on_disconnect
        client.on_message = self._on_message
        client.on_socket_open = _no_delay
        return client

    def start(self) -> None:
        """Begin to connect, and keep at it; to be called in the loop that `deliver` shall run in."""
        self._loop = asyncio.get_running_loop()
        self._client.connect_async(self._address.host, self._address.port, keepalive=5)
        self._client.loop_start()

    async def stop(self) -> None:
        """Leave the broker; no callback comes after this."""
        loop, self._loop = self._loop, None
        self._client.disable_logger()  # paho calls its own leaving an error
        self._client.disconnect()
        if loop is not None:
            await loop.run_in_executor(None, self._client.loop_stop)

    def publish(self, topic: str, payload: dict[str, Any]) -> bool:
        """Send now or not at all (QoS 0: paho keeps nothing for later); False when the broker is away."""
        if not self.connected:
            return False
        text = json.dumps(payload, ensure_ascii=False, separators=(",", ":"))
        return self._client.publish(self.base + topic, text.encode(), qos=0).rc == 0

    def _on_connect(
        self,
        client: Client,
        userdata: Any,
        flags: ConnectFlags,
        code: ReasonCode,
        properties: Properties | None,
    ) -> None:
        if code.is_failure:
            if self.refusal != str(code):  # once, not at every attempt
                log.warning(
                    "broker %s:%d refuses the display server (%s): check broker.credentials",
                    self._address.host,
                    self._address.port,
                    code,
                )
            self.refusal = str(code)
            return
        self.refusal = None
        client.subscribe(self._filters)
        self._leave(link=True)

    def _on_disconnect(
        self,
        client: Client,
        userdata: Any,
        flags: DisconnectFlags,
        code: ReasonCode,
        properties: Properties | None,
    ) -> None:
        self._leave(link=False)

    def _on_message(self, client: Client, userdata: Any, message: MQTTMessage) -> None:
        topic = message.topic.removeprefix(self.base)
        text = _json_text(message.payload)
        if text is None:
            self.dropped += 1
            log.warning(
                "dropped a payload on %s that is no JSON or over %d bytes", message.topic, MAX_PAYLOAD
            )
            return
        self._leave(topic=topic, text=text)

    def _leave(self, *, link: bool | None = None, topic: str = "", text: str = "") -> None:
        with self._lock:
            left = self._left
            if link is not None:
                left.link = link
            elif is_retained(topic) and (topic in left.newest or len(left.newest) < MAX_PENDING):
                left.newest[topic] = text
            else:
                self.dropped += len(left.passing) == MAX_PENDING
                left.passing.append((topic, text))
            if left.woken:
                return
            left.woken = True
        loop = self._loop
        if loop is not None and not loop.is_closed():
            loop.call_soon_threadsafe(self._collect)

    def _collect(self) -> None:
        with self._lock:
            left, self._left = self._left, Handover()
        if left.link is not None and left.link != self.connected:
            self.connected = left.link
            self._link(left.link)
        for topic, text in (*left.newest.items(), *left.passing):
            self._deliver(topic, text)


def _no_delay(client: Client, userdata: Any, sock: Any) -> None:
    if isinstance(sock, socket.socket):
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)


def _json_text(payload: bytes | bytearray) -> str | None:
    """The payload as compact JSON text, bare words (`online`) as a JSON string; None when it is neither."""
    if len(payload) > MAX_PAYLOAD:
        return None
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text) if text.isalpha() else None
    return text
