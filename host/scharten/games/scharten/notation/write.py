"""Turns as players write them, `Pob5`, `exd6 e.p.`, `e8D#`, `@c3`, `@- {T20}` (rules 9, §16 to §23)."""

from __future__ import annotations

from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Action, Drop, LostDart, Move, Side
from scharten.games import letters
from scharten.games.letters import SHEET_LANGUAGES, SOURCES_LANGUAGE
from scharten.games.scharten.actions import play, turn_of
from scharten.games.scharten.board import (
    EMPTY,
    KINDS,
    Field,
    P,
    PieceKind,
    field_name,
    line_of,
    row_of,
)
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.position import Position, captured_at, is_en_passant
from scharten.games.scharten.status import State, status
from scharten.games.scharten.turns import turns_of

DRAW_OFFER: Final = "(=)"
LOST: Final = "@-"
LETTERS: Final = "".join(kind.value for kind in PieceKind if kind is not PieceKind.PAWN)


def letter(kind: PieceKind, side: Side, language: str) -> str:
    """Return the letter or figurine of a piece; "" for a pawn (§15)."""
    return "" if kind is PieceKind.PAWN else letters.letter(kind.value, side, language)


KINDS_BY_LETTER: Final = {
    language: {
        sign: PieceKind(english) for sign, english in letters.english_letters(LETTERS, language).items()
    }
    for language in SHEET_LANGUAGES
}
"""The piece of each letter, by language; figurines of both colours are equal."""


def write_action(
    position: Position, action: Action, language: str = SOURCES_LANGUAGE, *, draw_offer: bool = False
) -> str:
    """Write a legal turn, with `(=)` for a draw offer; ValueError for an illegal turn."""
    reached = play(position, action)
    if isinstance(reached, Problem):
        raise ValueError(f"only a legal turn can be written: {action.text}: {reached.code}")
    offer = f" {DRAW_OFFER}" if draw_offer else ""
    match action:
        case LostDart():
            return LOST + offer + (f" {{{action.bed}}}" if action.bed else "")
        case Drop():
            kind = position.next_kind(position.side)
            assert kind is not None, "a legal placement has a piece"
            text = f"{letter(kind, position.side, language)}@{action.field}"
        case Move():
            text = _move_text(position, action, language)
        case _:
            raise ValueError(f"{action.text} is not a turn of Scharten")
    return text + _mark(reached) + offer


def _move_text(position: Position, move: Move, language: str) -> str:
    turn = turn_of(move)
    assert turn is not None, "a legal move is on the board"
    origin, to, promotion = turn
    takes = captured_at(position, origin, to) != NO_FIELD
    code = position.kind_at[origin]
    text = letter(KINDS[code], position.side, language)
    text += _origin(position, code, Field(origin), to, takes) + ("x" if takes else "") + move.to
    if promotion != EMPTY:
        text += letter(KINDS[promotion], position.side, language)
    return text + (" e.p." if is_en_passant(position, origin, to) else "")


def _origin(position: Position, code: int, origin: Field, to: int, takes: bool) -> str:
    """Return what distinguishes like pieces: line, else row, else the whole field (§18); a pawn's line (§17)."""
    if code == P:
        return line_of(origin) if takes else ""
    others = [
        Field(other)
        for other, targets in turns_of(position).pieces
        if targets >> to & 1 and other != origin and position.kind_at[other] == code
    ]
    if not others:
        return ""
    if all(line_of(other) != line_of(origin) for other in others):
        return line_of(origin)
    if all(row_of(other) != row_of(origin) for other in others):
        return str(row_of(origin))
    return field_name(origin)


def _mark(position: Position) -> str:
    found = status(position)
    if found.state is State.CHECKMATE:
        return "#"
    return "+" if found.check else ""
