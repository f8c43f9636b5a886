"""Record what three clients send and receive while the host is killed and connections are cut; `judge.py` judges it."""

from __future__ import annotations

import json
import random
import threading
import time
from pathlib import Path
from typing import Any

from lab.daemon_process import DaemonProcess, Peer, State
from lab.scripted_game import Throw, board_listens, next_action
from lab.trust.judge import RUNNING, Event, judged
from lab.trust.kills import PATIENCE_S
from lab.trust.rows import Fault

KEYS = ("match", "seq", "turns", "phase", "side", "position", "result")
CLIENTS = ("table", "arbiter", "display")


class History:
    """The events of all clients in one order."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self._lock = threading.Lock()

    def note(self, kind: str, **fields: Any) -> None:
        """Add an event."""
        with self._lock:
            self.events.append({"kind": kind, **fields})


class Witness(Peer):
    """A client that records what it sends and receives."""

    def __init__(self, history: History, running: dict[str, Any], role: str, secret: str | None) -> None:
        self.history = history
        broker = running["broker"]
        root = f"{running['prefix']}/{running['club']}/{running['board']}"
        super().__init__(broker["host"], broker["port"], root, role, secret)

    def publish(self, topic: str, payload: str | bytes, retain: bool = False) -> None:
        """Record a command before sending it."""
        if topic.startswith("command/"):
            body = json.loads(payload)
            self.history.note(
                "command", client=self.role, **{key: body.get(key) for key in ("id", "type", "match", "seq")}
            )
        elif topic == "simulator/throw":
            self.history.note("dart", match=self.state.get("match"))
        super().publish(topic, payload, retain)

    def _on_message(self, client: object, data: object, message: Any) -> None:
        topic = message.topic.removeprefix(self.root + "/")
        if topic == "state":
            body = json.loads(message.payload)
            fields = {key: body.get(key) for key in KEYS}
            self.history.note("state", client=self.role, **fields)
        elif topic.startswith("answer/"):
            body = json.loads(message.payload)
            self.history.note(
                "answer", client=self.role, id=body["id"], accepted=body["accepted"], code=body.get("code")
            )
        super()._on_message(client, data, message)


class Play:
    """A game with three witnesses; each step acts, and may be disturbed."""

    def __init__(self, daemon: DaemonProcess, seed: int) -> None:
        self.daemon, self.history, self.chance = daemon, History(), random.Random(seed)
        daemon.start()
        self.clients: dict[str, Witness] = {}
        self._connect()
        board_listens(self.clients["table"])
        self.clients["table"].new_game()

    def run(self, turns: int, kills: int, cuts: int) -> list[Event]:
        """Play this many turns, and send a move whose state its sender has seen replaced; return the history."""
        places = self.chance.sample(range(1, turns), kills + cuts)
        for turn in range(turns):
            if self._state()["result"] is not None:
                self.clients["table"].new_game()
            before = self._state()
            self._act(before)
            if turn in places[:kills]:
                time.sleep(self.chance.uniform(0, 0.03))
                self._kill()
            elif turn in places[kills:]:
                self._cut()
            self._advance(before)
        table = self.clients["table"]
        table.ask("explain", PATIENCE_S, move="e2e4", side="white")
        table.ask("move", PATIENCE_S, move="e2e4", side="white", seq=self._state()["seq"] - 1)
        for client in self.clients.values():
            newest = self._state()["seq"]
            client.wait(lambda state, seq=newest: state["seq"] >= seq, PATIENCE_S)  # type: ignore[misc]
        self.close()
        return self.history.events

    def close(self) -> None:
        """Disconnect from the broker."""
        for client in self.clients.values():
            client.close()

    def _state(self) -> State:
        return self.clients["table"].wait(bool, PATIENCE_S)

    def _act(self, state: State) -> None:
        """Perform one action, alone or against a second client, with the same `seq`, a stale one, or the same `id`."""
        action = next_action(state)
        table, arbiter = self.clients["table"], self.clients["arbiter"]
        if isinstance(action, Throw):
            table.throw(x_mm=action.x_mm, y_mm=action.y_mm)
        elif action is not None:
            fields = {
                "move": action.move,
                "side": state["side"],
                "seq": state["seq"],
                "match": state["match"],
            }
            name = table.send_command("move", **fields)
            if self.chance.random() < 0.5:
                arbiter.send_command("move", **fields)
            if self.chance.random() < 0.5:
                table.send_command("move", **fields, id=name)
        if state["moves"] and self.chance.random() < 0.3:
            late = {"move": state["moves"][0], "side": state["side"], "match": state["match"]}
            arbiter.send_command("move", **late, seq=state["seq"] - 1)

    def _advance(self, before: State) -> None:
        """Wait until a turn was made; repeat the action if a kill prevented it."""
        table = self.clients["table"]
        deadline = time.monotonic() + PATIENCE_S
        while True:
            try:
                table.wait(lambda state: self._moved(before, state), 4)
                return
            except AssertionError:
                assert time.monotonic() < deadline, f"no turn came after {before}"
                if self._state()["phase"] in RUNNING:
                    self._act(self._state())

    @staticmethod
    def _moved(before: State, state: State) -> bool:
        return bool(state["turns"] > before["turns"] or state["result"] is not None)

    def _kill(self) -> None:
        self.close()
        self.daemon.kill()
        self.history.note("kill")
        self.daemon.start()
        self._connect()
        table = self.clients["table"]
        table.wait(lambda state: state["phase"] in ("paused", "finished"), PATIENCE_S)
        board_listens(table)
        if table.state["phase"] == "paused":
            assert table.ask("resume")["accepted"]
            table.wait(lambda state: state["phase"] != "paused", PATIENCE_S)

    def _cut(self) -> None:
        """Break a client's connection, and connect again."""
        role = self.chance.choice(CLIENTS)
        self.clients[role].close()
        self.clients[role] = self._witness(role)
        self.clients[role].wait(bool, PATIENCE_S)

    def _connect(self) -> None:
        self.clients = {role: self._witness(role) for role in CLIENTS}
        for client in self.clients.values():
            client.wait(bool, PATIENCE_S)

    def _witness(self, role: str) -> Witness:
        return Witness(self.history, self.daemon.running, role, self.daemon.secrets.get(role))


def record(folder: Path, turns: int, kills: int, cuts: int, seed: int = 1) -> list[Event]:
    """Play a game of this many turns, kills and cuts; return its history."""
    daemon = DaemonProcess(folder)
    try:
        return Play(daemon, seed).run(turns, kills, cuts)
    finally:
        daemon.end()


def recorded(folder: Path, turns: int, kills: int, cuts: int, seed: int = 1) -> Fault:
    """Record a game and judge it: a breach of the contract counts as lost."""
    events = record(folder, turns, kills, cuts, seed)
    breaches = judged(events)
    answers = sum(event["kind"] == "answer" for event in events)
    states = sum(event["kind"] == "state" for event in events)
    words = "; ".join(breaches[:2]) or f"{len(events)} events: {states} states, {answers} answers"
    tried = kills + cuts
    return Fault("a history of three clients, judged by the contract", tried, tried, len(breaches), 0, words)
