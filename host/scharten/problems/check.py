"""The proof of a problem: the solver finds exactly its key, and its difficulty."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any, Final

from scharten.errors import Problem
from scharten.game.basics import Kind as GameKind
from scharten.game.options import GameOptions
from scharten.game.protocol import Games
from scharten.problems.boards import Board
from scharten.problems.line import Kind, Opened, Puzzle, Task, opened
from scharten.problems.solve import MOST_NODES, Solver, TooHardError

LIMITS: Final = (3.2, 4.4, 7.5, 10.0)
"""The scores from which a problem has difficulty 2, 3, 4 and 5; `make problems` prints how many there are of each."""
_NO_CHECK, _NO_CAPTURE = 1.5, 1.0
"""Added to the score for a quiet key."""


def solve(
    board: Board, position: Any, task: Task, most: int = MOST_NODES, keys: int | None = None
) -> tuple[list[str], int]:
    """Return every turn that solves the task, and the positions of the search; `TooHardError` as in the solver.

    The search ends with the turn number `keys`.
    """
    solver = Solver(board, any_win=task.kind is Kind.SAVE, most=most)
    if task.kind is Kind.SAVE:
        return solver.saving(position, task.moves, keys), solver.nodes
    if task.moves > 1 and solver.forces(position, task.moves - 1):
        return [], solver.nodes  # it is shorter than it says
    return solver.forcing(position, task.moves, keys), solver.nodes


def difficulty(board: Board, position: Any, key: str, nodes: int) -> int:
    """Return 1 to 5: more for a long search, and for a key that neither checks nor captures."""
    child = dict(board.reached(position))[key]
    quiet = (0 if board.in_check(child) else _NO_CHECK) + (0 if board.taking(position, key) else _NO_CAPTURE)
    return 1 + bisect_right(LIMITS, math.log2(nodes + 1) + quiet)


def suits(board: Board, position: Any, options: GameOptions, task: Task, key: str) -> bool:
    """Return whether a key is of the task's kind: by hand, by dart, by a placement, or a real choice."""
    match task.kind:
        case Kind.MATE:
            return options.kind is GameKind.SILENT
        case Kind.DART:
            return task.moves == 1 and board.dart(position, key)
        case Kind.FIELD:
            return key.startswith("@")
        case Kind.SAVE:
            return key.startswith("@") or len(list(board.reached(position))) > 1


def check(puzzle: Puzzle, games: Games, most: int = MOST_NODES) -> Problem | None:
    """Prove a problem; return what is wrong with it, or None."""
    found = opened(puzzle, games)
    return found if isinstance(found, Problem) else prove(found, most)


def prove(found: Opened, most: int = MOST_NODES) -> Problem | None:
    """Prove a problem that was read; return what is wrong with it, or None."""
    puzzle, board, position = found.puzzle, found.board, found.position
    try:
        keys, nodes = solve(board, position, puzzle.task, most)
    except TooHardError:
        return Problem.reasoned("too_hard", "gave_up", most=most)
    if keys != [puzzle.key]:
        named = f"{len(keys)}: {' '.join(keys[:5])}" if keys else "0"
        return Problem.reasoned(
            "wrong_key", "other_keys", task=str(puzzle.task), keys=named, stated=puzzle.key
        )
    if not suits(board, position, found.options, puzzle.task, puzzle.key):
        return Problem.reasoned("wrong_task", "unfit_key", key=puzzle.key, task=str(puzzle.task))
    hard = difficulty(board, position, puzzle.key, nodes)
    if hard != puzzle.difficulty:
        return Problem.reasoned(
            "wrong_difficulty", "other_difficulty", difficulty=hard, stated=puzzle.difficulty
        )
    return None
