"""Guesses for the helpmate search: how much is missing to a mate after each turn (rules 7).

Guesses decide only what is tried first, never what is true.
"""

from __future__ import annotations

from scharten.games.scharten.attacks import BIT, NO_FIELD, scan
from scharten.games.scharten.kernel import EMPTY, THROW_ORDER, K, State, attackers, takes_king
from scharten.games.scharten.mate_goals import FAR, Goal, Want, cost, king_walk, moves_to, throw_cost
from scharten.games.scharten.mate_search import KernelTurn, Node, Rank, follow, free_fields

_STEP, _WRONG, _GUARD = 5, 2, 2


def towards(goal: Goal, root: State) -> Rank:
    """Guess by the moves that are missing to one goal; walls of pieces at the root make kings go round."""
    victim = 1 - goal.side
    own_walk = next(want.field for want in goal.wants if want.kinds == (K,))
    walk = {
        victim: king_walk(goal.king, root.own[victim] & ~BIT[root.kings[victim]]),
        goal.side: king_walk(own_walk, root.own[goal.side] & ~BIT[root.kings[goal.side]]),
    }
    wants = [want for want in goal.wants if want.kinds != (K,)]
    places: dict[int, tuple[int, tuple[int, ...]]] = {goal.king: (victim, (K,)), own_walk: (goal.side, (K,))}
    places.update({want.field: (want.side, want.kinds) for want in wants})

    def rank(node: Node, listed: list[KernelTurn]) -> list[int]:
        state = node.state
        side = state.side
        theirs, mine = walk[victim][state.kings[victim]], walk[goal.side][state.kings[goal.side]]
        nearest = [(want, _nearest(state, want)) for want in wants]
        needed = mine + sum(best[0][0] for _, best in nearest)
        guards = _guards(state, victim, wants)
        wrong = sum(_is_wrong(state, at, who, kinds) for at, (who, kinds) in places.items())
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
                code = state.kind_at[origin] if promotion == EMPTY else promotion
            elif to != NO_FIELD:
                code = THROW_ORDER[state.placed[side]]
            if side == victim:
                if code == K:
                    far = walk[victim][to]
            elif code == K:
                missing += walk[side][to] - mine
            elif code != EMPTY:
                missing += _change(state, nearest, (origin, code, to))
            found.append(guess + _STEP * (missing + far))
        return found

    return rank


def _guards(state: State, victim: int, wants: list[Want]) -> int:
    """The victim's pieces, its king apart, that attack a field on which a piece is wanted."""
    occupied = state.own[0] | state.own[1]
    found = 0
    for want in wants:
        found |= attackers(state, victim, want.field, occupied)
    return found & ~BIT[state.kings[victim]]


def _is_wrong(state: State, at: int, side: int, kinds: tuple[int, ...]) -> bool:
    """Whether something else stands on a field that the goal needs."""
    code = state.kind_at[at]
    return code != EMPTY and (code not in kinds or not state.own[side] & BIT[at])


def _nearest(state: State, want: Want) -> list[tuple[int, int]]:
    """The two nearest pieces for a want, as (moves, field)."""
    own = state.own[want.side] & ~BIT[state.kings[want.side]]
    found = [(cost(state, want, state.kind_at[field], field), field) for field in scan(own)]
    found.append((throw_cost(state, want), NO_FIELD))
    return [*sorted(found)[:2], (FAR, NO_FIELD)]


def _change(
    state: State, nearest: list[tuple[Want, list[tuple[int, int]]]], moved: tuple[int, int, int]
) -> int:
    """How much more the wants need when a piece (from, kind, to) has moved."""
    origin, code, to = moved
    change = 0
    for want, best in nearest:
        other = best[1][0] if best[0][1] == origin else best[0][0]
        change += min(other, cost(state, want, code, to)) - best[0][0]
    return change


def crowding(side: int) -> Rank:
    """Guess by the free fields around the victim's king, for positions where its own pieces shut it in."""
    victim = 1 - side

    def guess(state: State) -> int:
        at = state.kings[victim]
        occupied = state.own[0] | state.own[1]
        free = free_fields(state, side)
        checked = takes_king(state, side, attackers(state, side, at, occupied), at)
        near = moves_to(K, at)[state.kings[side]]
        return 4 * (8 * free + (0 if checked else 6) + state.own[victim].bit_count() + near)

    def rank(node: Node, listed: list[KernelTurn]) -> list[int]:
        return [guess(follow(node, turn).state) for turn in listed]

    return rank
