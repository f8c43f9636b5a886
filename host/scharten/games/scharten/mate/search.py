"""A bounded search for a helpmate: both sides play towards a mate, best guesses first (rules 7).

Results are proved: every turn is legal, and the last position is checkmate by the judgement of `status`. A search that
has seen all reachable positions without a mate proves that there is none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from heapq import heappop, heappush

from scharten.games.scharten.attacks import attackers, in_check, takes_king
from scharten.games.scharten.board import EMPTY, THROWS
from scharten.games.scharten.geometry import BIT, KING, KNIGHT, NO_FIELD, scan
from scharten.games.scharten.mate.goals import queen_lines
from scharten.games.scharten.position import Position, after_lost_dart, after_move, after_placement, king_of
from scharten.games.scharten.turns import LOST, Turn, Turns

_MOST_FREE = 4
"""A king with more free fields is hardly ever mated by one turn, so the search does not try all turns."""
_Key = tuple[bytes, int, int, int, int, tuple[int, int], tuple[int, int]]


@dataclass(slots=True)
class Node:
    """A position with the turn before it."""

    position: Position
    before: Node | None = None
    turn: Turn = LOST


Rank = Callable[[Node, list[Turn]], list[int]]
"""A function that guesses the distance to a mate after each turn of a node."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The mated node, or None; `complete`: the search saw all reachable positions; `spent`: their number."""

    mate: Node | None
    complete: bool
    spent: int


@dataclass(frozen=True, slots=True)
class Hunt:
    """The side that is to mate, and a function that returns whether a position excludes that."""

    side: int
    hopeless: Callable[[Position], bool]


def search(root: Node, hunt: Hunt, budget: int, rank: Rank) -> SearchResult:
    """Search from the lowest guess until mate, until no position is new, or for `budget` positions."""
    seen: set[_Key] = set()
    heap: list[tuple[int, int, int, Node, Turn | None]] = [(0, 0, 0, root, None)]
    spent = pushed = 0
    while heap:
        if spent >= budget:
            return SearchResult(None, False, spent)
        _, _, depth, before, turn = heappop(heap)
        node = before if turn is None else follow(before, turn)
        key = _key(node.position)
        if key in seen:
            continue
        seen.add(key)
        spent += 1
        position = node.position
        turns = Turns(position)
        if is_mated(turns):
            if position.mover != hunt.side:
                return SearchResult(node, False, spent)
            continue
        if hunt.hopeless(position):
            continue
        listed = turns_on(position, turns)
        if position.mover == hunt.side:
            mated = _mating(node, listed)
            if mated is not None:
                return SearchResult(mated, False, spent)
        for guess, option in zip(rank(node, listed), listed, strict=True):
            pushed += 1
            heappush(heap, (guess + depth, pushed, depth + 1, node, option))
    return SearchResult(None, True, spent)


def is_mated(turns: Turns) -> bool:
    """Return whether the side to move is mated: in check, without a move or a throw that ends it."""
    return turns.checked and turns.stuck and not turns.placements()


def free_fields(position: Position, side: int, enough: int = 99) -> int:
    """Count the free fields around the king that `side` hunts, up to `enough`."""
    at = king_of(position, 1 - side)
    without = (position.occupied) & ~BIT[at]
    free = 0
    for field in scan(KING[at] & ~position.own[1 - side]):
        bit = BIT[field]
        if not takes_king(position, side, attackers(position, side, field, without | bit) & ~bit, field):
            free += 1
            if free >= enough:
                break
    return free


def _mating(node: Node, listed: list[Turn]) -> Node | None:
    """Return the node after a mating turn, for a king with few free fields, or None."""
    position = node.position
    if free_fields(position, position.mover, _MOST_FREE + 1) > _MOST_FREE:
        return None
    at = king_of(position, 1 - position.mover)
    lines, jumps = queen_lines(at), KNIGHT[at]
    for turn in listed:
        origin, to, _ = turn
        if to == NO_FIELD or not (BIT[to] & (lines | jumps) or (origin != NO_FIELD and BIT[origin] & lines)):
            continue
        child = follow(node, turn)
        if in_check(child.position, child.position.mover) and is_mated(Turns(child.position)):
            return child
    return None


def turns_on(position: Position, turns: Turns) -> list[Turn]:
    """Return every legal turn that continues the game, with a lost dart if it does not lose."""
    side = position.mover
    listed = turns.moves()
    listed += [(NO_FIELD, field, EMPTY) for field in scan(turns.placements())]
    left = position.rules.loud and position.placed[side] < THROWS
    if left and not turns.checked and position.fouls[side] + 1 < position.rules.foul_limit[side]:
        listed.append(LOST)
    return listed


def follow(node: Node, turn: Turn) -> Node:
    """Return the node after a turn."""
    return Node(_play(node.position, turn), node, turn)


def _play(position: Position, turn: Turn) -> Position:
    if turn == LOST:
        return after_lost_dart(position)
    return after_placement(position, turn[1]) if turn[0] == NO_FIELD else after_move(position, *turn)


def _key(position: Position) -> _Key:
    return (
        position.kind_at,
        position.own[0],
        position.unmoved,
        position.mover,
        position.ep,
        position.placed,
        position.fouls,
    )


def exhausted(root: Position, hunt: Hunt, most: int) -> bool:
    """Return whether at most `most` positions are reachable from here, none of them the mate."""
    seen, waiting = {_key(root)}, [root]
    while waiting:
        position = waiting.pop()
        if hunt.hopeless(position):
            continue
        turns = Turns(position)
        if is_mated(turns):
            if position.mover != hunt.side:
                return False
            continue
        for turn in turns_on(position, turns):
            reached = _play(position, turn)
            if _key(reached) not in seen:
                seen.add(_key(reached))
                waiting.append(reached)
                if len(seen) > most:
                    return False
    return True


def line(node: Node) -> list[Turn]:
    """Return the turns that lead to a node."""
    turns = []
    while node.before is not None:
        turns.append(node.turn)
        node = node.before
    return turns[::-1]
