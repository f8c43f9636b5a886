"""Positions for tests, drawn as small boards: lines o to i from left to right, row 8 at the top.

board('''
    8  . . . . . k . . . .
    ...
    1  . . . . . K* . . . .
       o a b c d e f g h i ''')
"""

from __future__ import annotations

from scharten.game.basics import Side
from scharten.games.scharten.board import FIELDS, Kind, Line, Piece, field_at
from scharten.games.scharten.options import RuleOptions
from scharten.games.scharten.position import Position, parse_position, pieces_text

LINES = "oabcdefghi"
SILENT = RuleOptions()
LOUD = RuleOptions(loud=True)


def board(
    drawing: str,
    side: str = "w",
    options: RuleOptions = SILENT,
    *,
    ep: str = "-",
    placed: str = "17/17",
    fouls: str = "0/0",
    number: int = 1,
) -> Position:
    """The drawn position: a row is its number and ten fields, `.` empty, `K*` a king that has not moved."""
    held: list[Piece | None] = [None] * len(FIELDS)
    for row in drawing.strip().splitlines():
        words = row.split()
        if not words or not words[0].isdigit():
            continue
        assert len(words) == 11, f"row {words[0]} has {len(words) - 1} fields"
        for line, mark in zip(LINES, words[1:], strict=True):
            if mark != ".":
                colour = Side.WHITE if mark[0].isupper() else Side.BLACK
                piece = Piece(colour, Kind(mark[0].upper()), moved=not mark.endswith("*"))
                held[field_at(Line(line), int(words[0]))] = piece
    text = f"{pieces_text(tuple(held))} {side} {ep} {placed} {fouls} 0/0 {number}"
    position = parse_position(text, options)
    assert isinstance(position, Position), position
    return position
