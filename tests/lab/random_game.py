"""Any game played at random over MQTT: moves by command, darts and dice where they are due.

The next step follows from the state and a seed alone, so a seed determines a game.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum, auto

from lab.daemon_process import Peer, State
from lab.scripted_game import aim_at_bed
from scharten.games.scharten.board import bed_of, parse_field

READY = ("turn", "throwing", "drawing", "finished")


class End(Enum):
    """Whether the game is over."""

    OVER = auto()
    STILL_ON = auto()


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next thing to do: a dart in a bed, a move, or a die (0: the host throws it)."""

    bed: str = ""
    move: str = ""
    die: int = 0


def next_step(state: State, seed: int = 0) -> NextStep:
    """Choose the next step in this state; every fourth dart is aimed anywhere."""
    drawn = (state["shown"].get("draw") or {}).get("steps", [])
    text = f"{seed} {state['position']} {state['turns']} {state['phase']} {len(drawn)}"
    chance = int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")
    anywhere, drops = f"F{chance % 20 + 1}", sorted(state["drops"])
    if state["phase"] == "drawing":
        dice = state["shown"]["draw"]["by"] == "dice"
        return NextStep(die=chance % 6 + 1) if dice else NextStep(bed=anywhere)
    if state["phase"] == "throwing":
        beds = state["shown"]["aim"]["beds"]
        return NextStep(bed=anywhere if chance % 4 == 0 else beds[chance % len(beds)])
    if drops and (chance % 8 < 5 or not state["moves"]):
        field = parse_field(drops[chance // 8 % len(drops)])
        assert field is not None
        return NextStep(bed=anywhere if chance % 4 == 0 else str(bed_of(field, state["white_sits_at"])))
    return NextStep(move=sorted(state["moves"])[chance % len(state["moves"])])


def play_on(peer: Peer, turns: int, seed: int = 0) -> End:
    """Play this many more turns, drawing the opening first where that is due."""
    state = peer.wait(lambda state: state["phase"] in READY, 30)
    goal = state["turns"] + turns
    while state["turns"] < goal and state["result"] is None:
        state = _step(peer, state, next_step(state, seed))
    return End.OVER if state["result"] is not None else End.STILL_ON


def _step(peer: Peer, state: State, due: NextStep) -> State:
    """Do the step, and return the state after it."""
    if due.bed:
        target = aim_at_bed(due.bed)
        peer.throw(x_mm=target.x_mm, y_mm=target.y_mm)
    else:
        answer = peer.ask("move", move=due.move) if due.move else peer.ask("die", value=due.die)
        assert answer["accepted"], answer
    return peer.wait(lambda item: item["seq"] > state["seq"] and item["phase"] in READY, 30, f"{due}")
