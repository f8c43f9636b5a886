"""Could a side still mate? Needed for resignation, flag fall, fogling and dead positions (rules 7; §8).

What is proved, and what not:

- **True** is always proved: a series of legal turns that ends in checkmate was found, `helpmate` gives it. Lost darts
  count as turns where they do not lose the game. Counts of moves and repetitions (the automatic draws) are left out
  of account, so a series may be longer than the 75-move count would allow.
- **False** is always proved, in one of three ways. *Listed material*: king against bare king, with a bishop or a
  knight as well (tried out for all placements in the tests); a bare king against fewer men than it takes to shut
  in a king on a fat or little field, which `_fewest_blockers` counts for all pairs of fields: men on the board and
  those still to be thrown are never more than that. *Nothing left*: every position that can be reached was seen.
  *The end*: the position has no turns.
- **None** is neither: the search spent its budget. It counts as possible. `make bench ARGS=mate` prints its share.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.attacks import BIT, KING, LIGHT, NO_FIELD, scan
from scharten.games.scharten.board import FIELDS, Field
from scharten.games.scharten.kernel import EMPTY, KINDS, THROWS, B, N, P, Q, R, State
from scharten.games.scharten.mate_goals import goals
from scharten.games.scharten.mate_rank import crowding, towards
from scharten.games.scharten.mate_search import LOST, Found, Hunt, KernelTurn, Node, line, search
from scharten.games.scharten.moves import Move, Placement
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, kernel_state
from scharten.games.scharten.turn import Action, LostDart

BUDGET: Final = 500
"""Positions looked at by default: about 0.1 s, so that a referee may ask in the middle of a step."""
DEAD_BUDGET: Final = 60
_GOALS, _GOAL_SHARE, _CROWD_SHARE, _CROWD_PRICE, _GROWTH = 20, 20, 4, 6, 4


def could_mate(position: Position, side: Side, options: RuleOptions, budget: int = BUDGET) -> bool | None:
    """Whether `side` can mate by any series of legal turns: True, False, or None where neither was proved."""
    found = _find(position, side, options, budget)
    return True if found.mate else False if found.complete else None


def helpmate(
    position: Position, side: Side, options: RuleOptions, budget: int = BUDGET
) -> tuple[Action, ...] | None:
    """Legal turns of both sides that end with `side` giving mate, or None where none was found."""
    found = _find(position, side, options, budget)
    return None if found.mate is None else tuple(map(_action, line(found.mate)))


def proved_dead(position: Position, options: RuleOptions) -> bool:
    """Whether it is proved, at little cost, that neither side can ever mate; never with pieces still to throw."""
    if options.loud and min(position.placed) < THROWS:
        return False
    return all(could_mate(position, side, options, DEAD_BUDGET) is False for side in Side)


def _find(position: Position, side: Side, options: RuleOptions, budget: int) -> Found:
    state = kernel_state(position, options)
    root = Node(state, position.fouls)
    hunt = Hunt(side.index, options.foul_limit, lambda each: _hopeless(each, side.index))
    ranks = [(crowding(side.index), _CROWD_SHARE, _CROWD_PRICE)]
    # Neighbouring goals fail alike: every third keeps them apart.
    for goal in goals(state, side.index, 3 * _GOALS)[::3]:
        ranks.append((towards(goal, state), _GOAL_SHARE, 1))
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
    return Found(None, False, spent)


def _hopeless(state: State, side: int) -> bool:
    """Whether listed material says that `side` cannot mate from here on."""
    own = state.sets[side]
    if own[P] | own[R] | own[Q] or _to_come(state, side):
        return False
    minors = (own[B] | own[N]).bit_count()
    men = state.own[1 - side].bit_count() - 1 + _to_come(state, 1 - side)
    return men < _fewest_blockers() if minors == 0 else minors == 1 and men == 0


def _to_come(state: State, side: int) -> int:
    return THROWS - state.placed[side] if state.rules.loud else 0


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


def _action(turn: KernelTurn) -> Action:
    origin, to, promotion = turn
    if turn == LOST:
        return LostDart(None)
    if origin == NO_FIELD:
        return Placement(FIELDS[to])
    return Move(Field(origin), Field(to), None if promotion == EMPTY else KINDS[promotion])
