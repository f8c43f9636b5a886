"""Tables of the pieces' steps, slides and jumps (rules 1).

A path is the sequence of fields that a sliding piece crosses in one direction, nearest first. A set of fields is an
int: bit f stands for field f.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.board import DEPTHS, FIELDS, SECTORS, B, Field, Q, R, Ring, ring_of

_LITTLE = DEPTHS - 1


def _field(s: int, depth: int) -> Field:
    return Field(depth * SECTORS + s % SECTORS)


def ring_path(field: Field, turn: int) -> tuple[Field, ...]:
    """Return the other 19 fields of the ring, in the direction `turn` = 1 or -1."""
    depth, s = divmod(field, SECTORS)
    return tuple(_field(s + turn * step, depth) for step in range(1, SECTORS))


def _walk(field: Field, inwards: bool, turn: int, back: bool = False) -> tuple[Field, ...]:
    """Walk in or out, turning by `turn` per step; over the centre the heading on the board stays straight.

    `back` walks a diagonal from its goal to its origin, which crosses the centre the other way.
    """
    depth, s = divmod(field, SECTORS)
    path: list[Field] = []
    while True:
        if not inwards:
            depth, s = depth - 1, s + turn
            if depth < 0:
                return tuple(path)
        elif depth < _LITTLE:
            depth, s = depth + 1, s + turn
        else:
            inwards, s, turn = False, s + (10 + turn if back else 10 - turn), -turn
        path.append(_field(s, depth))


def line_path(field: Field, inwards: bool) -> tuple[Field, ...]:
    """Return the path along the line to its end, across the centre if inwards."""
    return _walk(field, inwards, 0)


def diagonal_path(field: Field, inwards: bool, turn: int, back: bool = False) -> tuple[Field, ...]:
    """Return a diagonal to the double ring; `back`: the fields from which a bishop comes here, nearest first.

    The two differ: over the centre a1 b2 c3 d4 goes on to c5 b6 a7 o8, but o8 a7 b6 c5 goes on to b4.
    """
    return _walk(field, inwards, turn, back)


_Diagonals = tuple[tuple[tuple[Field, ...], tuple[Field, ...]], ...]


def _diagonals(field: Field, back: bool) -> _Diagonals:
    return tuple(
        (diagonal_path(field, True, turn, back), diagonal_path(field, False, -turn, back)) for turn in (1, -1)
    )


def _king_steps(field: Field) -> frozenset[Field]:
    return frozenset(path[0] for path in slide_paths(Q, field) if path)


def slide_paths(code: int, field: Field) -> list[tuple[Field, ...]]:
    """Return every path of a rook, a bishop or a queen; no path of another piece."""
    straight = [*ring_paths(field), *LINE_PATHS[field]] if code in (R, Q) else []
    return straight + [half for pair in DIAGONALS[field] for half in pair if code in (B, Q)]


def ring_paths(field: Field) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    """Return both ways round the ring."""
    return ring_path(field, 1), ring_path(field, -1)


def _inwards(s: int, depth: int, steps: int) -> tuple[int, int]:
    """Go `steps` inwards along the line, over the centre if necessary."""
    over = depth + steps - _LITTLE
    return (s, depth + steps) if over <= 0 else (s + 10, _LITTLE + 1 - over)


def _knight_jumps(field: Field) -> frozenset[Field]:
    depth, s = divmod(field, SECTORS)
    jumps = set()
    for steps, aside in ((1, 2), (2, 1)):
        ends = [_inwards(s, depth, steps)]
        if depth >= steps:
            ends.append((s, depth - steps))
        jumps |= {_field(end + turn, to) for end, to in ends if to != depth for turn in (aside, -aside)}
    return frozenset(jumps)


def _pawn_forward(side: Side, field: Field) -> Field | None:
    """Return the next field towards the last row, None on the last row."""
    near = field % SECTORS < 10
    path = line_path(field, inwards=near == (side is Side.WHITE))
    return path[0] if path else None


def _pawn_attacks(side: Side, field: Field) -> tuple[Field, ...]:
    near = field % SECTORS < 10
    inwards = near == (side is Side.WHITE)
    paths = (diagonal_path(field, inwards, turn) for turn in (1, -1))
    return tuple(path[0] for path in paths if path)


LINE_PATHS: Final = tuple((line_path(f, True), line_path(f, False)) for f in FIELDS)
"""Per field: inwards and over the centre, outwards."""
DIAGONALS: Final = tuple(_diagonals(f, back=False) for f in FIELDS)
"""Per field: its two diagonals, each as (inward half, outward half)."""
DIAGONAL_ORIGINS: Final = tuple(_diagonals(f, back=True) for f in FIELDS)
"""Per field: the diagonals from which a bishop could come, nearest field first."""
KING_STEPS: Final = tuple(_king_steps(f) for f in FIELDS)
KNIGHT_JUMPS: Final = tuple(_knight_jumps(f) for f in FIELDS)
PAWN_FORWARD: Final = {side: tuple(_pawn_forward(side, f) for f in FIELDS) for side in Side}
PAWN_ATTACKS: Final = {side: tuple(_pawn_attacks(side, f) for f in FIELDS) for side in Side}
LAST_ROW: Final = {
    Side.WHITE: frozenset(f for f in FIELDS if PAWN_FORWARD[Side.WHITE][f] is None),
    Side.BLACK: frozenset(f for f in FIELDS if PAWN_FORWARD[Side.BLACK][f] is None),
}

ALL: Final = (1 << len(FIELDS)) - 1
BIT: Final = tuple(1 << field for field in FIELDS)
_VIEWS_KEPT: Final = 96


def bits(fields: Iterable[Field]) -> int:
    """Return the set of these fields."""
    union = 0
    for field in fields:
        union |= BIT[field]
    return union


@lru_cache(maxsize=2048)
def scan(fields: int) -> tuple[int, ...]:
    """Return the fields of a set in ascending order."""
    found = []
    while fields:
        lowest = fields & -fields
        found.append(lowest.bit_length() - 1)
        fields ^= lowest
    return tuple(found)


class Views(dict[int, int]):
    """The fields that a sliding piece on one field sees along some paths, by the occupied fields of those paths.

    Entries are computed on request; a full table is cleared, so that memory stays bounded.
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
"""The fields from which a bishop could come; over the centre these are not the fields to which it could go."""

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
"""By side and field: the attacks of a pawn there."""
PAWN_FROM: Final = tuple(
    tuple(bits(g for g in FIELDS if f in PAWN_ATTACKS[side][g]) for f in FIELDS) for side in SIDES
)
"""By side and field: the fields from which that side's pawns attack it."""
NO_FIELD: Final = -1
FORWARD: Final = tuple(
    tuple(NO_FIELD if to is None else int(to) for to in PAWN_FORWARD[side]) for side in SIDES
)
FORWARD_TWICE: Final = tuple(
    tuple(NO_FIELD if step == NO_FIELD else steps[step] for step in steps) for steps in FORWARD
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
"""Per king's field and direction: the two fields that must be free, the passed field, the goal, the fields beyond."""
