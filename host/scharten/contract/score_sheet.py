"""The score sheet: what the topic `sheet` holds, and the one text that is made of it everywhere (rules 9, games 7)."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from typing import Any, Final

from scharten.contract.models import VERSION, Sheet, SheetEntry
from scharten.game.basics import Side
from scharten.game.plain_text import plain
from scharten.games import GAMES_BY_KEY
from scharten.games.letters import localised
from scharten.games.sheet import rule_headers
from scharten.games.sheet_words import UNFINISHED, result_words
from scharten.match.state import Match

WIDTH: Final = 88


def sheet(match: Match) -> Sheet:
    """The whole score sheet for the topic `sheet`; `position` is the one after each entry."""
    entries: list[SheetEntry] = [
        {
            "n": turn.number,
            "side": "white" if turn.side is Side.WHITE else "black",
            "text": turn.text,
            "fields": list(turn.fields),
            "bed": None if turn.bed is None else str(turn.bed),
            "at_ms": turn.at_ms,
            "position": turn.position,
        }
        for turn in match.turns
    ]
    return {
        "v": VERSION,
        "match": match.id,
        "headers": headers(match),
        "started_ms": match.start.t_ms,
        "start": match.opening.situation.text,
        "entries": entries,
        "result": match.result,
        "reason": match.reason,
    }


def headers(match: Match) -> dict[str, str]:
    """The head: event, players, rules, and all that is needed to work out the draw of an opening again."""
    settings, draws = match.start.settings, match.game.draws
    return {
        **({"Event": settings.event} if settings.event else {}),
        "Board": settings.board,
        **({"WhiteSitsAt": "20"} if settings.white_sits_at == 20 else {}),
        "White": match.name_of(Side.WHITE) or "?",
        "Black": match.name_of(Side.BLACK) or "?",
        "Match": match.id,
        **rule_headers(match.game, match.options, match.opening.situation.text),
        **({} if draws is None or match.draw is None else dict(draws.headers(match.draw))),
    }


def sheet_text(sheet: Mapping[str, Any], language: str, begun: str) -> str:
    """The score sheet as text, of the topic's JSON; `begun` is its date and time, `2026.11.22 20:15`.

    Behind a turn stand the bed of its dart and the time that it took, as comments; an unfinished game ends with `*`.
    """
    headers, result, reason = dict(sheet["headers"]), sheet["result"] or UNFINISHED, sheet["reason"]
    date, _, time = begun.partition(" ")
    event = {"Event": headers.pop("Event")} if "Event" in headers else {}
    header_texts = {**event, "Date": date, "Time": time, **headers, "Result": result, "Language": language}
    head = [f'[{name} "{_quoted(text)}"]' for name, text in header_texts.items() if text]
    words, before = [], sheet["started_ms"]
    letters = GAMES_BY_KEY[headers["Game"]].letters
    for index, entry in enumerate(sheet["entries"]):
        words += _numbered(entry, first=index == 0)
        words.append(localised(_bare(entry["text"]), _side(entry), letters, language))
        words += [f"{{{entry['bed']}}}"] if entry["bed"] else []
        words += [f"{{{entry['comment']}}}"] if entry.get("comment") else []
        if entry["at_ms"]:
            words.append(f"{{{_spent(before, entry['at_ms'])}}}")
            before = entry["at_ms"]
    words.append(result)
    if sheet["result"] and reason:
        words.append(f"{{{result_words(result, reason, language)}}}")
    # Marks such as `e.p.` belong to their turn: the reader puts them together again where a line ends between.
    body = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join((*head, "", *body, ""))


def until(sheet: Mapping[str, Any], latest_ms: int) -> dict[str, Any]:
    """The sheet as it stood at a time: what came later is left out, and the result with it."""
    entries = [entry for entry in sheet["entries"] if entry["at_ms"] <= latest_ms]
    whole = len(entries) == len(sheet["entries"])
    return {
        **sheet,
        "entries": entries,
        "result": sheet["result"] if whole else None,
        "reason": sheet["reason"] if whole else None,
    }


def _numbered(entry: Mapping[str, Any], *, first: bool) -> list[str]:
    if entry["side"] == "white":
        return [f"{entry['n']}."]
    return [f"{entry['n']}..."] if first else []


def _bare(text: str) -> str:
    """A turn without its bed, which Scharten's notation of a lost dart has within."""
    return text.partition(" {")[0]


def _side(entry: Mapping[str, Any]) -> Side:
    return Side.WHITE if entry["side"] == "white" else Side.BLACK


def _spent(before: int, at: int) -> str:
    seconds = max(0, at // 1000 - before // 1000)
    hours, rest = divmod(seconds, 3600)
    return f"{hours}:{rest // 60:02}:{rest % 60:02}" if hours else f"{rest // 60}:{rest % 60:02}"


def _quoted(text: str) -> str:
    return plain(text).replace("\\", "\\\\").replace('"', '\\"')
