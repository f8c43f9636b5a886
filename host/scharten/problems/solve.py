"""The solver: which first turns solve a task, proved against every answer.

`mate` N: turns after which the side to move is mated within N of its own turns whatever the answers; `save` N: turns
after which the other side cannot force a win within N of its turns.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from itertools import islice
from typing import Any, Final

from scharten.problems.boards import Board

MOST_NODES: Final = 400_000
"""The default limit of a search, minutes of work; the bundled problems need far less."""


class TooHardError(Exception):
    """The search met its limit of positions."""


class Solver:
    """A search of one problem that remembers its positions; `nodes` counts those after an attacking turn."""

    def __init__(self, board: Board, *, any_win: bool = False, most: int = MOST_NODES) -> None:
        """Search for mates; with `any_win` for every win that the board gives, such as a bare king.

        `TooHardError` after `most` positions.
        """
        self.nodes = 0
        self._most = most
        self._board = board
        self._any_win = any_win and not board.only_mate_wins
        self._known: dict[tuple[Hashable, int], bool] = {}

    def forcing(self, position: Any, moves: int, at_most: int | None = None) -> list[str]:
        """Return the turns of the side to move that force the end within `moves` of its turns, the first `at_most`."""
        found = (turn for turn, child in self._attacks(position, moves) if self.beaten(child, moves))
        return list(islice(found, at_most))

    def saving(self, position: Any, moves: int, at_most: int | None = None) -> list[str]:
        """Return the turns after which the other side cannot force its win within `moves`, the first `at_most`."""
        found = (
            turn
            for turn, child in self._board.reached(position)
            if self._board.result(child) != 1 and not self.forces(child, moves)
        )
        return list(islice(found, at_most))

    def forces(self, position: Any, moves: int) -> bool:
        """Return whether the side to move can force the end within `moves` of its turns."""
        key = (self._board.key(position), moves)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._tries(position, moves)
        return known

    def beaten(self, position: Any, moves: int) -> bool:
        """Return whether the side to move has lost, or every answer lets the other side force it in `moves` - 1."""
        self.nodes += 1
        if self.nodes > self._most:
            raise TooHardError
        board = self._board
        if board.result(position) == -1 if self._any_win else board.mated(position):
            return True
        if moves == 1 or (self._any_win and board.result(position) is not None):
            return False
        answered = False
        for _, child in board.reached(position):
            if not self.forces(child, moves - 1):
                return False
            answered = True
        return answered

    def _tries(self, position: Any, moves: int) -> bool:
        children = [child for _, child in self._attacks(position, moves)]
        if moves > 1:
            children.sort(key=lambda child: not self._board.in_check(child))
        return any(self.beaten(child, moves) for child in children)

    def _attacks(self, position: Any, moves: int) -> Iterator[tuple[str, Any]]:
        """Yield the turns that could force the end: a mate in one gives check."""
        board = self._board
        return board.checks(position) if moves == 1 and not self._any_win else board.reached(position)
