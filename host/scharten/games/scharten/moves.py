"""The legal turns of a position and the positions they lead to (rules 3 to 6)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten import kernel
from scharten.games.scharten.attacks import NO_FIELD, SIDES, scan
from scharten.games.scharten.board import Field, Kind, field_name, parse_field
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, board_of, kernel_state
from scharten.games.scharten.reasons import Illegal, is_capture, why_not
from scharten.games.scharten.turns import Turns

__all__ = [
    "Illegal",
    "Move",
    "Placement",
    "after_lost_dart",
    "after_move",
    "after_placement",
    "legal_moves",
    "legal_placements",
    "move_text",
    "parse_move",
    "parse_placement",
    "placement_text",
    "shared_move",
    "turns_of",
]


@dataclass(frozen=True, slots=True)
class Move:
    """A move by coordinates; castling is the king's move, `promotion` only for a pawn on its last row."""

    origin: Field
    to: Field
    promotion: Kind | None = None


@dataclass(frozen=True, slots=True)
class Placement:
    """A dart that puts the thrower's next piece on a field."""

    field: Field


_PROMOTION_LETTERS: Final = {"q": Kind.QUEEN, "r": Kind.ROOK, "b": Kind.BISHOP, "n": Kind.KNIGHT}
_MOVE: Final = re.compile(r"([oa-i][1-8])([oa-i][1-8])([qrbn]?)", re.ASCII)
_PLACEMENT: Final = re.compile(r"@([oa-i][1-8])", re.ASCII)


@lru_cache(maxsize=2048)
def shared_move(origin: int, to: int, code: int) -> Move:
    """The object for such a move; the last few are shared, because positions that follow have mostly the same moves."""
    return Move(Field(origin), Field(to), None if code == kernel.EMPTY else kernel.KINDS[code])


def move_text(move: Move) -> str:
    """The coordinate form, `e2e4` or `e7e8q`."""
    last = move.promotion.value.lower() if move.promotion else ""
    return field_name(move.origin) + field_name(move.to) + last


def placement_text(placement: Placement) -> str:
    """The coordinate form, `@c3`."""
    return f"@{field_name(placement.field)}"


def parse_move(text: str) -> Move | None:
    """Read the coordinate form; None for anything else."""
    match = _MOVE.fullmatch(text)
    if match is None:
        return None
    origin, to = parse_field(match[1]), parse_field(match[2])
    assert origin is not None and to is not None
    return Move(origin, to, _PROMOTION_LETTERS.get(match[3]))


def parse_placement(text: str) -> Placement | None:
    """Read `@c3`; None for anything else."""
    match = _PLACEMENT.fullmatch(text)
    field = parse_field(match[1]) if match else None
    return None if field is None else Placement(field)


@lru_cache(maxsize=8)
def turns_of(position: Position, options: RuleOptions) -> Turns:
    """The kernel's legal turns; the last few are kept, because a snapshot asks several times for one position."""
    return Turns(kernel_state(position, options))


def legal_moves(position: Position, options: RuleOptions) -> tuple[Move, ...]:
    """Every legal move; each promotion choice is one, castling is the king's move; none in a dead position."""
    return tuple(shared_move(*move) for move in turns_of(position, options).moves())


def legal_placements(position: Position, options: RuleOptions) -> tuple[Field, ...]:
    """Where a dart would put the next piece legally: in check, only where that ends the check (rules 6)."""
    return tuple(Field(at) for at in scan(turns_of(position, options).placements()))


def after_move(position: Position, move: Move, options: RuleOptions) -> Position | Illegal:
    """The position after a legal move, or why it is not legal."""
    state = kernel_state(position, options)
    code = kernel.EMPTY if move.promotion is None else kernel.CODES[move.promotion]
    refusal = why_not(state, move.origin, move.to, code)
    if refusal is not None:
        return refusal
    new = state.after_move(move.origin, move.to, code)
    fresh = is_capture(state, move.origin, move.to) or state.kind_at[move.origin] == kernel.P
    fifty, seventy_five = position.clocks
    clocks = (0, 0) if fresh else (fifty + 1, seventy_five + 1)
    return _turned(position, new, _with(position.fouls, position.side, 0), clocks)


def after_placement(position: Position, field: Field, options: RuleOptions) -> Position | Illegal:
    """The position after a dart put the next piece there, or why it cannot."""
    state = kernel_state(position, options)
    refusal = _placement_refusal(state, field)
    if refusal is not None:
        return refusal
    return _turned(position, state.after_placement(field), _with(position.fouls, position.side, 0), (0, 0))


def after_lost_dart(position: Position, options: RuleOptions) -> Position:
    """The position after a lost dart: one more in a row, the turn over, nothing else changed (rules 6, 7).

    Whether that loses the game (fogling, or a throw in check) is the referee's to say.
    """
    state = kernel_state(position, options)
    state.side, state.ep = 1 - state.side, NO_FIELD
    fouls = _with(position.fouls, position.side, position.fouls[position.side.index] + 1)
    return _turned(position, state, fouls, (position.clocks[0] + 1, 0))


def _with(pair: tuple[int, int], side: Side, count: int) -> tuple[int, int]:
    return (count, pair[1]) if side is Side.WHITE else (pair[0], count)


def _turned(old: Position, new: kernel.State, fouls: tuple[int, int], clocks: tuple[int, int]) -> Position:
    ep = None if new.ep == NO_FIELD else Field(new.ep)
    number = old.move_number + (old.side is Side.BLACK)
    return Position(board_of(new), SIDES[new.side], ep, new.placed, fouls, clocks, number)


def _placement_refusal(state: kernel.State, field: Field) -> Illegal | None:
    """Why the next piece cannot be put there; the reasons are those of a lost dart (rules 6)."""
    side = state.side
    name = field_name(field)
    if not state.rules.loud or state.placed[side] >= kernel.THROWS:
        return Illegal("not_a_move", {"reason": "nothing_to_throw"})
    if (state.own[0] | state.own[1]) >> field & 1:
        return Illegal("blocked", {"reason": "occupied", "field": name})
    if not state.rules.zones[side] >> field & 1:
        return Illegal("not_a_move", {"reason": "outside_zone", "field": name})
    if not Turns(state).placements() >> field & 1:
        return Illegal("leaves_check", {"field": name})
    return None
