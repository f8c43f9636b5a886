"""A position: everything that decides about the next turns, and the position after a turn (rules 2 to 6)."""

from __future__ import annotations

from typing import Final, NamedTuple

from scharten.game.basics import PerSide, Side
from scharten.games.scharten.board import (
    EMPTY,
    FIELDS,
    KINDS,
    THROW_ORDER,
    THROWS,
    Field,
    K,
    P,
    Piece,
    PieceKind,
    R,
    piece,
)
from scharten.games.scharten.geometry import (
    BIT,
    CASTLINGS,
    FORWARD,
    FORWARD_TWICE,
    KING,
    NO_FIELD,
    PAWN,
    SIDES,
)
from scharten.games.scharten.options import Rules

Sets = tuple[int, ...]
"""The fields of one side's pawns, knights, bishops, rooks, queens and king, each a set."""
BOTH_ZERO: Final[PerSide] = (0, 0)
EMPTY_BOARD: Final = bytes([EMPTY] * len(FIELDS))


class Position(NamedTuple):
    """The pieces as sets of fields, and the game's rules.

    `mover` is 0 for White, 1 for Black; `kind_at` has a kind's number per field; `ep` is the field that the last turn's
    two-step passed, or NO_FIELD; `clocks` has the half-moves of the 50-count and of the 75-count.
    """

    rules: Rules
    mover: int
    sets: tuple[Sets, Sets]
    own: PerSide
    kind_at: bytes
    unmoved: int
    ep: int
    placed: PerSide
    fouls: PerSide
    clocks: PerSide
    move_number: int

    @property
    def side(self) -> Side:
        """The side to move."""
        return SIDES[self.mover]

    @property
    def occupied(self) -> int:
        """The set of occupied fields."""
        return self.own[0] | self.own[1]

    def king(self, side: Side) -> Field:
        """Return the field of this side's king."""
        return Field(king_of(self, side.index))

    def piece_at(self, field: int) -> Piece | None:
        """Return the piece on a field, or None."""
        code = self.kind_at[field]
        if code == EMPTY:
            return None
        return piece(SIDES[self.own[1] >> field & 1], KINDS[code], not self.unmoved >> field & 1)

    def to_throw(self, side: Side) -> int:
        """Return the number of pieces that this side has yet to throw, 0 in a silent game."""
        return THROWS - self.placed[side.index]

    def next_kind(self, side: Side) -> PieceKind | None:
        """Return the piece of this side's next counted dart (§4), or None when all are placed."""
        placed = self.placed[side.index]
        return KINDS[THROW_ORDER[placed]] if placed < THROWS else None


_new: Final = tuple.__new__
"""Make a position without the named tuple's own constructor, which takes as long as half a move."""


def king_of(position: Position, side: int) -> int:
    """Return the field of the king of side 0 or 1."""
    return position.sets[side][K].bit_length() - 1


def after_move(position: Position, origin: int, to: int, promotion: int = EMPTY) -> Position:
    """Return the position after a legal move (castling: the king's); `promotion` is the new piece's number."""
    rules, mover, sets, own, old_kinds, unmoved, ep, placed, fouls, clocks, number = position
    kind_at = bytearray(old_kinds)
    code, taken = kind_at[origin], kind_at[to]
    to_bit = BIT[to]
    both = BIT[origin] | to_bit
    mine, theirs = list(sets[mover]), sets[1 - mover]
    mine[code] ^= both
    my_own, their_own = own[mover] ^ both, own[1 - mover]
    kind_at[origin], kind_at[to] = EMPTY, code
    unmoved &= ~both
    taken_at, passed_over = to, NO_FIELD
    if code == P:
        if promotion != EMPTY:
            mine[P] ^= to_bit
            mine[promotion] |= to_bit
            kind_at[to] = promotion
            unmoved |= to_bit
        elif to == FORWARD_TWICE[mover][origin]:
            passed_over = FORWARD[mover][origin]
        elif to == ep and PAWN[mover][origin] & to_bit:
            taken_at = FORWARD[1 - mover][to]
            taken = kind_at[taken_at]
            kind_at[taken_at] = EMPTY
    elif code == K and not KING[origin] & to_bit:
        passed, rook = castling_rook(position, origin, to)
        mine[R] ^= BIT[passed] | BIT[rook]
        my_own ^= BIT[passed] | BIT[rook]
        kind_at[rook], kind_at[passed] = EMPTY, R
        unmoved &= ~BIT[rook]
    if taken != EMPTY:
        their_own ^= BIT[taken_at]
        theirs = (*theirs[:taken], theirs[taken] ^ BIT[taken_at], *theirs[taken + 1 :])
        clocks = BOTH_ZERO
    else:
        clocks = BOTH_ZERO if code == P else (clocks[0] + 1, clocks[1] + 1)
    if fouls[mover]:
        fouls = with_count(fouls, mover, 0)
    moved = tuple(mine)
    if mover:
        sets, own = (theirs, moved), (their_own, my_own)
    else:
        sets, own = (moved, theirs), (my_own, their_own)
    kinds = bytes(kind_at)
    held = (rules, 1 - mover, sets, own, kinds, unmoved, passed_over, placed, fouls, clocks, number + mover)
    return _new(Position, held)


def after_placement(position: Position, field: int) -> Position:
    """Return the position after a throw of the next piece onto a free field; both counts start again."""
    mover, sets, own = position.mover, position.sets, position.own
    placed, bit = position.placed, BIT[field]
    code = THROW_ORDER[placed[mover]]
    mine = (*sets[mover][:code], sets[mover][code] | bit, *sets[mover][code + 1 :])
    kind_at = bytearray(position.kind_at)
    kind_at[field] = code
    return position._replace(
        mover=1 - mover,
        sets=(mine, sets[1]) if mover == 0 else (sets[0], mine),
        own=with_count(own, mover, own[mover] | bit),
        kind_at=bytes(kind_at),
        unmoved=position.unmoved | bit,
        ep=NO_FIELD,
        placed=with_count(placed, mover, placed[mover] + 1),
        fouls=with_count(position.fouls, mover, 0),
        clocks=(0, 0),
        move_number=position.move_number + mover,
    )


def after_lost_dart(position: Position) -> Position:
    """Return the position after a lost dart: one more in a row, the turn over, no en passant (rules 6, 7)."""
    mover = position.mover
    return position._replace(
        mover=1 - mover,
        ep=NO_FIELD,
        fouls=with_count(position.fouls, mover, position.fouls[mover] + 1),
        clocks=(position.clocks[0] + 1, 0),
        move_number=position.move_number + mover,
    )


def with_count(pair: PerSide, side: int, count: int) -> PerSide:
    """The pair with one side's count changed."""
    return (count, pair[1]) if side == 0 else (pair[0], count)


def castling_rook(position: Position, origin: int, to: int) -> tuple[int, int]:
    """For a castling to `to`: the field passed over and the first piece met beyond, NO_FIELD if none."""
    occupied = position.occupied
    for _, passed, goal, onwards in CASTLINGS[origin]:
        if goal == to:
            return passed, next((field for field in onwards if occupied & BIT[field]), NO_FIELD)
    return NO_FIELD, NO_FIELD


def is_castling(position: Position, origin: int, to: int) -> bool:
    """Whether a king's move is castling: it goes further than one step."""
    return position.kind_at[origin] == K and not KING[origin] & BIT[to]


def captured_at(position: Position, origin: int, to: int) -> int:
    """The field whose piece a legal move takes: its goal, beside it for en passant; NO_FIELD if it takes nothing."""
    if position.kind_at[to] != EMPTY:
        return to
    return FORWARD[1 - position.mover][to] if is_en_passant(position, origin, to) else NO_FIELD


def is_en_passant(position: Position, origin: int, to: int) -> bool:
    """Whether a pawn's legal move captures en passant."""
    if to != position.ep or position.kind_at[origin] != P:
        return False
    return bool(PAWN[position.mover][origin] & BIT[to])


def place_pieces(
    rules: Rules,
    held: tuple[Piece | None, ...],
    side: Side,
    *,
    ep: int = NO_FIELD,
    placed: PerSide = (THROWS, THROWS),
    fouls: PerSide = (0, 0),
    clocks: PerSide = (0, 0),
    move_number: int = 1,
) -> Position:
    """Return the position with these pieces on the 80 fields, possible or not (`position_text` judges it)."""
    sets, own = [[0] * 6, [0] * 6], [0, 0]
    unmoved, kind_at = 0, bytearray(EMPTY_BOARD)
    for field, man in enumerate(held):
        if man is not None:
            owner, code = man.side.index, KINDS.index(man.kind)
            sets[owner][code] |= BIT[field]
            own[owner] |= BIT[field]
            kind_at[field] = code
            unmoved |= 0 if man.moved else BIT[field]
    return Position(
        rules,
        side.index,
        (tuple(sets[0]), tuple(sets[1])),
        (own[0], own[1]),
        bytes(kind_at),
        unmoved,
        ep,
        placed,
        fouls,
        clocks,
        move_number,
    )
