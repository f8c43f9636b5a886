"""Short questions to the rules, so that tests read like the page of rules that they prove."""

from __future__ import annotations

from games.scharten.boards import SILENT
from scharten.games.scharten.board import Field, field_name, parse_field
from scharten.games.scharten.explain import Explanation, explain
from scharten.games.scharten.moves import (
    Illegal,
    Move,
    after_move,
    after_placement,
    legal_moves,
    legal_placements,
    parse_move,
)
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.outcome import status
from scharten.games.scharten.position import Position


def at(name: str) -> Field:
    """The field of this name."""
    field = parse_field(name)
    assert field is not None, name
    return field


def move(text: str) -> Move:
    """The move of these coordinates."""
    found = parse_move(text)
    assert found is not None, text
    return found


def goals(position: Position, origin: str, options: RuleOptions = SILENT) -> set[str]:
    """Where the piece on `origin` may legally go."""
    return {field_name(m.to) for m in legal_moves(position, options) if m.origin == at(origin)}


def thrown_to(position: Position, options: RuleOptions) -> set[str]:
    """Where the next piece may legally be thrown."""
    return {field_name(field) for field in legal_placements(position, options)}


def play(position: Position, turns: str, options: RuleOptions = SILENT) -> Position:
    """The position after these turns, `e2e4` or `@c3`, all of them legal."""
    for text in turns.split():
        if text.startswith("@"):
            new = after_placement(position, at(text[1:]), options)
        else:
            new = after_move(position, move(text), options)
        assert isinstance(new, Position), (text, new)
        position = new
    return position


def refused(position: Position, text: str, options: RuleOptions = SILENT) -> Illegal:
    """Why this move is not legal."""
    found = after_move(position, move(text), options)
    assert isinstance(found, Illegal), f"{text} is legal"
    return found


def why(position: Position, text: str, options: RuleOptions = SILENT) -> Explanation:
    """The explanation of one move."""
    return explain(position, move(text), options)


def state(position: Position, options: RuleOptions = SILENT) -> str:
    """The state of section 11."""
    return status(position, options).state.value
