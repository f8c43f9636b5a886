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
from scharten.play.tables import Tables

log = logging.getLogger(__name__)

PACE_S = 0.6
"""So long a state stands before it acts: people want to see what happened."""
NOTICED_S = 3.0
"""A dart that nothing came of by then was lost."""
FELL_S = 1.0
"""The same for one that it saw go past the board."""
AGAIN_S = 10.0
"""A wish that nothing came of is wished anew."""


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
        self._conduct = Conduct(seat, level, random.SystemRandom().gauss, self._clock, tables)
        self._stopping = False
        self._client = MqttClient(address, name=f"computer-{seat}")
        for topic, hear in (
            (topics.of(Topic.STATE), self._hear_state),
            (topics.of(Topic.HEALTH), self._hear_health),
            (topics.answer(seat), self._hear_answer),
        ):
            self._client.subscribe(topic, self._later(hear))

    def run(self, alive: Callable[[], bool] = lambda: True) -> None:
        """Play for as long as `alive` says."""
        self._client.start()
        while alive() and not self._stopping:
            self._wait(0.1)
            if self._state is not None and time.monotonic() - self._came >= self._pace_s:
                self._act(self._state)
        self._client.stop()

    def stop(self) -> None:
        """End `run` soon; from any thread."""
        self._stopping = True

    # --- what comes: in the client's thread only put aside ---

    def _later(self, hear: Callable[[bytes], None]) -> Callable[[str, bytes, bool], None]:
        return lambda _topic, payload, _retained: self._inbox.put(lambda: hear(payload))

    def _wait(self, seconds: float) -> None:
        try:
            self._inbox.get(timeout=seconds)()
            while True:
                self._inbox.get_nowait()()
        except queue.Empty:
            return

    def _hear_state(self, payload: bytes) -> None:
        state = json.loads(payload)
        before = self._state
        if before is None or (before["match"], before["seq"]) != (state["match"], state["seq"]):
            self._came, self._lost_at = time.monotonic(), None
        self._state = state

    def _hear_health(self, payload: bytes) -> None:
        sources = json.loads(payload).get("sources") or []
        self._simulated = any(source.get("name") == "simulated" for source in sources)

    def _hear_answer(self, payload: bytes) -> None:
        answer = json.loads(payload)
        if not answer.get("accepted"):
            log.info("refused: %s %s", answer.get("code"), answer.get("words"))

    def _clock(self) -> float:
        """The time while it thinks; infinite once there is news, so that it thinks of what is past no longer."""
        return time.monotonic() if self._inbox.empty() else float("inf")

    # --- what goes out ---

    def _act(self, state: Json) -> None:
        now = time.monotonic()
        if self._lost_at is not None and now >= self._lost_at:
            self._lost_at = None
            self._send("miss", {}, state)
        offered = (state["draw_offer"], len(state["requests"]), (state["clock"] or {}).get("flags"))
        here = (state["match"], state["seq"], state["phase"], *offered)
        if here == self._done and now - self._done_at < AGAIN_S:
            return
        wish = self._conduct.wishes(state)
        if not self._inbox.empty():
            self._wait(0)
            if self._state is not None and (self._state["match"], self._state["seq"]) != here[:2]:
                return  # what it thought of is past
        self._done, self._done_at = here, time.monotonic()
        if wish is not None:
            self._wish(wish, state)

    def _wish(self, wish: SeatCommand, state: Json) -> None:
        if not wish.is_throw:
            self._send(wish.type, wish.fields, state)
            if wish.type == "offer_draw":
                self._done = ()  # and now the turn itself
        elif self._simulated:
            throw = json.dumps({"v": 2, **wish.fields}).encode()
            self._client.publish(self._topics.of(Topic.THROW), throw)
            self._lost_at = time.monotonic() + (FELL_S if wish.misses else NOTICED_S)
        else:
            self._send("virtual_throw", wish.fields, state)

    def _send(self, kind: str, fields: object, state: Json) -> None:
        assert isinstance(fields, dict)
        head = {"v": 2, "id": uuid4().hex, "type": kind, "match": state["match"], "seq": state["seq"]}
        self._client.publish(self._topics.command(self._seat), json.dumps({**head, **fields}).encode())
