"""The line of a problem: seven columns with tabs between them (docs/problems.md)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.flags import parse_flags
from scharten.game.options import GameOptions
from scharten.game.protocol import AnyGame, Games
from scharten.problems.boards import Board, board_of

COLUMNS: Final = ("position", "options", "task", "key", "difficulty", "game", "id")
HEAD: Final = f"# {' '.join(COLUMNS)}"
LONGEST: Final = 1000
HARDEST: Final = 5
_TASK: Final = re.compile(r"(mate[1-3]|dart1|field[23]|save[12])", re.ASCII)
_KEY: Final = re.compile(r"@[a-o][1-8]|[a-o][1-8][a-o][1-8][qrbn]?|--", re.ASCII)
_CURE: Final = "Restore the file, or make it again (`make problems`)."


class Kind(StrEnum):
    """The kind of a task."""

    MATE = "mate"
    """Move, and mate by force."""
    DART = "dart"
    """Throw one dart that mates."""
    FIELD = "field"
    """Throw the next piece onto the field from which mate is forced."""
    SAVE = "save"
    """Find the only turn that loses nothing by force."""


@dataclass(frozen=True, slots=True)
class Task:
    """The task of the side to move: the kind, and the number of turns in which the end is forced."""

    kind: Kind
    moves: int

    def __str__(self) -> str:
        return f"{self.kind.value}{self.moves}"


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A problem as its line describes it; `Problem` is a refusal in this program."""

    position: str
    options: str
    task: Task
    key: str
    difficulty: int
    game: str

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns without the id."""
        return (self.position, self.options, str(self.task), self.key, str(self.difficulty), self.game)

    @property
    def id(self) -> str:
        """Ten hexadecimal digits of the SHA-256 of the other columns."""
        return id_of(self.columns)

    @property
    def line(self) -> str:
        """The line, without its end."""
        return "\t".join((*self.columns, self.id))


@dataclass(frozen=True, slots=True)
class Opened:
    """A problem with its game, its position, and the solver's view of both."""

    puzzle: Puzzle
    game: AnyGame
    options: GameOptions
    position: Any
    board: Board


def id_of(columns: tuple[str, ...]) -> str:
    """Return the id of a line with these columns before it."""
    return hashlib.sha256("\t".join(columns).encode("utf-8", "surrogatepass")).hexdigest()[:10]


def parse_line(text: str) -> Puzzle | Problem:
    """Return the problem of a line, or the first thing wrong with it; the position is not read yet."""
    if len(text) > LONGEST:
        return _wrong("malformed", "line_long", count=len(text), most=LONGEST)
    parts = tuple(text.split("\t"))
    if len(parts) != len(COLUMNS):
        return _wrong("malformed", "line_columns", count=len(parts), wanted=len(COLUMNS))
    position, options, task, key, difficulty, game, stored = parts
    if id_of(parts[:-1]) != stored:
        return _wrong("damaged", "line_changed", id=stored[:20], computed=id_of(parts[:-1]))
    if not _TASK.fullmatch(task):
        return _wrong("unknown_task", "line_task", task=task)
    if not _KEY.fullmatch(key):
        return _wrong("malformed", "line_key", key=key)
    if difficulty not in tuple(map(str, range(1, HARDEST + 1))):
        return _wrong("malformed", "line_difficulty", most=HARDEST, given=difficulty)
    return Puzzle(position, options, Task(Kind(task[:-1]), int(task[-1])), key, int(difficulty), game)


def parse_file(text: str) -> Iterator[tuple[int, Puzzle | Problem]]:
    """Yield each problem, or what is wrong with it, with its line number; the first line names the columns."""
    head, *lines = text.removesuffix("\n").split("\n")
    if head != HEAD:
        yield 1, _wrong("malformed", "line_head", given=repr(head[:80]), head=repr(HEAD))
    for number, line in enumerate(lines, 2):
        yield number, parse_line(line)


def opened(puzzle: Puzzle, games: Games) -> Opened | Problem:
    """Read the game, the options and the position of a problem; a `Problem` names what cannot be read."""
    game = games.get(puzzle.game)
    if game is None:
        return _wrong("unknown_game", "line_game", game=puzzle.game)
    options = parse_flags(puzzle.options, game.options_model)
    if isinstance(options, Problem):
        return options
    board = board_of(game, options)
    if board is None:
        return _wrong("unknown_game", "line_unsolved", game=puzzle.game)
    position = game.read(puzzle.position, options)
    if isinstance(position, Problem):
        return position
    return Opened(puzzle, game, options, position, board)


def _wrong(code: str, reason: str, /, **values: object) -> Problem:
    found = Problem.reasoned(code, reason, **values)
    return replace(found, args={**found.args, "why": "wrong_puzzle"}, cure=_CURE)
