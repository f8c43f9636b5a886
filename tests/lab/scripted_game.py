"""A game that plays itself: each action follows from the state alone, so that two runs can be compared.

The same seed gives the same game, even if parts are killed meanwhile: the position chooses a turn, not chance.
"""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass
from typing import Any

from lab.daemon_process import Peer, State
from scharten.dartboard.beds import parse_bed
from scharten.dartboard.locate import centre_of
from scharten.games.scharten.board import bed_of, parse_field


@dataclass(frozen=True, slots=True)
class Throw:
    """A dart at the simulated board, in mm from the centre."""

    x_mm: float
    y_mm: float
    field: str


@dataclass(frozen=True, slots=True)
class Play:
    """A move in coordinates."""

    move: str


def next_action(state: State, seed: int = 0) -> Throw | Play | None:
    """Return the script's action in this state; None if the game is over."""
    if state["result"] is not None:
        return None
    number = int.from_bytes(hashlib.sha256(f"{seed} {state['position']}".encode()).digest()[:4], "big")
    moves, fields = sorted(state["moves"]), sorted(state["drops"])
    if fields and not state["check"] and (number % 10 < 7 or not moves):
        return aim(fields[number // 10 % len(fields)])
    if moves:
        return Play(moves[number // 10 % len(moves)])
    return aim(fields[number // 10 % len(fields)]) if fields else None


def aim(field: str, white_sits_at: int = 3) -> Throw:
    """Return the middle of the bed that belongs to a field."""
    found = parse_field(field)
    if found is None:
        raise ValueError(f"{field} is not a field")
    x_mm, y_mm = centre_of(bed_of(found, white_sits_at))
    return Throw(round(x_mm, 1), round(y_mm, 1), field)


def aim_at_bed(text: str) -> Throw:
    """Return the middle of a bed by its name, such as D20."""
    bed = parse_bed(text)
    if bed is None:
        raise ValueError(f"{text} is not a bed")
    x_mm, y_mm = centre_of(bed)
    return Throw(round(x_mm, 1), round(y_mm, 1), text)


def turns_played(state: State) -> tuple[int, int]:
    """Return the progress of a game: its move number and whether Black is to move."""
    parts = str(state["position"]).split()
    return int(parts[6]), int(parts[1] == "b")


def play_turn(peer: Peer, seed: int = 0, seconds: float = 40) -> bool:
    """Do the script's next action and wait until the state has it; return False if the game is over."""
    state = peer.wait(lambda state: state["phase"] in ("turn", "throwing", "settling", "finished"), seconds)
    action = next_action(state, seed)
    if action is None:
        return False
    before: Any = turns_played(state)
    if isinstance(action, Throw):
        peer.throw(x_mm=action.x_mm, y_mm=action.y_mm)
    else:
        peer.send_command("move", move=action.move)
    peer.wait(
        lambda state: turns_played(state) != before or state["result"] is not None,
        seconds,
        f"{action} to be played",
    )
    return True


def board_listens(peer: Peer, seconds: float = 40) -> float:
    """Before a game or in a pause, throw at the bull until the simulated board answers; return the time."""
    deadline = time.monotonic() + seconds
    before = len(peer.hits)
    while len(peer.hits) == before:
        if time.monotonic() > deadline:
            raise TimeoutError(f"the simulated board did not answer within {seconds} s")
        peer.throw(x_mm=0.0, y_mm=0.0)
        time.sleep(0.05)
    answered, seen = time.monotonic(), 0
    while seen < len(peer.hits):  # those still under way
        seen = len(peer.hits)
        time.sleep(0.4)
    return answered
