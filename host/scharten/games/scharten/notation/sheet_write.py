"""Whole score sheets: headers, numbered turns, result and how it came about (rules 9, §13, §24)."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import Foul, Kind, LostDart, Side
from scharten.game.flags import flags_text
from scharten.game.options import FoulLimit
from scharten.games.scharten.actions import play
from scharten.games.scharten.notation.read import WrittenTurn
from scharten.games.scharten.notation.words import UNFINISHED, Language, read_result, result_words
from scharten.games.scharten.notation.write import write_action
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import opening, position_text

WIDTH: Final = 88
HEADER_NAME: Final = re.compile(r"[A-Za-z]\w{0,39}", re.ASCII)
RULE_HEADERS: Final = ("Result", "Kind", "Options", "FoulLimit", "Language", "Position")
"""Headers that the sheet itself fills; all others are the players' own and are kept as they are."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One turn on a sheet, and a comment of the writer's; the bed of a lost dart is in the turn itself."""

    turn: WrittenTurn
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class Sheet:
    """A game on paper. `headers` are Event, Date, Board, White, Black and any others, in order.

    `start` is the position before the first turn. `reason` is a code of the MQTT contract, or None where the sheet
    does not say; `preface` and `remark` are comments before the first turn and behind the result.
    """

    options: Options
    start: Position
    entries: tuple[Entry, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    result: str = UNFINISHED
    reason: str | None = None
    remark: str | None = None
    preface: str | None = None
    language: Language = Language.DUTCH


def positions(sheet: Sheet) -> tuple[Position, ...]:
    """The position before the first turn and after each turn; ValueError if one is not legal."""
    found = [sheet.start]
    for number, entry in enumerate(sheet.entries, start=1):
        after = play(found[-1], entry.turn.action)
        if isinstance(after, Problem):
            raise ValueError(f"turn {number} of the sheet is not legal: {after.code}")
        found.append(after)
    return tuple(found)


def write_sheet(sheet: Sheet) -> str:
    """The sheet as text that `read_sheet` reads back; ValueError for a wrong header, result or turn."""
    names = [name for name, _ in sheet.headers]
    if len({*names, *RULE_HEADERS}) < len(names) + len(RULE_HEADERS) or not all(
        map(HEADER_NAME.fullmatch, names)
    ):
        raise ValueError(f"headers are words, each once, and not {', '.join(RULE_HEADERS)}: {names}")
    if read_result(sheet.result) != sheet.result:
        raise ValueError(f"'{sheet.result}' is no result")
    headers = [f'[{name} "{_quoted(text)}"]' for name, text in (*sheet.headers, *_rule_headers(sheet))]
    words = _comment(sheet.preface) if sheet.preface else []
    for number, (entry, position) in enumerate(zip(sheet.entries, positions(sheet), strict=False)):
        words += _entry_words(sheet, entry, position, first=number == 0)
    words.append(sheet.result)
    if sheet.reason:
        words += _comment(result_words(sheet.result, sheet.reason, sheet.language))
    if sheet.remark:
        words += _comment(sheet.remark)
    # Marks such as `e.p.` belong to their turn: only plain blanks may become line ends.
    body = textwrap.wrap(" ".join(words), WIDTH, break_long_words=False, break_on_hyphens=False)
    return "\n".join((*headers, "", *body, ""))


def _rule_headers(sheet: Sheet) -> list[tuple[str, str]]:
    options = sheet.options
    found = [("Result", sheet.result), ("Kind", options.kind.value)]
    flags = flags_text(options).removeprefix("--loud").strip()
    if flags:
        found.append(("Options", flags))
    if options.kind is Kind.LOUD and options.foul_limit != FoulLimit():
        found.append(("FoulLimit", f"{options.foul_limit.white}/{options.foul_limit.black}"))
    found.append(("Language", sheet.language.value))
    if sheet.start != opening(rules_of(options)):
        found.append(("Position", position_text(sheet.start)))
    return found


def _quoted(text: str) -> str:
    return " ".join(text.split()).replace("\\", "\\\\").replace('"', '\\"')


def _entry_words(sheet: Sheet, entry: Entry, position: Position, *, first: bool) -> list[str]:
    words = []
    if position.side is Side.WHITE:
        words.append(f"{position.move_number}.")
    elif first:
        words.append(f"{position.move_number}...")
    action = entry.turn.action
    bed = action.bed if isinstance(action, LostDart) else None
    bare = LostDart(Foul.DECLARED) if isinstance(action, LostDart) else action
    words.append(write_action(position, bare, sheet.language, draw_offer=entry.turn.draw_offer))
    return words + (_comment(bed) if bed else []) + (_comment(entry.comment) if entry.comment else [])


def _comment(text: str) -> list[str]:
    """A comment's text without the braces that would end it."""
    return ["{" + " ".join(text.replace("{", "(").replace("}", ")").split()) + "}"]
