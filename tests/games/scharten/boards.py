"""Positions for tests, drawn as small boards: lines o to i from left to right, row 8 at the top.

board('''
    8  . . . . . k . . . .
    ...
    1  . . . . . K* . . . .
       o a b c d e f g h i ''')
"""

from __future__ import annotations

from scharten.game.basics import Kind, Side
from scharten.game.flags import flag_value, read_options
from scharten.game.options import FoulLimit
from scharten.games.scharten.board import FIELDS, NAMES, Piece, PieceKind
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, place_pieces
from scharten.games.scharten.position_text import opening, parse_position, position_text

LINES = "oabcdefghi"
SILENT = Options(kind=Kind.SILENT)
LOUD = Options()


def game_options(*, loud: bool = False, foul_limit: tuple[int, int] = (3, 3), **chosen: object) -> Options:
    """Options with the kind as a yes or no and the foul limit as a pair."""
    white, black = foul_limit
    if "zones" in chosen:
        chosen["zones"] = flag_value(Options, "zones", str(chosen["zones"]))
    found = read_options(
        Options,
        {
            "kind": Kind.LOUD if loud else Kind.SILENT,
            "foul_limit": FoulLimit(white=white, black=black),
            **chosen,
        },
    )
    assert isinstance(found, Options), found
    return found


def board(
    drawing: str,
    side: str = "w",
    options: Options = SILENT,
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
                piece = Piece(colour, PieceKind(mark[0].upper()), moved=not mark.endswith("*"))
                held[NAMES.index(f"{line}{words[0]}")] = piece
    bare = position_text(place_pieces(rules_of(options), tuple(held), Side.WHITE)).split()[0]
    position = parse_position(f"{bare} {side} {ep} {placed} {fouls} 0/0 {number}", rules_of(options))
    assert isinstance(position, Position), position
    return position


def opening_of(options: Options) -> Position:
    """The opening of a game with these options."""
    return opening(rules_of(options))
