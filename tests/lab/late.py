"""The delay of the computer's turns on slow machines: its clock runs as many times faster as they are slower."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable

from lab.figures import commit
from match.driver import Table
from scharten.contract.snapshot import snapshot
from scharten.game.basics import Kind
from scharten.opponent.conduct import Conduct
from scharten.play.levels import LEVELS

LATEST = 1.1
"""The longest allowed turn, as a share of its time."""
SEATS = ("seat1", "seat2")
PLAYED = (("scharten", Kind.SILENT), ("scharten", Kind.LOUD), ("chess", Kind.SILENT))
"""The game it plays best, silent and loud, and one that it knows only by the rules."""


def run(turns: int, slower: list[float]) -> int:
    """Let each of the highest levels play both seats; return 1 if a turn took longer than allowed."""
    print(f"late turns, commit {commit()}: the longest of {turns} turns, as a share of its time")
    late = False
    for times in slower:
        for level in (8, 9, 10):
            shares = [share for game in PLAYED for share in _shares(level, game, turns, times)]
            longest, ended = max(shares), sum(share > 0.9 for share in shares)
            late = late or longest > LATEST
            print(
                f"  {times:g} times as slow: level {level} {longest:.3f} (target {LATEST}); {ended} of "
                f"{len(shares)} turns were ended by their time, not by their positions",
                flush=True,
            )
    return int(late)


def _shares(level: int, game: tuple[str, Kind], turns: int, slower: float) -> list[float]:
    """Return the share of its time that each turn took, from the received state to the finished command."""

    def clock() -> float:
        return time.process_time() * slower

    table = Table(begin=False)
    table.ok("new_game", computers=dict.fromkeys(SEATS, level), game=game[0], kind=game[1].value)
    chance = random.Random(level)
    conducts = {seat: Conduct(seat, level, chance.gauss, clock) for seat in SEATS}
    shares: list[float] = []
    while len(shares) < turns and table.match.phase.name != "finished":
        for seat, conduct in conducts.items():
            took = _acted(table, seat, conduct, clock)
            if took is not None:
                shares.append(took / LEVELS[level].seconds)
    return shares[1:]  # a seat computes the odds of darts once


def _acted(table: Table, seat: str, conduct: Conduct, clock: Callable[[], float]) -> float | None:
    """Let a seat play its choice; return its thinking time, or None if it was not its turn."""
    state = json.loads(json.dumps(snapshot(table.match, table.t)))
    began = clock()
    choice = conduct.next_command(state)
    took = clock() - began
    if choice is None:
        return None
    table.ok("virtual_throw" if choice.is_throw else choice.type, seat, **choice.fields)
    return took if choice.type in ("move", "announce_throw") else None
