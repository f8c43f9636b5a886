"""The quick inner board behind `Position`: sets of fields as ints, a copy per turn (rules 3 to 6).

Attackers, checks and support are worked out here; `turns` finds the legal turns.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.attacks import (
    ALL,
    BIT,
    CASTLINGS,
    DOUBLES,
    FORWARD,
    FORWARD_TWICE,
    HEAVY,
    KING,
    KNIGHT,
    LIGHT,
    LINE_MASK,
    LINE_VIEWS,
    NO_FIELD,
    ORIGIN_MASK,
    ORIGIN_VIEWS,
    PAWN,
    PAWN_FROM,
    RING_MASK,
    RING_VIEWS,
    STRAIGHT_MASK,
    bits,
    scan,
)
from scharten.games.scharten.board import FIELDS, Kind, row_of
from scharten.games.scharten.options import RuleOptions

P, N, B, R, Q, K, EMPTY = range(7)
CODES: Final = {Kind.PAWN: P, Kind.KNIGHT: N, Kind.BISHOP: B, Kind.ROOK: R, Kind.QUEEN: Q, Kind.KING: K}
KINDS: Final = (Kind.PAWN, Kind.KNIGHT, Kind.BISHOP, Kind.ROOK, Kind.QUEEN, Kind.KING)
PROMOTION_CODES: Final = (Q, R, B, N)
THROW_ORDER: Final = (P,) * 9 + (N, N, B, B, R, R, Q, Q)
"""What each next dart of a side puts on the board (§4)."""
THROWS: Final = len(THROW_ORDER)


@dataclass(frozen=True, slots=True)
class Tables:
    """A game's options as the kernel uses them."""

    loud: bool
    protects: bool
    counts: bool
    zones: tuple[int, int]
    two_step: tuple[int, int]


@lru_cache(maxsize=256)
def tables(options: RuleOptions) -> Tables:
    """Resolve the options once."""
    home = options.double_step == "home_row"
    steps = tuple(bits(f for f in FIELDS if row_of(f) == row) if home else ALL for row in (2, 7))
    return Tables(
        options.loud,
        options.protection == "until_moved",
        options.support == "count",
        (bits(options.zone(Side.WHITE)), bits(options.zone(Side.BLACK))),
        (steps[0], steps[1]),
    )


class State:
    """One position. `sets[side][kind]` and `own[side]` are sets of fields, `kind_at` the kind on each field."""

    __slots__ = ("ep", "kind_at", "kings", "own", "placed", "rules", "sets", "side", "unmoved")

    def __init__(self, rules: Tables, side: int, ep: int, placed: tuple[int, int]) -> None:
        self.rules = rules
        self.side = side
        self.ep = ep
        self.placed = placed
        self.sets = ([0] * 6, [0] * 6)
        self.own = [0, 0]
        self.kings = [NO_FIELD, NO_FIELD]
        self.unmoved = 0
        self.kind_at = bytearray([EMPTY] * len(FIELDS))

    def put(self, side: int, code: int, field: int, unmoved: bool) -> None:
        """Put a piece on an empty field."""
        bit = BIT[field]
        self.sets[side][code] |= bit
        self.own[side] |= bit
        self.kind_at[field] = code
        if code == K:
            self.kings[side] = field
        if unmoved:
            self.unmoved |= bit

    def _copy(self) -> State:
        twin = State.__new__(State)
        twin.rules = self.rules
        twin.side = self.side
        twin.ep = NO_FIELD
        twin.placed = self.placed
        white, black = self.sets
        twin.sets = (white[:], black[:])
        twin.own = self.own[:]
        twin.kings = self.kings[:]
        twin.unmoved = self.unmoved
        twin.kind_at = self.kind_at[:]
        return twin

    def after_move(self, origin: int, to: int, promotion: int = EMPTY) -> State:
        """The position after a legal move (castling: the king's); `promotion` is the new piece's code."""
        new = self._copy()
        side, kind_at = new.side, new.kind_at
        code = kind_at[origin]
        from_bit, to_bit = BIT[origin], BIT[to]
        taken_at = to
        if code == P:
            if to == FORWARD_TWICE[side][origin] and promotion == EMPTY:
                new.ep = FORWARD[side][origin]
            elif to == self.ep and PAWN[side][origin] & to_bit:
                taken_at = FORWARD[1 - side][to]
        elif code == K:
            new.kings[side] = to
            if not KING[origin] & to_bit:
                new._castle_rook(origin, to)
        taken = kind_at[taken_at]
        if taken != EMPTY:
            bit = BIT[taken_at]
            new.sets[1 - side][taken] ^= bit
            new.own[1 - side] ^= bit
            kind_at[taken_at] = EMPTY
        new.sets[side][code] ^= from_bit
        new.own[side] ^= from_bit | to_bit
        kind_at[origin] = EMPTY
        new.unmoved &= ~(from_bit | to_bit)
        if promotion != EMPTY:
            code = promotion
            new.unmoved |= to_bit
        new.sets[side][code] |= to_bit
        kind_at[to] = code
        new.side = 1 - side
        return new

    def _castle_rook(self, origin: int, to: int) -> None:
        """Bring the rook to the field that the king passes over."""
        passed, rook = castling_rook(self, origin, to)
        change = BIT[passed] | BIT[rook]
        self.sets[self.side][R] ^= change
        self.own[self.side] ^= change
        self.kind_at[rook] = EMPTY
        self.kind_at[passed] = R
        self.unmoved &= ~BIT[rook]

    def after_placement(self, field: int) -> State:
        """The position after the next piece was thrown onto a free field."""
        new = self._copy()
        side = new.side
        placed = new.placed
        new.put(side, THROW_ORDER[placed[side]], field, unmoved=True)
        new.placed = (placed[0] + 1, placed[1]) if side == 0 else (placed[0], placed[1] + 1)
        new.side = 1 - side
        return new


def castling_rook(state: State, origin: int, to: int) -> tuple[int, int]:
    """For a castling to `to`: the field passed over and the first piece met beyond, NO_FIELD if none."""
    occupied = state.own[0] | state.own[1]
    for _, passed, goal, onwards in CASTLINGS[origin]:
        if goal == to:
            return passed, next((field for field in onwards if occupied & BIT[field]), NO_FIELD)
    return NO_FIELD, NO_FIELD


def attackers(state: State, side: int, to: int, occupied: int) -> int:
    """The pieces of `side` that attack the field `to` while these fields are occupied (rules 4)."""
    pawns, knights, bishops, rooks, queens, king = state.sets[side]
    found = PAWN_FROM[side][to] & pawns | KNIGHT[to] & knights | KING[to] & king
    straight = rooks | queens
    if straight & STRAIGHT_MASK[to]:
        seen = RING_VIEWS[to][occupied & RING_MASK[to]] | LINE_VIEWS[to][occupied & LINE_MASK[to]]
        found |= seen & straight
    slanted = bishops | queens
    if slanted & ORIGIN_MASK[to]:
        one, two = ORIGIN_VIEWS[to]
        found |= (one[occupied & one.mask] | two[occupied & two.mask]) & slanted
    return found


def takes_king(state: State, side: int, attacking: int, at: int) -> bool:
    """Whether one of these attackers of `side` could capture a king on `at`, supported by the others."""
    if not attacking:
        return False
    bit = BIT[at]
    if bit & LIGHT or attacking & state.sets[side][P]:
        return True
    if not attacking & (attacking - 1):
        return False
    if bit & DOUBLES:
        return True
    return attacking.bit_count() > 2 or (not state.rules.counts and bool(attacking & HEAVY))


def in_check(state: State, side: int) -> bool:
    """Whether this side's king is in check."""
    at = state.kings[side]
    return takes_king(state, 1 - side, attackers(state, 1 - side, at, state.own[0] | state.own[1]), at)


def supported(state: State, side: int, origin: int, targets: int) -> int:
    """Those of the double and treble fields `targets` where the piece on `origin` has support to capture."""
    occupied = state.own[0] | state.own[1]
    strong = 0 if state.rules.counts else HEAVY & ~state.sets[side][P]
    held = 0
    for to in scan(targets):
        others = attackers(state, side, to, occupied) & ~BIT[origin]
        if others & strong or (others and BIT[to] & DOUBLES) or others & (others - 1):
            held |= BIT[to]
    return held


def capturable(state: State, side: int) -> int:
    """The enemy pieces that are neither king nor protected."""
    them = state.own[1 - side] & ~BIT[state.kings[1 - side]]
    return them & ~state.unmoved if state.rules.protects else them


def king_safe_on(state: State, at: int, occupied: int, gone: int) -> bool:
    """Whether the mover's king would be out of check on `at`."""
    them = 1 - state.side
    return not takes_king(state, them, attackers(state, them, at, occupied) & ~gone, at)


def castling_fault(state: State, passed: int, goal: int, onwards: tuple[int, ...]) -> str | None:
    """Why an unmoved king, not in check, with two free fields beside it may not castle there; None: it may."""
    side = state.side
    occupied = state.own[0] | state.own[1]
    rook = next((field for field in onwards if occupied & BIT[field]), NO_FIELD)
    if rook == NO_FIELD or not BIT[rook] & state.sets[side][R]:
        return "no_rook"
    if not BIT[rook] & state.unmoved:
        return "rook_moved"
    without = occupied & ~BIT[state.kings[side]]
    if not king_safe_on(state, passed, without | BIT[passed], 0):
        return "through_check"
    if not king_safe_on(state, goal, without & ~BIT[rook] | BIT[passed] | BIT[goal], 0):
        return "into_check"
    return None


def is_dead(state: State) -> bool:
    """Whether bare material makes any mate impossible (rules 7): two kings and at most one bishop or knight."""
    if (state.own[0] | state.own[1]).bit_count() > 3:
        return False
    if state.rules.loud and min(state.placed) < THROWS:
        return False
    white, black = state.sets
    return not (white[P] | white[R] | white[Q] | black[P] | black[R] | black[Q])
