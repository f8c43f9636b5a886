"""Publish a board's topics (docs/contract.md) without ever waiting for the broker."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping

from scharten.contract.light import light_message
from scharten.contract.topics import Topic, Topics
from scharten.mqtt.client import MqttClient

ONLINE, OFFLINE = b"online", b"offline"


class Publisher:
    """Publish one board's topics.

    Retained topics (state, sheet, health, availability) are published at every connection, with the newest payload.
    Events, hits and answers are published only while connected, since they are stale later; these methods return
    False without a connection. `also` are called with everything: the topic below the board's, the payload, and whether
    it is retained; `kept` has the retained payloads. While `muted`, only health and answers are published: the board's
    topics show the game of another host.
    """

    def __init__(self, client: MqttClient, topics: Topics) -> None:
        self._client, self._topics = client, topics
        self.also: list[Callable[[str, bytes, bool], object]] = []
        self.kept: dict[str, bytes] = {}
        self.muted = False
        client.keep(topics.path(Topic.AVAILABILITY), ONLINE)

    def publish_state(self, snapshot: Mapping[str, object]) -> None:
        """Publish the whole snapshot."""
        self._keep(Topic.STATE, snapshot)

    def publish_sheet(self, sheet: Mapping[str, object]) -> None:
        """Publish the whole score sheet."""
        self._keep(Topic.SHEET, sheet)

    def publish_health(self, health: Mapping[str, object]) -> None:
        """Publish the state of sources, cameras, journal and broker."""
        self._keep(Topic.HEALTH, health)

    def publish_advice(self, advice: Mapping[str, object]) -> None:
        """Publish where to aim, or that there is no advice."""
        self._keep(Topic.ADVICE, advice)

    def publish_event(self, event: Mapping[str, object]) -> bool:
        """Publish an event."""
        return self._pass(Topic.EVENTS, event)

    def publish_hit(self, hit: Mapping[str, object]) -> bool:
        """Publish a reading of a source."""
        return self._pass(Topic.HITS, hit)

    def publish_said(self, call: Mapping[str, object]) -> bool:
        """Publish a call for speech output."""
        return self._pass(Topic.SAID, call)

    def answer(self, role: str, answer: Mapping[str, object]) -> bool:
        """Publish the answer to a role's command."""
        payload = encoded(answer)
        self._tell(f"{Topic.ANSWER.value}/{role}", payload, retained=False)
        return self._client.publish(self._topics.answer(role), payload)

    def _keep(self, topic: Topic, content: Mapping[str, object]) -> None:
        payload = self.kept[topic.value] = encoded(content)
        if not self.muted or topic is Topic.HEALTH:
            self._client.keep(self._topics.path(topic), payload)
        self._tell(topic.value, payload, retained=True)

    def _pass(self, topic: Topic, content: Mapping[str, object]) -> bool:
        payload = encoded(content)
        self._tell(topic.value, payload, retained=False)
        return not self.muted and self._client.publish(self._topics.path(topic), payload)

    def _tell(self, topic: str, payload: bytes, *, retained: bool) -> None:
        for listener in self.also:
            listener(topic, payload, retained)


class AvailabilityKeeper:
    """Correct the board's `availability` when the last will of an old connection sets it to "offline".

    `another` gets whether a second host serves the same board: in MQTT 5, an "online" that arrives comes from another
    host. Each host then publishes "online" again, so that both detect each other. When one leaves, the other publishes
    everything again.
    """

    def __init__(self, client: MqttClient, topics: Topics, another: Callable[[bool], None]) -> None:
        self._client, self._topic, self._another = client, topics.path(Topic.AVAILABILITY), another
        self._seen_another = self._leaving = False
        client.subscribe(self._topic, self._on_message, others_only=True)

    def go_offline(self) -> None:
        """Publish "offline" while the connection stays."""
        self._leaving = True
        self._client.keep(self._topic, OFFLINE)

    def leave(self) -> None:
        """Stop the client with "offline" as its last message."""
        self._leaving = True
        self._client.stop((self._topic, OFFLINE))

    def _on_message(self, _topic: str, payload: bytes, retained: bool) -> None:
        # This client replaces messages retained before its connection anyway.
        if retained or self._leaving:
            return
        online = payload == ONLINE
        if online and (self._seen_another or not self._client.mqtt5):
            return
        if online:
            self._client.keep(self._topic, ONLINE)
        else:
            self._client.keep_again()  # another host that left may have overwritten the retained state
        if online != self._seen_another:
            self._seen_another = online
            self._another(online)


def announce_light(client: MqttClient, topics: Topics, by: str, now_ms: int, for_ms: int) -> bool:
    """Announce a change of the light that follows now, for `for_ms`; false when no broker is connected."""
    return client.publish(topics.path(Topic.LIGHT), encoded(light_message(by, now_ms, for_ms)))


def encoded(content: Mapping[str, object]) -> bytes:
    """Encode as compact JSON in UTF-8."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode()
