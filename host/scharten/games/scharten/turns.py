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
from scharten.games.scharten.board import EMPTY, FIELDS, PROMOTIONS, THROWS, R
from scharten.games.scharten.geometry import (
    ALL,
    BIT,
    CASTLINGS,
    FORWARD,
    HEAVY,
    KING,
    LAST,
    LIGHT,
    LINE_VIEWS,
    NEIGHBOURS,
    NO_FIELD,
    ORIGIN_VIEWS,
    RING_VIEWS,
    bits,
    scan,
)
from scharten.games.scharten.position import Position, after_move, after_placement, king_of
from scharten.games.scharten.reach import Reach, pawn_goals, piece_goals, pins_of, reach_of

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
        own = position.own
        self._occupied = occupied = own[0] | own[1]
        self._can_take = capturable(position, side)
        self._free = ALL & ~occupied | self._can_take & LIGHT
        king = king_of(position, side)
        attacking = attackers(position, 1 - side, king, occupied)
        self.checked = takes_king(position, 1 - side, attacking, king)
        self._screen = self._ways_to(king, attacking) & goals if self.checked else goals
        self.pieces: list[tuple[int, int]] = []
        """(origin, goals) of the pieces; castling as the king's move."""
        reach = reach_of(position, occupied, self._can_take)
        changed = reach.change(own[1 - side], self._can_take)
        loose = own[side] if self.checked else self._loose(king, attacking, reach, changed)
        self._pieces(loose, reach, changed)
        self.pawns = self._pawns(loose, reach, changed)
        """(origin, goals) of the pawns; not to be changed, as other positions may share it."""
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

    def _loose(self, king: int, attacking: int, reach: Reach, changed: int) -> int:
        """Return the pinned pieces of the mover."""
        position = self._position
        side = position.mover
        them = 1 - side
        _, _, bishops, rooks, queens, _ = position.sets[them]
        straight, slanted = rooks | queens, bishops | queens
        pins, loose = reach.pins, 0
        if changed & reach.pin_ways:
            pins, _ = pins_of(king, self._occupied, position.own[side], straight, slanted)
        for bit, along, aslant in pins:
            opened = along & straight | aslant & slanted
            if opened and takes_king(position, them, attacking | opened, king):
                loose |= bit
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

    def _pieces(self, loose: int, reach: Reach, changed: int) -> None:
        position, occupied, free = self._position, self._occupied, self._free
        found, guarded = self.pieces, self._can_take & HEAVY
        screen = self._screen
        plain = screen == ALL and not loose
        for known, ways in reach.pieces:
            origin, targets = goals = known
            if ways & changed:
                targets = piece_goals(position, origin, occupied, free, guarded)
                goals = origin, targets
            if not plain:
                targets &= screen
                if BIT[origin] & loose:
                    targets = self._keeping(origin, targets)
                goals = origin, targets
            if targets:
                found.append(goals)

    def _pawns(self, loose: int, reach: Reach, changed: int) -> list[tuple[int, int]]:
        position = self._position
        screen = self._screen
        passing = BIT[position.ep] if position.ep != NO_FIELD else 0
        if not (changed | passing) & reach.pawn_ways and screen == ALL and not loose:
            return reach.pawn_goals
        found = []
        can_take, occupied, leapers = self._can_take, self._occupied, reach.leapers
        for step, known in reach.pawns:
            origin, bit, attacks, ahead, leap = step
            targets = known
            if (attacks | ahead | leap) & changed:
                targets = pawn_goals(step, occupied, can_take, leapers)
            targets &= screen
            if targets and bit & loose:
                targets = self._keeping(origin, targets)
            if attacks & passing and self._takes_passing(origin):
                targets |= passing
            if targets:
                found.append((origin, targets))
        return found

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
        last = LAST[self._position.mover]
        found = 0
        for _, targets in self.pieces:
            found += targets.bit_count()
        for _, targets in self.pawns:
            found += targets.bit_count()
            if targets & last:
                found += (len(PROMOTIONS) - 1) * (targets & last).bit_count()
        return found

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
