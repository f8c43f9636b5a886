"""A stored match as a score sheet and as PGN."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from scharten.contract import score_sheet
from scharten.errors import Problem
from scharten.games.chess import Chess
from scharten.games.pgn import write_pgn
from scharten.games.sheet import ScoreSheet, SheetTurn
from scharten.games.sheet_words import UNFINISHED
from scharten.match.state import Match


def sheet_text(match: Match, language: str) -> str:
    """The sheet of a match, with its names and date; an unfinished one ends with `*`."""
    return score_sheet.sheet_text(score_sheet.sheet(match), language, begun(match.start.t_ms))


def begun(t_ms: int) -> str:
    """Date and time of the start, in the form of score sheets."""
    return f"{datetime.datetime.fromtimestamp(t_ms / 1000).astimezone():%Y.%m.%d %H:%M}"


def pgn_text(match: Match, comments: Sequence[str] = ()) -> str | Problem:
    """The match as PGN, with a comment on each turn; a refusal for games that have no such form."""
    if not isinstance(match.game, Chess):
        cure = "Choose nl, en, de or figurine."
        return Problem(
            "no_pgn", f"{match.game.key} has no PGN: that is for chess and Fischer Random", cure=cure
        )
    date, _, time = begun(match.start.t_ms).partition(" ")
    headers = {**score_sheet.headers(match), "Date": date, "Time": time, "Site": match.start.settings.board}
    result = match.result or UNFINISHED
    return write_pgn(
        ScoreSheet(
            match.game,
            match.options,
            match.opening.position,
            _entries(match, comments),
            tuple(headers.items()),
            result,
            match.reason,
        )
    )


def _entries(match: Match, comments: Sequence[str]) -> tuple[SheetTurn, ...]:
    entries, before = [], match.start.t_ms
    for number, turn in enumerate(match.turns):
        bed = None if turn.bed is None else str(turn.bed)
        spent = max(0, turn.at_ms // 1000 - before // 1000) if turn.at_ms else None
        entries.append(
            SheetTurn(
                turn.action, "(=)" in turn.text, bed, spent, "".join(comments[number : number + 1]) or None
            )
        )
        before = turn.at_ms or before
    return tuple(entries)
