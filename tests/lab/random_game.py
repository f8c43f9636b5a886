"""Any game on squares played at random over MQTT: moves by command, darts and dice where they are due."""

from __future__ import annotations

import hashlib
from enum import Enum, auto

from lab.daemon_process import Peer, State
from lab.scripted_game import aim_at_bed

READY = ("turn", "throwing", "drawing", "finished")
NUMBERS = range(1, 21)


class End(Enum):
    """Whether the game is over."""

    OVER = auto()
    STILL_ON = auto()


def play_on(peer: Peer, turns: int) -> End:
    """Play so many more turns, drawing the opening first where that is due; every fourth dart is aimed anywhere."""
    state = peer.wait(lambda one: one["phase"] in READY)
    goal = state["turns"] + turns
    while state["turns"] < goal and state["result"] is None:
        state = _step(peer, state)
    return End.OVER if state["result"] is not None else End.STILL_ON


def _step(peer: Peer, state: State) -> State:
    """The next thing to do, and the state once it is done."""
    chance = _chance(state)
    if state["phase"] == "drawing":
        return _draw(peer, state, chance)
    if state["phase"] == "throwing":
        beds = state["shown"]["aim"]["beds"]
        bed = f"F{NUMBERS[chance % 20]}" if chance % 4 == 0 else beds[chance % len(beds)]
        target = aim_at_bed(bed)
        peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
        return peer.wait(lambda one: one["turns"] > state["turns"], what=f"the dart in {bed}")
    answer = peer.ask("move", move=sorted(state["moves"])[chance % len(state["moves"])])
    assert answer["accepted"], answer
    return peer.wait(lambda one: one["seq"] > state["seq"] and one["phase"] in READY, what="the move")


def _draw(peer: Peer, state: State, chance: int) -> State:
    if state["shown"]["draw"]["by"] == "dice":
        assert peer.ask("die", **({"value": chance % 6 + 1} if chance % 2 else {}))["accepted"]
    else:
        target = aim_at_bed(f"F{NUMBERS[chance % 20]}")
        peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    return peer.wait(
        lambda one: one["seq"] > state["seq"] and one["phase"] in READY, what="the draw's next step"
    )


def _chance(state: State) -> int:
    text = f"{state['position']} {state['phase']} {len((state['shown'].get('draw') or {}).get('steps', []))}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
