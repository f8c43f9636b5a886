"""A quick generator of the legal turns of a position, and their count (rules 3 to 6, 11).

The king's safety needs a test only in check, for pinned pieces, for the king himself and for en passant. Any other
turn can only remove attackers of the king.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scharten.games.scharten.attacks import (
    attackers,
    capturable,
    castling_fault,
    is_dead,
    king_safe_on,
    supported,
    takes_king,
)
from scharten.games.scharten.board import EMPTY, FIELDS, PROMOTIONS, THROWS, B, N, P, Q, R
from scharten.games.scharten.geometry import (
    ALL,
    BIT,
    CASTLINGS,
    DIAGONAL_VIEWS,
    FORWARD,
    FORWARD_TWICE,
    HEAVY,
    KING,
    KNIGHT,
    LAST,
    LIGHT,
    LINE_MASK,
    LINE_VIEWS,
    NEIGHBOURS,
    NO_FIELD,
    ORIGIN_MASK,
    ORIGIN_VIEWS,
    PAWN,
    RING_MASK,
    RING_VIEWS,
    STRAIGHT_MASK,
    bits,
    scan,
)
from scharten.games.scharten.position import Position, after_move, after_placement, king_of

Turn = tuple[int, int, int]
"""(origin, goal, promotion or EMPTY) of a move; (NO_FIELD, field, EMPTY) of a placement; `LOST`."""
LOST: Final[Turn] = (NO_FIELD, NO_FIELD, EMPTY)


class Turns:
    """The legal turns of the side to move; of its moves only those to `goals`."""

    __slots__ = (
        "_can_take",
        "_free",
        "_occupied",
        "_position",
        "_screen",
        "checked",
        "pawns",
        "pieces",
        "stuck",
    )

    def __init__(self, position: Position, goals: int = ALL) -> None:
        self._position = position
        side = position.mover
        self._occupied = occupied = position.occupied
        self._can_take = capturable(position, side)
        self._free = ALL & ~occupied | self._can_take & LIGHT
        king = king_of(position, side)
        attacking = attackers(position, 1 - side, king, occupied)
        self.checked = takes_king(position, 1 - side, attacking, king)
        self._screen = self._ways_to(king, attacking) & goals if self.checked else goals
        self.pieces: list[tuple[int, int]] = []
        """(origin, goals) of the pieces; castling as the king's move."""
        self.pawns: list[tuple[int, int]] = []
        loose = position.own[side] if self.checked else self._loose(king)
        self._pieces(loose)
        self._pawns(loose)
        self._king(king, goals)
        self.stuck = not self.pieces and not self.pawns
        if is_dead(position):
            self.pieces.clear()

    def _ways_to(self, king: int, attacking: int) -> int:
        """Return the attackers and the fields between them and the king: a turn elsewhere ends no check."""
        ways = attacking
        occupied = self._occupied
        for views in (RING_VIEWS[king], LINE_VIEWS[king], *ORIGIN_VIEWS[king]):
            seen = views[occupied & views.mask]
            if seen & attacking:
                ways |= seen
        return ways

    def _loose(self, king: int) -> int:
        """Return the pinned pieces of the mover."""
        position, occupied = self._position, self._occupied
        side = position.mover
        them = 1 - side
        own = position.own[side]
        _, _, bishops, rooks, queens, _ = position.sets[them]
        suspects = 0
        for sliders, mask, all_views in (
            (rooks | queens, STRAIGHT_MASK[king], (RING_VIEWS[king], LINE_VIEWS[king])),
            (bishops | queens, ORIGIN_MASK[king], ORIGIN_VIEWS[king]),
        ):
            if sliders & mask:
                for views in all_views:
                    if sliders & views.mask:
                        seen = views[occupied & views.mask]
                        near = seen & own
                        if near and views[(occupied ^ near) & views.mask] & ~seen & sliders:
                            suspects |= near
        loose = 0
        for field in scan(suspects):
            opened = attackers(position, them, king, occupied ^ BIT[field])
            if takes_king(position, them, opened, king):
                loose |= BIT[field]
        return loose

    def _safe(self, occupied: int, gone: int) -> bool:
        """Return whether the king on its field is safe with these fields occupied and no pieces on `gone`."""
        position = self._position
        them = 1 - position.mover
        king = king_of(position, position.mover)
        return not takes_king(position, them, attackers(position, them, king, occupied) & ~gone, king)

    def _keeping(self, origin: int, targets: int) -> int:
        """Return the targets that leave the king out of check."""
        kept = 0
        without = self._occupied & ~BIT[origin]
        for to in scan(targets & self._screen):
            if self._safe(without | BIT[to], BIT[to]):
                kept |= BIT[to]
        return kept

    def _pieces(self, loose: int) -> None:
        position, occupied = self._position, self._occupied
        side = position.mover
        found, free, screen = self.pieces, self._free & self._screen, self._screen
        guarded = self._can_take & HEAVY & screen
        kind_at = position.kind_at
        _, knights, bishops, rooks, queens, _ = position.sets[side]
        for origin in scan(knights | bishops | rooks | queens):
            code = kind_at[origin]
            if code == N:
                seen = KNIGHT[origin]
            elif code == B:
                first, second = DIAGONAL_VIEWS[origin]
                seen = first[occupied & first.mask] | second[occupied & second.mask]
            else:
                seen = RING_VIEWS[origin][occupied & RING_MASK[origin]]
                seen |= LINE_VIEWS[origin][occupied & LINE_MASK[origin]]
                if code == Q:
                    first, second = DIAGONAL_VIEWS[origin]
                    seen |= first[occupied & first.mask] | second[occupied & second.mask]
            targets = seen & free
            if seen & guarded:
                targets |= supported(position, side, origin, seen & guarded)
            if targets:
                if loose and BIT[origin] & loose:
                    targets = self._keeping(origin, targets)
                    if not targets:
                        continue
                found.append((origin, targets))

    def _pawns(self, loose: int) -> None:
        position, occupied = self._position, self._occupied
        side = position.mover
        pawns = position.sets[side][P]
        if not pawns:
            return
        can_take, screen = self._can_take, self._screen
        leapers = position.unmoved & position.rules.two_step[side]
        passing = BIT[position.ep] if position.ep != NO_FIELD else 0
        found = self.pawns
        for origin, bit, attacks, ahead, leap in _pawn_steps(side, pawns):
            targets = attacks & can_take
            if not ahead & occupied:
                targets |= ahead
                if bit & leapers and not leap & occupied:
                    targets |= leap
            targets &= screen
            if targets and bit & loose:
                targets = self._keeping(origin, targets)
            if attacks & passing and self._takes_passing(origin):
                targets |= passing
            if targets:
                found.append((origin, targets))

    def _takes_passing(self, origin: int) -> bool:
        """Return whether a pawn that attacks the passed field may capture en passant."""
        position = self._position
        beside = FORWARD[1 - position.mover][position.ep]
        if not NEIGHBOURS[beside] & BIT[origin]:
            return False
        return self._safe(self._occupied & ~(BIT[origin] | BIT[beside]) | BIT[position.ep], BIT[beside])

    def _king(self, king: int, goals: int) -> None:
        position, occupied = self._position, self._occupied
        side = position.mover
        steps = KING[king] & goals
        targets = steps & self._free
        asked = steps & self._can_take & HEAVY
        if asked:
            targets |= supported(position, side, king, asked)
        without = occupied & ~BIT[king]
        kept = 0
        for to in scan(targets):
            if king_safe_on(position, to, without | BIT[to], BIT[to]):
                kept |= BIT[to]
        if not self.checked and BIT[king] & position.unmoved and position.sets[side][R] & position.unmoved:
            for between, passed, goal, onwards in CASTLINGS[king]:
                if (
                    BIT[goal] & goals
                    and not between & occupied
                    and castling_fault(position, passed, goal, onwards) is None
                ):
                    kept |= BIT[goal]
        if kept:
            self.pieces.append((king, kept))

    def placements(self) -> int:
        """Return the legal fields of the next thrown piece: in check, only where it ends the check (rules 6)."""
        position = self._position
        side = position.mover
        if not position.rules.loud or position.placed[side] >= THROWS:
            return 0
        free = position.rules.zones[side] & ~self._occupied
        if not self.checked:
            return free
        return bits(
            f for f in FIELDS if BIT[f] & free & self._screen and self._safe(self._occupied | BIT[f], 0)
        )

    def count(self) -> int:
        """Count the moves, with each choice of a promotion."""
        total = 0
        for _, targets in self.pieces:
            total += targets.bit_count()
        last = LAST[self._position.mover]
        for _, targets in self.pawns:
            total += targets.bit_count()
            if targets & last:
                total += (len(PROMOTIONS) - 1) * (targets & last).bit_count()
        return total

    def allows(self, origin: int, to: int, promotion: int) -> bool:
        """Return whether this move is legal."""
        for at, targets in self.pieces:
            if at == origin:
                return bool(targets & BIT[to]) and promotion == EMPTY
        due = bool(BIT[to] & LAST[self._position.mover])
        named = promotion in PROMOTIONS if due else promotion == EMPTY
        return named and any(at == origin and targets & BIT[to] for at, targets in self.pawns)

    def moves(self) -> list[Turn]:
        """Return every move."""
        listed = [(origin, to, EMPTY) for origin, targets in self.pieces for to in scan(targets)]
        last = LAST[self._position.mover]
        for origin, targets in self.pawns:
            for to in scan(targets):
                if BIT[to] & last:
                    listed.extend((origin, to, code) for code in PROMOTIONS)
                else:
                    listed.append((origin, to, EMPTY))
        return listed


@lru_cache(maxsize=1024)
def _pawn_steps(side: int, pawns: int) -> tuple[tuple[int, int, int, int, int], ...]:
    """Return for each pawn: its field, the field as a set, its attacks, one step, two steps ahead (0: off the line)."""
    return tuple(
        (at, BIT[at], PAWN[side][at], BIT[FORWARD[side][at]], 0 if leap == NO_FIELD else BIT[leap])
        for at in scan(pawns)
        for leap in (FORWARD_TWICE[side][at],)
    )


@lru_cache(maxsize=16)
def turns_of(position: Position) -> Turns:
    """Return the legal turns, cached because a step asks several times for one position."""
    return Turns(position)


def perft(position: Position, depth: int, bulk: bool = True) -> int:
    """Count the leaves after `depth` turns; `bulk` counts the last turn without playing it (rules 11)."""
    if depth == 0:
        return 1
    turns = Turns(position)
    places = turns.placements()
    if depth == 1 and bulk:
        return turns.count() + places.bit_count()
    total = 0
    for origin, to, promotion in turns.moves():
        total += perft(after_move(position, origin, to, promotion), depth - 1, bulk)
    for field in scan(places):
        total += perft(after_placement(position, field), depth - 1, bulk)
    return total
