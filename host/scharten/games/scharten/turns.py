"""Finding the legal turns of a position quickly, and counting them (rules 3 to 6, 11).

Legality needs a test of the king's safety only when in check, for pieces whose leaving would open a check, for
the king itself and for en passant: any other turn can only take attackers of the king away.
"""

from __future__ import annotations

from scharten.games.scharten.attacks import (
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
    LINE_VIEWS,
    NEIGHBOURS,
    NO_FIELD,
    ORIGIN_MASK,
    ORIGIN_VIEWS,
    PAWN,
    RING_VIEWS,
    STRAIGHT_MASK,
    bits,
    scan,
)
from scharten.games.scharten.board import FIELDS
from scharten.games.scharten.kernel import (
    EMPTY,
    PROMOTION_CODES,
    THROWS,
    B,
    N,
    P,
    Q,
    R,
    State,
    attackers,
    capturable,
    castling_fault,
    is_dead,
    king_safe_on,
    supported,
    takes_king,
)


class Turns:
    """The legal turns of the side to move, found once per position."""

    __slots__ = (
        "_can_take",
        "_free",
        "_occupied",
        "_screen",
        "_state",
        "checked",
        "pawns",
        "pieces",
        "stuck",
    )

    def __init__(self, state: State) -> None:
        self._state = state
        side = state.side
        self._occupied = occupied = state.own[0] | state.own[1]
        self._can_take = capturable(state, side)
        self._free = ALL & ~occupied | self._can_take & LIGHT
        king = state.kings[side]
        attacking = attackers(state, 1 - side, king, occupied)
        self.checked = takes_king(state, 1 - side, attacking, king)
        self._screen = self._ways_to(king, attacking) if self.checked else ALL
        self.pieces: list[tuple[int, int]] = []
        """(origin, goals) of the pieces; castling as the king's move."""
        self.pawns: list[tuple[int, int]] = []
        loose = state.own[side] if self.checked else self._loose(king)
        self._pieces(loose)
        self._pawns(loose)
        self._king(king)
        self.stuck = not self.pieces and not self.pawns
        if is_dead(state):
            self.pieces.clear()

    def _ways_to(self, king: int, attacking: int) -> int:
        """The attackers and every field seen from the king on a path of theirs: a turn elsewhere ends no check."""
        ways = attacking
        occupied = self._occupied
        for views in (RING_VIEWS[king], LINE_VIEWS[king], *ORIGIN_VIEWS[king]):
            seen = views[occupied & views.mask]
            if seen & attacking:
                ways |= seen
        return ways

    def _loose(self, king: int) -> int:
        """Own pieces whose leaving would put their king in check."""
        state, occupied = self._state, self._occupied
        side = state.side
        them = 1 - side
        own = state.own[side]
        _, _, bishops, rooks, queens, _ = state.sets[them]
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
            opened = attackers(state, them, king, occupied ^ BIT[field])
            if takes_king(state, them, opened, king):
                loose |= BIT[field]
        return loose

    def _safe(self, occupied: int, gone: int) -> bool:
        """Whether the king, staying, is out of check with these fields occupied and the pieces on `gone` gone."""
        state = self._state
        them = 1 - state.side
        king = state.kings[state.side]
        return not takes_king(state, them, attackers(state, them, king, occupied) & ~gone, king)

    def _keeping(self, origin: int, targets: int) -> int:
        """Those of the targets that leave the king out of check."""
        kept = 0
        without = self._occupied & ~BIT[origin]
        for to in scan(targets & self._screen):
            if self._safe(without | BIT[to], BIT[to]):
                kept |= BIT[to]
        return kept

    def _pieces(self, loose: int) -> None:
        state, occupied = self._state, self._occupied
        side = state.side
        found, free, screen = self.pieces, self._free, self._screen
        guarded = self._can_take & HEAVY
        kind_at = state.kind_at
        _, knights, bishops, rooks, queens, _ = state.sets[side]
        for origin in scan(knights | bishops | rooks | queens):
            code = kind_at[origin]
            if code == N:
                seen = KNIGHT[origin]
            elif code == B:
                one, two = DIAGONAL_VIEWS[origin]
                seen = one[occupied & one.mask] | two[occupied & two.mask]
            else:
                ring, line = RING_VIEWS[origin], LINE_VIEWS[origin]
                seen = ring[occupied & ring.mask] | line[occupied & line.mask]
                if code == Q:
                    one, two = DIAGONAL_VIEWS[origin]
                    seen |= one[occupied & one.mask] | two[occupied & two.mask]
            targets = seen & free & screen
            asked = seen & guarded & screen
            if asked:
                targets |= supported(state, side, origin, asked)
            if targets and BIT[origin] & loose:
                targets = self._keeping(origin, targets)
            if targets:
                found.append((origin, targets))

    def _pawns(self, loose: int) -> None:
        state, occupied = self._state, self._occupied
        side = state.side
        can_take, screen = self._can_take, self._screen
        steps, leaps, attacks = FORWARD[side], FORWARD_TWICE[side], PAWN[side]
        leapers = state.unmoved & state.rules.two_step[side]
        passing = BIT[state.ep] if state.ep != NO_FIELD else 0
        for origin in scan(state.sets[side][P]):
            targets = attacks[origin] & can_take
            one = BIT[steps[origin]]
            if not one & occupied:
                targets |= one
                if BIT[origin] & leapers and leaps[origin] != NO_FIELD:
                    targets |= BIT[leaps[origin]] & ~occupied
            targets &= screen
            if targets and BIT[origin] & loose:
                targets = self._keeping(origin, targets)
            if attacks[origin] & passing and self._takes_passing(origin):
                targets |= passing
            if targets:
                self.pawns.append((origin, targets))

    def _takes_passing(self, origin: int) -> bool:
        """Whether the pawn, known to attack the passed field, may capture en passant."""
        state = self._state
        beside = FORWARD[1 - state.side][state.ep]
        if not NEIGHBOURS[beside] & BIT[origin]:
            return False
        return self._safe(self._occupied & ~(BIT[origin] | BIT[beside]) | BIT[state.ep], BIT[beside])

    def _king(self, king: int) -> None:
        state, occupied = self._state, self._occupied
        side = state.side
        steps = KING[king]
        targets = steps & self._free
        asked = steps & self._can_take & HEAVY
        if asked:
            targets |= supported(state, side, king, asked)
        without = occupied & ~BIT[king]
        kept = 0
        for to in scan(targets):
            if king_safe_on(state, to, without | BIT[to], BIT[to]):
                kept |= BIT[to]
        if not self.checked and BIT[king] & state.unmoved and state.sets[side][R] & state.unmoved:
            for between, passed, goal, onwards in CASTLINGS[king]:
                if not between & occupied and castling_fault(state, passed, goal, onwards) is None:
                    kept |= BIT[goal]
        if kept:
            self.pieces.append((king, kept))

    def placements(self) -> int:
        """The fields where the next thrown piece is legal: in check, only where it ends the check (rules 6)."""
        state = self._state
        side = state.side
        if not state.rules.loud or state.placed[side] >= THROWS:
            return 0
        free = state.rules.zones[side] & ~self._occupied
        if not self.checked:
            return free
        return bits(
            f for f in FIELDS if BIT[f] & free & self._screen and self._safe(self._occupied | BIT[f], 0)
        )

    def count(self) -> int:
        """How many moves there are; each promotion choice counts."""
        total = 0
        for _, targets in self.pieces:
            total += targets.bit_count()
        last = LAST[self._state.side]
        for _, targets in self.pawns:
            total += targets.bit_count()
            if targets & last:
                total += (len(PROMOTION_CODES) - 1) * (targets & last).bit_count()
        return total

    def moves(self) -> list[tuple[int, int, int]]:
        """Every move as (origin, goal, code of the promotion or EMPTY)."""
        listed = [(origin, to, EMPTY) for origin, targets in self.pieces for to in scan(targets)]
        last = LAST[self._state.side]
        for origin, targets in self.pawns:
            for to in scan(targets):
                if BIT[to] & last:
                    listed.extend((origin, to, code) for code in PROMOTION_CODES)
                else:
                    listed.append((origin, to, EMPTY))
        return listed


def perft(state: State, depth: int, bulk: bool = True) -> int:
    """The leaves after `depth` turns; `bulk` counts the last turn without playing it (rules 11)."""
    if depth == 0:
        return 1
    turns = Turns(state)
    places = turns.placements()
    if depth == 1 and bulk:
        return turns.count() + places.bit_count()
    total = 0
    for origin, to, promotion in turns.moves():
        total += perft(state.after_move(origin, to, promotion), depth - 1, bulk)
    for field in scan(places):
        total += perft(state.after_placement(field), depth - 1, bulk)
    return total
