"""Receive the host's messages: turn commands into inputs of the referee, pass on all others."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Mapping

from scharten.contract.light import duration_ms, parse_light
from scharten.contract.messages import parse_command, refused
from scharten.contract.topics import COMMAND_LIMIT, PAGE_LIGHT, SEAT_THROW_ROLES, Topic, Topics
from scharten.errors import Problem
from scharten.match.answers import answer
from scharten.match.inputs import Command, Role
from scharten.match.orders import AnyOrder
from scharten.mqtt.client import MqttClient
from scharten.system.log_limit import RateLimitedLog

log = logging.getLogger(__name__)
_warnings = RateLimitedLog(log)


class CommandIntake:
    """Turn messages on `command/<role>` into `Command` inputs.

    `emit` queues an input without waiting, false when the queue is full; `publish` publishes on `answer/<role>`. This
    class answers unreadable commands and those for which `refusal` gives a reason, the referee all others. It clears
    retained commands, which are older than the connection, and does not execute them.
    """

    def __init__(
        self,
        client: MqttClient,
        topics: Topics,
        *,
        emit: Callable[[Command], bool],
        publish: Callable[[str, Mapping[str, object]], object],
        refusal: Callable[[AnyOrder], Problem | None],
        now_ms: Callable[[], int],
        seed: Callable[[], int],
    ) -> None:
        self._client, self._topics = client, topics
        self._emit, self._publish, self._refusal = emit, publish, refusal
        self._now_ms, self._seed = now_ms, seed
        self.refused = 0
        self._cleared: Counter[str] = Counter()
        self._full = False
        client.subscribe(topics.command("+"), self._message)

    def _message(self, topic: str, payload: bytes, retained: bool) -> None:
        role = self._topics.role_of(topic)
        if role is None:
            return
        if not payload and self._cleared[topic]:
            self._cleared[topic] -= (
                1  # the broker passes on our own clearing, in MQTT 5 with the retained flag
            )
            return
        if retained and payload:
            log.warning("a retained command of %s is cleared: commands must not be retained", role)
            self._cleared[topic] += 1
            self._client.publish(topic, b"", True)
        if retained:
            return
        order = parse_command(payload)
        if isinstance(order, Problem):
            self.refused += 1
            self._publish(role, refused(order))
        elif (problem := self._refusal(order)) is not None:
            self.refused += 1
            self._publish(role, answer(order.id, problem))
        elif not self._emit(Command(self._now_ms(), Role(role), order, self._seed())):
            self.refused += 1
            if not self._full:
                log.warning("too many inputs wait: commands of %s are dropped", role)
            self._full = True
        else:
            self._full = False


class LightIntake:
    """Call the listeners with sender, duration in ms and whether a page sent each `light`; they must not wait.

    Invalid messages, and retained ones, which may be old, are dropped.
    """

    def __init__(self, client: MqttClient, topics: Topics) -> None:
        self.listeners: list[Callable[[str, int, bool], None]] = []
        self._of_pages = f"{topics.root}/{PAGE_LIGHT}"
        for topic in (topics.path(Topic.LIGHT), self._of_pages):
            client.subscribe(topic, self._message)

    def _message(self, topic: str, payload: bytes, retained: bool) -> None:
        light = parse_light(payload)
        if retained or isinstance(light, Problem):
            _warnings.warn("light", "a message on `light` is dropped: %s", "retained" if retained else light)
            return
        for listener in self.listeners:
            listener(light["by"], duration_ms(light), topic == self._of_pages)


class RemoteIntake:
    """Hand the requests of a club's organiser to `listener`, which must not wait; those before it is set are lost.

    The sender sends them again until they are answered. Retained ones, which may be old, are dropped.
    """

    def __init__(self, client: MqttClient, topics: Topics) -> None:
        self.listener: Callable[[bytes], None] = lambda payload: None
        client.subscribe(topics.path(Topic.REMOTE), self._message)

    def _message(self, _topic: str, payload: bytes, retained: bool) -> None:
        if payload and not retained:
            self.listener(payload)


class ThrowIntake:
    """Pass a seat's darts on to the simulated board while that seat is to throw; drop all others.

    A dart out of turn would cost the opponent a lost dart. `note` gets the seat, and whether its dart was passed on.
    """

    def __init__(
        self,
        client: MqttClient,
        topics: Topics,
        is_due: Callable[[str], bool],
        note: Callable[[str, bool], object],
    ) -> None:
        self._client, self._topics, self._is_due, self._note = client, topics, is_due, note
        client.subscribe(topics.throw("+"), self._message)

    def _message(self, topic: str, payload: bytes, retained: bool) -> None:
        seat = topic.rpartition("/")[2]
        if retained or seat not in SEAT_THROW_ROLES or len(payload) > COMMAND_LIMIT:
            return
        due = self._is_due(seat)
        if due:
            self._client.publish(self._topics.path(Topic.THROW), payload)
        else:
            _warnings.warn("throw", "a dart of %s out of turn is dropped", seat)
        self._note(seat, due)
