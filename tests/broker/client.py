"""A small MQTT client for tests: paho with a record, and raw bytes for what a correct client would not send."""

from __future__ import annotations

import contextlib
import queue
import socket
import struct
import threading
import time
from dataclasses import dataclass, field
from types import TracebackType
from uuid import uuid4

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion
from paho.mqtt.properties import Properties
from paho.mqtt.subscribeoptions import SubscribeOptions

from broker.running import Running
from scharten.contract.roles import Account
from scharten.mqtt.network_thread import stop_thread


@dataclass(frozen=True)
class Message:
    """A message that a subscriber received."""

    topic: str
    payload: bytes
    qos: int
    retained: bool
    properties: dict[str, object] = field(default_factory=dict, compare=False)


class Client:
    """Connect, subscribe, publish and record; used with `with`."""

    def __init__(
        self,
        running: Running,
        account: Account | None,
        *,
        password: str | None = None,
        client_id: str | None = None,
        will: str | None = None,
        keepalive: int = 60,
        version: int | None = None,
    ) -> None:
        self.messages: queue.Queue[Message] = queue.Queue()
        self.code: int | None = None
        self.offered: dict[str, object] = {}
        self.granted: list[int] = []
        self._connected, self._subscribed, self.lost = threading.Event(), threading.Event(), threading.Event()
        self._paho = paho.Client(
            CallbackAPIVersion.VERSION2,
            client_id=client_id or f"test-{uuid4().hex[:12]}",
            reconnect_on_failure=False,
            protocol=MQTTProtocolVersion(version or running.version),
        )
        username, secret = running.logins[account] if account else (None, None)
        if username is not None:
            self._paho.username_pw_set(username, password or secret)
        if will is not None:
            self._paho.will_set(will, b"gone", 1, True)
        self._paho.on_connect = self._on_connect
        self._paho.on_subscribe = self._on_subscribe
        self._paho.on_unsubscribe = lambda *_: self._subscribed.set()
        self._paho.on_socket_open = lambda _c, _u, sock: sock.setsockopt(
            socket.IPPROTO_TCP, socket.TCP_NODELAY, 1
        )
        self._paho.on_disconnect = lambda *_: self.lost.set()
        self._paho.on_message = lambda _c, _u, m: self.messages.put(
            Message(m.topic, m.payload, m.qos, m.retain, m.properties.json() if m.properties else {})
        )
        self._where = ("127.0.0.1", running.port_of(account), keepalive)

    def _on_connect(
        self, _client: object, _user: object, _flags: object, reason: paho.ReasonCode, more: Properties | None
    ) -> None:
        self.code = 0 if not reason.is_failure else reason.value
        self.offered = more.json() if more else {}
        self._connected.set()

    def _on_subscribe(
        self, _client: object, _user: object, _mid: int, codes: list[paho.ReasonCode], _more: object
    ) -> None:
        self.granted = [code.value for code in codes]
        self._subscribed.set()

    def connect(self) -> Client:
        """Wait for the broker's answer; `code` is 0 when accepted, None when cut off without an answer."""
        with contextlib.suppress(OSError):
            self._paho.connect(*self._where)
            self._paho.loop_start()
            for _ in range(3000):
                if self._connected.wait(0.01) or self.lost.is_set():
                    break
        return self

    def __enter__(self) -> Client:
        return self.connect()

    def __exit__(
        self, _type: type[BaseException] | None, _e: BaseException | None, _t: TracebackType | None
    ) -> None:
        self._paho.disconnect()
        stop_thread(self._paho)

    def subscribe(self, topic: str, qos: int = 1, options: SubscribeOptions | None = None) -> list[int]:
        """Wait for SUBACK; return the granted codes."""
        self._subscribed.clear()
        if options is not None:
            self._paho.subscribe(topic, options=options)
        else:
            self._paho.subscribe(topic, qos)
        assert self._subscribed.wait(40), "no SUBACK"
        return self.granted

    def unsubscribe(self, topic: str) -> None:
        """Wait for UNSUBACK."""
        self._subscribed.clear()
        self._paho.unsubscribe(topic)
        assert self._subscribed.wait(40), "no UNSUBACK"

    def publish(
        self,
        topic: str,
        payload: bytes = b"x",
        qos: int = 1,
        retain: bool = False,
        properties: Properties | None = None,
    ) -> None:
        """Publish and wait for the acknowledgement, which a refused message gets as well."""
        info = self._paho.publish(topic, payload, qos, retain, properties)
        with contextlib.suppress(RuntimeError):
            info.wait_for_publish(5)

    def send(self, topic: str, payload: bytes, qos: int = 1) -> None:
        """Publish without waiting."""
        self._paho.publish(topic, payload, qos)

    def next(self, within: float = 40.0) -> Message | None:
        """Return the next message, or None when none came in time."""
        try:
            return self.messages.get(timeout=within)
        except queue.Empty:
            return None

    def kill(self) -> None:
        """Break the connection without DISCONNECT."""
        sock = self._paho.socket()
        assert sock is not None
        sock.shutdown(socket.SHUT_RDWR)

    @property
    def alive(self) -> bool:
        """Return whether the connection is open."""
        return self._paho.is_connected()


def raw(port: int, timeout: float = 3.0) -> socket.socket:
    """Open a bare TCP connection to the broker."""
    return socket.create_connection(("127.0.0.1", port), timeout)


def string(text: str) -> bytes:
    """Return a string as MQTT writes it."""
    data = text.encode()
    return struct.pack("!H", len(data)) + data


def packet(first: int, body: bytes, declared: int | None = None) -> bytes:
    """Return a packet, with a length that may be false."""
    length, out = len(body) if declared is None else declared, b""
    while True:
        length, low = divmod(length, 128)
        out += bytes([low | (0x80 if length else 0)])
        if not length:
            return bytes([first]) + out + body


def connect_packet(
    client_id: str,
    username: str | None,
    password: str | None,
    keepalive: int = 60,
    will: tuple[str, bytes] | None = None,
    version: int = 4,
    properties: bytes = b"",
) -> bytes:
    """Return a CONNECT with a clean session; the will is retained, QoS 0."""
    flags = (
        2
        | (0x80 if username is not None else 0)
        | (0x40 if password is not None else 0)
        | (0x24 if will else 0)
    )
    body = string("MQTT") + bytes([version, flags]) + struct.pack("!H", keepalive)
    body += _properties(version, properties) + string(client_id)
    if will:
        body += _properties(version) + string(will[0]) + struct.pack("!H", len(will[1])) + will[1]
    body += b"".join(string(item) for item in (username, password) if item is not None)
    return packet(0x10, body)


def publish_packet(
    version: int,
    topic: str,
    payload: bytes,
    qos: int = 0,
    packet_id: int = 1,
    *,
    retain: bool = False,
    properties: bytes = b"",
) -> bytes:
    """Return a PUBLISH."""
    number = struct.pack("!H", packet_id) if qos else b""
    body = string(topic) + number + _properties(version, properties) + payload
    return packet(0x30 | qos << 1 | retain, body)


def subscribe_packet(
    version: int, packet_id: int, *filters: tuple[str, int], properties: bytes = b""
) -> bytes:
    """Return a SUBSCRIBE with an option byte for each filter."""
    wanted = b"".join(string(name) + bytes([options]) for name, options in filters)
    return packet(0x82, struct.pack("!H", packet_id) + _properties(version, properties) + wanted)


def unsubscribe_packet(version: int, packet_id: int, *filters: str) -> bytes:
    """Return an UNSUBSCRIBE."""
    names = b"".join(map(string, filters))
    return packet(0xA2, struct.pack("!H", packet_id) + _properties(version) + names)


def _properties(version: int, properties: bytes = b"") -> bytes:
    return packet(0, properties)[1:] if version == 5 else b""


def take_packet(sock: socket.socket) -> tuple[int, bytes]:
    """Return the next packet from the broker: its first byte and its body."""
    first, length, place = _exactly(sock, 1)[0], 0, 0
    while (byte := _exactly(sock, 1)[0]) >= 0x80:
        length, place = length | (byte & 0x7F) << place, place + 7
    return first, _exactly(sock, length | byte << place)


def _exactly(sock: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        piece = sock.recv(count - len(data))
        if not piece:
            raise ConnectionError("the broker closed the connection")
        data += piece
    return data


def let_in(sock: socket.socket) -> bool:
    """Return whether the next packet is a CONNACK without a refusal."""
    first, body = take_packet(sock)
    return first == 0x20 and body[1] == 0


def logged_in(
    running: Running,
    account: Account,
    keepalive: int = 60,
    will: tuple[str, bytes] | None = None,
    client_id: str = "",
) -> socket.socket:
    """Return a bare connection after an accepted CONNECT, which only the test keeps alive."""
    sock = raw(running.port_of(account), 20.0)
    username, password = running.logins[account]
    name = client_id or f"raw-{uuid4().hex[:8]}"
    sock.sendall(connect_packet(name, username, password, keepalive, will, running.version))
    assert let_in(sock)
    return sock


def closed_within(sock: socket.socket, seconds: float) -> bool:
    """Return whether the broker closes the connection in time; discard its last bytes."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        sock.settimeout(max(0.01, end - time.monotonic()))
        try:
            if not sock.recv(65536):
                return True
        except TimeoutError:
            return False
        except OSError:
            return True
    return False
