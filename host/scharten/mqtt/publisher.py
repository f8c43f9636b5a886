"""What the world sees of a board: its topics of docs/contract.md, published without ever waiting for the broker."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from scharten.contract.topics import Topic, Topics

ONLINE, OFFLINE = b"online", b"offline"


class Outlet(Protocol):
    """The connection to the broker (`broker.link.BrokerLink`); neither method waits."""

    def keep(self, topic: str, payload: bytes) -> None:
        """Publishes a retained message, now and on every later connection."""

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Publishes a message once; false when it could not."""


class Publisher:
    """Publishes one board's topics.

    Retained topics (state, sheet, health, availability) reach the broker whenever it is there, the newest payload
    of each; events, hits and answers only while it is there, since they are stale afterwards.
    """

    def __init__(self, outlet: Outlet, topics: Topics) -> None:
        self._outlet, self._topics = outlet, topics
        outlet.keep(topics.of(Topic.AVAILABILITY), ONLINE)

    def publish_state(self, snapshot: Mapping[str, object]) -> None:
        """The complete snapshot."""
        self._keep(Topic.STATE, snapshot)

    def publish_sheet(self, sheet: Mapping[str, object]) -> None:
        """The whole score sheet."""
        self._keep(Topic.SHEET, sheet)

    def publish_health(self, health: Mapping[str, object]) -> None:
        """How sources, cameras, journal and broker are."""
        self._keep(Topic.HEALTH, health)

    def publish_event(self, event: Mapping[str, object]) -> bool:
        """One event; false when nobody could be told."""
        return self._outlet.publish(self._topics.of(Topic.EVENTS), encoded(event))

    def publish_hit(self, hit: Mapping[str, object]) -> bool:
        """One reading of a source; false when nobody could be told."""
        return self._outlet.publish(self._topics.of(Topic.HITS), encoded(hit))

    def answer(self, role: str, answer: Mapping[str, object]) -> bool:
        """The answer to a role's command; false when the role could not be told."""
        return self._outlet.publish(self._topics.answer(role), encoded(answer))

    def _keep(self, topic: Topic, content: Mapping[str, object]) -> None:
        self._outlet.keep(self._topics.of(topic), encoded(content))


def encoded(content: Mapping[str, object]) -> bytes:
    """JSON in UTF-8 without needless spaces."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
