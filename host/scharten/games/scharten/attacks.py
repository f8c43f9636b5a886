"""The tables of `geometry` as sets of fields in one int each: bit f stands for field f."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.board import FIELDS, Field, Ring, ring_of
from scharten.games.scharten.geometry import (
    DIAGONAL_ORIGINS,
    DIAGONALS,
    KING_STEPS,
    KNIGHT_JUMPS,
    LAST_ROW,
    LINE_PATHS,
    PAWN_ATTACKS,
    PAWN_FORWARD,
    ring_paths,
)

ALL: Final = (1 << len(FIELDS)) - 1
BIT: Final = tuple(1 << field for field in FIELDS)
_VIEWS_KEPT: Final = 32


def bits(fields: Iterable[Field]) -> int:
    """The set of these fields."""
    union = 0
    for field in fields:
        union |= BIT[field]
    return union


@lru_cache(maxsize=2048)
def scan(fields: int) -> tuple[int, ...]:
    """The fields of a set in ascending order."""
    found = []
    while fields:
        lowest = fields & -fields
        found.append(lowest.bit_length() - 1)
        fields ^= lowest
    return tuple(found)


class Views(dict[int, int]):
    """What a sliding piece on one field sees along some paths, by the occupied fields of those paths.

    Filled as it is asked; a full table starts again, so that memory stays bounded.
    """

    def __init__(self, paths: Iterable[tuple[Field, ...]]) -> None:
        super().__init__()
        self._paths = tuple(tuple(BIT[field] for field in path) for path in paths)
        self.mask = bits(field for path in self._paths for field in map(_field_of, path))

    def __missing__(self, occupied: int) -> int:
        seen = 0
        for path in self._paths:
            for bit in path:
                seen |= bit
                if occupied & bit:
                    break
        if len(self) >= _VIEWS_KEPT:
            self.clear()
        self[occupied] = seen
        return seen


def _field_of(bit: int) -> Field:
    return Field(bit.bit_length() - 1)


RING_VIEWS: Final = tuple(Views(ring_paths(f)) for f in FIELDS)
LINE_VIEWS: Final = tuple(Views(LINE_PATHS[f]) for f in FIELDS)
DIAGONAL_VIEWS: Final = tuple((Views(DIAGONALS[f][0]), Views(DIAGONALS[f][1])) for f in FIELDS)
ORIGIN_VIEWS: Final = tuple((Views(DIAGONAL_ORIGINS[f][0]), Views(DIAGONAL_ORIGINS[f][1])) for f in FIELDS)
"""From where a bishop could come to a field: over the centre this is not where a bishop there could go."""

RING_MASK: Final = tuple(views.mask for views in RING_VIEWS)
LINE_MASK: Final = tuple(views.mask for views in LINE_VIEWS)
STRAIGHT_MASK: Final = tuple(ring | line for ring, line in zip(RING_MASK, LINE_MASK, strict=True))
ORIGIN_MASK: Final = tuple(first.mask | second.mask for first, second in ORIGIN_VIEWS)

KING: Final = tuple(bits(steps) for steps in KING_STEPS)
KNIGHT: Final = tuple(bits(jumps) for jumps in KNIGHT_JUMPS)
NEIGHBOURS: Final = tuple(BIT[ring_paths(f)[0][0]] | BIT[ring_paths(f)[1][0]] for f in FIELDS)
"""The two fields beside a field on its ring."""

SIDES: Final = (Side.WHITE, Side.BLACK)
PAWN: Final = tuple(tuple(bits(PAWN_ATTACKS[side][f]) for f in FIELDS) for side in SIDES)
"""By side and field: what a pawn there attacks."""
PAWN_FROM: Final = tuple(
    tuple(bits(g for g in FIELDS if f in PAWN_ATTACKS[side][g]) for f in FIELDS) for side in SIDES
)
"""By side and field: from where that side's pawns attack it."""
NO_FIELD: Final = -1
FORWARD: Final = tuple(
    tuple(NO_FIELD if to is None else int(to) for to in PAWN_FORWARD[side]) for side in SIDES
)
FORWARD_TWICE: Final = tuple(
    tuple(NO_FIELD if one == NO_FIELD else steps[one] for one in steps) for steps in FORWARD
)
LAST: Final = tuple(bits(LAST_ROW[side]) for side in SIDES)

DOUBLES: Final = bits(f for f in FIELDS if ring_of(f) is Ring.DOUBLE)
TREBLES: Final = bits(f for f in FIELDS if ring_of(f) is Ring.TREBLE)
LIGHT: Final = ALL & ~(DOUBLES | TREBLES)
"""The fields of value 1: captures there need no support."""
HEAVY: Final = DOUBLES | TREBLES
"""The fields whose pieces give a support of 2 or 3."""


def _castlings(field: Field) -> tuple[tuple[int, int, int, tuple[int, ...]], ...]:
    ways = []
    for path in (*ring_paths(field), *LINE_PATHS[field]):
        if len(path) >= 3:
            ways.append((BIT[path[0]] | BIT[path[1]], int(path[0]), int(path[1]), tuple(map(int, path[2:]))))
    return tuple(ways)


CASTLINGS: Final = tuple(_castlings(f) for f in FIELDS)
"""Per king's field and direction: the two fields that must be free, the passed one, the king's goal, the way on."""
