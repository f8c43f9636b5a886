"""Test whether a broker has what the contract needs, on topics of the test's own."""

from __future__ import annotations

import queue
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, tls_context
from scharten.mqtt.network_thread import stop_thread
from scharten.words import ENGLISH, text

WAIT_S = 4.0
POLL_S = 0.02
"""Interval between checks whether the broker has disconnected a client instead of acknowledging."""
LARGE = 900_000
"""Size of the largest message of a host, in bytes."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A trial by its code, whether it works, and the values of its texts `trial.<code>` and `.breaks`."""

    code: str
    works: bool
    args: Mapping[str, object] = field(default_factory=dict)

    def title(self, language: str = ENGLISH) -> str:
        """Return what the trial tests."""
        return text(language, f"trial.{self.code}", **self.args)

    def breaks(self, language: str = ENGLISH) -> str:
        """Return what breaks on a broker that fails the trial."""
        return text(language, f"trial.{self.code}.breaks", **self.args)


def for_home_assistant(tried: Iterable[Trial]) -> str:
    """Return the key of what the trials mean for Home Assistant: it needs wildcards, and MQTT 5 from 2027.1 on."""
    works = {trial.code: trial.works for trial in tried}
    if not works.get("retained"):
        return "trial.home_assistant.none"
    return "trial.home_assistant.always" if works.get("mqtt5") else "trial.home_assistant.until"


class TrialClient:
    """A client of a trial; `came` holds messages as (topic, payload, retained)."""

    def __init__(self, address: BrokerAddress, *, five: bool, will: str = "") -> None:
        self.came: queue.SimpleQueue[tuple[str, bytes, bool]] = queue.SimpleQueue()
        self._up: queue.SimpleQueue[bool] = queue.SimpleQueue()
        self._granted: queue.SimpleQueue[bool] = queue.SimpleQueue()
        version = MQTTProtocolVersion.MQTTv5 if five else MQTTProtocolVersion.MQTTv311
        self.five = five
        name = f"doctor-{secrets.token_hex(6)}"
        self._client = paho.Client(
            CallbackAPIVersion.VERSION2,
            name,
            None if five else True,
            protocol=version,
            reconnect_on_failure=False,
        )
        if address.account is not None:
            self._client.username_pw_set(address.account.username, address.account.password)
        if (tls := tls_context(address)) is not None:
            self._client.tls_set_context(tls)
        if will:
            self._client.will_set(will, b"gone", 1, True)
        self._client.on_connect = lambda _c, _u, _f, reason, _p: self._up.put(not reason.is_failure)
        self._client.on_disconnect = self._disconnected
        self._client.on_message = lambda _c, _u, message: self.came.put(
            (message.topic, bytes(message.payload), message.retain)
        )
        self._client.on_subscribe = lambda _c, _u, _m, codes, _p: self._granted.put(not codes[0].is_failure)
        try:
            self._client.connect(address.host, address.port, 5)
        except OSError as error:
            raise SchartenError.coded("no_broker", address=address, why=error.strerror or error) from error
        self._client.loop_start()
        self.connected = _was_answered(self._up)

    def _disconnected(self, *_: object) -> None:
        """Answer every waiting caller with False."""
        self._up.put(False)
        self._granted.put(False)

    def subscribe(self, topic_filter: str) -> bool:
        """Subscribe; return whether the broker granted it."""
        self._granted = queue.SimpleQueue()
        self._client.subscribe(topic_filter, 1)
        return _was_answered(self._granted)

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Publish; return whether the broker acknowledged it."""
        sent, until = self._client.publish(topic, payload, 1, retain), time.monotonic() + WAIT_S
        try:
            while not sent.is_published() and self._client.is_connected() and time.monotonic() < until:
                sent.wait_for_publish(POLL_S)
            return sent.is_published()
        except (RuntimeError, ValueError):  # the broker has thrown this client out
            return False

    def send(self, topic: str, payload: bytes) -> bool:
        """Publish and wait for an answer; return whether the client is still connected."""
        sent = self._client.publish(topic, payload, 1)
        until = time.monotonic() + WAIT_S
        with suppress(RuntimeError, ValueError):  # thrown out before the message was sent
            while self._client.is_connected() and not sent.is_published() and time.monotonic() < until:
                time.sleep(0.001)
        return self._client.is_connected()

    def listen(self, filters: Iterable[str]) -> None:
        """Subscribe to each filter that is granted; some brokers disconnect a client that asks for more."""
        granted, thrown_out = [], False
        for topic_filter in filters:
            thrown_out |= self._reconnect()
            if self.subscribe(topic_filter):
                granted.append(topic_filter)
        if self._reconnect() or thrown_out:
            for topic_filter in granted:
                self.subscribe(topic_filter)

    def _reconnect(self) -> bool:
        """Reconnect if the broker has disconnected this client; return whether it had."""
        if self._client.is_connected():
            return False
        stop_thread(self._client)
        self._up = queue.SimpleQueue()
        with suppress(OSError, ValueError):
            self._client.reconnect()
            self._client.loop_start()
            _was_answered(self._up)
        return True

    def drained(self) -> list[tuple[str, bytes, bool]]:
        """Return all messages so far."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.came.get_nowait())
        return found

    def receives(self, wanted: Callable[[tuple[str, bytes, bool]], bool]) -> bool:
        """Wait for a message; return whether it came."""
        until = time.monotonic() + WAIT_S
        while (left := until - time.monotonic()) > 0:
            with suppress(queue.Empty):
                if wanted(self.came.get(timeout=left)):
                    return True
        return False

    def cut_off(self) -> None:
        """Break the connection without DISCONNECT, as a power cut does."""
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            sock.shutdown(socket.SHUT_RDWR)
        stop_thread(self._client)

    def close(self) -> None:
        """Disconnect."""
        self._client.disconnect()
        stop_thread(self._client)


def _was_answered(answers: queue.SimpleQueue[bool]) -> bool:
    try:
        return answers.get(timeout=WAIT_S)
    except queue.Empty:
        return False


def trials(
    address: BrokerAddress, prefix: str = "scharten", node: BrokerAddress | None = None
) -> Iterator[Trial]:
    """Run all trials on `<prefix>/doctor-.../`, and clear the retained messages there.

    `node` is another node of the same cluster, which must receive what is published on the first.
    """
    root = f"{prefix}/doctor-{secrets.token_hex(4)}/board1"
    plain = TrialClient(address, five=False)
    yield Trial("mqtt3", plain.connected)
    five = TrialClient(address, five=True)
    yield Trial("mqtt5", five.connected)
    client = five if five.connected else plain
    if not client.connected:
        yield Trial("account", False)
        return
    try:
        yield from _tried(address, root, node or address, five=client is five)
    finally:
        for topic in ("state", "availability", "large"):
            _publish(address, client is five, f"{root}/{topic}", b"", True)
        plain.close()
        five.close()


def _publish(address: BrokerAddress, five: bool, topic: str, payload: bytes, retain: bool = False) -> bool:
    """Publish with a new client, since a broker may disconnect one that asks too much."""
    client = TrialClient(address, five=five)
    try:
        return client.publish(topic, payload, retain)
    finally:
        client.close()


def _tried(address: BrokerAddress, root: str, other_node: BrokerAddress, *, five: bool) -> Iterator[Trial]:
    own = TrialClient(address, five=five)
    own.subscribe(f"{root}/state")
    acknowledged = _publish(address, five, f"{root}/state", b"first")
    yield Trial("qos1", acknowledged)
    came_back = own.receives(lambda message: message[1] == b"first")
    own.close()
    if acknowledged and not came_back:  # every further trial would fail too, and blame the broker
        yield Trial("rights", False, {"topic": f"{root.partition('/')[0]}/"})
        return
    kept = _publish(address, five, f"{root}/state", b"kept", True)
    later = TrialClient(other_node, five=five)
    wildcard = f"{root.rpartition('/')[0]}/+/state"
    granted = later.subscribe(wildcard)
    by_wildcard = (
        kept
        and granted
        and later.receives(lambda message: message[0] == f"{root}/state" and message[1] == b"kept")
    )
    yield Trial("retained", by_wildcard)
    _publish(address, five, f"{root}/state", b"live")
    live = later.receives(lambda message: message[1] == b"live")
    yield Trial("live", live)
    later.close()
    exact = TrialClient(other_node, five=five)
    exact.subscribe(f"{root}/state")
    marked = kept and exact.receives(lambda message: message[1] == b"kept" and message[2])
    yield Trial("flag", marked)
    exact.subscribe(f"{root}/availability")
    dying = TrialClient(address, five=five, will=f"{root}/availability")
    dying.cut_off()
    will = dying.connected and exact.receives(
        lambda message: message[0].endswith("/availability") and message[1] == b"gone"
    )
    yield Trial("will", will)
    exact.subscribe(f"{root}/large")
    sent = _publish(address, five, f"{root}/large", b"x" * LARGE)
    large = sent and exact.receives(lambda message: len(message[1]) == LARGE)
    yield Trial("large", large, {"kb": LARGE // 1000})
    exact.close()
