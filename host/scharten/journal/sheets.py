"""A stored match as a score sheet on paper."""

from __future__ import annotations

import datetime

from scharten.game.basics import Action, Drop, LostDart, Move, Side
from scharten.games.scharten import turn as turns
from scharten.games.scharten.game import SCHARTEN, rules_of
from scharten.games.scharten.language import Language
from scharten.games.scharten.moves import parse_move, parse_placement
from scharten.games.scharten.sheet import Entry, Sheet, write_sheet
from scharten.match.state import Match


def sheet_text(match: Match, language: Language) -> str:
    """The sheet of a match, with its names and date; an unfinished one ends with `*`."""
    if match.game is SCHARTEN:
        return write_sheet(_scharten(match, language))
    heads = [f'[{name} "{value}"]' for name, value in (("Game", match.game.key), *_headers(match))]
    entries = [
        f"{turn.number}{'.' if turn.side is Side.WHITE else '...'} {turn.text}" for turn in match.turns
    ]
    return "\n".join([*heads, "", *entries, f"{match.result or '*'} {{{match.reason or 'unfinished'}}}", ""])


def _headers(match: Match) -> tuple[tuple[str, str], ...]:
    day = datetime.datetime.fromtimestamp(match.start.t_ms / 1000).astimezone().date()
    return (
        ("Board", match.start.settings.board),
        ("Date", f"{day:%Y.%m.%d}"),
        ("White", match.name_of(Side.WHITE) or "?"),
        ("Black", match.name_of(Side.BLACK) or "?"),
        ("Match", match.id),
    )


def _scharten(match: Match, language: Language) -> Sheet:
    entries = tuple(Entry(turns.Turn(_action(turn.action), "(=)" in turn.text)) for turn in match.turns)
    rules, start = rules_of(match.options), match.opening.position
    result = match.result or "*"
    return Sheet(rules, start, entries, _headers(match), result, match.reason, language=language)


def _action(action: Action) -> turns.Action:
    match action:
        case LostDart(bed=bed):
            return turns.LostDart(bed)
        case Move():
            known: turns.Action | None = parse_move(action.text)
        case Drop():
            known = parse_placement(action.text)
        case _:
            known = None
    if known is None:
        raise ValueError(f"{action.text!r} is no turn")
    return known
