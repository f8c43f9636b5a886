"""The endgame tables: built in time, their counts beside an independent program's, their cells beside the rules."""

from __future__ import annotations

import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from lab.figures import commit
from scharten.errors import Problem
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import EMPTY, FIELDS, SECTORS, THROWS, B, K, N, P, Q, R
from scharten.games.scharten.geometry import BIT, NO_FIELD
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import position_text
from scharten.games.scharten.turns import Turns
from scharten.opponent.table_files import TableFiles
from scharten.play.endgame_board import FRESH, ROWS, Men, fields_of, placements_of
from scharten.play.retrograde import ILLEGAL, ORDER, Counts, Table
from scharten.play.tables import RULES, longest, name_of, probe

Sure = Callable[[Men], tuple[Table, Counts]]
KNOWN = {
    Men(Q): Counts(362_560, 2160, 468_000, 180, 100, 120),
    Men(R): Counts(392_240, 680, 468_000, 80, 80, 0),
    Men(B): Counts(429_600, 0, 468_000, 0, 0, 0),
    Men(N): Counts(450_240, 0, 468_000, 0, 0, 0),
}
NO_MATE = (Men(N), Men(B), Men(P))
"""Men that cannot mate as they are; every pair can (`mate.front` relies on it for the first two, rules 7)."""
AIM_S = 600


def placed(men: Men, number: int, *, mover: int, turn: int, black: bool) -> Position:
    """The placement of this number as a position, turned by this many sectors; with `black` the colours exchanged."""
    at = placements_of(men, np.array([number], np.int32))
    kings = [int(at.lone[0]), int(at.king[0])]
    strong, lone = (1, 0) if black else (0, 1)
    sets, unmoved, kinds = [[0] * 6, [0] * 6], 0, bytearray([EMPTY] * len(FIELDS))
    by = turn + (SECTORS // 2 if black else 0)

    def put(side: int, code: int, field: int, fresh: bool = False) -> None:
        nonlocal unmoved
        here = field - field % SECTORS + (field + by) % SECTORS
        sets[side][code] |= BIT[here]
        kinds[here] = code
        unmoved |= BIT[here] if fresh else 0

    put(lone, K, kings[0])
    put(strong, K, kings[1])
    for code, spots in ((men.first, at.first), (men.second, at.second)):
        if code >= 0:
            put(strong, code, int(fields_of(code, spots)[0]), code == P and int(spots[0]) % ROWS == FRESH)
    own = (sum(sets[0]), sum(sets[1]))
    both = (tuple(sets[0]), tuple(sets[1]))
    who = strong if mover == 0 else lone
    return Position(
        RULES, who, both, own, bytes(kinds), unmoved, NO_FIELD, (THROWS, THROWS), (0, 0), (0, 0), 1
    )


def _turns_allowed(men: Men, number: int, rng: random.Random) -> int:
    """By how many sectors a placement may be turned: a pawn's line begins on White's side, in 0 to 9."""
    if not men.pawns:
        return rng.randrange(SECTORS)
    begins = [0]
    if men.second == P:
        at = int(placements_of(men, np.array([number], np.int32)).second[0]) // ROWS
        begins.append(at if at < SECTORS // 2 else at - SECTORS)
    return rng.randint(-min(begins), SECTORS // 2 - 1 - max(begins))


def disagreements(men: Men, sure: Sure, rng: random.Random, count: int) -> list[str]:
    """Placements, half of them won ones, that are not worth what the rules' own turns lead to."""
    table, _ = sure(men)
    wrong = []
    for mover, cells in enumerate((table.strong, table.lone)):
        legal, won = np.flatnonzero(cells != ILLEGAL), np.flatnonzero(cells < ILLEGAL)
        for turn in range(count):
            among = won if turn % 2 and won.size else legal
            number = int(among[rng.randrange(among.size)])
            by, black = _turns_allowed(men, number, rng), rng.random() < 0.5
            position = placed(men, number, mover=mover, turn=by, black=black)
            if probe(position, lambda item: sure(item)[0]) != _by_turns(position, mover, sure):
                wrong.append(position_text(position))
    return wrong


def _by_turns(position: Position, mover: int, sure: Sure) -> int | None:
    """The value of a position from its turns: the strong side's quickest, the lone king's longest way."""
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


def run(count: int) -> int:
    """Build all tables, check counts and cells, print the figures; status 1 if one is wrong or all take too long."""
    print(
        f"endgame tables, commit {commit()}: {len(ORDER)} tables, {count} placements a side of each by the rules"
    )
    failed, began, rng = 0, time.process_time(), random.Random(14)
    with tempfile.TemporaryDirectory() as folder:
        files = TableFiles(Path(folder))
        for men in ORDER:
            since = time.process_time()
            table, counts = files.build(men)
            took = time.process_time() - since
            good = KNOWN.get(men, counts) == counts and bool(counts.mates) == (men not in NO_MATE)
            failed += not good
            known = ("as counted elsewhere" if good else "WRONG") if men in KNOWN else ""
            print(
                f"  K+{name_of(men):2}: {counts.strong_won} of {counts.strong} won, in {(longest(table) + 1) // 2} at "
                f"most; {counts.lone_lost} of {counts.lone} lost, {counts.mates} mates; {took:.1f} s {known}",
                flush=True,
            )
        took = time.process_time() - began
        print(f"  all built in {took:.0f} s of CPU (aim {AIM_S} s)")
        kept = {men: files.sure(men) for men in ORDER}
        wrong = [text for men in ORDER for text in disagreements(men, kept.__getitem__, rng, count)]
        print(f"  {len(wrong)} of {2 * count * len(ORDER)} placements are not worth what their turns lead to")
        for text in wrong[:10]:
            print(f"    {text}")
    return 1 if failed or wrong or took > AIM_S else 0
