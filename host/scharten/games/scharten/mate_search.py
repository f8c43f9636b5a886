"""A bounded search for a helpmate: both sides play towards one mate, best guesses first (rules 7).

What it finds is proved: every turn is one of the kernel's legal turns, and the last position is checkmate by the
judgement of `outcome.status`. If it runs out of positions and left none out, then there is no mate at all.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from heapq import heappop, heappush

from scharten.games.scharten.attacks import BIT, KING, KNIGHT, NO_FIELD, scan
from scharten.games.scharten.kernel import EMPTY, THROWS, State, attackers, in_check, takes_king
from scharten.games.scharten.mate_goals import queen_lines
from scharten.games.scharten.turns import Turns

KernelTurn = tuple[int, int, int]
"""(origin, goal, promotion) of a move; (NO_FIELD, field, EMPTY) of a placement; `LOST`."""
LOST: KernelTurn = (NO_FIELD, NO_FIELD, EMPTY)
_MOST_FREE = 4
"""A king with more free fields is hardly ever mated by one turn: not worth trying all of them."""
_Key = tuple[bytes, int, int, int, int, tuple[int, int], tuple[int, int]]


@dataclass(slots=True)
class Node:
    """A position on the way, lost darts in a row per side, and how it came about."""

    state: State
    fouls: tuple[int, int]
    before: Node | None = None
    turn: KernelTurn = LOST


Rank = Callable[[Node, list[KernelTurn]], list[int]]
"""Guesses, for each turn of a node, how much is missing to a mate after it."""


@dataclass(frozen=True, slots=True)
class Found:
    """The mated node, or None; `complete`: all reachable positions were seen; `spent`: how many were looked at."""

    mate: Node | None
    complete: bool
    spent: int


@dataclass(frozen=True, slots=True)
class Hunt:
    """Who is to mate, the foul limits, and what says of a position that no mate can come of it any more."""

    side: int
    limits: tuple[int, int]
    hopeless: Callable[[State], bool]


def search(root: Node, hunt: Hunt, budget: int, rank: Rank) -> Found:
    """Play on from the lowest guess first until mate, until all is seen, or `budget` positions were looked at."""
    seen: set[_Key] = set()
    heap: list[tuple[int, int, int, Node, KernelTurn | None]] = [(0, 0, 0, root, None)]
    spent = pushed = 0
    while heap:
        if spent >= budget:
            return Found(None, False, spent)
        _, _, depth, before, turn = heappop(heap)
        node = before if turn is None else follow(before, turn)
        key = _key(node)
        if key in seen:
            continue
        seen.add(key)
        spent += 1
        state = node.state
        turns = Turns(state)
        if is_mated(turns):
            if state.side != hunt.side:
                return Found(node, False, spent)
            continue
        if hunt.hopeless(state):
            continue
        listed = turns_of(node, turns, hunt.limits)
        if state.side == hunt.side:
            mated = _mating(node, listed)
            if mated is not None:
                return Found(mated, False, spent)
        for guess, each in zip(rank(node, listed), listed, strict=True):
            pushed += 1
            heappush(heap, (guess + depth, pushed, depth + 1, node, each))
    return Found(None, True, spent)


def is_mated(turns: Turns) -> bool:
    """Checkmate by the rules: in check, without a move or a throw that ends the check."""
    return turns.checked and turns.stuck and not turns.placements()


def free_fields(state: State, side: int, enough: int = 99) -> int:
    """How many fields around the king that `side` hunts are free for it; counting ends at `enough`."""
    at = state.kings[1 - side]
    without = (state.own[0] | state.own[1]) & ~BIT[at]
    free = 0
    for field in scan(KING[at] & ~state.own[1 - side]):
        bit = BIT[field]
        if not takes_king(state, side, attackers(state, side, field, without | bit) & ~bit, field):
            free += 1
            if free >= enough:
                break
    return free


def _mating(node: Node, listed: list[KernelTurn]) -> Node | None:
    """The node after a turn that mates at once; for a king with few free fields, by a new attack on it."""
    state = node.state
    if free_fields(state, state.side, _MOST_FREE + 1) > _MOST_FREE:
        return None
    at = state.kings[1 - state.side]
    lines, jumps = queen_lines(at), KNIGHT[at]
    for turn in listed:
        origin, to, _ = turn
        if to == NO_FIELD or not (BIT[to] & (lines | jumps) or (origin != NO_FIELD and BIT[origin] & lines)):
            continue
        after = follow(node, turn)
        if in_check(after.state, after.state.side) and is_mated(Turns(after.state)):
            return after
    return None


def turns_of(node: Node, turns: Turns, limits: tuple[int, int]) -> list[KernelTurn]:
    """Every legal turn that goes on with the game, a lost dart among them where it does not lose."""
    state = node.state
    side = state.side
    listed = turns.moves()
    listed += [(NO_FIELD, field, EMPTY) for field in scan(turns.placements())]
    left = state.rules.loud and state.placed[side] < THROWS
    if left and not turns.checked and node.fouls[side] + 1 < limits[side]:
        listed.append(LOST)
    return listed


def follow(node: Node, turn: KernelTurn) -> Node:
    """The node after a turn."""
    state = node.state
    side = state.side
    lost = 0
    if turn[0] != NO_FIELD:
        after = state.after_move(*turn)
    elif turn[1] != NO_FIELD:
        after = state.after_placement(turn[1])
    else:
        after = copy(state)
        after.side, after.ep = 1 - side, NO_FIELD
        lost = node.fouls[side] + 1
    return Node(after, (lost, node.fouls[1]) if side == 0 else (node.fouls[0], lost), node, turn)


def _key(node: Node) -> _Key:
    state = node.state
    pieces = bytes(state.kind_at)
    return (pieces, state.own[0], state.unmoved, state.side, state.ep, state.placed, node.fouls)


def line(node: Node) -> list[KernelTurn]:
    """The turns that lead to a node."""
    turns = []
    while node.before is not None:
        turns.append(node.turn)
        node = node.before
    return turns[::-1]
