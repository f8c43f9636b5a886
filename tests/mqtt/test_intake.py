"""Commands from a broker: answered, passed on, or cleared."""

import json
from collections.abc import Callable
from typing import Any, cast

import pytest

from scharten.contract.topics import Topics
from scharten.errors import Problem
from scharten.match.inputs import Command, Role
from scharten.mqtt.intake import CommandIntake

TOPICS = Topics("scharten", "home", "board1")
READY = {"v": 1, "id": "a1", "match": "m", "seq": 3, "type": "ready"}


class Wire:
    """A stand-in for the client, so that a test can set time and chance."""

    def __init__(self, room: bool = True) -> None:
        self.handler: Callable[[str, bytes, bool], None] = lambda *_: None
        self.cleared: list[tuple[str, bytes, bool]] = []
        self.inputs: list[Command] = []
        self.answers: list[tuple[str, Any]] = []
        self.room, self.refusal = room, cast(Problem | None, None)
        self.intake = CommandIntake(
            self,
            TOPICS,
            emit=self._emit,
            publish=lambda role, answer: self.answers.append((role, answer)),
            refusal=lambda order: self.refusal,
            now_ms=lambda: 1000,
            seed=lambda: 7,
        )

    def subscribe(self, topic_filter: str, handler: Callable[[str, bytes, bool], None]) -> None:
        assert topic_filter == "scharten/home/board1/command/+"
        self.handler = handler

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        self.cleared.append((topic, payload, retain))
        return True

    def _emit(self, command: Command) -> bool:
        if self.room:
            self.inputs.append(command)
        return self.room


def test_a_command_becomes_an_input_with_its_role_time_and_chance() -> None:
    """The role is that of the topic, whatever the payload contains."""
    wire = Wire()
    wire.handler(TOPICS.command("seat2"), json.dumps(READY).encode(), False)
    (command,) = wire.inputs
    assert (command.role, command.t_ms, command.seed, command.order.id) == (Role.SEAT2, 1000, 7, "a1")
    assert wire.answers == []


def test_a_refused_order_is_answered_and_not_passed_on() -> None:
    """An order that this machine cannot carry out gets the reason with its arguments and never reaches the referee."""
    wire = Wire()
    wire.refusal = Problem("malformed", "there is no engine x", {"why": "no_such_engine", "engine": "x"})
    wire.handler(TOPICS.command("seat2"), json.dumps(READY).encode(), False)
    ((role, answer),) = wire.answers
    assert role == "seat2" and not wire.inputs and wire.intake.refused == 1
    assert answer["id"] == "a1" and answer["args"] == {"why": "no_such_engine", "engine": "x"}


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        (b"{", "malformed"),
        (b"\xff\xfe", "malformed"),
        (b"[]", "malformed"),
        (b"x" * 1_000_000, "too_large"),
        (json.dumps(READY | {"type": "cheat"}).encode(), "unknown_type"),
        (json.dumps(READY | {"more": 1}).encode(), "malformed"),
        (b"[" * 10_000, "malformed"),
    ],
)
def test_an_invalid_command_is_answered_and_dropped(payload: bytes, code: str) -> None:
    """Every malformed, unknown or oversized command gets its refusal and changes nothing."""
    wire = Wire()
    wire.handler(TOPICS.command("table"), payload, False)
    ((role, answer),) = wire.answers
    assert role == "table" and isinstance(answer, dict)
    assert (answer["accepted"], answer["code"]) == (False, code)
    assert wire.inputs == [] and wire.intake.refused == 1


def test_a_retained_command_is_cleared_and_ignored() -> None:
    """The command was sent before this connection, and is stale by definition."""
    wire = Wire()
    wire.handler(TOPICS.command("arbiter"), json.dumps(READY).encode(), True)
    assert wire.cleared == [(TOPICS.command("arbiter"), b"", True)]
    assert wire.inputs == [] and wire.answers == []


@pytest.mark.parametrize(
    "topic", ["scharten/home/board2/command/table", "scharten/home/board1/command/host", "x", ""]
)
def test_other_topics_are_ignored(topic: str) -> None:
    """Another board's command, or a role that does not exist, is not read."""
    wire = Wire()
    wire.handler(topic, json.dumps(READY).encode(), False)
    assert wire.inputs == [] and wire.answers == []


def test_the_clearing_is_not_a_command() -> None:
    """The broker returns our own clearing, which is ignored once; another empty message is malformed."""
    wire = Wire()
    topic = TOPICS.command("arbiter")
    wire.handler(topic, json.dumps(READY).encode(), True)
    wire.handler(topic, b"", False)
    assert wire.inputs == [] and wire.answers == [] and len(wire.cleared) == 1
    wire.handler(topic, b"", False)
    ((role, answer),) = wire.answers
    assert role == "arbiter" and isinstance(answer, dict) and answer["code"] == "malformed"


def test_a_full_queue_drops_the_command_and_counts_it() -> None:
    """A flood of commands does not fill memory: a command beyond the queue is dropped, counted and logged."""
    wire = Wire(room=False)
    for _ in range(10):
        wire.handler(TOPICS.command("table"), json.dumps(READY).encode(), False)
    assert wire.intake.refused == 10
