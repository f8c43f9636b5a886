"""Check whether a broker is closed: try to command as the arbiter without an account, while the host subscribes."""

from __future__ import annotations

import json
import queue
import time
from dataclasses import dataclass
from uuid import uuid4

from scharten.contract.topics import Topics
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import ConnectionState, MqttClient


@dataclass(frozen=True, slots=True)
class Openness:
    """`closed` is None when unknown; displays and `doctor` show the words."""

    closed: bool | None
    words: str


def check_broker(
    address: BrokerAddress, topics: Topics, within_s: float = 1.0, silent_s: float = 1.0
) -> Openness:
    """Check the broker with the host's `address` in about four seconds; run this beside the game, not in its thread.

    First the host proves that it receives such commands (`within_s` per step). Then `silent_s` without the outsider's
    command mean that the broker is closed.
    """
    topic = topics.command("arbiter")
    received: queue.Queue[bytes] = queue.Queue(100)
    listener = MqttClient(address, name="scharten-check", quiet=True)
    listener.subscribe(
        topic, lambda _topic, payload, _retained: None if received.full() else received.put(payload)
    )
    outsider = MqttClient(address.for_account(None), name="scharten-outsider", quiet=True)
    try:
        listener.start()
        if not _settled(listener, within_s * 2):
            return Openness(None, f"whether the broker is closed is not known: {listener.status.words}")
        own = _attempt()
        listener.publish(topic, own)
        if not _arrives(received, own, within_s):
            return Openness(
                None,
                "whether the broker is closed is not known: the host does not hear its own command topic",
            )
        outsider.start()
        if not _settled(outsider, within_s):
            if outsider.status.state is ConnectionState.CONNECTING:
                return Openness(None, f"whether the broker is closed is not known: {outsider.status.words}")
            return Openness(True, f"{address} lets nobody in without an account")
        theirs = _attempt()
        outsider.publish(topic, theirs)
        if _arrives(received, theirs, silent_s):
            return Openness(
                False,
                f"{address} is open: anyone in its network can command as the arbiter; "
                "give it accounts and an ACL ('scharten broker-config' writes them)",
            )
        return Openness(True, f"{address} takes no commands without an account")
    finally:
        listener.stop()
        outsider.stop()


def _attempt() -> bytes:
    """Return a command of an unknown type, which a host refuses."""
    return json.dumps({"v": 1, "id": f"probe-{uuid4().hex}", "type": "probe"}).encode()


def _settled(client: MqttClient, within_s: float) -> bool:
    end = time.monotonic() + within_s
    while client.status.state is ConnectionState.CONNECTING and time.monotonic() < end:
        time.sleep(0.01)
    return client.status.connected


def _arrives(received: queue.Queue[bytes], payload: bytes, within_s: float) -> bool:
    end = time.monotonic() + within_s
    while (left := end - time.monotonic()) > 0:
        try:
            if received.get(timeout=left) == payload:
                return True
        except queue.Empty:
            return False
    return False
