"""Reading a score sheet; an error names the line and the turn, and nothing is half read (rules 9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from scharten.game.basics import Side
from scharten.games.scharten.check import in_check
from scharten.games.scharten.endings import UNFINISHED, read_result, reason_of
from scharten.games.scharten.language import Language
from scharten.games.scharten.moves import Illegal
from scharten.games.scharten.notation_read import NotationError, read_turn
from scharten.games.scharten.options import MAX_FOUL_LIMIT, OptionsError, RuleOptions, parse_flags
from scharten.games.scharten.outcome import State, status
from scharten.games.scharten.position import (
    Position,
    PositionError,
    finished_by_fouls,
    initial_position,
    parse_position,
)
from scharten.games.scharten.sheet_write import HEADER_NAME, RULE_HEADERS, Entry, Sheet
from scharten.games.scharten.turn import LostDart, Turn, play

MAX_SHEET: Final = 400_000
MAX_TURNS: Final = 4_000


@dataclass(frozen=True, slots=True)
class SheetError:
    """Why a text is no score sheet: `code`, `words` in English, the line (from 1) and the turn, `12...` for Black's.

    `code` is too_long, header, options, position, number, comment, turn (`cause` says more), game_over or result.
    """

    code: str
    words: str
    line: int
    turn: str | None = None
    cause: NotationError | None = None

    def __str__(self) -> str:
        where = f"line {self.line}" + (f", turn {self.turn}" if self.turn else "")
        return f"{where}: {self.words}"


@dataclass(frozen=True, slots=True)
class _Token:
    """A word or a `{comment}` and the line on which it begins."""

    text: str
    line: int


_HEADER: Final = re.compile(rf'\[\s*({HEADER_NAME.pattern})\s+"((?:[^"\\]|\\.)*)"\s*\]')
_TOKEN: Final = re.compile(r"\{[^{}]*\}|;[^\n]*|\(\s*=\s*\)|[^\s{};]+|[{}]")
_NUMBER: Final = re.compile(r"(\d{1,6})(\.\.\.|\.|…)(.*)", re.DOTALL)
_SUFFIX: Final = re.compile(r"(?:e\.?p\.?|\(\s*=\s*\)|[+#†‡!?])+", re.IGNORECASE)
_BED: Final = re.compile(r"[DFTLS]([1-9]|1\d|20)|25|BULL|MISS")


def read_sheet(text: str) -> Sheet | SheetError:
    """The sheet, with unknown headers kept; or the first thing that is wrong with it."""
    if len(text) > MAX_SHEET:
        return SheetError("too_long", f"a score sheet has at most {MAX_SHEET} characters", 1)
    headers, body_at, error = _read_headers(text.removeprefix("\ufeff"))
    if error:
        return error
    blank = _blank_sheet(headers)
    if isinstance(blank, SheetError):
        return blank
    lines = text.removeprefix("\ufeff").split("\n")
    tokens = _tokens("\n".join(lines[body_at:]), body_at + 1)
    reader = _Reader(blank, blank.start)
    for token in tokens:
        wrong = reader.take(token)
        if wrong:
            return wrong
    return reader.close(_header_result(headers), len(lines))


_Headers = dict[str, tuple[str, int]]


def _read_headers(text: str) -> tuple[_Headers, int, SheetError | None]:
    """Each header's text and line, and how many lines stand before the turns."""
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
            return headers, 0, SheetError("header", f'a header is [Name "text"], not {line[:60]}', number)
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if name in headers:
            return headers, 0, SheetError("header", f"header {name} stands twice", number)
        headers[name] = (value, number)
    return headers, len(lines), None


def _blank_sheet(headers: _Headers) -> Sheet | SheetError:
    """The sheet before its first turn."""
    options = _read_options(headers)
    if isinstance(options, SheetError):
        return options
    value, line = headers.get("Language", (Language.DUTCH.value, 1))
    language = next((each for each in Language if each.value == value.lower()), None)
    if language is None:
        known = ", ".join(each.value for each in Language)
        return SheetError("header", f"Language is one of {known}, not '{value}'", line)
    start = _read_start(headers, options)
    if isinstance(start, SheetError):
        return start
    result, line = headers.get("Result", (UNFINISHED, 1))
    if read_result(result) is None:
        return SheetError("result", f"'{result}' is no result", line)
    own = tuple((name, value) for name, (value, _) in headers.items() if name not in RULE_HEADERS)
    return Sheet(options, start, headers=own, language=language)


def _read_options(headers: _Headers) -> RuleOptions | SheetError:
    kind, line = headers.get("Kind", ("silent", 1))
    if kind not in ("silent", "loud"):
        return SheetError("header", f"Kind is silent or loud, not '{kind}'", line)
    flags, line = headers.get("Options", ("", line))
    options = parse_flags(f"--{kind} {flags}")
    if isinstance(options, OptionsError):
        return SheetError("options", f"{options.words}. {options.cure}".rstrip(". "), line)
    limits, line = headers.get("FoulLimit", ("", line))
    if not limits:
        return options
    found = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", limits, re.ASCII)
    if found is None:
        return SheetError(
            "header", f"FoulLimit is two numbers up to {MAX_FOUL_LIMIT}, 3/3, not '{limits}'", line
        )
    return replace(options, foul_limit=(int(found[1]), int(found[2])))


def _read_start(headers: _Headers, options: RuleOptions) -> Position | SheetError:
    if "Position" not in headers:
        return initial_position(options)
    text, line = headers["Position"]
    position = parse_position(text, options)
    if isinstance(position, PositionError):
        return SheetError("position", position.words, line)
    return position


def _header_result(headers: _Headers) -> str | None:
    return read_result(headers["Result"][0]) if "Result" in headers else None


def _tokens(body: str, line: int) -> list[_Token]:
    """Words and comments; what belongs to a turn (`e.p.`, `(=)`, a lone mark) is joined to it."""
    tokens: list[_Token] = []
    at = 0
    for found in _TOKEN.finditer(body):
        line += body.count("\n", at, found.start())
        at = found.start()
        text = found[0]
        if text.startswith(";"):
            continue
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
    """Plays the turns one by one; `over` says why no further turn may follow."""

    sheet: Sheet
    position: Position
    entries: list[Entry] = field(default_factory=list)
    result: str | None = None
    reason: str | None = None
    remark: str | None = None
    preface: str | None = None
    over: str | None = None

    def take(self, token: _Token) -> SheetError | None:
        """Read one more token."""
        text = token.text
        if text in ("{", "}"):
            return self._error(
                "comment", f"a comment is not closed, or closed without being opened: {text}", token
            )
        if text.startswith("{"):
            self._comment(" ".join(text[1:-1].split()))
            return None
        if self.result is not None:
            return self._error("result", f"'{text}' stands behind the result {self.result}", token)
        result = read_result(text)
        if result is not None:
            self.result = result
            return None
        numbered = _NUMBER.fullmatch(text)
        if numbered:
            return self._number(token, int(numbered[1]), black=numbered[2] != ".")
        return self._turn(token)

    def _error(self, code: str, words: str, token: _Token, cause: NotationError | None = None) -> SheetError:
        number, black = self.position.move_number, self.position.side is Side.BLACK
        return SheetError(code, words, token.line, f"{number}..." if black else f"{number}.", cause)

    def _number(self, token: _Token, number: int, *, black: bool) -> SheetError | None:
        due = self.position.move_number
        if number == due and black == (self.position.side is Side.BLACK):
            return None
        return self._error(
            "number", f"'{token.text}' stands where {self.position.side.word}'s turn {due} is due", token
        )

    def _turn(self, token: _Token) -> SheetError | None:
        over = self.over or _over(self.position, self.sheet.options)
        if over:
            return self._error("game_over", f"'{token.text}' follows though the game is over: {over}", token)
        if len(self.entries) >= MAX_TURNS:
            return self._error("too_long", f"a score sheet has at most {MAX_TURNS} turns", token)
        turn = read_turn(token.text, self.position, self.sheet.options, self.sheet.language)
        if isinstance(turn, NotationError):
            return self._error("turn", turn.words, token, turn)
        lost = isinstance(turn.action, LostDart)
        if lost and in_check(self.position, self.position.side, self.sheet.options):
            self.over = "missed in check"
        after = play(self.position, turn.action, self.sheet.options)
        if isinstance(after, Illegal):
            return self._error("turn", f"'{token.text}' is not legal: {after.code}", token)
        self.position = after
        self.entries.append(Entry(turn))
        return None

    def _comment(self, text: str) -> None:
        """A comment behind the result says how it came about; behind a lost dart it may be the bed."""
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

    def close(self, stated: str | None, last_line: int) -> Sheet | SheetError:
        """The whole sheet, once its header's result and its last word agree."""
        result = self.result or stated or UNFINISHED
        if stated is not None and stated != result:
            return SheetError("result", f"the header says {stated}, the end {result}", last_line)
        return replace(
            self.sheet,
            entries=tuple(self.entries),
            result=result,
            reason=self.reason,
            remark=self.remark,
            preface=self.preface,
        )


def _over(position: Position, options: RuleOptions) -> str | None:
    """Why the board or lost darts have ended the game; claims and automatic draws are left to the players."""
    if finished_by_fouls(position, options):
        return "too many lost darts in a row"
    ends = {State.CHECKMATE: "checkmate", State.STALEMATE: "stalemate", State.DEAD: "a dead position"}
    return ends.get(status(position, options).state)


def _commented(entry: Entry, text: str) -> Entry:
    action = entry.turn.action
    if isinstance(action, LostDart) and action.bed is None and entry.comment is None and _BED.fullmatch(text):
        return Entry(Turn(LostDart(text), entry.turn.draw_offer))
    return replace(entry, comment=_joined(entry.comment, text))


def _joined(before: str | None, text: str) -> str | None:
    return f"{before} {text}" if before and text else before or text or None
