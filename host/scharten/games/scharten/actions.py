"""Turns by names, for messages and sheets, and by numbers, for the rules (rules 3, 6)."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, FieldName, Foul, LostDart, Move, Pass
from scharten.games.scharten.board import CODES, EMPTY, KINDS, THROWS, field_name, parse_field
from scharten.games.scharten.explain import WHY, why_no_placement, why_not
from scharten.games.scharten.geometry import NO_FIELD, scan
from scharten.games.scharten.position import Position, after_lost_dart, after_move, after_placement
from scharten.games.scharten.turns import LOST, Turn, turns_of


def turn_of(action: Action) -> Turn | None:
    """Return the action by numbers; None for an action outside this game."""
    match action:
        case Move():
            origin, to = parse_field(action.origin), parse_field(action.to)
            code = _PROMOTION_CODES.get(action.promotion)
            return None if origin is None or to is None or code is None else (origin, to, code)
        case Drop():
            at = parse_field(action.field)
            return None if at is None else (NO_FIELD, at, EMPTY)
        case LostDart():
            return LOST
        case Pass():
            return None


_PROMOTION_CODES: Final = {"": EMPTY, **{kind.value.lower(): code for kind, code in CODES.items()}}


@lru_cache(maxsize=2048)
def move_of(origin: int, to: int, promotion: int) -> Move:
    """Return the move by names, cached because successive positions have mostly the same moves."""
    letter = "" if promotion == EMPTY else KINDS[promotion].value.lower()
    return Move(field_name(origin), field_name(to), letter)


def action_of(turn: Turn) -> Action:
    """Return the turn by names; a lost dart has no details."""
    if turn == LOST:
        return LostDart(Foul.DECLARED)
    return Drop(field_name(turn[1])) if turn[0] == NO_FIELD else move_of(*turn)


def legal_moves(position: Position) -> tuple[Move, ...]:
    """Return every legal move, with each choice of a promotion; castling is the king's move."""
    return tuple(move_of(*turn) for turn in turns_of(position).moves())


def legal_move_texts(position: Position) -> tuple[str, ...]:
    """Return every legal move in coordinates."""
    return tuple([_move_text(*turn) for turn in turns_of(position).moves()])


@lru_cache(maxsize=4096)
def _move_text(origin: int, to: int, promotion: int) -> str:
    return move_of(origin, to, promotion).text


def legal_drops(position: Position) -> tuple[FieldName, ...]:
    """Return the legal fields of the next thrown piece: in check, only where it ends the check (rules 6)."""
    return tuple(map(field_name, scan(turns_of(position).placements())))


@lru_cache(maxsize=16)
def play(position: Position, action: Action) -> Position | Problem:
    """Return the position after this turn, or why it is not legal; the end by a lost dart is not judged here.

    Results are cached, because a turn is played and then written.
    """
    turn = turn_of(action)
    if turn is None:
        return Problem("not_a_move", WHY["not_a_move"], {"reason": "malformed"})
    origin, to, promotion = turn
    if turn == LOST:
        if position.rules.loud and position.placed[position.mover] < THROWS:
            return after_lost_dart(position)
        return Problem("not_a_move", WHY["not_a_move"], {"reason": "nothing_to_throw"})
    if origin == NO_FIELD:
        return why_no_placement(position, to) or after_placement(position, to)
    if turns_of(position).allows(origin, to, promotion):
        return after_move(position, origin, to, promotion)
    refusal = why_not(position, origin, to, promotion)
    assert refusal is not None, f"{action.text} is legal by the steps and not by the generator"
    return refusal
