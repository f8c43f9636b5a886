"""Where pieces can step, slide and jump, as tables computed once (rules 1).

A path is the row of fields that a sliding piece crosses in one direction, nearest first.
"""

from __future__ import annotations

from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.board import DEPTHS, FIELDS, SECTORS, Field

_LITTLE = DEPTHS - 1


def _field(s: int, depth: int) -> Field:
    return Field(depth * SECTORS + s % SECTORS)


def ring_path(field: Field, turn: int) -> tuple[Field, ...]:
    """The other 19 fields of the ring, going round by `turn` = 1 or -1."""
    depth, s = divmod(field, SECTORS)
    return tuple(_field(s + turn * step, depth) for step in range(1, SECTORS))


def _walk(field: Field, inwards: bool, turn: int, back: bool = False) -> tuple[Field, ...]:
    """In or out, turning by `turn` per step; over the centre the heading on the board stays straight.

    `back` walks a diagonal from its goal towards where it came from: the centre is crossed the other way.
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
    """Along the line, across the centre if inwards, to its end."""
    return _walk(field, inwards, 0)


def diagonal_path(field: Field, inwards: bool, turn: int, back: bool = False) -> tuple[Field, ...]:
    """Along a diagonal to the double ring; `back`: the fields from where a bishop comes here, nearest first.

    The two differ: over the centre a1 b2 c3 d4 goes on to c5 b6 a7 o8, but o8 a7 b6 c5 goes on to b4.
    """
    return _walk(field, inwards, turn, back)


_Diagonals = tuple[tuple[tuple[Field, ...], tuple[Field, ...]], ...]


def _diagonals(field: Field, back: bool) -> _Diagonals:
    return tuple(
        (diagonal_path(field, True, turn, back), diagonal_path(field, False, -turn, back)) for turn in (1, -1)
    )


def _king_steps(field: Field) -> frozenset[Field]:
    paths = (*ring_paths(field), *LINE_PATHS[field], *(half for pair in DIAGONALS[field] for half in pair))
    return frozenset(path[0] for path in paths if path)


def ring_paths(field: Field) -> tuple[tuple[Field, ...], tuple[Field, ...]]:
    """Both ways round the ring."""
    return ring_path(field, 1), ring_path(field, -1)


def _inwards(s: int, depth: int, steps: int) -> tuple[int, int]:
    """`steps` inwards along the line, over the centre where it must be."""
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
    """One step towards the last row, None from the last row itself."""
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
"""Per field: the same from the goal's side, the fields from where a bishop could come, nearest first."""
KING_STEPS: Final = tuple(_king_steps(f) for f in FIELDS)
KNIGHT_JUMPS: Final = tuple(_knight_jumps(f) for f in FIELDS)
PAWN_FORWARD: Final = {side: tuple(_pawn_forward(side, f) for f in FIELDS) for side in Side}
PAWN_ATTACKS: Final = {side: tuple(_pawn_attacks(side, f) for f in FIELDS) for side in Side}
LAST_ROW: Final = {
    Side.WHITE: frozenset(f for f in FIELDS if PAWN_FORWARD[Side.WHITE][f] is None),
    Side.BLACK: frozenset(f for f in FIELDS if PAWN_FORWARD[Side.BLACK][f] is None),
}
