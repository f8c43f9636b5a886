"""How late the computer's turns are on slow machines: its clock runs as many times as fast as they are slower."""

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
"""The longest that a turn may take, as a share of its time."""
SEATS = ("seat1", "seat2")
PLAYED = (("scharten", Kind.SILENT), ("scharten", Kind.LOUD), ("chess", Kind.SILENT))
"""The game that it knows best, without and with darts, and one that it knows by its rules only."""


def run(turns: int, slower: list[float]) -> int:
    """Both seats play at each of the highest levels; status 1 if a turn took longer than it may."""
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
    """The share of its time that each turn took, from the received state to the ready command."""

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
    return shares[1:]  # who sits down works out the odds of darts once


def _acted(table: Table, seat: str, conduct: Conduct, clock: Callable[[], float]) -> float | None:
    """Let a seat play its choice; how long it thought, None where it was not to turn."""
    state = json.loads(json.dumps(snapshot(table.match, table.t)))
    began = clock()
    choice = conduct.next_command(state)
    took = clock() - began
    if choice is None:
        return None
    table.ok("virtual_throw" if choice.is_throw else choice.type, seat, **choice.fields)
    return took if choice.type in ("move", "announce_throw") else None
