"""A position with everything about it that a step and a snapshot need, worked out once."""

from __future__ import annotations

from dataclasses import dataclass

from scharten.games.scharten.board import Field
from scharten.games.scharten.check import Checker, checkers
from scharten.games.scharten.moves import Move, legal_moves, legal_placements
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.outcome import State, same_position_key, status
from scharten.games.scharten.position import Position


@dataclass(frozen=True, slots=True)
class BoardState:
    """A position, its legal turns, its state, who gives check, and its key for repetition (rules 7)."""

    position: Position
    key: str
    state: State
    check: bool
    checkers: tuple[Checker, ...]
    moves: tuple[Move, ...]
    placements: tuple[Field, ...]


def board_state(position: Position, options: RuleOptions) -> BoardState:
    """Work out a position under the game's options."""
    judged = status(position, options)
    return BoardState(
        position=position,
        key=same_position_key(position, options),
        state=judged.state,
        check=judged.check,
        checkers=checkers(position, options) if judged.check else (),
        moves=legal_moves(position, options),
        placements=legal_placements(position, options),
    )
