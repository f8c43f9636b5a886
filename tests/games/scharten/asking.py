"""Short questions to the rules, so that tests read like the page of rules that they prove."""

from __future__ import annotations

from games.scharten.boards import SILENT
from scharten.errors import Problem
from scharten.game.basics import Drop, FieldName, Move, Side, move_from_text
from scharten.game.protocol import Explanation
from scharten.games.scharten import actions, attacks
from scharten.games.scharten import status as judged
from scharten.games.scharten.actions import turn_of
from scharten.games.scharten.board import Field, parse_field
from scharten.games.scharten.explain import explain_move
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position


def under(position: Position, options: Options) -> Position:
    """The same position in a game with these options."""
    return position._replace(rules=rules_of(options))


def at(name: str) -> Field:
    """The field of this name."""
    field = parse_field(name)
    assert field is not None, name
    return field


def move(text: str) -> Move:
    """The move of these coordinates."""
    return move_from_text(text)


def legal_moves(position: Position, options: Options = SILENT) -> tuple[Move, ...]:
    """Every legal move."""
    return actions.legal_moves(under(position, options))


def legal_drops(position: Position, options: Options = SILENT) -> tuple[FieldName, ...]:
    """Where the next piece may legally be thrown."""
    return actions.legal_drops(under(position, options))


def goals(position: Position, origin: str, options: Options = SILENT) -> set[str]:
    """Where the piece on `origin` may legally go."""
    return {m.to for m in legal_moves(position, options) if m.origin == origin}


def thrown_to(position: Position, options: Options) -> set[str]:
    """Where the next piece may legally be thrown."""
    return set(legal_drops(position, options))


def play(position: Position, turns: str, options: Options = SILENT) -> Position:
    """The position after these turns, `e2e4` or `@c3`, all of them legal."""
    position = under(position, options)
    for text in turns.split():
        new = actions.play(position, Drop(FieldName(text[1:])) if text.startswith("@") else move(text))
        assert isinstance(new, Position), (text, new)
        position = new
    return position


def refused(position: Position, text: str, options: Options = SILENT) -> Problem:
    """Why this turn is not legal."""
    given = Drop(FieldName(text[1:])) if text.startswith("@") else move(text)
    found = actions.play(under(position, options), given)
    assert isinstance(found, Problem), f"{text} is legal"
    return found


def why(position: Position, text: str, options: Options = SILENT) -> Explanation:
    """The explanation of one move."""
    turn = turn_of(move(text))
    assert turn is not None
    return explain_move(under(position, options), *turn)


def status(position: Position, options: Options = SILENT) -> judged.Status:
    """How the side to move stands."""
    return judged.status(under(position, options))


def state(position: Position, options: Options = SILENT) -> str:
    """The state of section 11."""
    return status(position, options).state.value


def in_check(position: Position, side: Side, options: Options = SILENT) -> bool:
    """Whether this side's king could be captured."""
    return attacks.in_check(under(position, options), side.index)
