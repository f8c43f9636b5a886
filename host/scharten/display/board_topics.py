"""The topics of a board between the MQTT client's thread and the server's loop; a bounded buffer in between."""

from __future__ import annotations

import asyncio
import json
import logging
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from scharten.contract.topics import BROADCAST, RETAINED, Topic, Topics
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import ConnectionState, ConnectionStatus, MqttClient
from scharten.mqtt.publisher import encoded
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)

OVERVIEW = (Topic.AVAILABILITY, Topic.HEALTH, Topic.STATE)  # of every board, for the club's view
MAX_PAYLOAD = 256 * 1024  # a whole score sheet is the largest honest payload
MAX_RECORD = 1024 * 1024  # the record of a finished game, which only the club's service reads
MAX_PENDING = 512


def is_retained(topic: str) -> bool:
    """Return whether only the newest payload counts; true of `board2/state` as well as of `state`."""
    above, _, name = topic.rpartition("/")
    return name in RETAINED or above.endswith(f"/{Topic.FINISHED}")


@dataclass
class Handover:
    """Messages from the client's thread to the loop: the newest of each retained topic, a queue of the rest."""

    newest: dict[str, str] = field(default_factory=dict)
    passing: deque[tuple[str, str]] = field(default_factory=lambda: deque(maxlen=MAX_PENDING))
    link: bool | None = None
    woken: bool = False


class BoardTopics:
    """Carries the topics of one board, or with `all_boards` the public topics of the club, between broker and loop.

    `deliver(topic, json_text)` runs in the loop, with the topic below the board's or the club's root; `link(up)` runs
    when the connection comes or goes. `also`: further filters below the root. `publish` refuses without a connection:
    a stale command must not arrive later.
    """

    def __init__(
        self,
        address: BrokerAddress,
        topics: Topics,
        deliver: Callable[[str, str], None],
        link: Callable[[bool], None],
        *,
        all_boards: bool = False,
        also: tuple[str, ...] = (),
    ) -> None:
        self.base = f"{topics.club_root if all_boards else topics.root}/"
        names = (
            (f"+/{name}" for name in OVERVIEW)
            if all_boards
            else (*BROADCAST, Topic.NEXT, f"{Topic.ANSWER}/+")
        )
        self._filters = [self.base + name for name in (*sorted(names), *also)]
        self.connected = False
        self.refusal: str | None = None
        self.dropped = 0
        self._warnings = RateLimitedLog(log)
        self._deliver, self._link = deliver, link
        self._lock = threading.Lock()
        self._left = Handover()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._address = address
        self._client: MqttClient | None = None

    def start(self) -> None:
        """Connect, and stay connected; call it in the loop in which `deliver` must run."""
        self._loop = asyncio.get_running_loop()
        self._client = MqttClient(self._address, name="display", on_status=self._on_status)
        for topic_filter in self._filters:
            self._client.subscribe(topic_filter, self._on_message)
        self._client.start()

    async def stop(self) -> None:
        """Disconnect; no callback runs after this."""
        loop, self._loop = self._loop, None
        if loop is not None and self._client is not None:
            await loop.run_in_executor(None, self._client.stop)

    def publish(self, topic: str, payload: dict[str, Any]) -> bool:
        """Send now or not at all; False without a connection."""
        if not self.connected or self._client is None:
            return False
        return self._client.publish(self.base + topic, encoded(payload))

    def keep(self, topic: str, payload: Mapping[str, Any]) -> None:
        """Retain a message on the broker, now and after every later connection."""
        if self._client is not None:
            self._client.keep(self.base + topic, encoded(payload))

    def _on_status(self, status: ConnectionStatus) -> None:
        self.refusal = status.words if status.state is ConnectionState.REFUSED else None
        self._leave(link=status.connected)

    def _on_message(self, topic: str, payload: bytes, _retained: bool) -> None:
        most = MAX_RECORD if f"/{Topic.FINISHED}/" in topic else MAX_PAYLOAD
        text = _json_text(payload) if len(payload) <= most else None
        if text is None:
            self.dropped += 1
            if payload:  # an empty one only clears a retained topic
                words = "dropped a payload on %s that is not JSON or over %d bytes"
                self._warnings.warn("payload", words, topic, most)
            return
        self._leave(topic=topic.removeprefix(self.base), text=text)

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
        if self._loop is None:  # stopped between the call and now
            return
        if left.link is not None and left.link != self.connected:
            self.connected = left.link
            self._link(left.link)
        for topic, text in (*left.newest.items(), *left.passing):
            self._deliver(topic, text)


def _json_text(payload: bytes) -> str | None:
    """Return the payload as JSON text, a bare word (`online`) as a JSON string; None for anything else."""
    try:
        text = payload.decode()
    except UnicodeDecodeError:
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return json.dumps(text) if text.isalpha() else None
    return text
