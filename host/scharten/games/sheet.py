"""A score sheet of any game as a value, and its headers (rules 9, games 7)."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.basics import Action, Kind
from scharten.game.flags import flags_text, parse_flags
from scharten.game.options import ClockRequest, FoulLimit, GameOptions
from scharten.game.protocol import AnyGame
from scharten.games import GAMES_BY_KEY
from scharten.games.letters import SOURCES_LANGUAGE
from scharten.games.sheet_words import UNFINISHED
from scharten.words import ENGLISH, LANGUAGES

MAX_SHEET: Final = 400_000
MAX_TURNS: Final = 4_000
RULE_HEADERS: Final = (
    *("Game", "Kind", "Options", "FoulLimit", "TouchMove", "TimeControl", "Position", "Result", "Language"),
)
"""Headers that define how the game is played; all others are the players' own and are preserved."""
Headers = Mapping[str, tuple[str, int]]
"""Each header's text and its line, from 1 on."""


@dataclass(frozen=True, slots=True)
class SheetTurn:
    """One turn on a sheet: the bed of its dart, the seconds, a comment, and the number of its `line`."""

    action: Action
    draw_offer: bool = False
    bed: str | None = None
    spent_s: int | None = None
    comment: str | None = None
    line: int = field(default=0, compare=False)


@dataclass(frozen=True, slots=True)
class ScoreSheet:
    """A game on paper. `headers` are Event, Date, Board, White, Black and any others, in order.

    `start` is the position before the first turn. `reason` is a code of the MQTT contract, or None if the sheet has
    none; `preface` and `remark` are comments before the first turn and after the result.
    """

    game: AnyGame
    options: GameOptions
    start: Any
    entries: tuple[SheetTurn, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    result: str = UNFINISHED
    reason: str | None = None
    remark: str | None = None
    preface: str | None = None
    language: str = SOURCES_LANGUAGE


def wrong(code: str, reason: str, line: int, turn: str | None = None, /, **values: object) -> Problem:
    """Return why a text is not a score sheet, with the line (from 1; 0 if unknown) and the turn, `12...` for Black's.

    `code` is too_long, header, options, position, number, comment, turn, game_over or result; the message is the text
    `detail.<reason>`. A value `what` that is a `Problem` is the cause.
    """
    found = Problem.reasoned(code, reason, **values)
    at = found
    if turn:
        at = found.within("at_turn", line=line, turn=turn) if line else found.within("in_turn", turn=turn)
    elif line:
        at = found.within("at_line", line=line)
    cause = values.get("what")
    inner = {"cause": cause.code, **cause.args} if isinstance(cause, Problem) else {}
    inner.pop("why", None)  # its text would replace this message, which contains it
    return replace(at, args={**inner, "line": line, "turn": turn, **at.args})


def rule_headers(game: AnyGame, options: GameOptions, start: str) -> dict[str, str]:
    """Return the headers of a game's rules and start, without those at their defaults."""
    flags = flags_text(options).removeprefix("--loud").strip()
    limit = options.foul_limit
    headers = {
        "Game": game.key,
        "Kind": options.kind.value,
        "Options": flags,
        "FoulLimit": f"{limit.white}/{limit.black}"
        if options.kind is Kind.LOUD and limit != FoulLimit()
        else "",
        "TouchMove": options.touch_move if options.touch_move == "on" else "",
        "TimeControl": "" if options.clock is None else clock_text(options.clock),
        "Position": "" if start == _opening(game.key, options) else start,
    }
    return {name: text for name, text in headers.items() if text}


@lru_cache(maxsize=64)
def _opening(key: str, options: GameOptions) -> str:
    """Return the opening of a game with these options, cached because every published sheet needs it."""
    game = GAMES_BY_KEY[key]
    return game.situation(game.begin(options), options).text


def read_game(headers: Headers) -> tuple[AnyGame, GameOptions] | Problem:
    """Return the game and options that the headers name, by default silent Scharten."""
    key, line = headers.get("Game", ("scharten", 1))
    game = GAMES_BY_KEY.get(key)
    if game is None:
        return wrong("header", "game", line, known=", ".join(GAMES_BY_KEY), given=key)
    kind, line = headers.get("Kind", ("silent", 1))
    if kind not in ("silent", "loud"):
        return wrong("header", "kind", line, given=kind)
    flags, line = headers.get("Options", ("", line))
    options = parse_flags(f"--{kind} {flags}", game.options_model)
    if isinstance(options, Problem):
        return wrong("options", "options", line, what=options, cure=_cure(options))
    changes: dict[str, object] = {}
    for name, (option, read) in _READ.items():
        text, line = headers.get(name, ("", 1))
        found = read(text) if text else None
        if isinstance(found, Problem):
            return wrong("header", "value", line, name=name, what=found, given=text)
        if found is not None:
            changes[option] = found
    return game, options.model_copy(update=changes)


def _cure(problem: Problem) -> dict[str, str]:
    """Return what helps, by language: only English has it."""
    return dict.fromkeys(LANGUAGES, "") | {ENGLISH: f". {problem.cure}".rstrip(". ")}


def read_start(headers: Headers, game: AnyGame, options: GameOptions) -> Any:
    """Return the position at the start of a game, or a `Problem`."""
    if "Position" not in headers:
        return game.begin(options)
    text, line = headers["Position"]
    position = game.read(text, options)
    return wrong("position", "cause", line, what=position) if isinstance(position, Problem) else position


def _foul_limit(text: str) -> FoulLimit | Problem:
    found = re.fullmatch(r"([1-9]\d?)/([1-9]\d?)", text, re.ASCII)
    if found is None:
        return Problem.reasoned("header", "foul_limit")
    return FoulLimit(white=int(found[1]), black=int(found[2]))


def _touch_move(text: str) -> str | Problem:
    return text if text in ("off", "on") else Problem.reasoned("header", "touch_move")


def clock_text(clock: ClockRequest) -> str:
    """Write a clock as PGN's TimeControl: `40/6000:900+5` is 40 moves in 100 minutes, the rest in 15, 5 s a move."""
    stages = []
    for stage in clock.stages:
        seconds = stage.seconds if stage.minutes is None else stage.minutes * 60
        stages.append(("" if stage.moves is None else f"{stage.moves}/") + f"{seconds or 0:g}")
    return ":".join(stages) + (f"+{clock.increment_s:g}" if clock.increment_s else "")


_STAGE: Final = re.compile(r"(?:(\d{1,4})/)?(\d{1,6}(?:\.\d{1,3})?)", re.ASCII)


def _clock(text: str) -> ClockRequest | Problem:
    listed, _, increment = text.partition("+")
    stages = [_STAGE.fullmatch(part) for part in listed.split(":")]
    bad = Problem.reasoned("header", "clock")
    if (
        not all(stages)
        or len(stages) > 10
        or not re.fullmatch(r"(\d{1,4}(\.\d{1,3})?)?", increment, re.ASCII)
    ):
        return bad
    read = [
        {"moves": int(stage[1]) if stage[1] else None, **_length(_number(stage[2]))}
        for stage in stages
        if stage
    ]
    return ClockRequest.model_validate({"stages": read, "increment_s": _number(increment or "0")})


def _length(seconds: int | float) -> dict[str, int | float]:
    """Return whole minutes, else seconds."""
    return {"seconds": seconds} if seconds % 60 else {"minutes": int(seconds // 60)}


def _number(text: str) -> int | float:
    return float(text) if "." in text else int(text)


_READ: Final = {
    "FoulLimit": ("foul_limit", _foul_limit),
    "TouchMove": ("touch_move", _touch_move),
    "TimeControl": ("clock", _clock),
}
