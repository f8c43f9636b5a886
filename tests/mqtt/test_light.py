"""The message `light` through a broker: the host receives it, and drops wrong, old and unauthorised messages."""

from __future__ import annotations

import json
import queue

from broker.client import Client
from broker.running import TOPICS, Running
from mqtt.test_client import client_to, wait_for
from scharten.contract.light import LONGEST_MS, light_message
from scharten.contract.roles import Account
from scharten.contract.topics import Topic
from scharten.mqtt.client import ConnectionState
from scharten.mqtt.intake import LightIntake
from scharten.mqtt.publisher import announce_light

LIGHT = TOPICS.path(Topic.LIGHT)


def test_the_host_receives_light_changes_from_permitted_roles(running: Running) -> None:
    """From lamps, a table and the host itself; not from a seat, retained or malformed."""
    received: queue.Queue[tuple[str, int, bool]] = queue.Queue()
    host = client_to(running)
    LightIntake(host, TOPICS).listeners.append(lambda *changes: received.put(changes))
    host.start()
    try:
        wait_for(host, ConnectionState.CONNECTED)

        def said(by: str) -> bytes:
            return json.dumps(light_message(by, 5, 120)).encode()

        with Client(running, Account.SEAT1) as seat, Client(running, None) as display:
            seat.publish(LIGHT, said("seat"))
            display.publish(LIGHT, said("unknown"))
        with Client(running, Account.LAMPS) as lamps, Client(running, Account.TABLE) as table:
            lamps.publish(LIGHT, b"x" * 5000)
            lamps.publish(LIGHT, said("kept"), retain=True)
            lamps.publish(LIGHT, b"", retain=True)
            lamps.publish(LIGHT, said("lamps"))
            for by, back_ms in (("past", -3600_000), ("endless", 2**50)):
                lamps.publish(LIGHT, json.dumps({"v": 2, "by": by, "at_ms": 5, "back_ms": back_ms}).encode())
            table.publish(LIGHT, said("projector"))
        with Client(running, Account.WEB) as web, Client(running, Account.LAMPS) as lamps:
            lamps.publish(f"{LIGHT}/web", said("posing"))
            web.publish(f"{LIGHT}/web", said("projector"))
        assert announce_light(host, TOPICS, "home", 5, 700)
        changes = [received.get(timeout=40)]
        while changes[-1] != ("home", 700, False):
            changes.append(received.get(timeout=40))
        # Only MQTT 5 marks a message that arrives live as retained.
        assert [item for item in changes if item[0] != "kept"] == [
            ("lamps", 120, False),
            ("endless", LONGEST_MS, False),
            ("projector", 120, False),
            ("projector", 120, True),
            ("home", 700, False),
        ]
        assert not (running.five and ("kept", 120, False) in changes)
    finally:
        host.stop()
