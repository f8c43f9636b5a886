"""Random games for property tests: a list of numbers picks the turns, lost darts among them."""

from __future__ import annotations

from hypothesis import strategies as st

from scharten.games.scharten.check import in_check
from scharten.games.scharten.moves import Placement, legal_moves, legal_placements
from scharten.games.scharten.notation import Action, LostDart, Turn
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.outcome import State, status
from scharten.games.scharten.position import Position, finished_by_fouls, initial_position, to_throw
from scharten.games.scharten.turn import play

PICKS = st.lists(st.integers(0, 2**20), max_size=60)
VARIANTS = st.sampled_from(
    [
        RuleOptions(),
        RuleOptions(protection="until_moved", support="count"),
        RuleOptions(loud=True),
        RuleOptions(loud=True, zones="half_with_o", foul_limit=(2, 5), double_step="home_row"),
    ]
)
OVER = (State.CHECKMATE, State.STALEMATE, State.DEAD)


def actions(position: Position, options: RuleOptions) -> list[Action]:
    """Every turn that goes on with the game; none once it is over."""
    if finished_by_fouls(position, options) or status(position, options).state in OVER:
        return []
    found: list[Action] = [*legal_moves(position, options)]
    if to_throw(position, position.side) and not in_check(position, position.side, options):
        found += [LostDart(None), LostDart("T20")]
    # Placements are many: a few of them keep moves likely.
    return found + [Placement(field) for field in legal_placements(position, options)][::3]


def random_game(options: RuleOptions, picks: list[int]) -> list[tuple[Position, Turn, Position]]:
    """The game that these numbers choose: before, turn, after."""
    position = initial_position(options)
    played = []
    for pick in picks:
        choice = actions(position, options)
        if not choice:
            break
        turn = Turn(choice[pick % len(choice)], draw_offer=pick % 17 == 0)
        after = play(position, turn.action, options)
        assert isinstance(after, Position)
        played.append((position, turn, after))
        position = after
    return played
