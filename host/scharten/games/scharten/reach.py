"""The goals of a side's pieces and pawns before checks and pins, shared by positions that differ little.

Most positions of a search differ from one already seen only in one or two of the enemy's pieces. A piece's goals stay
the same unless one of the fields that it sees has changed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from scharten.games.scharten.attacks import supported
from scharten.games.scharten.board import B, N, P, Q
from scharten.games.scharten.geometry import (
    ALL,
    BIT,
    DIAGONAL_VIEWS,
    FORWARD,
    FORWARD_TWICE,
    HEAVY,
    KNIGHT,
    LIGHT,
    LINE_MASK,
    LINE_VIEWS,
    NO_FIELD,
    ORIGIN_VIEWS,
    PAWN,
    RING_MASK,
    RING_VIEWS,
    scan,
)
from scharten.games.scharten.position import Position, Sets, king_of

PawnStep = tuple[int, int, int, int, int]
"""A pawn's field, the field as a set, its attacks, one step, and two steps ahead (0: off the line)."""
Pin = list[int]
"""An own piece in the king's view, and the fields behind it from which it is pinned: straight, and diagonally."""
_MOST: Final = 512
"""A full table forgets its oldest entry: to clear it at once would take as long as ten turns."""
_FAR: Final = 6
"""With more changed fields the goals are computed for the new position."""


class Reach:
    """The goals of one side's pieces and pawns in one position.

    `pieces` has ((origin, goals), ways), `pawns` (step, goals); `pawn_goals` has those with a goal. Goals depend on no
    other fields than their ways; `pawn_ways` are those of all pawns.
    """

    __slots__ = (
        "_can_take",
        "_theirs",
        "leapers",
        "pawn_goals",
        "pawn_ways",
        "pawns",
        "pieces",
        "pin_ways",
        "pins",
        "rules",
    )

    def __init__(self, position: Position, occupied: int, can_take: int, leapers: int) -> None:
        side = position.mover
        self.rules, self.leapers = position.rules, leapers
        self._theirs, self._can_take = position.own[1 - side], can_take
        pawns, knights, bishops, rooks, queens, _ = position.sets[side]
        free, guarded = ALL & ~occupied | can_take & LIGHT, can_take & HEAVY
        self.pieces: list[tuple[tuple[int, int], int]] = []
        for origin in scan(knights | bishops | rooks | queens):
            ways = seen_from(position.kind_at[origin], origin, occupied)
            for to in scan(ways & guarded):
                ways |= _ways_of_support(to, occupied)
            self.pieces.append(((origin, piece_goals(position, origin, occupied, free, guarded)), ways))
        self.pawns: list[tuple[PawnStep, int]] = []
        self.pawn_ways = 0
        for origin in scan(pawns):
            step = _PAWN_STEPS[side][origin]
            self.pawn_ways |= step[2] | step[3] | step[4]
            self.pawns.append((step, pawn_goals(step, occupied, can_take, leapers)))
        self.pawn_goals = [(step[0], goals) for step, goals in self.pawns if goals]
        self.pins, self.pin_ways = pins_of(king_of(position, side), occupied, position.own[side])

    def change(self, theirs: int, can_take: int) -> int:
        """Return the fields on which the enemy's pieces differ from those here."""
        return self._theirs ^ theirs | self._can_take ^ can_take


_KNOWN: Final[dict[tuple[int, Sets], Reach]] = {}


def reach_of(position: Position, occupied: int, can_take: int) -> Reach:
    """Return the mover's goals in this position or in one with few other fields (`Reach.change`)."""
    side = position.mover
    key = (side, position.sets[side])
    leapers = position.unmoved & position.rules.two_step[side] & position.sets[side][P]
    known = _KNOWN.get(key)
    if known is not None and known.rules is position.rules and known.leapers == leapers:
        if known.change(position.own[1 - side], can_take).bit_count() <= _FAR:
            return known
    elif len(_KNOWN) >= _MOST:
        del _KNOWN[next(iter(_KNOWN))]
    found = _KNOWN[key] = Reach(position, occupied, can_take, leapers)
    return found


def piece_goals(position: Position, origin: int, occupied: int, free: int, guarded: int) -> int:
    """Return the goals of a piece: `free` fields, and those of the `guarded` where it has support to capture."""
    seen = seen_from(position.kind_at[origin], origin, occupied)
    goals = seen & free
    if seen & guarded:
        goals |= supported(position, position.mover, origin, seen & guarded)
    return goals


def _ways_of_support(to: int, occupied: int) -> int:
    """Return the fields on which sliding support of a capture there depends."""
    first, second = ORIGIN_VIEWS[to]
    ways = RING_VIEWS[to][occupied & RING_MASK[to]] | LINE_VIEWS[to][occupied & LINE_MASK[to]]
    return ways | first[occupied & first.mask] | second[occupied & second.mask]


def seen_from(code: int, origin: int, occupied: int) -> int:
    """Return the fields that a piece of this kind, no pawn or king, sees from here."""
    if code == N:
        return KNIGHT[origin]
    seen = 0
    if code != B:
        seen = RING_VIEWS[origin][occupied & RING_MASK[origin]]
        seen |= LINE_VIEWS[origin][occupied & LINE_MASK[origin]]
        if code != Q:
            return seen
    first, second = DIAGONAL_VIEWS[origin]
    return seen | first[occupied & first.mask] | second[occupied & second.mask]


def pins_of(
    king: int, occupied: int, own: int, straight: int = ALL, slanted: int = ALL
) -> tuple[Iterable[Pin], int]:
    """Return where enemy pieces would pin pieces of the king, and the fields on which that depends.

    The enemy has such pieces on `straight` and `slanted` fields only.
    """
    ways = 0
    opened: dict[int, Pin] = {}
    for place, sliders, all_views in (
        (1, straight, (RING_VIEWS[king], LINE_VIEWS[king])),
        (2, slanted, ORIGIN_VIEWS[king]),
    ):
        for views in all_views:
            mask = views.mask
            if not sliders & mask:
                continue
            seen = views[occupied & mask]
            ways |= seen
            for at in scan(seen & own):
                bit = BIT[at]
                beyond = views[(occupied ^ bit) & mask] & ~seen
                ways |= beyond
                opened.setdefault(bit, [bit, 0, 0])[place] |= beyond
    return opened.values(), ways


def pawn_goals(step: PawnStep, occupied: int, can_take: int, leapers: int) -> int:
    """Return the goals of a pawn, without en passant."""
    _, bit, attacks, ahead, leap = step
    goals = attacks & can_take
    if not ahead & occupied:
        goals |= ahead
        if bit & leapers and not leap & occupied:
            goals |= leap
    return goals


def _pawn_step(side: int, at: int) -> PawnStep:
    ahead, leap = FORWARD[side][at], FORWARD_TWICE[side][at]
    return (
        at,
        BIT[at],
        PAWN[side][at],
        0 if ahead == NO_FIELD else BIT[ahead],
        0 if leap == NO_FIELD else BIT[leap],
    )


_PAWN_STEPS: Final = tuple(tuple(_pawn_step(side, at) for at in range(80)) for side in (0, 1))
