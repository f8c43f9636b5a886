"""A stored match as a score sheet on paper."""

from __future__ import annotations

import datetime
import textwrap

from scharten.errors import Problem
from scharten.game.basics import Kind, Side
from scharten.game.flags import flags_text
from scharten.game.options import FoulLimit
from scharten.games.chess import Chess
from scharten.games.loud import SquareOptions
from scharten.games.pgn import PgnGame, PgnTurn, write_pgn
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.notation.read import WrittenTurn
from scharten.games.scharten.notation.sheet_write import WIDTH, Entry, Sheet, write_sheet
from scharten.games.scharten.notation.words import Language
from scharten.games.scharten.options import Options
from scharten.match.state import Match


def sheet_text(match: Match, language: Language) -> str:
    """The sheet of a match, with its names and date; an unfinished one ends with `*`."""
    if match.game is SCHARTEN:
        return write_sheet(_scharten(match, language))
    heads = [f'[{name} "{value}"]' for name, value in _heads(match).items()]
    words: list[str] = []
    for number, turn in enumerate(match.turns):
        if turn.side is Side.WHITE or number == 0:
            words.append(f"{turn.number}{'.' if turn.side is Side.WHITE else '...'}")
        words += [turn.text, *([] if turn.bed is None else [f"{{{turn.bed}}}"])]
    words += [match.result or "*", *([] if match.reason is None else [f"{{{match.reason}}}"])]
    body = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join([*heads, "", *body, ""])


def pgn_text(match: Match) -> str | Problem:
    """The match as PGN; a refusal for games that have no such form."""
    game, options = match.game, match.options
    if not (isinstance(game, Chess) and isinstance(options, SquareOptions)):
        cure = "Choose nl, en or figurine."
        return Problem("no_pgn", f"{game.key} has no PGN: that is for chess and Fischer Random", cure=cure)
    turns = tuple(PgnTurn(turn.action, None if turn.bed is None else str(turn.bed)) for turn in match.turns)
    headers = {"Site": match.start.settings.board, **dict(_headers(match))}
    start = match.opening.position
    return write_pgn(PgnGame(game, options, start, turns, headers, match.result or "*"))


def _heads(match: Match) -> dict[str, str]:
    """What the sheet says before its turns: players, game, options, how the opening came about."""
    flags = flags_text(match.options).removeprefix("--loud").strip()
    draws = match.game.draws
    limit = match.options.foul_limit
    loud = match.options.kind is Kind.LOUD
    return {
        **dict(_headers(match)),
        "Game": match.game.key,
        "Kind": match.options.kind.value,
        **({"Options": flags} if flags else {}),
        **({"FoulLimit": f"{limit.white}/{limit.black}"} if loud and limit != FoulLimit() else {}),
        **({} if draws is None or match.draw is None else dict(draws.headers(match.draw))),
        "Position": match.opening.situation.text,
        "Result": match.result or "*",
    }


def _headers(match: Match) -> tuple[tuple[str, str], ...]:
    begun = datetime.datetime.fromtimestamp(match.start.t_ms / 1000).astimezone()
    return (
        ("Board", match.start.settings.board),
        ("Date", f"{begun:%Y.%m.%d}"),
        ("Time", f"{begun:%H:%M}"),
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
