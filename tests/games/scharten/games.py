"""Random games for property tests: a list of numbers picks the turns, lost darts among them."""

from __future__ import annotations

from hypothesis import strategies as st

from games.scharten.boards import LOUD, SILENT, game_options
from scharten.game.basics import Action, Drop, Foul, LostDart
from scharten.games.scharten.actions import legal_drops, legal_moves, play
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.notation.read import WrittenTurn
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import finished_by_fouls, opening
from scharten.games.scharten.status import State, status

PICKS = st.lists(st.integers(0, 2**20), max_size=60)
VARIANTS = st.sampled_from(
    [
        SILENT,
        game_options(protection="until_moved", support="count"),
        LOUD,
        game_options(loud=True, zones="half_with_o", foul_limit=(2, 5), double_step="home_row"),
    ]
)
OVER = (State.CHECKMATE, State.STALEMATE, State.DEAD)


def actions(position: Position) -> list[Action]:
    """Every turn that goes on with the game; none once it is over."""
    if finished_by_fouls(position) or status(position).state in OVER:
        return []
    found: list[Action] = [*legal_moves(position)]
    if position.to_throw(position.side) and not in_check(position, position.mover):
        found += [LostDart(Foul.DECLARED), LostDart(Foul.DECLARED, bed="T20")]
    # Placements are many: a few of them keep moves likely.
    return found + [Drop(field) for field in legal_drops(position)][::3]


def random_game(options: Options, picks: list[int]) -> list[tuple[Position, WrittenTurn, Position]]:
    """The game that these numbers choose: before, turn, after."""
    position = opening(rules_of(options))
    played = []
    for pick in picks:
        choice = actions(position)
        if not choice:
            break
        turn = WrittenTurn(choice[pick % len(choice)], draw_offer=pick % 17 == 0)
        stepped = play(position, turn.action)
        assert isinstance(stepped, Position)
        played.append((position, turn, stepped))
        position = stepped
    return played
