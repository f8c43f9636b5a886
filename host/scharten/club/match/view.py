"""The match as pages show it: names and results are public, the text of the invitation is not."""

from __future__ import annotations

from scharten.club.match.model import ClubMatch, Table, invitation_text
from scharten.game.basics import MutableJson


def match_view(match: ClubMatch | None) -> MutableJson | None:
    """Return the clubs, the score and every table; None without a match."""
    if match is None:
        return None
    return {
        "role": match.role,
        "home": match.home,
        "visitors": match.visitors,
        "score": {"home": match.score("home"), "visitors": match.score("visitors")},
        "over": match.over,
        "tables": [_table(table) for table in match.tables],
    }


def _table(table: Table) -> MutableJson:
    return {
        "number": table.number,
        "white": table.white,
        "home": table.home,
        "visitors": table.visitors,
        "board": table.board,
        "key": table.key,
        "state": _state(table),
        "trouble": table.trouble,
        "result": table.result,
        "by_hand": table.by_hand,
    }


def _state(table: Table) -> str:
    """Return in one word what the table waits for."""
    if table.result is not None:
        return "over"
    if table.board is None:
        return "no_board"
    if table.match:
        return (
            "away"
            if table.line == "away"
            else "adjourned"
            if table.line in ("adjourned", "none")
            else "playing"
        )
    if table.trouble:
        return "refused"
    return "waits" if table.offered else "asked"


def match_invitation(match: ClubMatch | None) -> MutableJson:
    """Return the text for the visitors, "" where nothing is open; it holds the letters of every table."""
    open_here = match is not None and match.role == "home" and not match.over
    waiting = (
        [table for table in match.tables if table.link and not table.match] if match and open_here else []
    )
    return {"v": 1, "text": invitation_text(match) if match and waiting else ""}
