"""Read what the daemon of a data folder publishes."""

from __future__ import annotations

import json
import os
import queue
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

from scharten.config import Config
from scharten.contract.roles import Account
from scharten.contract.topics import Topic, Topics
from scharten.errors import Problem
from scharten.mqtt.address import BrokerAddress, parse_url
from scharten.mqtt.client import MqttClient
from scharten.sensors.simulator.endpoint import Endpoint
from scharten.system.secrets import load_or_make

TIMEOUT_S: Final = 3.0


def running_file(folder: Path) -> dict[str, Any] | None:
    """Return running.json: the daemon's process, addresses and topics; None without a daemon."""
    try:
        found = json.loads((folder / "running.json").read_text())
        return (
            {**found} if all(key in found for key in ("web", "broker", "prefix", "club", "board")) else None
        )
    except (OSError, ValueError, TypeError):
        return None


def running_endpoint(folder: Path, account: Account) -> Endpoint | None:
    """Return the running daemon's broker and topics, with this account; None without a daemon."""
    running = running_file(folder)
    if running is None:
        return None
    return Endpoint(
        **running["broker"],
        **{name: running[name] for name in ("prefix", "club", "board")},
        username=account.value,
        password=load_or_make(folder / "secrets.json")[account],
    )


def alive(folder: Path) -> bool:
    """Return whether the process that wrote running.json still runs."""
    running = running_file(folder)
    try:
        os.kill(int((running or {})["pid"]), 0)
    except (KeyError, ValueError, TypeError, ProcessLookupError):
        return False
    except PermissionError:  # another user's
        pass
    return True


def retained(settings: Config, folder: Path, topics: Sequence[Topic]) -> dict[Topic, Any] | Problem:
    """Return the retained payloads of the daemon that runs on this folder, as any display may read them.

    `topics` that stay silent for three seconds are left out; a `Problem` without a daemon or without an answer.
    """
    running = running_file(folder)
    if running is None:
        return Problem("no_daemon", "no daemon runs on this folder", cure="Start `scharten run`.")
    own = BrokerAddress(running["broker"]["host"], running["broker"]["port"])
    ca_file = Path(settings.broker.ca_file) if settings.broker.ca_file else None
    address = own if settings.broker.url == "embedded" else parse_url(settings.broker.url, ca_file)
    names = Topics(running["prefix"], running["club"], running["board"])
    received: queue.Queue[tuple[Topic, bytes]] = queue.Queue(4 * len(topics))
    client = MqttClient(address, name="scharten-status", quiet=True)

    def keep(topic: Topic) -> Callable[[str, bytes, bool], None]:
        return lambda _name, payload, _retained: received.put((topic, payload))

    for topic in topics:
        client.subscribe(names.path(topic), keep(topic))
    client.start()
    found: dict[Topic, Any] = {}
    until = time.monotonic() + TIMEOUT_S
    try:
        while len(found) < len(topics):
            topic, payload = received.get(timeout=max(0.0, until - time.monotonic()))
            try:
                found[topic] = json.loads(payload)
            except ValueError:
                found[topic] = payload.decode(errors="replace")  # `availability` is a bare word
    except queue.Empty:
        if not found:
            return Problem.reasoned("silent", "published_nothing", status=client.status.words)
    finally:
        client.stop()
    return found
