"""Turns as players write them: `Pob5`, `exd6 e.p.`, `e8D#`, `@c3`, `@- {T20}` (rules 9, §16 to §23)."""

from __future__ import annotations

from scharten.games.scharten.board import Field, Kind, Piece, field_name, line_of, row_of
from scharten.games.scharten.effects import captured_field, is_en_passant
from scharten.games.scharten.language import Language, letter
from scharten.games.scharten.moves import Illegal, Move, Placement, after_move, after_placement, legal_moves
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.outcome import State, status
from scharten.games.scharten.position import Position, next_kind
from scharten.games.scharten.turn import LostDart, Turn

DRAW_OFFER = "(=)"
LOST = "@-"


def write_move(
    position: Position, move: Move, options: RuleOptions, language: Language = Language.DUTCH
) -> str:
    """The move in algebraic notation, with its check or mate mark; the move must be legal."""
    held = position.piece_at(move.origin)
    if held is None:
        raise ValueError(f"no piece on {field_name(move.origin)}")
    takes = captured_field(position, move) is not None
    text = letter(held.kind, held.side, language) + _origin(position, held, move, options, takes)
    text += ("x" if takes else "") + field_name(move.to)
    if move.promotion is not None:
        text += letter(move.promotion, held.side, language)
    if is_en_passant(position, move):
        text += " e.p."
    return text + _mark(after_move(position, move, options), options)


def _origin(position: Position, held: Piece, move: Move, options: RuleOptions, takes: bool) -> str:
    """The part that tells like pieces apart: line, else row, else the whole field (§18); a pawn's line (§17)."""
    if held.kind is Kind.PAWN:
        return str(line_of(move.origin)) if takes else ""
    others = {
        other.origin
        for other in legal_moves(position, options)
        if other.to == move.to and other.origin != move.origin and _like(position, held, other)
    }
    if not others:
        return ""
    if all(line_of(other) != line_of(move.origin) for other in others):
        return str(line_of(move.origin))
    if all(row_of(other) != row_of(move.origin) for other in others):
        return str(row_of(move.origin))
    return field_name(move.origin)


def _like(position: Position, held: Piece, other: Move) -> bool:
    piece = position.piece_at(other.origin)
    return piece is not None and piece.kind is held.kind


def _mark(after: Position | Illegal, options: RuleOptions) -> str:
    if isinstance(after, Illegal):
        raise ValueError(f"only a legal turn can be written: {after.code}")
    found = status(after, options)
    if found.state is State.CHECKMATE:
        return "#"
    return "+" if found.check else ""


def write_placement(
    position: Position, field: Field, options: RuleOptions, language: Language = Language.DUTCH
) -> str:
    """A thrown piece, such as `P@c3`, for a pawn `@c3`; the placement must be legal."""
    kind = next_kind(position, position.side)
    if kind is None:
        raise ValueError(f"{position.side.word} has no pieces left to throw")
    after = after_placement(position, field, options)
    return f"{letter(kind, position.side, language)}@{field_name(field)}{_mark(after, options)}"


def write_lost_dart(bed: str | None = None) -> str:
    """A lost dart, with the bed that was hit as a comment where known."""
    return f"{LOST} {{{bed}}}" if bed else LOST


def write_turn(
    position: Position, turn: Turn, options: RuleOptions, language: Language = Language.DUTCH
) -> str:
    """Any legal turn, with `(=)` for a draw offer."""
    action = turn.action
    offer = f" {DRAW_OFFER}" if turn.draw_offer else ""
    if isinstance(action, LostDart):
        return LOST + offer + (f" {{{action.bed}}}" if action.bed else "")
    if isinstance(action, Placement):
        return write_placement(position, action.field, options, language) + offer
    return write_move(position, action, options, language) + offer
