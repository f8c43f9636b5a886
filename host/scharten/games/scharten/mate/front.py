"""Could a side still mate? Resignation, flag fall, fogling and dead positions need it (rules 7; §8).

- **True** is always proved: the search found a series of legal turns that ends in checkmate, which `helpmate` returns.
  Lost darts that do not lose the game count as turns. The automatic draws by moves and repetitions do not count, so
  a series may be longer than the 75-move count would allow.
- **False** is always proved, in one of three ways. *Listed material*: king against bare king, also with a bishop or a
  knight (the tests try all placements); a bare king against too few men to shut in a king on a single field, which
  `_fewest_blockers` counts for all pairs of fields, men still to be thrown included. Any two men can mate:
  `make bench ARGS=tables` counts it. *Nothing left*: the search saw every reachable position. *The end*: the position
  has no turns.
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
"""The default number of positions: about 0.1 s, in a crowd up to 0.7 s, once at the possible end of a game."""
FEW_MEN, FEW_POSITIONS = 6, 60
"""A dead position has at most this many men, and is proved only with at most this many reachable positions."""
_GOALS, _GOAL_SHARE, _CROWD_SHARE, _CROWD_PRICE, _GROWTH = 20, 20, 4, 6, 4


@lru_cache(maxsize=32)
def could_mate(position: Position, side: Side, budget: int = BUDGET) -> bool | None:
    """Return whether `side` can mate by any series of legal turns; None if neither was proved."""
    found = _find(position, side, budget)
    return True if found.mate else False if found.complete else None


def helpmate(position: Position, side: Side, budget: int = BUDGET) -> tuple[Action, ...] | None:
    """Return legal turns of both sides that end with a mate by `side`, or None if none was found."""
    found = _find(position, side, budget)
    return None if found.mate is None else tuple(map(action_of, line(found.mate)))


def proved_dead(position: Position) -> bool:
    """Return whether neither side can ever mate, proved in about 1 ms; False with pieces still to throw."""
    if position.occupied.bit_count() > FEW_MEN or (position.rules.loud and min(position.placed) < THROWS):
        return False
    return all(exhausted(position, _hunt(side.index), FEW_POSITIONS) for side in Side)


def _hunt(side: int) -> Hunt:
    return Hunt(side, lambda position: _hopeless(position, side))


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
    """Return whether `side` cannot mate by listed material."""
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
    """Return the least number of own men around a king that a bare king can mate.

    A bare king gives check only on a field of value 1, from a field where the other king cannot capture it (a double
    or treble), and guards only fields of value 1. One of the mated king's men must stand on every other field around.
    """
    counts = []
    for mated in scan(LIGHT):
        for mating in scan(KING[mated] & ~LIGHT):
            open_fields = KING[mated] & ~BIT[mating] & ~(KING[mating] & LIGHT)
            counts.append(open_fields.bit_count())
    return min(counts)
