"""The rules of a few men against a lone king, as arrays: attacks, and the numbers of placements.

These are silent games with default options. The strong side is White, its king and pieces have moved; `NOWHERE` is the
field of a missing man. A placement has a number: since turning the board changes no rule, the lone king stands on
sector 0, or with pawns the first pawn on line 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scharten.games.scharten.board import DEPTHS, FIELDS, SECTORS, B, K, N, P, Q, R
from scharten.games.scharten.geometry import (
    DIAGONAL_ORIGINS,
    DIAGONALS,
    DOUBLES,
    KING_STEPS,
    KNIGHT_JUMPS,
    LIGHT,
    LINE_PATHS,
    PAWN_ATTACKS,
    SIDES,
    ring_paths,
)

Ints = NDArray[np.int32]
Flags = NDArray[np.bool_]
NOWHERE: Final = len(FIELDS)
ROWS: Final = 8
"""A pawn's states on its line: moved on row 1 to 7, and unmoved on row 2 (`FRESH`)."""
FRESH: Final = 7
PAWN_SPOTS: Final = SECTORS * ROWS


class Men(NamedTuple):
    """One or two men of the strong side by their numbers, the smaller first (a pawn is the smallest); -1 for none."""

    first: int
    second: int = -1

    @property
    def pawns(self) -> int:
        """The number of pawns."""
        return (self.first == P) + (self.second == P)


class Placements(NamedTuple):
    """Placements as columns: fields of the lone king and the other king, spots of the men.

    A man's spot is its field; a pawn's is 8 times the sector on which its line begins at White's side, plus its state.
    """

    lone: Ints
    king: Ints
    first: Ints
    second: Ints

    def where(self, chosen: NDArray[np.signedinteger] | Flags) -> Placements:
        """Return the chosen rows."""
        return Placements(*(column[chosen] for column in self))


def _pawn_fields() -> Ints:
    found = np.full(PAWN_SPOTS + 1, NOWHERE, np.int32)
    for sector in range(SECTORS):
        for state in range(ROWS):
            row = 1 if state == FRESH else state
            near = row < DEPTHS
            found[sector * ROWS + state] = (
                row * SECTORS + sector
                if near
                else (2 * DEPTHS - 1 - row) * SECTORS + (sector + SECTORS // 2) % SECTORS
            )
    return found


PAWN_FIELD: Final = _pawn_fields()
"""The field of a pawn by its spot; the last is that of no pawn."""
LAST_FIELD: Final = np.array([(s + SECTORS // 2) % SECTORS for s in range(SECTORS)], np.int32)
"""The last field of the line that begins on this sector."""


def _padded(lists: list[tuple[int, ...]]) -> Ints:
    width = max(map(len, lists))
    return np.array([[*fields, *[NOWHERE] * (width - len(fields))] for fields in lists], np.int32)


KING_TO: Final = _padded([tuple(sorted(map(int, KING_STEPS[at]))) for at in FIELDS])
"""The king's steps by field, padded with NOWHERE."""


def _paths(code: int, at: int, back: bool) -> list[tuple[int, ...]]:
    """Return the paths from a field, nearest first; `back`: the paths by which this kind comes to it."""
    field = FIELDS[at]
    if code == N:
        return [(int(to),) for to in KNIGHT_JUMPS[at]]
    found: list[tuple[int, ...]] = []
    if code in (R, Q):
        found += [tuple(map(int, path)) for path in (*ring_paths(field), *LINE_PATHS[at])]
    if code in (B, Q):
        pairs = DIAGONAL_ORIGINS[at] if back else DIAGONALS[at]
        found += [tuple(map(int, half)) for pair in pairs for half in pair]
    return [path for path in found if path]


def comes_from(code: int) -> list[Ints]:
    """Return by path and step the field from which this kind comes to each field; NOWHERE at the path's end."""
    paths = [_paths(code, at, back=True) for at in FIELDS]
    most = max(map(len, paths))
    return [
        _padded([path[number] if number < len(path) else () for path in paths] + [()])
        for number in range(most)
    ]


class SightTable(NamedTuple):
    """`ways` [field, goal] has a bit for each path; `past` [field, goal, between] the bits that a man blocks."""

    ways: NDArray[np.uint8]
    past: NDArray[np.uint8]


@lru_cache(maxsize=5)
def sight(code: int) -> SightTable:
    """Return the table of a kind, made on the first request."""
    size = NOWHERE + 1
    ways, past = np.zeros((size, size), np.uint8), np.zeros((size, size, size), np.uint8)
    for at in FIELDS:
        if code == K:
            ways[at, [int(to) for to in KING_STEPS[at]]] = 1
        else:
            used: dict[int, int] = {}
            for path in _paths(code, at, back=False):
                for step, to in enumerate(path):
                    bit = 1 << used.get(to, 0)
                    used[to] = used.get(to, 0) + 1
                    ways[at, to] |= bit
                    past[at, to, list(path[:step])] |= bit
    return SightTable(ways, past)


def _pawn_sight() -> Flags:
    found = np.zeros((PAWN_SPOTS + 1, NOWHERE + 1), np.bool_)
    for sector in range(SECTORS):
        for state in range(ROWS):
            for to in PAWN_ATTACKS[SIDES[0]][int(PAWN_FIELD[state])]:
                found[sector * ROWS + state, to - to % SECTORS + (to + sector) % SECTORS] = True
    return found


PAWN_SIGHT: Final = _pawn_sight()
"""A pawn's attacks by spot and field."""


def _mask(fields: int) -> Flags:
    return np.array([bool(fields >> at & 1) for at in range(NOWHERE + 1)])


IS_LIGHT: Final = _mask(LIGHT)
IS_DOUBLE: Final = _mask(DOUBLES)


def sees(code: int, at: Ints, to: Ints, third: Ints, fourth: Ints) -> Flags:
    """Return whether a piece on `at` attacks `to` past men on two fields; a man on `at` or `to` blocks nothing."""
    ways, past = sight(code)
    found = ways[at, to]
    if code in (B, R, Q):
        found = found & ~(past[at, to, third] | past[at, to, fourth])
    return np.asarray(found != 0)


def checked(men: Men, at: Ints, king: Ints, first: Ints, second: Ints) -> Flags:
    """Return whether the king and the men on these spots check the lone king on `at` (rules 4)."""
    by_king = sees(K, king, at, king, king)
    count = by_king.astype(np.int8)
    strong = by_king & ~IS_LIGHT[king]
    by_pawn = np.zeros(at.shape, np.bool_)
    fields = fields_of(men.first, first), fields_of(men.second, second)
    for code, spots, where, other in ((men.first, first, *fields), (men.second, second, *fields[::-1])):
        if code == P:
            by_pawn |= PAWN_SIGHT[spots, at]
        elif code >= 0:
            attacks = sees(code, where, at, king, other)
            strong |= attacks & ~IS_LIGHT[where]
            count += attacks
    several = (count >= 2) & (IS_DOUBLE[at] | strong | (count >= 3))
    return np.asarray(by_pawn | np.where(IS_LIGHT[at], count >= 1, several))


def turned(fields: Ints, by: Ints) -> Ints:
    """Return fields after turning the board back `by` sectors; NOWHERE stays."""
    round_it = fields - fields % SECTORS + (fields - by) % SECTORS
    return np.where(fields == NOWHERE, np.int32(NOWHERE), round_it.astype(np.int32))


def _turned_pawn(spots: Ints, by: Ints) -> Ints:
    return (spots - by * ROWS) % PAWN_SPOTS


def shape(men: Men) -> tuple[int, int, int, int]:
    """Return the base of each digit of a placement's number; their product is the size of a table."""
    second = 1 if men.second < 0 else PAWN_SPOTS if men.second == P else NOWHERE
    return (DEPTHS if men.first != P else ROWS), NOWHERE, NOWHERE, second


def number_of(men: Men, at: Placements) -> Ints:
    """Return the number of each placement, equal for turned boards."""
    _, lefts, two, second = shape(men)
    if men.first == P:
        by = at.first // ROWS
        digits = (at.first % ROWS, turned(at.lone, by), turned(at.king, by))
    else:
        by = at.lone % SECTORS
        digits = (at.lone // SECTORS, turned(at.king, by), turned(at.first, by))
    last = 0 if men.second < 0 else _turned_pawn(at.second, by) if men.second == P else turned(at.second, by)
    return np.asarray(((digits[0] * lefts + digits[1]) * two + digits[2]) * second + last, np.int32)


def placements_of(men: Men, numbers: Ints) -> Placements:
    """Return the placements with these numbers."""
    _, lefts, two, many = shape(men)
    rest, second = np.divmod(numbers, np.int32(many))
    rest, right = np.divmod(rest, np.int32(two))
    leading, left = np.divmod(rest, np.int32(lefts))
    if men.second < 0:
        second = np.full_like(numbers, NOWHERE)
    if men.first == P:
        return Placements(left, right, leading, second)
    return Placements(leading * SECTORS, left, right, second)


def fields_of(code: int, spots: Ints) -> Ints:
    """Return the fields of men of this kind."""
    return PAWN_FIELD[spots] if code == P else spots
