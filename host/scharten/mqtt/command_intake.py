"""Commands from MQTT: read, judged by their form, stamped with time and chance, and passed on as inputs."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from scharten.contract.messages import parse_command, refused
from scharten.contract.topics import Topics
from scharten.errors import Problem
from scharten.match.inputs import Command, Role
from scharten.mqtt.client import MqttClient

log = logging.getLogger(__name__)


class CommandIntake:
    """Turns messages on `command/<role>` into `Command` inputs.

    `emit` puts an input into the program's queue without waiting, false when that is full; `answer` publishes on
    `answer/<role>`. A command that cannot be read is answered here; all others by the referee. A retained command
    is older than this connection: it is cleared and does nothing. Sessions are clean, so that none waits for us.
    """

    def __init__(
        self,
        client: MqttClient,
        topics: Topics,
        *,
        emit: Callable[[Command], bool],
        answer: Callable[[str, Mapping[str, object]], object],
        now_ms: Callable[[], int],
        seed: Callable[[], int],
    ) -> None:
        self._client, self._topics = client, topics
        self._emit, self._answer = emit, answer
        self._now_ms, self._seed = now_ms, seed
        self.refused = 0
        self._full = False
        client.subscribe(topics.command("+"), self._message)

    def _message(self, topic: str, payload: bytes, retained: bool) -> None:
        role = self._topics.role_of(topic)
        if role is None or not payload:
            return
        if retained:
            log.warning("a retained command of %s is cleared: commands must not be retained", role)
            self._client.publish(topic, b"", True)
            return
        order = parse_command(payload)
        if isinstance(order, Problem):
            self.refused += 1
            self._answer(role, refused(order))
        elif not self._emit(Command(self._now_ms(), Role(role), order, self._seed())):
            self.refused += 1
            if not self._full:
                log.warning("too many inputs wait: commands of %s are dropped", role)
            self._full = True
        else:
            self._full = False
