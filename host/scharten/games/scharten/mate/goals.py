"""The goals of a helpmate search: patterns of mate, and a position's distance from them (rules 4, 7).

A goal is only a hint: the rules judge every result, so a poor goal costs time, never truth. Distances are those of an
empty board, plus the pieces in a king's way at the start of the search.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from scharten.games.scharten.board import FIELDS, SECTORS, THROW_ORDER, THROWS, B, K, N, P, Q, R
from scharten.games.scharten.geometry import (
    BIT,
    FORWARD,
    KING,
    KNIGHT,
    NO_FIELD,
    bits,
    scan,
    slide_paths,
)
from scharten.games.scharten.position import Position, king_of

FAR: Final = 60
"""More steps than any piece needs: the side has no piece of the kind and gets none."""
HEAVY_PIECES: Final = (Q, R)


def _reach(code: int, field: int) -> int:
    """Return the goals of this kind in one move on an empty board."""
    at = FIELDS[field]
    if code == K:
        return KING[field]
    if code == N:
        return KNIGHT[field]
    return bits(goal for path in slide_paths(code, at) for goal in path) & ~BIT[field]


@cache
def _reaches(code: int) -> tuple[int, ...]:
    return tuple(_reach(code, field) for field in FIELDS)


@cache
def moves_to(code: int, goal: int) -> tuple[int, ...]:
    """Return the number of moves of this kind to `goal` on an empty board, per field."""
    reaches = _reaches(code)
    found = [FAR] * len(FIELDS)
    found[goal] = steps = 0
    reached = BIT[goal]
    while True:
        steps += 1
        wave = bits(f for f in FIELDS if not reached & BIT[f] and reaches[f] & reached)
        if not wave:
            return tuple(found)
        for field in scan(wave):
            found[field] = steps
        reached |= wave


@cache
def queen_lines(at: int) -> int:
    """Return the fields from which a queen, king or pawn could attack a field, and those that can shield it."""
    queens = _reaches(Q)
    return bits(origin for origin in FIELDS if BIT[at] & queens[origin]) | queens[at] | KING[at]


@cache
def _way_up(side: int, field: int) -> tuple[int, int]:
    """Return a pawn's steps to its last row, and the fields ahead of it."""
    steps, ahead, at = 0, 0, FORWARD[side][field]
    while at != NO_FIELD:
        steps, ahead, at = steps + 1, ahead | BIT[at], FORWARD[side][at]
    return steps, ahead


def king_walk(goal: int, slow: int) -> tuple[int, ...]:
    """Return the king's steps to `goal`, per field; a step onto one of the `slow` fields counts double."""
    found = [FAR] * len(FIELDS)
    found[goal] = 0
    waves: list[list[int]] = [[goal]]
    steps = 0
    while steps < len(waves):
        for field in waves[steps]:
            if found[field] != steps:
                continue
            total = steps + (2 if BIT[field] & slow else 1)
            for to in scan(KING[field]):
                if total < found[to]:
                    found[to] = total
                    while len(waves) <= total:
                        waves.append([])
                    waves[total].append(to)
        steps += 1
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Want:
    """A piece of one of these kinds of `side` on `field`, to arrive after the mated king on `king`."""

    side: int
    kinds: tuple[int, ...]
    field: int
    king: int


@dataclass(frozen=True, slots=True)
class Goal:
    """A mate of `1 - side`: its king on `king`, and the pieces around it."""

    side: int
    king: int
    wants: tuple[Want, ...]


def cost(position: Position, want: Want, code: int, field: int) -> int:
    """Return the moves of a piece to meet the want; a pawn promotes first."""
    if code in want.kinds:
        # From here it would keep the king off its field: one more move around it.
        early = field != want.field and _reaches(code)[field] & BIT[want.king]
        return moves_to(code, want.field)[field] + (1 if early else 0)
    if code != P or want.kinds == (K,):
        return FAR
    steps, ahead = _way_up(want.side, field)
    stops = ahead & (position.occupied)
    return steps + 2 * stops.bit_count() + 2


def throw_cost(position: Position, want: Want) -> int:
    """Return the moves and throws for a piece that is still to be thrown."""
    placed = position.placed[want.side]
    if not position.rules.loud or placed >= THROWS or want.kinds == (K,):
        return FAR
    direct = min(
        (THROW_ORDER.index(kind, placed) for kind in want.kinds if kind in THROW_ORDER[placed:]), default=FAR
    )
    if THROW_ORDER[placed] == P:
        return min(direct - placed + 2, 7)
    return direct - placed + 2


# The patterns have the victim's king on sector 0 of a ring, and depth and sector of the pieces around it. Each is a
# mate on an empty board, found by a trial of all placements of such material.
_Pattern = tuple[int, tuple[tuple[tuple[int, ...], int, int], ...]]
_RING_SQUEEZE: Final[tuple[_Pattern, ...]] = tuple(
    (depth, (((K,), depth, -1), (HEAVY_PIECES, depth, 1))) for depth in (0, 2)
)
_MINORS: Final[tuple[_Pattern, ...]] = (
    (0, (((K,), 0, -1), ((B,), 0, 1), ((B,), 2, 2))),
    (0, (((K,), 0, -1), ((N,), 0, 1), ((N,), 2, -1))),
    (0, (((K,), 0, -1), ((B,), 0, 1), ((N,), 2, -1))),
)


@cache
def _images(side: int, pattern: _Pattern) -> tuple[Goal, ...]:
    """Return the pattern turned and mirrored to all 40 places."""
    depth, around = pattern
    return tuple(
        Goal(
            side,
            depth * SECTORS + turn,
            tuple(
                Want(side, kinds, d * SECTORS + (turn + mirror * s) % SECTORS, depth * SECTORS + turn)
                for kinds, d, s in around
            ),
        )
        for turn in range(SECTORS)
        for mirror in (1, -1)
    )


def goals(position: Position, side: int, most: int) -> list[Goal]:
    """Return the nearest goals for this side's material, nearest first."""
    own = position.sets[side]
    growing = own[P] or (position.rules.loud and position.placed[side] < THROWS)
    patterns = _RING_SQUEEZE if own[Q] | own[R] or growing else _MINORS
    found = [
        (distance(position, goal), number, goal)
        for number, goal in enumerate(goal for pattern in patterns for goal in _images(side, pattern))
    ]
    return [goal for _, _, goal in sorted(found, key=lambda entry: entry[:2])[:most]]


def distance(position: Position, goal: Goal) -> int:
    """Estimate the missing moves; the nearest piece meets each want."""
    victim = 1 - goal.side
    total = moves_to(K, goal.king)[king_of(position, victim)]
    for want in goal.wants:
        own = position.own[want.side]
        nearest = min(cost(position, want, position.kind_at[f], f) for f in scan(own))
        total += min(nearest, throw_cost(position, want))
    return total
