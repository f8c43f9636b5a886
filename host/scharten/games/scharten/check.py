"""Check, and who gives it with whose support (rules 4; §7)."""

from __future__ import annotations

from dataclasses import dataclass

from scharten.game.basics import Side
from scharten.games.scharten import kernel
from scharten.games.scharten.attacks import scan
from scharten.games.scharten.board import Field
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, kernel_state
from scharten.games.scharten.reasons import checkers_of


@dataclass(frozen=True, slots=True)
class Checker:
    """An enemy piece that could capture the king; its supporters where that capture needs support."""

    field: Field
    supporters: tuple[Field, ...]


def in_check(position: Position, side: Side, options: RuleOptions) -> bool:
    """Whether this side's king could be captured by the rules of support."""
    return kernel.in_check(kernel_state(position, options), side.index)


def checkers(position: Position, options: RuleOptions) -> tuple[Checker, ...]:
    """Who gives check to the side to move; empty when it is not in check."""
    found = checkers_of(kernel_state(position, options), position.side.index)
    return tuple(Checker(Field(at), tuple(Field(by) for by in scan(supporters))) for at, supporters in found)
