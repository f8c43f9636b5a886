"""Whether a broker gives what the contract needs: tried on topics of its own, each answer in words."""

from __future__ import annotations

import queue
import secrets
import socket
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass

import paho.mqtt.client as paho
from paho.mqtt.enums import CallbackAPIVersion, MQTTProtocolVersion

from scharten.errors import SchartenError
from scharten.mqtt.address import BrokerAddress, tls_context

WAIT_S = 4.0
AGAIN_S = 0.02
"""How soon it is seen that a broker has thrown out a client whose message it will not acknowledge."""
LARGE = 900_000
"""Bytes of the largest message that a host sends."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing that was tried: what it is, whether it works, and what breaks when it does not."""

    what: str
    works: bool
    breaks: str


def for_home_assistant(tried: Iterable[Trial]) -> str:
    """What these trials mean for Home Assistant: it finds boards by wildcard, and from 2027.1 on speaks MQTT 5 only."""
    works = {one.what: one.works for one in tried}
    if not works.get("retained messages by wildcard"):
        return "Home Assistant finds no board: retained messages do not come by wildcard."
    if works.get("MQTT 5"):
        return "Home Assistant can use it, also from 2027.1 on, when it speaks MQTT 5 only."
    return "Home Assistant can use it up to 2026.12: from 2027.1 on it speaks MQTT 5 only."


class TrialClient:
    """A client of a trial; `came` gives the messages as (topic, payload, retained)."""

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
        self._client.on_disconnect = self._thrown_out
        self._client.on_message = lambda _c, _u, one: self.came.put(
            (one.topic, bytes(one.payload), one.retain)
        )
        self._client.on_subscribe = lambda _c, _u, _m, codes, _p: self._granted.put(not codes[0].is_failure)
        try:
            self._client.connect(address.host, address.port, 5)
        except OSError as error:
            raise SchartenError(
                f"No broker answers at {address}: {error.strerror or error}.",
                "Is it running, and is the port right?",
            ) from error
        self._client.loop_start()
        self.connected = _got(self._up)

    def _thrown_out(self, *_: object) -> None:
        """Whoever waits for an answer gets none."""
        self._up.put(False)
        self._granted.put(False)

    def subscribe(self, topic_filter: str) -> bool:
        """Whether the subscription was granted."""
        self._granted = queue.SimpleQueue()
        self._client.subscribe(topic_filter, 1)
        return _got(self._granted)

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Whether the broker acknowledged it."""
        told, until = self._client.publish(topic, payload, 1, retain), time.monotonic() + WAIT_S
        try:
            while not told.is_published() and self._client.is_connected() and time.monotonic() < until:
                told.wait_for_publish(AGAIN_S)
            return told.is_published()
        except (RuntimeError, ValueError):  # the broker has thrown this client out
            return False

    def send(self, topic: str, payload: bytes) -> bool:
        """Publish and wait for an answer; whether the broker lets this client go on."""
        told = self._client.publish(topic, payload, 1)
        until = time.monotonic() + WAIT_S
        with suppress(RuntimeError, ValueError):  # thrown out before it was said
            while self._client.is_connected() and not told.is_published() and time.monotonic() < until:
                time.sleep(0.001)
        return self._client.is_connected()

    def listen(self, filters: Iterable[str]) -> None:
        """Subscribe to each that is granted; some brokers throw out whoever asks for more."""
        granted, thrown_out = [], False
        for one in filters:
            thrown_out |= self._again()
            if self.subscribe(one):
                granted.append(one)
        if self._again() or thrown_out:
            for one in granted:
                self.subscribe(one)

    def _again(self) -> bool:
        """Connect again where the broker has thrown this client out; whether it had."""
        if self._client.is_connected():
            return False
        self._client.loop_stop()
        self._up = queue.SimpleQueue()
        with suppress(OSError, ValueError):
            self._client.reconnect()
            self._client.loop_start()
            _got(self._up)
        return True

    def drained(self) -> list[tuple[str, bytes, bool]]:
        """All that has come."""
        found = []
        with suppress(queue.Empty):
            while True:
                found.append(self.came.get_nowait())
        return found

    def hears(self, wanted: Callable[[tuple[str, bytes, bool]], bool]) -> bool:
        """Whether such a message comes."""
        until = time.monotonic() + WAIT_S
        while (left := until - time.monotonic()) > 0:
            with suppress(queue.Empty):
                if wanted(self.came.get(timeout=left)):
                    return True
        return False

    def die(self) -> None:
        """Go without a word, as a power cut does it."""
        sock = self._client.socket()
        if isinstance(sock, socket.socket):
            sock.shutdown(socket.SHUT_RDWR)
        self._client.loop_stop()

    def close(self) -> None:
        """Leave."""
        self._client.disconnect()
        self._client.loop_stop()


def _got(answers: queue.SimpleQueue[bool]) -> bool:
    try:
        return answers.get(timeout=WAIT_S)
    except queue.Empty:
        return False


def trials(
    address: BrokerAddress, prefix: str = "scharten", node: BrokerAddress | None = None
) -> Iterator[Trial]:
    """Try everything, on `<prefix>/doctor-.../`; what was retained there is cleared again.

    `node` is another node of the same cluster: what is said to one is listened for there.
    """
    root = f"{prefix}/doctor-{secrets.token_hex(4)}/board1"
    plain = TrialClient(address, five=False)
    yield Trial(
        "MQTT 3.1.1", plain.connected, "devices of MQTT 3.1.1 cannot connect; Scharten itself speaks 5 too"
    )
    five = TrialClient(address, five=True)
    yield Trial(
        "MQTT 5",
        five.connected,
        "a retained command is not known for one while a host listens",
    )
    client = five if five.connected else plain
    if not client.connected:
        yield Trial("an account", False, "neither version lets this account in")
        return
    try:
        yield from _tried(address, root, node or address, five=client is five)
    finally:
        for topic in ("state", "availability", "large"):
            _say(address, client is five, f"{root}/{topic}", b"", True)
        plain.close()
        five.close()


def _say(address: BrokerAddress, five: bool, topic: str, payload: bytes, retain: bool = False) -> bool:
    """Publish by a client of its own, since a broker may throw out who asks too much."""
    client = TrialClient(address, five=five)
    try:
        return client.publish(topic, payload, retain)
    finally:
        client.close()


def _tried(address: BrokerAddress, root: str, there: BrokerAddress, *, five: bool) -> Iterator[Trial]:
    yield Trial(
        "QoS 1", _say(address, five, f"{root}/state", b"first"), "nobody knows whether a message has arrived"
    )
    kept = _say(address, five, f"{root}/state", b"kept", True)
    later = TrialClient(there, five=five)
    wildcard = f"{root.rpartition('/')[0]}/+/state"
    granted = later.subscribe(wildcard)
    by_wildcard = (
        kept and granted and later.hears(lambda one: one[0] == f"{root}/state" and one[1] == b"kept")
    )
    yield Trial(
        "retained messages by wildcard", by_wildcard, "a page that opens later sees no board: not fit"
    )
    _say(address, five, f"{root}/state", b"live")
    live = later.hears(lambda one: one[1] == b"live")
    yield Trial("live messages by wildcard", live, "nothing moves on any page: not fit")
    later.close()
    exact = TrialClient(there, five=five)
    exact.subscribe(f"{root}/state")
    marked = kept and exact.hears(lambda one: one[1] == b"kept" and one[2])
    yield Trial(
        "the retained flag", marked, "a command that stands from yesterday would be taken for a new one"
    )
    exact.subscribe(f"{root}/availability")
    dying = TrialClient(address, five=five, will=f"{root}/availability")
    dying.die()
    will = dying.connected and exact.hears(lambda one: one[0].endswith("/availability") and one[1] == b"gone")
    yield Trial("last wills", will, "a board whose machine lost its power seems to be there")
    exact.subscribe(f"{root}/large")
    said = _say(address, five, f"{root}/large", b"x" * LARGE)
    large = said and exact.hears(lambda one: len(one[1]) == LARGE)
    yield Trial(
        f"messages of {LARGE // 1000} kB", large, "long games do not reach an archive; play is not touched"
    )
    exact.close()
