"""The lobby of a meeting place: who waits for an opponent, which game, which clock. An entry is the host's choice."""

from __future__ import annotations

import queue
import time
from typing import Annotated, Any

from pydantic import Field

from scharten.errors import Problem
from scharten.match.orders import PlayerName
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient
from scharten.remote.meeting import ROOT
from scharten.remote.messages import HELLO_BYTES, Message, Text, read
from scharten.remote.tunnel import wait_for_broker

PATIENCE_S = 8.0
RETAINED_S = 1.0
"""How long entries may take after the subscription."""
MOST = 100


class Entry(Message):
    """`meet/lobby/<place>`, retained: an open invitation. The host may decline a player who takes it up."""

    by: PlayerName = ""
    game: Text
    kind: Text
    clock: dict[str, Any] | None = None
    rated: bool = False
    link: Annotated[str, Field(max_length=400)]


def read_lobby(address: BrokerAddress) -> list[dict[str, Any]] | Problem:
    """Return the entries of the lobby at this broker; it waits for the network."""
    found: queue.SimpleQueue[tuple[str, bytes]] = queue.SimpleQueue()
    client = MqttClient(address, name="lobby", quiet=True)
    client.subscribe(f"{ROOT}/lobby/+", lambda topic, payload, _retained: found.put((topic, payload)))
    client.start()
    try:
        if words := wait_for_broker(client, PATIENCE_S):
            return Problem("no_meeting", words, cure="Is [remote] meeting right?")
        time.sleep(RETAINED_S)
    finally:
        client.stop()
    entries: dict[str, dict[str, Any]] = {}
    while not found.empty() and len(entries) < MOST:
        topic, payload = found.get()
        entry = read(payload, Entry, HELLO_BYTES) if payload else None
        if isinstance(entry, Entry):
            entries[topic] = entry.model_dump(exclude={"v"})
        else:
            entries.pop(topic, None)
    return list(entries.values())
