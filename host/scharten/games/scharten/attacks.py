"""Attacks on a field, their support, and check (rules 4, 5)."""

from __future__ import annotations

from scharten.games.scharten.board import THROWS, Field, K, P, Q, R, value
from scharten.games.scharten.geometry import (
    BIT,
    DOUBLES,
    HEAVY,
    KING,
    KNIGHT,
    LIGHT,
    LINE_MASK,
    LINE_VIEWS,
    NO_FIELD,
    ORIGIN_MASK,
    ORIGIN_VIEWS,
    PAWN_FROM,
    RING_MASK,
    RING_VIEWS,
    STRAIGHT_MASK,
    scan,
)
from scharten.games.scharten.position import Position, king_of


def attackers(position: Position, side: int, to: int, occupied: int) -> int:
    """Return the pieces of `side` that attack the field `to` with these fields occupied (rules 4)."""
    pawns, knights, bishops, rooks, queens, king = position.sets[side]
    found = PAWN_FROM[side][to] & pawns | KNIGHT[to] & knights | KING[to] & king
    straight = rooks | queens
    if straight & STRAIGHT_MASK[to]:
        seen = RING_VIEWS[to][occupied & RING_MASK[to]] | LINE_VIEWS[to][occupied & LINE_MASK[to]]
        found |= seen & straight
    slanted = bishops | queens
    if slanted & ORIGIN_MASK[to]:
        first, second = ORIGIN_VIEWS[to]
        found |= (first[occupied & first.mask] | second[occupied & second.mask]) & slanted
    return found


def takes_king(position: Position, side: int, attacking: int, at: int) -> bool:
    """Return whether an attacker of `side` could capture a king on `at` with the others' support."""
    if not attacking:
        return False
    bit = BIT[at]
    if bit & LIGHT or attacking & position.sets[side][P]:
        return True
    if not attacking & (attacking - 1):
        return False
    if bit & DOUBLES:
        return True
    return attacking.bit_count() > 2 or (not position.rules.counts and bool(attacking & HEAVY))


def in_check(position: Position, side: int) -> bool:
    """Return whether this side's king is in check."""
    at = king_of(position, side)
    return takes_king(position, 1 - side, attackers(position, 1 - side, at, position.occupied), at)


def supported(position: Position, side: int, origin: int, targets: int) -> int:
    """Return the double and treble fields of `targets` where the piece on `origin` has support to capture."""
    occupied = position.occupied
    strong = 0 if position.rules.counts else HEAVY & ~position.sets[side][P]
    held = 0
    for to in scan(targets):
        others = attackers(position, side, to, occupied) & ~BIT[origin]
        if others & strong or (others and BIT[to] & DOUBLES) or others & (others - 1):
            held |= BIT[to]
    return held


def capturable(position: Position, side: int) -> int:
    """Return the enemy pieces that are neither king nor protected."""
    them = position.own[1 - side] ^ position.sets[1 - side][K]
    return them & ~position.unmoved if position.rules.protects else them


def king_safe_on(position: Position, at: int, occupied: int, gone: int) -> bool:
    """Return whether the mover's king would be out of check on `at`."""
    them = 1 - position.mover
    return not takes_king(position, them, attackers(position, them, at, occupied) & ~gone, at)


def castling_fault(position: Position, passed: int, goal: int, onwards: tuple[int, ...]) -> str | None:
    """Return why an unmoved king, not in check, with two free fields beside it may not castle; None if it may."""
    side = position.mover
    occupied = position.occupied
    rook = next((field for field in onwards if occupied & BIT[field]), NO_FIELD)
    if rook == NO_FIELD or not BIT[rook] & position.sets[side][R]:
        return "no_rook"
    if not BIT[rook] & position.unmoved:
        return "rook_moved"
    without = occupied & ~BIT[king_of(position, side)]
    if not king_safe_on(position, passed, without | BIT[passed], 0):
        return "through_check"
    if not king_safe_on(position, goal, without & ~BIT[rook] | BIT[passed] | BIT[goal], 0):
        return "into_check"
    return None


def is_dead(position: Position) -> bool:
    """Return whether the material makes mate impossible (rules 7): two kings and at most one bishop or knight."""
    if (position.occupied).bit_count() > 3:
        return False
    if position.rules.loud and min(position.placed) < THROWS:
        return False
    white, black = position.sets
    return not (white[P] | white[R] | white[Q] | black[P] | black[R] | black[Q])


def checkers_of(position: Position, side: int) -> list[tuple[int, int]]:
    """Return the enemy pieces that could capture this side's king, each with the set of its supporters.

    The set is empty where the capture needs no support: for a pawn, and on a field of value 1.
    """
    at = king_of(position, side)
    them = 1 - side
    attacking = attackers(position, them, at, position.occupied)
    found = []
    for origin in scan(attacking):
        free = value(Field(at)) == 1 or position.kind_at[origin] == P
        if free or supported(position, them, origin, BIT[at]):
            found.append((origin, 0 if free else attacking & ~BIT[origin]))
    return found


def support_of(position: Position, by: int) -> int:
    """Return the support by the piece on `by`: its field's value, a pawn 1; with option `count` always 1."""
    return 1 if position.rules.counts or position.kind_at[by] == P else value(Field(by))
