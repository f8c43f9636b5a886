"""What the world sees of a board: its topics of docs/contract.md, published without ever waiting for the broker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Protocol

from scharten.contract.topics import Topic, Topics
from scharten.mqtt.client import MqttClient

ONLINE, OFFLINE = b"online", b"offline"


class MqttOutlet(Protocol):
    """The connection to the broker (`mqtt.client.MqttClient`); neither method waits."""

    def keep(self, topic: str, payload: bytes) -> None:
        """Publishes a retained message, now and on every later connection."""

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        """Publishes a message once; false when it could not."""


class Publisher:
    """Publishes one board's topics.

    Retained topics (state, sheet, health, availability) reach the broker whenever it is there, the newest payload
    of each; events, hits and answers only while it is there, since they are stale afterwards.
    """

    def __init__(self, outlet: MqttOutlet, topics: Topics) -> None:
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

    def publish_advice(self, advice: Mapping[str, object]) -> None:
        """Where to aim, or that nothing is advised."""
        self._keep(Topic.ADVICE, advice)

    def publish_event(self, event: Mapping[str, object]) -> bool:
        """One event; false when nobody could be told."""
        return self._outlet.publish(self._topics.of(Topic.EVENTS), encoded(event))

    def publish_hit(self, hit: Mapping[str, object]) -> bool:
        """One reading of a source; false when nobody could be told."""
        return self._outlet.publish(self._topics.of(Topic.HITS), encoded(hit))

    def publish_said(self, said: Mapping[str, object]) -> bool:
        """What the caller says; false when nobody could be told."""
        return self._outlet.publish(self._topics.of(Topic.SAID), encoded(said))

    def answer(self, role: str, answer: Mapping[str, object]) -> bool:
        """The answer to a role's command; false when the role could not be told."""
        return self._outlet.publish(self._topics.answer(role), encoded(answer))

    def _keep(self, topic: Topic, content: Mapping[str, object]) -> None:
        self._outlet.keep(self._topics.of(topic), encoded(content))


class AvailabilityKeeper:
    """Hears the board's own `availability`, and corrects it when the last will of an old connection says "offline".

    `another` is told whether a second host serves the same board: in MQTT 5 its "online" is another's. Each host then
    says "online" once more, so that both know of the other; who stays when one leaves says everything again.
    """

    def __init__(self, client: MqttClient, topics: Topics, another: Callable[[bool], None]) -> None:
        self._client, self._topic, self._another = client, topics.of(Topic.AVAILABILITY), another
        self._seen_another = self._leaving = False
        client.subscribe(self._topic, self._heard, others_only=True)

    def leave(self) -> None:
        """Stops the client with "offline" as the last that is said."""
        self._leaving = True
        self._client.stop((self._topic, OFFLINE))

    def _heard(self, _topic: str, payload: bytes, retained: bool) -> None:
        # What was retained before this connection is about to be replaced in any case.
        if retained or self._leaving:
            return
        there = payload == ONLINE
        if there and (self._seen_another or not self._client.mqtt5):
            return
        if there:
            self._client.keep(self._topic, ONLINE)
        else:
            self._client.keep_again()  # who left, if it was another host, leaves its own state retained
        if there != self._seen_another:
            self._seen_another = there
            self._another(there)


def encoded(content: Mapping[str, object]) -> bytes:
    """JSON in UTF-8 without needless spaces."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
