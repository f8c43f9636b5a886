"""The endgame tables: built in time, with counts of an independent program and cells that agree with the rules."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lab.figures import commit
from scharten.endgames.known import FILE, HEAD, Ending, known
from scharten.errors import Problem
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import SECTORS, B, N, P, Q, R
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import position_text
from scharten.games.scharten.turns import Turns
from scharten.opponent.table_files import TableFiles
from scharten.play.endgame_board import ROWS, Men, placements_of
from scharten.play.retrograde import ILLEGAL, ORDER, Counts, Table
from scharten.play.tables import longest, name_of, position_of, probe

Sure = Callable[[Men], tuple[Table, Counts]]
KNOWN = {
    Men(Q): Counts(362_560, 2160, 468_000, 180, 100, 120),
    Men(R): Counts(392_240, 680, 468_000, 80, 80, 0),
    Men(B): Counts(429_600, 0, 468_000, 0, 0, 0),
    Men(N): Counts(450_240, 0, 468_000, 0, 0, 0),
}
NO_MATE = (Men(N), Men(B), Men(P))
"""Men that cannot mate alone; every pair can (`mate.front` relies on it for the first two, rules 7)."""
AIM_S = 600


def _turns_allowed(men: Men, number: int, rng: random.Random) -> int:
    """Return by how many sectors a placement may be turned: a pawn's line begins on White's side, in 0 to 9."""
    if not men.pawns:
        return rng.randrange(SECTORS)
    begins = [0]
    if men.second == P:
        at = int(placements_of(men, np.array([number], np.int32)).second[0]) // ROWS
        begins.append(at if at < SECTORS // 2 else at - SECTORS)
    return rng.randint(-min(begins), SECTORS // 2 - 1 - max(begins))


def disagreements(men: Men, sure: Sure, rng: random.Random, count: int) -> list[str]:
    """Return the placements, half of them won, whose value differs from the value by the rules' turns."""
    table, _ = sure(men)
    wrong = []
    for mover, cells in enumerate((table.strong, table.lone)):
        legal, won = np.flatnonzero(cells != ILLEGAL), np.flatnonzero(cells < ILLEGAL)
        for turn in range(count):
            among = won if turn % 2 and won.size else legal
            number = int(among[rng.randrange(among.size)])
            by, black = _turns_allowed(men, number, rng), rng.random() < 0.5
            position = position_of(men, number, mover=mover, turn=by, black=black)
            if probe(position, lambda item: sure(item)[0]) != _by_turns(position, mover, sure):
                wrong.append(position_text(position))
    return wrong


def _by_turns(position: Position, mover: int, sure: Sure) -> int | None:
    """Return a position's value from its turns: the strong side's quickest, the lone king's longest."""
    if is_dead(position):
        return None
    turns = Turns(position)
    if turns.stuck:
        return 0 if turns.checked and mover == 1 else None
    values = [_worth(after_move(position, *turn), sure) for turn in turns.moves()]
    won = [value for value in values if value is not None]
    if mover == 0:
        return 1 + min(won) if won else None
    return 1 + max(won) if len(won) == len(values) else None


def _worth(position: Position, sure: Sure) -> int | None:
    if position.occupied.bit_count() == 2:
        return None
    found = probe(position, lambda men: sure(men)[0])
    assert not isinstance(found, Problem), position_text(position)
    return found


def run(count: int, write: bool = False) -> int:
    """Build all tables, check counts and cells, and print the figures; return 1 if one is wrong or it takes too
    long.

    With `write`, write the figures that ship, else compare with them.
    """
    print(
        f"endgame tables, commit {commit()}: {len(ORDER)} tables, {count} placements a side of each by the rules"
    )
    lines: list[str] = []
    failed, began, rng = 0, time.process_time(), random.Random(14)
    with tempfile.TemporaryDirectory() as folder:
        files = TableFiles(Path(folder))
        for men in ORDER:
            since = time.process_time()
            table, counts = files.build(men)
            took = time.process_time() - since
            good = KNOWN.get(men, counts) == counts and bool(counts.mates) == (men not in NO_MATE)
            failed += not good
            most = (longest(table) + 1) // 2
            lines.append(Ending(name_of(men), counts.strong, counts.strong_won, most).line)
            beside = ("as counted elsewhere" if good else "WRONG") if men in KNOWN else ""
            print(
                f"  K+{name_of(men):2}: {counts.strong_won} of {counts.strong} won, in {most} at "
                f"most; {counts.lone_lost} of {counts.lone} lost, {counts.mates} mates; {took:.1f} s {beside}",
                flush=True,
            )
        took = time.process_time() - began
        if write:
            FILE.write_text("\n".join([HEAD, *lines, ""]), encoding="ascii")
        agrees = [ending.line for ending in known()] == lines
        print(f"  the figures that ship are {'these' if agrees else 'OTHERS: run it with --write'}")
        failed += not agrees
        print(f"  all built in {took:.0f} s of CPU (aim {AIM_S} s)")
        size = sum(path.stat().st_size for path in Path(folder).glob("*.table"))
        print(f"  {size / 1e6:.1f} MB on the disk")
        kept = {men: files.sure(men) for men in ORDER}
        wrong = [text for men in ORDER for text in disagreements(men, kept.__getitem__, rng, count)]
        print(f"  {len(wrong)} of {2 * count * len(ORDER)} placements are not worth what their turns lead to")
        for text in wrong[:10]:
            print(f"    {text}")
    return 1 if failed or wrong or took > AIM_S else 0
