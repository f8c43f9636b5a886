"""The message `light` on its way: published before a change, and handed to whoever watches the board."""

from __future__ import annotations

import logging
from collections.abc import Callable

from scharten.contract.light import duration_ms, light_message, parse_light
from scharten.contract.topics import Topic, Topics
from scharten.errors import Problem
from scharten.mqtt.client import MqttClient
from scharten.mqtt.limits import RateLimitedLog
from scharten.mqtt.publisher import MqttOutlet, encoded

_warnings = RateLimitedLog(logging.getLogger(__name__))


def announce_light(outlet: MqttOutlet, topics: Topics, by: str, now_ms: int, for_ms: int) -> bool:
    """Say that the light on the board changes now, for so long; false when nobody could be told. Then change it."""
    return outlet.publish(topics.of(Topic.LIGHT), encoded(light_message(by, now_ms, for_ms)))


class LightIntake:
    """Hears `light` and tells the listeners by whom and for how many ms; they must not wait.

    What is no such message, or was retained and may be old, is dropped.
    """

    def __init__(self, client: MqttClient, topics: Topics) -> None:
        self.listeners: list[Callable[[str, int], None]] = []
        client.subscribe(topics.of(Topic.LIGHT), self._message)

    def _message(self, _topic: str, payload: bytes, retained: bool) -> None:
        told = parse_light(payload)
        if retained or isinstance(told, Problem):
            _warnings.warn("light", "a message on `light` is dropped: %s", "retained" if retained else told)
            return
        for listener in self.listeners:
            listener(told["by"], duration_ms(told))
