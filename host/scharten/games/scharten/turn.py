"""One turn of a game, whatever it was, and the position it leads to (rules 6, 9)."""

from __future__ import annotations

from dataclasses import dataclass

from scharten.games.scharten.moves import (
    Illegal,
    Move,
    Placement,
    after_lost_dart,
    after_move,
    after_placement,
)
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, to_throw


@dataclass(frozen=True, slots=True)
class LostDart:
    """A turn lost by a dart; `bed` is the bed that was hit, as text, where known."""

    bed: str | None = None


Action = Move | Placement | LostDart


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a score sheet, and whether a draw was offered with it."""

    action: Action
    draw_offer: bool = False


def play(position: Position, action: Action, options: RuleOptions) -> Position | Illegal:
    """The position after this turn, or why it is not legal; that a lost dart may end the game is not judged."""
    if isinstance(action, Move):
        return after_move(position, action, options)
    if isinstance(action, Placement):
        return after_placement(position, action.field, options)
    if not options.loud or not to_throw(position, position.side):
        return Illegal("not_a_move", {"reason": "nothing_to_throw"})
    return after_lost_dart(position, options)
