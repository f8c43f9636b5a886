"""Reading a score sheet; an error names the line and the turn, and nothing is half read (rules 9)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Final

from scharten.errors import Problem
from scharten.game.basics import LostDart, Side
from scharten.game.flags import parse_flags
from scharten.game.options import FoulLimit
from scharten.games.scharten.actions import play
from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.notation.read import WrittenTurn, read_turn
from scharten.games.scharten.notation.sheet_write import HEADER_NAME, RULE_HEADERS, Entry, Sheet
from scharten.games.scharten.notation.words import (
    ARBITERS_RESULTS,
    UNFINISHED,
    Language,
    read_result,
    reason_of,
)
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import finished_by_fouls, opening, parse_position
from scharten.games.scharten.status import State, status

MAX_SHEET: Final = 400_000
MAX_TURNS: Final = 4_000


def _wrong(
    code: str, words: str, line: int, turn: str | None = None, cause: Problem | None = None
) -> Problem:
    """Why a text is no score sheet: the line (from 1) and the turn, `12...` for Black's.

    `code` is too_long, header, options, position, number, comment, turn (`cause` says more), game_over or result.
    """
    where = f"line {line}" + (f", turn {turn}" if turn else "")
    why = {} if cause is None else {"cause": cause.code, **cause.args}
    return Problem(code, f"{where}: {words}", {**why, "line": line, "turn": turn})


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


def read_sheet(text: str) -> Sheet | Problem:
    """The sheet, with unknown headers kept; or the first thing that is wrong with it."""
    if len(text) > MAX_SHEET:
        return _wrong("too_long", f"a score sheet has at most {MAX_SHEET} characters", 1)
    headers, body_at, error = _read_headers(text.removeprefix("\ufeff"))
    if error:
        return error
    blank = _blank_sheet(headers)
    if isinstance(blank, Problem):
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


def _read_headers(text: str) -> tuple[_Headers, int, Problem | None]:
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
            return headers, 0, _wrong("header", f'a header is [Name "text"], not {line[:60]}', number)
        name, value = found[1], re.sub(r"\\(.)", r"\1", found[2])
        if name in headers:
            return headers, 0, _wrong("header", f"header {name} stands twice", number)
        headers[name] = (value, number)
    return headers, len(lines), None


def _blank_sheet(headers: _Headers) -> Sheet | Problem:
    """The sheet before its first turn."""
    options = _read_options(headers)
    if isinstance(options, Problem):
        return options
    value, line = headers.get("Language", (Language.DUTCH.value, 1))
    language = next((each for each in Language if each.value == value.lower()), None)
    if language is None:
        known = ", ".join(each.value for each in Language)
        return _wrong("header", f"Language is one of {known}, not '{value}'", line)
    start = _read_start(headers, options)
    if isinstance(start, Problem):
        return start
    result, line = headers.get("Result", (UNFINISHED, 1))
    if read_result(result) is None:
        return _wrong("result", f"'{result}' is no result", line)
    own = tuple((name, value) for name, (value, _) in headers.items() if name not in RULE_HEADERS)
    return Sheet(options, start, headers=own, language=language)


def _read_options(headers: _Headers) -> Options | Problem:
    kind, line = headers.get("Kind", ("silent", 1))
    if kind not in ("silent", "loud"):
        return _wrong("header", f"Kind is silent or loud, not '{kind}'", line)
    flags, line = headers.get("Options", ("", line))
    options = parse_flags(f"--{kind} {flags}", Options)
    if isinstance(options, Problem):
        return _wrong("options", f"{options.words}. {options.cure}".rstrip(". "), line)
    limits, line = headers.get("FoulLimit", ("", line))
    if not limits:
        return options
    found = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", limits, re.ASCII)
    if found is None:
        return _wrong("header", f"FoulLimit is two numbers up to 99, 3/3, not '{limits}'", line)
    return options.model_copy(update={"foul_limit": FoulLimit(white=int(found[1]), black=int(found[2]))})


def _read_start(headers: _Headers, options: Options) -> Position | Problem:
    if "Position" not in headers:
        return opening(rules_of(options))
    text, line = headers["Position"]
    position = parse_position(text, rules_of(options))
    if isinstance(position, Problem):
        return _wrong("position", position.words, line)
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

    def take(self, token: _Token) -> Problem | None:
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

    def _error(self, code: str, words: str, token: _Token, cause: Problem | None = None) -> Problem:
        number, black = self.position.move_number, self.position.side is Side.BLACK
        return _wrong(code, words, token.line, f"{number}..." if black else f"{number}.", cause)

    def _number(self, token: _Token, number: int, *, black: bool) -> Problem | None:
        due = self.position.move_number
        if number == due and black == (self.position.side is Side.BLACK):
            return None
        return self._error(
            "number", f"'{token.text}' stands where {self.position.side.word}'s turn {due} is due", token
        )

    def _turn(self, token: _Token) -> Problem | None:
        over = self.over or _over(self.position)
        if over:
            return self._error("game_over", f"'{token.text}' follows though the game is over: {over}", token)
        if len(self.entries) >= MAX_TURNS:
            return self._error("too_long", f"a score sheet has at most {MAX_TURNS} turns", token)
        turn = read_turn(token.text, self.position, self.sheet.language)
        if isinstance(turn, Problem):
            return self._error("turn", turn.words, token, turn)
        lost = isinstance(turn.action, LostDart)
        if lost and in_check(self.position, self.position.side.index):
            self.over = MISSED
        after = play(self.position, turn.action)
        if isinstance(after, Problem):
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

    def close(self, stated: str | None, last_line: int) -> Sheet | Problem:
        """The whole sheet, once its header's result and its last word agree."""
        result = self.result or stated or UNFINISHED
        if stated is not None and stated != result:
            return _wrong("result", f"the header says {stated}, the end {result}", last_line)
        due = _due_result(self.position, missed=self.over == MISSED)
        decided = self.reason == "arbiter" or result in (UNFINISHED, *ARBITERS_RESULTS)
        if due is not None and result not in due[1] and not decided:
            words = f"the game ends with {due[0]}, which is {' or '.join(due[1])}, not {result}"
            return _wrong("result", words, last_line)
        return replace(
            self.sheet,
            entries=tuple(self.entries),
            result=result,
            reason=self.reason,
            remark=self.remark,
            preface=self.preface,
        )


def _over(position: Position) -> str | None:
    """Why the board or lost darts have ended the game; claims and automatic draws are left to the players."""
    if finished_by_fouls(position):
        return "too many lost darts in a row"
    return _ENDS.get(status(position).state)


_ENDS: Final = {State.CHECKMATE: "checkmate", State.STALEMATE: "stalemate", State.DEAD: "a dead position"}
MISSED: Final = "missed in check"


def _due_result(position: Position, *, missed: bool) -> tuple[str, tuple[str, ...]] | None:
    """What ended the game by the rules and the results that it may have; None where players had to decide."""
    lost = {Side.WHITE: "0-1", Side.BLACK: "1-0"}
    if missed:
        return MISSED, (lost[position.side.other],)
    for side in Side:
        if position.fouls[side.index] >= position.rules.foul_limit[side.index]:
            return "too many lost darts in a row", (lost[side], "½-½")
    state = status(position).state
    if state is State.CHECKMATE:
        return _ENDS[state], (lost[position.side],)
    return (_ENDS[state], ("½-½",)) if state in _ENDS else None


def _commented(entry: Entry, text: str) -> Entry:
    action = entry.turn.action
    if isinstance(action, LostDart) and action.bed is None and entry.comment is None and _BED.fullmatch(text):
        return Entry(WrittenTurn(replace(action, bed=text), entry.turn.draw_offer))
    return replace(entry, comment=_joined(entry.comment, text))


def _joined(before: str | None, text: str) -> str | None:
    return f"{before} {text}" if before and text else before or text or None
