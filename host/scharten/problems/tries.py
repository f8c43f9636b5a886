"""Trying to solve a problem: is a turn right, what does the other side answer, and is it solved (docs/problems.md)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from scharten.errors import Problem
from scharten.problems.line import Kind, Opened
from scharten.problems.solve import Solver


@dataclass(frozen=True, slots=True)
class Tried:
    """A judged turn: whether it is right, whether the problem is solved, the answer to it, and the position then."""

    right: bool
    solved: bool
    answer: str
    position: Any


def try_turn(found: Opened, played: Sequence[str], turn: str) -> Tried | Problem:
    """Judge the next turn after the turns of both sides so far; a `Problem` where one of them is not legal."""
    position = found.position
    for number, text in enumerate((*played, turn)):
        reached = dict(found.board.reached(position))
        if text not in reached or (number == 0 and played and text != found.puzzle.key):
            return Problem("illegal", f"{text[:8]} is no turn of this position", {"move": text[:8]})
        before, position = position, reached[text]
    task = found.puzzle.task
    left = task.moves - len(played) // 2
    if left < 1:
        return Problem("illegal", "the problem is over")
    if task.kind is Kind.SAVE:
        right = turn == found.puzzle.key
        return Tried(right, right, "", position if right else before)
    solver = Solver(found.board)
    right = turn == found.puzzle.key if not played else solver.beaten(position, left)
    if not right:
        return Tried(False, False, "", before)
    if found.board.mated(position):
        return Tried(True, True, "", position)
    answer, position = _answer(found, solver, position, left)
    return Tried(True, False, answer, position)


def _answer(found: Opened, solver: Solver, position: Any, left: int) -> tuple[str, Any]:
    """Return the first answer that delays the mate as long as possible."""
    answers = list(found.board.reached(position))
    if left > 2:
        for turn, child in answers:
            if not solver.forces(child, left - 2):
                return turn, child
    return answers[0]
