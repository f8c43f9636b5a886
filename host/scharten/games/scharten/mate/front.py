"""Could a side still mate? Needed for resignation, flag fall, fogling and dead positions (rules 7; §8).

What is proved, and what not:

- **True** is always proved: a series of legal turns that ends in checkmate was found, `helpmate` gives it. Lost darts
  count as turns where they do not lose the game. Counts of moves and repetitions (the automatic draws) are left out
  of account, so a series may be longer than the 75-move count would allow.
- **False** is always proved, in one of three ways. *Listed material*: king against bare king, with a bishop or a
  knight as well (tried out for all placements in the tests); a bare king against fewer men than it takes to shut
  in a king on a fat or little field, which `_fewest_blockers` counts for all pairs of fields: men on the board and
  those still to be thrown are never more than that. Any two men can mate: `make bench ARGS=tables` counts it.
  *Nothing left*: every position that can be reached was seen. *The end*: the position has no turns.
- **None** is neither: the search spent its budget. It counts as possible. `make bench ARGS=mate` prints its share.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from scharten.game.basics import Action, Side
from scharten.games.scharten.actions import action_of
from scharten.games.scharten.board import THROWS, B, N, P, Q, R
from scharten.games.scharten.geometry import BIT, KING, LIGHT, scan
from scharten.games.scharten.mate.goals import goals
from scharten.games.scharten.mate.rank import crowding, towards
from scharten.games.scharten.mate.search import Hunt, Node, SearchResult, exhausted, line, search
from scharten.games.scharten.position import Position

BUDGET: Final = 2500
"""Positions looked at by default: about 0.1 s, in a crowd up to 0.7 s; a referee asks once, where a game may end."""
FEW_MEN, FEW_POSITIONS = 6, 60
"""A dead position is looked for only with so few men, and proved only where no more than so many can be reached."""
_GOALS, _GOAL_SHARE, _CROWD_SHARE, _CROWD_PRICE, _GROWTH = 20, 20, 4, 6, 4


@lru_cache(maxsize=32)
def could_mate(position: Position, side: Side, budget: int = BUDGET) -> bool | None:
    """Whether `side` can mate by any series of legal turns: True, False, or None where neither was proved."""
    found = _find(position, side, budget)
    return True if found.mate else False if found.complete else None


def helpmate(position: Position, side: Side, budget: int = BUDGET) -> tuple[Action, ...] | None:
    """Legal turns of both sides that end with `side` giving mate, or None where none was found."""
    found = _find(position, side, budget)
    return None if found.mate is None else tuple(map(action_of, line(found.mate)))


def proved_dead(position: Position) -> bool:
    """Whether it is proved, within 1 ms or so, that neither side can ever mate; never with pieces still to throw."""
    if position.occupied.bit_count() > FEW_MEN or (position.rules.loud and min(position.placed) < THROWS):
        return False
    return all(exhausted(position, _hunt(side.index), FEW_POSITIONS) for side in Side)


def _hunt(side: int) -> Hunt:
    return Hunt(side, lambda each: _hopeless(each, side))


def _find(position: Position, side: Side, budget: int) -> SearchResult:
    root = Node(position)
    hunt = _hunt(side.index)
    ranks = [(crowding(side.index), _CROWD_SHARE, _CROWD_PRICE)]
    # Neighbouring goals fail alike: every third keeps them apart.
    for goal in goals(position, side.index, 3 * _GOALS)[::3]:
        ranks.append((towards(goal, position), _GOAL_SHARE, 1))
    spent, growth = 0, 1
    while spent < budget:
        for rank, share, price in ranks:
            found = search(root, hunt, min(share * growth, budget), rank)
            spent += found.spent * price
            if found.mate or found.complete:
                return found
            if spent >= budget:
                break
        growth *= _GROWTH
    return SearchResult(None, False, spent)


def _hopeless(position: Position, side: int) -> bool:
    """Whether listed material says that `side` cannot mate from here on."""
    own = position.sets[side]
    if own[P] | own[R] | own[Q] or _to_come(position, side):
        return False
    minors = (own[B] | own[N]).bit_count()
    men = position.own[1 - side].bit_count() - 1 + _to_come(position, 1 - side)
    return men < _fewest_blockers() if minors == 0 else minors == 1 and men == 0


def _to_come(position: Position, side: int) -> int:
    return THROWS - position.placed[side] if position.rules.loud else 0


@cache
def _fewest_blockers() -> int:
    """The least number of own men that shut a king in so that a bare king can mate it.

    A bare king gives check only on a field of value 1, from a field where the other king could not take it (a double
    or treble), and guards only fields of value 1. Every other field around the mated king must hold one of its men.
    """
    counts = []
    for mated in scan(LIGHT):
        for mating in scan(KING[mated] & ~LIGHT):
            open_fields = KING[mated] & ~BIT[mating] & ~(KING[mating] & LIGHT)
            counts.append(open_fields.bit_count())
    return min(counts)
