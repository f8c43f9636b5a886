"""A stored match as a score sheet on paper."""

from __future__ import annotations

import datetime

from scharten.game.basics import Side
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.notation.read import WrittenTurn
from scharten.games.scharten.notation.sheet_write import Entry, Sheet, write_sheet
from scharten.games.scharten.notation.words import Language
from scharten.games.scharten.options import Options
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
    options, start = match.options, match.opening.position
    assert isinstance(options, Options), "Scharten is played with its own options"
    entries = tuple(Entry(WrittenTurn(turn.action, "(=)" in turn.text)) for turn in match.turns)
    result = match.result or "*"
    return Sheet(options, start, entries, _headers(match), result, match.reason, language=language)
