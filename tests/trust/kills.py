"""A scripted game in which daemon, broker or simulated board are killed at random moments."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import dataclass

from scharten.bench.room import Daemon, Peer, State
from scharten.bench.script import Throw, board_listens, next_action

PATIENCE_S = 30


@dataclass(frozen=True)
class Ended:
    """How a scripted game ended, and how often it was disturbed on its way."""

    position: str
    turns: int
    kills: int
    shown_not_counted: int


def scripted_game(daemon: Daemon, turns: int, kills: int, seed: int) -> Ended:
    """Play `turns` turns; `kills` of them are disturbed by a SIGKILL of the daemon some ms after the action."""
    chance = random.Random(seed)
    disturbed = set(chance.sample(range(turns), kills))
    peer = _begun(daemon)
    shown = 0
    for turn in range(turns):
        delay = chance.uniform(0, 0.03)
        if turn in disturbed:
            _act(peer)
            time.sleep(delay)
            daemon.kill()
            shown += sum(not hit["counted"] for hit in peer.hits)
            peer.close()
            daemon.start()
            peer = _resumed(daemon)
        _reach(peer, turn + 1)
    state = peer.state
    shown += sum(not hit["counted"] for hit in peer.hits)
    peer.close()
    daemon.stop()
    return Ended(str(state["position"]), int(state["turns"]), kills, shown)


def _begun(daemon: Daemon) -> Peer:
    daemon.start()
    peer = daemon.peer("table")
    board_listens(peer)
    peer.new_game()
    return peer


def _resumed(daemon: Daemon) -> Peer:
    peer = daemon.peer("table")
    peer.wait(lambda state: state["phase"] in ("paused", "finished"), PATIENCE_S)
    _until_answered(peer)
    board_listens(peer)
    if peer.state["phase"] == "paused":
        assert peer.ask("resume")["accepted"]
        peer.wait(lambda state: state["phase"] != "paused")
    return peer


def _until_answered(peer: Peer) -> None:
    """A dart that was under way arrives after the restart and is shown, not counted: leave it the time."""
    quiet = threading.Event()
    quiet.wait(0.3)


def _act(peer: Peer) -> None:
    action = next_action(peer.state)
    if isinstance(action, Throw):
        peer.throw(x_mm=action.x_mm, y_mm=action.y_mm)
    elif action is not None:
        peer.say("move", move=action.move)


def _reach(peer: Peer, turns: int) -> State:
    """Act again and again until the match has so many turns; what was accepted before the kill is not repeated."""
    deadline = time.monotonic() + PATIENCE_S
    while peer.state["turns"] < turns and peer.state["result"] is None:
        assert time.monotonic() < deadline, f"turn {turns} was not reached: {peer.state}"
        before = peer.state["turns"]
        _act(peer)
        try:
            peer.wait(lambda state, before=before: state["turns"] > before or state["result"] is not None, 3)
        except AssertionError:
            continue
    assert peer.state["turns"] <= turns, "a turn counted twice"
    return peer.state
