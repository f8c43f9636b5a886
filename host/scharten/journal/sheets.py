"""A stored match as a score sheet on paper."""

from __future__ import annotations

import datetime

from scharten.game.basics import Side
from scharten.games.scharten.board import parse_field
from scharten.games.scharten.language import Language
from scharten.games.scharten.moves import Placement, parse_move
from scharten.games.scharten.sheet import Entry, Sheet
from scharten.games.scharten.turn import Action, LostDart
from scharten.games.scharten.turn import Turn as SheetTurn
from scharten.match.state import Match, Turn


def sheet_of(match: Match, language: Language) -> Sheet:
    """The sheet of a match, with its names and date; an unfinished one ends with `*`."""
    names = {side: match.name_of(side) or "?" for side in Side}
    day = datetime.datetime.fromtimestamp(match.start.t_ms / 1000).astimezone().date()
    headers = (
        ("Board", match.start.settings.board),
        ("Date", f"{day:%Y.%m.%d}"),
        ("White", names[Side.WHITE]),
        ("Black", names[Side.BLACK]),
        ("Match", match.id),
    )
    entries = tuple(Entry(SheetTurn(_action(turn), "(=)" in turn.text)) for turn in match.turns)
    start = match.opening.position
    return Sheet(match.options, start, entries, headers, match.result or "*", match.reason, language=language)


def _action(turn: Turn) -> Action:
    if turn.foul is not None:
        return LostDart(str(turn.bed) if turn.bed else None)
    if turn.short.startswith("@"):
        field = parse_field(turn.short[1:])
        if field is not None:
            return Placement(field)
    move = parse_move(turn.short)
    if move is None:
        raise ValueError(f"{turn.short!r} is no turn")
    return move
