"""Reading a score sheet of any game in whole; an error names the line and the turn (rules 9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

from scharten.dartboard.beds import parse_bed
from scharten.errors import Problem
from scharten.game.basics import End, LostDart, Reason, Side
from scharten.game.plain_text import plain
from scharten.game.protocol import Situation
from scharten.games.letters import SHEET_LANGUAGES, SOURCES_LANGUAGE
from scharten.games.sheet import (
    MAX_SHEET,
    MAX_TURNS,
    RULE_HEADERS,
    ScoreSheet,
    SheetTurn,
    read_game,
    read_start,
    wrong,
)
from scharten.games.sheet_words import ARBITERS_RESULTS, UNFINISHED, read_result, reason_of
from scharten.words import LANGUAGES, text


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a `{comment}` and the line on which it begins."""

    text: str
    line: int


HEADER_NAME: Final = re.compile(r"[A-Za-z]\w{0,39}", re.ASCII)
_HEADER: Final = re.compile(rf'\[\s*({HEADER_NAME.pattern})\s+"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN: Final = re.compile(r"\{[^{}]*\}|;[^\n]*|\(\s*=\s*\)|[♔-♟]\ufe0e?[ \t]+[^\s{};]+|[^\s{};]+|[{}]")
"""Comments, a draw offer, a figurine with a blank behind it, words."""
_NUMBER: Final = re.compile(r"(\d{1,6})(\.\.\.|\.|…)(.*)", re.DOTALL)
_SUFFIX: Final = re.compile(r"(?:e\.?p\.?|\(\s*=\s*\)|[+#†‡!?])+", re.IGNORECASE)
_SPENT: Final = re.compile(r"(?:(\d{1,3}):)?(\d{1,3}):([0-5]\d)", re.ASCII)


def read_sheet(text: str) -> ScoreSheet | Problem:
    """Return the sheet with its unknown headers, or the first error."""
    if len(text) > MAX_SHEET:
        return wrong("too_long", "sheet_length", 1, most=MAX_SHEET)
    headers, body_at, error = _read_headers(text.removeprefix("\ufeff"))
    if error:
        return error
    blank = _blank_sheet(headers)
    if isinstance(blank, Problem):
        return blank
    lines = text.removeprefix("\ufeff").split("\n")
    tokens = _tokens("\n".join(lines[body_at:]), body_at + 1)
    reader = _Reader(blank, blank.start, _header_result(headers))
    for token in tokens:
        refused = reader.take(token)
        if refused:
            return refused
    return reader.close(len(lines))


_Headers = dict[str, tuple[str, int]]


def _read_headers(text: str) -> tuple[_Headers, int, Problem | None]:
    """Return each header's text and line, and the number of lines before the turns."""
    headers: _Headers = {}
    lines = text.split("\n")
    for number, raw in enumerate(lines, start=1):
        line = raw.strip()
        if not line:
            continue
        if not line.startswith("["):
            return headers, number - 1, None
        found = _HEADER.fullmatch(line)
        if found is None:
            return headers, 0, wrong("header", "header", number, given=line[:60])
        name, value = found[1], re.sub(r"\\(.)", r"\1", plain(found[2]))
        if name in headers:
            return headers, 0, wrong("header", "twice", number, name=name)
        headers[name] = (value, number)
    return headers, len(lines), None


def _blank_sheet(headers: _Headers) -> ScoreSheet | Problem:
    """Return the sheet before its first turn."""
    played = read_game(headers)
    if isinstance(played, Problem):
        return played
    value, line = headers.get("Language", (SOURCES_LANGUAGE, 1))
    language = next((known for known in SHEET_LANGUAGES if known == value.lower()), None)
    if language is None:
        known = ", ".join(SHEET_LANGUAGES)
        return wrong("header", "language", line, known=known, given=value)
    start = read_start(headers, *played)
    if isinstance(start, Problem):
        return start
    result, line = headers.get("Result", (UNFINISHED, 1))
    if read_result(result) is None:
        return wrong("result", "no_result", line, given=result)
    own = tuple((name, value) for name, (value, _) in headers.items() if name not in RULE_HEADERS)
    return ScoreSheet(*played, start, headers=own, language=language)


def _header_result(headers: _Headers) -> str | None:
    return read_result(headers["Result"][0]) if "Result" in headers else None


def _tokens(body: str, line: int) -> list[_Token]:
    """Split into words and comments, with marks of a turn (`e.p.`, `(=)`, `+`) joined to it."""
    tokens: list[_Token] = []
    at = 0
    for found in _TOKEN.finditer(body):
        line += body.count("\n", at, found.start())
        at = found.start()
        text = found[0]
        if text.startswith(";"):
            continue
        if not text.startswith(("{", "(")):
            text = "".join(text.split())
        numbered = _NUMBER.fullmatch(text)
        if numbered and numbered[3]:
            tokens += [_Token(numbered[1] + numbered[2], line), _Token(numbered[3], line)]
        elif tokens and _SUFFIX.fullmatch(text) and not tokens[-1].text.startswith("{"):
            tokens[-1] = _Token(f"{tokens[-1].text} {text}", tokens[-1].line)
        else:
            tokens.append(_Token(text, line))
    return tokens


@dataclass
class _Reader:
    """Plays the turns in order; `over` is the end by a turn, after which none may follow."""

    sheet: ScoreSheet
    position: Any
    stated: str | None
    entries: list[SheetTurn] = field(default_factory=list)
    result: str | None = None
    reason: str | None = None
    remark: str | None = None
    preface: str | None = None
    over: End | None = None
    tail: list[_Token] = field(default_factory=list)

    @property
    def now(self) -> Situation:
        """The situation of the present position."""
        return self.sheet.game.situation(self.position, self.sheet.options)

    def take(self, token: _Token) -> Problem | None:
        """Read the next token."""
        text = token.text
        if text in ("{", "}"):
            return self._error("comment", "comment", token, given=text)
        if text.startswith("{"):
            self._comment(" ".join(text[1:-1].split()))
            return None
        if self.result is not None:
            self.tail.append(token)
            return None
        result = read_result(text)
        if result is not None and not self._castles(text):
            self.result = result
            return None
        numbered = _NUMBER.fullmatch(text)
        if numbered:
            return self._number(token, int(numbered[1]), black=numbered[2] != ".")
        return self._turn(token)

    def _castles(self, text: str) -> bool:
        """Return whether `0-0` is castling, not the result: it is legal and the headers have another result."""
        if text != "0-0" or self.stated == text:
            return False
        read = self.sheet.game.read_turn(self.position, text, self.sheet.options, self.sheet.language)
        return not isinstance(read, Problem)

    def _error(self, code: str, reason: str, token: _Token, /, **values: object) -> Problem:
        now = self.now
        due = f"{now.number}..." if now.side is Side.BLACK else f"{now.number}."
        return wrong(code, reason, token.line, due, **values)

    def _number(self, token: _Token, number: int, *, black: bool) -> Problem | None:
        now = self.now
        if number == now.number and black == (now.side is Side.BLACK):
            return None
        return self._error("number", f"due.{now.side.word}", token, given=token.text, number=now.number)

    def _turn(self, token: _Token) -> Problem | None:
        sheet, text = self.sheet, token.text
        over = self.over or self.now.end
        if over:
            return self._error("game_over", "game_over", token, given=text, reason=_in_words(over))
        if len(self.entries) >= MAX_TURNS:
            return self._error("too_long", "sheet_turns", token, most=MAX_TURNS)
        turn = sheet.game.read_turn(self.position, text, sheet.options, sheet.language)
        if isinstance(turn, Problem):
            return self._error("turn", "cause", token, what=turn)
        played = sheet.game.play(self.position, turn.action, sheet.options)
        if isinstance(played, Problem):
            return self._error("turn", "not_legal", token, given=text, code=played.code)
        self.position, self.over = played.position, played.end
        self.entries.append(SheetTurn(turn.action, turn.draw_offer, line=token.line))
        return None

    def _comment(self, text: str) -> None:
        """Read a comment: after the result it is a reason, after a turn perhaps its bed or its time."""
        if self.result is not None:
            reason = None if self.reason else reason_of(text, self.result)
            if reason:
                self.reason = reason
            else:
                self.remark = _joined(self.remark, text)
        elif self.entries:
            self.entries[-1] = _commented(self.entries[-1], text)
        else:
            self.preface = _joined(self.preface, text)

    def _reason_without_braces(self) -> Problem | None:
        """Read words behind the result as its reason, `1-0 Zwart geeft op`; nothing else may stand there."""
        if self.tail:
            words = " ".join(token.text for token in self.tail)
            reason = reason_of(words, self.result or "")
            if reason is None or self.reason is not None:
                return self._error("result", "behind", self.tail[0], given=words, result=self.result)
            self.reason = reason
        return None

    def close(self, last_line: int) -> ScoreSheet | Problem:
        """Return the whole sheet if the results in header and text agree."""
        refused = self._reason_without_braces()
        if refused:
            return refused
        result = self.result or self.stated or UNFINISHED
        if self.stated not in (None, result):
            return wrong("result", "differs", last_line, header=self.stated, result=result)
        end = self.over or self.now.end
        decided = self.reason == Reason.ARBITER or result in (UNFINISHED, *ARBITERS_RESULTS)
        if end is not None and result != end.result and not decided:
            reason = _in_words(end)
            return wrong("result", "other_end", last_line, result=result, end=end.result, reason=reason)
        return replace(
            self.sheet,
            entries=tuple(self.entries),
            result=result,
            reason=self.reason,
            remark=self.remark,
            preface=self.preface,
        )


def _in_words(end: End) -> dict[str, str]:
    """Return the reason of an end in each language."""
    return {language: text(language, f"reason.{end.reason}") for language in LANGUAGES}


def _commented(entry: SheetTurn, text: str) -> SheetTurn:
    if entry.bed is None and entry.comment is None and parse_bed(text) is not None:
        action = replace(entry.action, bed=text) if isinstance(entry.action, LostDart) else entry.action
        return replace(entry, action=action, bed=text)
    spent = _SPENT.fullmatch(text)
    if spent and entry.spent_s is None and entry.comment is None:
        hours, minutes, seconds = (int(part or 0) for part in spent.groups())
        return replace(entry, spent_s=(hours * 60 + minutes) * 60 + seconds)
    return replace(entry, comment=_joined(entry.comment, text))


def _joined(before: str | None, text: str) -> str | None:
    return f"{before} {text}" if before and text else before or text or None
