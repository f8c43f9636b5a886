"""Positions per second: turns counted, helpmates searched, turns searched; in Python, and compiled."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from pathlib import Path

from lab.figures import commit
from scharten.game.basics import Kind, Side
from scharten.games.scharten import turns as rules_module
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.mate.front import helpmate
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.games.scharten.turns import perft
from scharten.play import search as search_module
from scharten.play.choose import Thinker, choose
from scharten.play.mating import Mates

MIDDLE = "1R*N*1Q*K*Q*1N*2r*n*b*q*k*q*1n*1/1P*1P*P*P*P*P*4p*1p*p*p*3/2P5P2pp5p1/7R11r w - 17/17 0/0 0/0 9"
SOLVE_S = 5.0


def solve() -> int:
    """Solve each stored mate; return 1 if first moves are missing or wrong, or one takes too long."""
    file = Path(__file__).parents[1] / "play" / "mates.tsv"
    wrong, taken = 0, []
    for text, moves, keys in (line.split("\t") for line in file.read_text().splitlines()):
        position = parse_position(text, rules_of(Options(kind=Kind.SILENT)))
        assert isinstance(position, Position)
        began = time.process_time()
        found = {move_of(*turn).text for turn in Mates().keys(position, int(moves))}
        taken.append(time.process_time() - began)
        wrong += found != set(keys.split())
    print(
        f"mates, commit {commit()}: {len(taken) - wrong} of {len(taken)} solved, every first move and no other"
    )
    print(f"  CPU time: longest {max(taken):.2f} s, all {sum(taken):.1f} s (target {SOLVE_S:.0f} s each)")
    return 1 if wrong or max(taken) > SOLVE_S else 0


def run(seconds: float) -> int:
    """Print each speed, by CPU time."""
    position = parse_position(MIDDLE, rules_of(Options(kind=Kind.SILENT)))
    assert isinstance(position, Position)
    here = position
    print(f"positions per second, commit {commit()}, Python {sys.version.split()[0]}, CPU time")
    for name, module in (("rules", rules_module), ("search", search_module)):
        compiled = not str(module.__file__).endswith(".py")
        print(f"  {name}: {'machine code' if compiled else 'Python'}")

    def searched() -> int:
        found = choose(here, Thinker(depth=3), lambda: False)
        return 0 if found is None else found.nodes

    def sought() -> int:
        helpmate(here, Side.WHITE, 200)
        return 200

    counted: list[tuple[str, Callable[[], int]]] = [
        ("perft 2, every turn played", lambda: perft(here, 2, False)),
        ("search, 3 turns deep", searched),
        ("helpmates, about", sought),
    ]
    for name, count in counted:
        count()
        began, total = time.process_time(), 0
        while time.process_time() - began < seconds:
            total += count()
        print(f"  {name}: {total / (time.process_time() - began):.0f}")
    return 0
