"""Guesses for the helpmate search: the distance to a mate after each turn (rules 7).

Guesses decide only the order of trials, never the result.
"""

from __future__ import annotations

from scharten.games.scharten.attacks import attackers, takes_king
from scharten.games.scharten.board import EMPTY, THROW_ORDER, K
from scharten.games.scharten.geometry import BIT, NO_FIELD, scan
from scharten.games.scharten.mate.goals import FAR, Goal, Want, cost, king_walk, moves_to, throw_cost
from scharten.games.scharten.mate.search import Node, Rank, follow, free_fields
from scharten.games.scharten.position import Position, king_of
from scharten.games.scharten.turns import Turn

_STEP, _WRONG, _GUARD = 5, 2, 2


def towards(goal: Goal, root: Position) -> Rank:
    """Guess by the missing moves to a goal; kings go around walls of pieces at the root."""
    victim = 1 - goal.side
    own_walk = next(want.field for want in goal.wants if want.kinds == (K,))
    walk = {
        victim: king_walk(goal.king, root.own[victim] & ~BIT[king_of(root, victim)]),
        goal.side: king_walk(own_walk, root.own[goal.side] & ~BIT[king_of(root, goal.side)]),
    }
    wants = [want for want in goal.wants if want.kinds != (K,)]
    places: dict[int, tuple[int, tuple[int, ...]]] = {goal.king: (victim, (K,)), own_walk: (goal.side, (K,))}
    places.update({want.field: (want.side, want.kinds) for want in wants})

    def rank(node: Node, listed: list[Turn]) -> list[int]:
        position = node.position
        side = position.mover
        theirs, mine = walk[victim][king_of(position, victim)], walk[goal.side][king_of(position, goal.side)]
        nearest = [(want, _nearest(position, want)) for want in wants]
        needed = mine + sum(best[0][0] for _, best in nearest)
        guards = _guards(position, victim, wants)
        wrong = sum(_is_wrong(position, at, who, kinds) for at, (who, kinds) in places.items())
        around = _WRONG * wrong + _GUARD * guards.bit_count()
        found = []
        for origin, to, promotion in listed:
            far, missing, guess = theirs, needed, around
            if to in places:
                guess += _WRONG
            if origin in places:
                guess -= _WRONG
            if origin != NO_FIELD and (BIT[origin] | BIT[to]) & guards:
                guess -= _GUARD
            code = EMPTY
            if origin != NO_FIELD:
                code = position.kind_at[origin] if promotion == EMPTY else promotion
            elif to != NO_FIELD:
                code = THROW_ORDER[position.placed[side]]
            if side == victim:
                if code == K:
                    far = walk[victim][to]
            elif code == K:
                missing += walk[side][to] - mine
            elif code != EMPTY:
                missing += _change(position, nearest, (origin, code, to))
            found.append(guess + _STEP * (missing + far))
        return found

    return rank


def _guards(position: Position, victim: int, wants: list[Want]) -> int:
    """Return the victim's pieces, except its king, that attack a wanted field."""
    occupied = position.occupied
    found = 0
    for want in wants:
        found |= attackers(position, victim, want.field, occupied)
    return found & ~BIT[king_of(position, victim)]


def _is_wrong(position: Position, at: int, side: int, kinds: tuple[int, ...]) -> bool:
    """Return whether another piece stands on a field that the goal needs."""
    code = position.kind_at[at]
    return code != EMPTY and (code not in kinds or not position.own[side] & BIT[at])


def _nearest(position: Position, want: Want) -> list[tuple[int, int]]:
    """Return the two nearest pieces for a want, as (moves, field)."""
    own = position.own[want.side] & ~BIT[king_of(position, want.side)]
    found = [(cost(position, want, position.kind_at[field], field), field) for field in scan(own)]
    found.append((throw_cost(position, want), NO_FIELD))
    return [*sorted(found)[:2], (FAR, NO_FIELD)]


def _change(
    position: Position, nearest: list[tuple[Want, list[tuple[int, int]]]], moved: tuple[int, int, int]
) -> int:
    """Return the change of the wants' cost after the move of a piece (from, kind, to)."""
    origin, code, to = moved
    change = 0
    for want, best in nearest:
        other = best[1][0] if best[0][1] == origin else best[0][0]
        change += min(other, cost(position, want, code, to)) - best[0][0]
    return change


def crowding(side: int) -> Rank:
    """Guess by the free fields around the victim's king, for kings shut in by their own pieces."""
    victim = 1 - side

    def guess(position: Position) -> int:
        at = king_of(position, victim)
        occupied = position.occupied
        free = free_fields(position, side)
        checked = takes_king(position, side, attackers(position, side, at, occupied), at)
        near = moves_to(K, at)[king_of(position, side)]
        return 4 * (8 * free + (0 if checked else 6) + position.own[victim].bit_count() + near)

    def rank(node: Node, listed: list[Turn]) -> list[int]:
        return [guess(follow(node, turn).position) for turn in listed]

    return rank
