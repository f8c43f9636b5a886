"""Forced mates: the first moves that mate in a number of moves against every answer (without lost darts)."""

from __future__ import annotations

from scharten.games.scharten.attacks import in_check
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.turns import Turn, Turns


class Mates:
    """A search for mates that remembers its positions."""

    def __init__(self) -> None:
        self.nodes = 0
        self._known: dict[tuple[tuple[object, ...], int], bool] = {}
        self._refuting: dict[int, Turn] = {}

    def keys(self, position: Position, moves: int) -> list[Turn]:
        """Return the moves that force mate in at most `moves` of the side's moves."""
        return [turn for turn in _checks_first(position) if self._mates(after_move(position, *turn), moves)]

    def fewest(self, position: Position, most: int) -> tuple[int, list[Turn]]:
        """Return the smallest number of moves up to `most` that mates, and its first moves; 0 if none does."""
        for moves in range(1, most + 1):
            found = self.keys(position, moves)
            if found:
                return moves, found
        return 0, []

    def _mates(self, position: Position, moves: int) -> bool:
        """Return whether the side to move is mated within `moves` of the other side, the last move included."""
        if moves == 1 and not in_check(position, position.mover):
            return False
        self.nodes += 1
        turns = Turns(position)
        if turns.stuck:
            return turns.checked and not turns.placements()
        if moves == 1 or turns.placements():
            return False
        listed = turns.moves()
        refuting = self._refuting.get(moves)
        if refuting is not None and refuting in listed:
            listed.remove(refuting)
            listed.insert(0, refuting)
        for turn in listed:
            if not self._forces(after_move(position, *turn), moves - 1):
                self._refuting[moves] = turn
                return False
        return True

    def _forces(self, position: Position, moves: int) -> bool:
        """Return whether the side to move has a move that mates within `moves`."""
        key = (position.mover, position.sets, position.unmoved, position.ep)
        known = self._known.get((key, moves))
        if known is None:
            listed = Turns(position).moves() if moves == 1 else _checks_first(position)
            known = any(self._mates(after_move(position, *turn), moves) for turn in listed)
            self._known[key, moves] = known
        return known


def _checks_first(position: Position) -> list[Turn]:
    """Return the legal moves, checks first."""
    listed = Turns(position).moves()
    return sorted(listed, key=lambda turn: not in_check(after_move(position, *turn), 1 - position.mover))
