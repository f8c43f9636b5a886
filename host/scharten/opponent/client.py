"""The computer's connection: snapshots in, commands and darts out, over the one MQTT client."""

from __future__ import annotations

import json
import logging
import queue
import random
import time
from collections.abc import Callable
from uuid import uuid4

from scharten.contract.topics import Topic, Topics
from scharten.game.basics import Json
from scharten.mqtt.address import BrokerAddress
from scharten.mqtt.client import MqttClient
from scharten.opponent.conduct import Conduct, SeatCommand
from scharten.play.player import Mind
from scharten.play.tables import Tables

log = logging.getLogger(__name__)

PACE_S = 0.6
"""Delay before acting on a new state, so that people see what happened."""
NOTICED_S = 3.0
"""Report a thrown dart as missed when the state has not changed by then."""
MISSED_S = 1.0
"""The same for a dart that went past the board."""
AGAIN_S = 10.0
"""Send a command again when the state has not changed by then."""


class Opponent:
    """Plays one seat until `stop`."""

    def __init__(
        self,
        address: BrokerAddress,
        topics: Topics,
        seat: str,
        level: int,
        *,
        tables: Tables | None = None,
        make_mind: Callable[..., Mind] = Mind,
        pace_s: float = PACE_S,
    ) -> None:
        self._topics, self._seat, self._pace_s = topics, seat, pace_s
        self._inbox: queue.SimpleQueue[Callable[[], None]] = queue.SimpleQueue()
        self._state: Json | None = None
        self._came = 0.0
        self._simulated = False
        self._done: tuple[object, ...] = ()
        self._done_at = 0.0
        self._lost_at: float | None = None
        self._conduct = Conduct(seat, level, random.SystemRandom().gauss, self._clock, tables, make_mind)
        self._stopping = False
        self._client = MqttClient(address, name=f"computer-{seat}")
        for topic, on_news in (
            (topics.path(Topic.STATE), self._on_state),
            (topics.path(Topic.HEALTH), self._on_health),
            (topics.answer(seat), self._on_answer),
        ):
            self._client.subscribe(topic, self._later(on_news))

    def run(self, alive: Callable[[], bool] = lambda: True) -> None:
        """Play while `alive()` is true."""
        self._client.start()
        while alive() and not self._stopping:
            left_s = self._came + self._pace_s - time.monotonic()
            self._wait(min(0.1, left_s) if left_s > 0 else 0.1)
            if self._state is not None and time.monotonic() - self._came >= self._pace_s:
                self._act(self._state)
        self._client.stop()

    def stop(self) -> None:
        """End `run` soon; from any thread."""
        self._stopping = True

    # --- incoming messages: the client's thread only queues them ---

    def _later(self, on_news: Callable[[bytes], None]) -> Callable[[str, bytes, bool], None]:
        return lambda _topic, payload, _retained: self._inbox.put(lambda: on_news(payload))

    def _wait(self, seconds: float) -> None:
        try:
            self._inbox.get(timeout=seconds)()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            return

    def _on_state(self, payload: bytes) -> None:
        state = json.loads(payload)
        before = self._state
        if before is None or (before["match"], before["seq"]) != (state["match"], state["seq"]):
            self._came, self._lost_at = time.monotonic(), None
        self._state = state
        self._conduct.learn(state)

    def _on_health(self, payload: bytes) -> None:
        sources = json.loads(payload).get("sources") or []
        self._simulated = any(source.get("name") == "simulated" for source in sources)

    def _on_answer(self, payload: bytes) -> None:
        answer = json.loads(payload)
        if not answer.get("accepted"):
            log.info("refused: %s %s", answer.get("code"), answer.get("words"))

    def _clock(self) -> float:
        """The thinking clock: infinite once a message waits, which ends the search."""
        return time.monotonic() if self._inbox.empty() else float("inf")

    # --- outgoing commands ---

    def _act(self, state: Json) -> None:
        now = time.monotonic()
        if self._lost_at is not None and now >= self._lost_at:
            self._lost_at = None
            self._send("miss", {}, state)
        offered = (state["draw_offer"], len(state["requests"]), (state["clock"] or {}).get("flags"))
        here = (state["match"], state["seq"], state["phase"], *offered)
        if here == self._done and now - self._done_at < AGAIN_S:
            return
        request = self._conduct.next_command(state)
        if not self._inbox.empty():
            self._wait(0)
            if self._state is not None and (self._state["match"], self._state["seq"]) != here[:2]:
                return  # the command is outdated
        self._done, self._done_at = here, time.monotonic()
        if request is not None:
            self._send_request(request, state)

    def _send_request(self, request: SeatCommand, state: Json) -> None:
        if not request.is_throw:
            self._send(request.type, request.fields, state)
            if request.type == "offer_draw":
                self._done = ()  # the turn itself follows
        elif self._simulated:
            throw = json.dumps({"v": 2, **request.fields}).encode()
            self._client.publish(self._topics.throw(self._seat), throw)
            self._lost_at = time.monotonic() + (MISSED_S if request.misses else NOTICED_S)
        else:
            self._send("virtual_throw", request.fields, state)

    def _send(self, kind: str, fields: object, state: Json) -> None:
        assert isinstance(fields, dict)
        head = {"v": 2, "id": uuid4().hex, "type": kind, "match": state["match"], "seq": state["seq"]}
        self._client.publish(self._topics.command(self._seat), json.dumps({**head, **fields}).encode())
