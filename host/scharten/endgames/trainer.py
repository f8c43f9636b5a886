"""The endgame trainer: choose a won position, judge a turn by the tables, answer as the perfect defender."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games.scharten.actions import action_of
from scharten.games.scharten.attacks import is_dead
from scharten.games.scharten.board import SECTORS
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.turns import Turn, Turns
from scharten.play.endgame_board import Men
from scharten.play.retrograde import ILLEGAL, Table
from scharten.play.tables import Tables, longest, position_of, probe

OPTIONS: Final = Options(kind=Kind.SILENT)
Pick = Callable[[int], int]
"""Returns a random number from 0 to below its argument."""
_CONTRADICTS: Final = Problem(
    "damaged", "the table contradicts the rules", {}, "Delete its file; it is built again."
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A judged turn of the strong side, and the defender's answer ("" after a mate or where the win is lost).

    `left_before` and `left_after` count the turns until mate before and after the turn, None for a drawn position.
    """

    left_before: int
    left_after: int | None
    answer: str
    position: Position

    @property
    def mated(self) -> bool:
        """Whether the turn mates."""
        return self.left_after == 0


def start(men: Men, table: Table, pick: Pick) -> Position | None:
    """Return a won position, White to move, whose mate takes at least half as long as the longest; None without one."""
    least = longest(table) // 2
    numbers = np.flatnonzero((table.strong < ILLEGAL) & (table.strong >= max(least, 1)))
    if not numbers.size:
        return None
    turn = 0 if men.pawns else pick(SECTORS)  # a pawn's line begins at White's side of the board
    return position_of(men, int(numbers[pick(numbers.size)]), mover=0, turn=turn, black=False)


def turns_left(position: Position, tables: Tables) -> int | None:
    """Return the turns until mate, None for a draw or without a table."""
    turns = None if is_dead(position) else probe(position, tables)
    return None if isinstance(turns, Problem) else turns


def best(text: str, tables: Tables) -> str | Problem:
    """Return a turn that mates soonest from a position string, in coordinates."""
    position = read(text)
    if isinstance(position, Problem):
        return position
    left = _left(position, tables)
    if isinstance(left, Problem):
        return left
    reached = _reached(position, tables)
    if isinstance(reached, Problem):
        return reached
    return next((action_of(turn).text for turn, turns, _ in reached if turns == left - 1), _CONTRADICTS)


def judge(text: str, turn: str, tables: Tables) -> Judged | Problem:
    """Judge a turn in coordinates at a position string, and answer it with the turn that delays the mate longest."""
    position = read(text)
    if isinstance(position, Problem):
        return position
    left_before = _left(position, tables)
    if isinstance(left_before, Problem):
        return left_before
    reached = _reached(position, tables)
    if isinstance(reached, Problem):
        return reached
    found = next((row for row in reached if action_of(row[0]).text == turn), None)
    if found is None:
        return Problem("illegal", f"{turn[:8]} is no turn of this position", {"move": turn[:8]})
    _, left, position = found
    if not left:
        return Judged(left_before, left, "", position)
    answers = _reached(position, tables)
    if isinstance(answers, Problem):
        return answers
    longest_answer = next((row for row in answers if row[1] == left - 1), None)
    if longest_answer is None:
        return _CONTRADICTS
    return Judged(left_before, left, action_of(longest_answer[0]).text, longest_answer[2])


def read(text: str) -> Position | Problem:
    """Return the position of a position string in a silent game with default options."""
    return SCHARTEN.read(text, OPTIONS)


def _left(position: Position, tables: Tables) -> int | Problem:
    """Return the turns until mate; a `Problem` unless the side to move wins."""
    turns = probe(position, tables)
    if isinstance(turns, Problem):
        return turns
    if turns is None or turns % 2 == 0:
        return Problem("not_won", "the side to move does not win this position")
    return turns


def _reached(position: Position, tables: Tables) -> list[tuple[Turn, int | None, Position]] | Problem:
    """Return every turn, the turns until mate after it (None: drawn), and its position; the longest mates first."""
    found = []
    for turn in Turns(position).moves():
        child = after_move(position, *turn)
        turns = None if is_dead(child) else probe(child, tables)
        if isinstance(turns, Problem):
            return turns
        found.append((turn, turns, child))
    return found
