"""A fake host: publishes a test's snapshots on a real broker and collects commands."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from typing import Any

from paho.mqtt.client import Client
from paho.mqtt.enums import CallbackAPIVersion

from scharten.mqtt.network_thread import stop_thread

LOUD = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"
SILENT = (
    "1R*N*B*Q*K*Q*B*N*R*1r*n*b*q*k*q*b*n*r*/1P*P*P*P*P*P*P*P*P*1p*p*p*p*p*p*p*p*p*/20/20 w - 17/17 0/0 0/0 1"
)
LOWER = [f"{line}{row}" for line in "abcdefghi" for row in (1, 2, 3, 4)]


OPTIONS: dict[str, Any] = {
    "kind": "loud", "foul_limit": {"white": 3, "black": 3}, "zones": "half", "support": "field_value",
    "protection": "until_moved", "double_step": "first_move", "touch_move": "off", "white_by": "agreed",
    "arming": "announce", "settle_ms": 1500, "bounce_counts": True, "clock": None, "clock_side": "left",
}  # fmt: skip
SHOWN: dict[str, Any] = {
    "fouls": {"white": 0, "black": 0}, "next": {"white": "P", "black": "P"}, "to_throw": {"white": 17, "black": 17},
    "zone": LOWER, "unmoved": [], "protected": [], "must_throw": False, "checkers": [],
}  # fmt: skip


def snapshot(**changes: Any) -> dict[str, Any]:
    """Return a loud game at its first turn with the test's changes; `options` and `shown` extend the defaults."""
    options, shown = changes.pop("options", {}), changes.pop("shown", {})
    base: dict[str, Any] = {
        "v": 2, "match": "m1", "seq": 1, "board": "board1", "kind": "loud", "white_sits_at": 3,
        "game": {"key": "scharten", "options": OPTIONS | options, "layout": {"form": "schartbord"},
                 "claim_rules": ["repetition", "fifty_moves"]},
        "position": LOUD, "phase": "turn", "side": "white",
        "seats": {"seat1": "white", "seat2": "black"}, "names": {"white": "Anna", "black": "Bert"},
        "check": [], "moves": ["e1d1", "e1f1", "e1e2", "e1d2", "e1f2"], "drops": [f for f in LOWER if f != "e1"],
        "shown": SHOWN | shown, "last": None, "question": None, "draw_offer": None, "requests": [], "clock": None,
        "sheet": [], "result": None, "reason": None, "message": {"code": "setup", "args": {}},
        "paused_from": None, "since_phase_ms": 0, "settle_until_ms": None, "lamp": 0,
        "sheet_first": 1, "turns": 0, "tosses": [], "to_toss": None, "touched": [],
        "started_ms": 0, "can": {"throw": True, "claim": [], "take_back": 0},
    }  # fmt: skip
    return {**base, **changes}


class FakeHost:
    """Publish as the host does. `commands`, `throws` and `lights` hold what the pages sent, in order."""

    def __init__(self, port: int, base: str = "scharten/home/board1") -> None:
        self.base = base
        self.commands: list[tuple[str, dict[str, Any]]] = []
        self.throws: list[dict[str, Any]] = []
        self.lights: list[dict[str, Any]] = []
        self.answers: Callable[[str, dict[str, Any]], dict[str, Any]] = lambda role, command: {
            "accepted": True
        }
        self._ready = threading.Event()
        self._client = Client(CallbackAPIVersion.VERSION2)
        self._client.on_connect = self._connected
        self._client.on_message = self._on_message
        self._client.connect_async("127.0.0.1", port)
        self._client.loop_start()
        assert self._ready.wait(40)
        self.publish("availability", "online", raw=True)

    def _connected(self, client: Client, *_: Any) -> None:
        own = ("command/+", "simulator/throw", "light/web")
        client.subscribe([(f"{self.base}/{topic}", 1) for topic in own])
        self._ready.set()

    def _on_message(self, client: Client, userdata: Any, message: Any) -> None:
        payload = json.loads(message.payload)
        if message.topic.endswith(("/throw", "/light/web")):
            (self.throws if message.topic.endswith("/throw") else self.lights).append(payload)
            return
        role = message.topic.rpartition("/")[2]
        answer = {"v": 1, "id": payload["id"], "pending": False, "code": None, "args": {}} | self.answers(
            role, payload
        )
        self.commands.append((role, payload))
        client.publish(f"{self.base}/answer/{role}", json.dumps(answer), qos=1)

    def publish(self, topic: str, payload: Any, *, retain: bool = True, raw: bool = False) -> None:
        """Put a payload on a topic of the board."""
        text = payload if raw else json.dumps(payload)
        until = time.monotonic() + 10
        while not self._client.is_connected() and time.monotonic() < until:
            time.sleep(0.02)
        self._client.publish(f"{self.base}/{topic}", text, qos=1, retain=retain).wait_for_publish(5)

    def state(self, **changes: Any) -> None:
        """Publish a snapshot."""
        self.publish("state", snapshot(**changes))

    def next_command(self, kind: str, within: float = 30.0) -> dict[str, Any]:
        """Wait for the next command of this type and return it."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            for role, command in self.commands:
                if command["type"] == kind:
                    self.commands.remove((role, command))
                    return {"role": role, **command}
            time.sleep(0.01)
        raise AssertionError(f"no {kind} came; got {[c['type'] for _, c in self.commands]}")

    def thrown(self, within: float = 30.0) -> dict[str, Any]:
        """Return the next throw at the virtual dartboard."""
        until = time.monotonic() + within
        while time.monotonic() < until:
            if self.throws:
                return self.throws.pop(0)
            time.sleep(0.01)
        raise AssertionError("nothing was thrown")

    def stop(self) -> None:
        """Disconnect from the broker."""
        self._client.disconnect()
        stop_thread(self._client)
