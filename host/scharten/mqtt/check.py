"""Is the broker closed? An attempt without an account to command as the arbiter, while the host listens for it."""

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
    """`closed` is None when it could not be found out; the words are for displays and `doctor`."""

    closed: bool | None
    words: str


def check_broker(
    address: BrokerAddress, topics: Topics, within_s: float = 1.0, silent_s: float = 1.0
) -> Openness:
    """Tries it, in at most about four seconds; run it beside the game, not in its way; `address` is the host's.

    The host proves first, `within_s` for each step, that it would hear the attempt; `silent_s` without it mean closed.
    """
    topic = topics.command("arbiter")
    heard: queue.Queue[bytes] = queue.Queue(100)
    listener = MqttClient(address, name="scharten-check", quiet=True)
    listener.subscribe(topic, lambda _topic, payload, _retained: None if heard.full() else heard.put(payload))
    stranger = MqttClient(address.for_account(None), name="scharten-stranger", quiet=True)
    try:
        listener.start()
        if not _settled(listener, within_s * 2):
            return Openness(None, f"whether the broker is closed is not known: {listener.status.words}")
        own = _attempt()
        listener.publish(topic, own)
        if not _arrives(heard, own, within_s):
            return Openness(
                None,
                "whether the broker is closed is not known: the host does not hear its own command topic",
            )
        stranger.start()
        if not _settled(stranger, within_s):
            if stranger.status.state is ConnectionState.CONNECTING:
                return Openness(None, f"whether the broker is closed is not known: {stranger.status.words}")
            return Openness(True, f"{address} lets nobody in without an account")
        theirs = _attempt()
        stranger.publish(topic, theirs)
        if _arrives(heard, theirs, silent_s):
            return Openness(
                False,
                f"{address} is open: anyone in its network can command as the arbiter; "
                "give it accounts and an ACL ('scharten broker-config' writes them)",
            )
        return Openness(True, f"{address} takes no commands without an account")
    finally:
        listener.stop()
        stranger.stop()


def _attempt() -> bytes:
    """A command of no known type: should it arrive, the host refuses it."""
    return json.dumps({"v": 1, "id": f"probe-{uuid4().hex}", "type": "probe"}).encode()


def _settled(client: MqttClient, within_s: float) -> bool:
    end = time.monotonic() + within_s
    while client.status.state is ConnectionState.CONNECTING and time.monotonic() < end:
        time.sleep(0.01)
    return client.status.connected


def _arrives(heard: queue.Queue[bytes], payload: bytes, within_s: float) -> bool:
    end = time.monotonic() + within_s
    while (left := end - time.monotonic()) > 0:
        try:
            if heard.get(timeout=left) == payload:
                return True
        except queue.Empty:
            return False
    return False
