"""The opinion that the other side answers threats, or throws and ignores them.

A side that only throws need not be feared, and can be threatened with more.
"""

from __future__ import annotations

from typing import Final

from scharten.games.scharten.board import THROWS
from scharten.games.scharten.position import Position, after_lost_dart
from scharten.play.evaluate import evaluate
from scharten.play.search import Search

_WORTH_AN_ANSWER: Final = 150
"""A capture that wins this much should have been made or answered, in hundredths of a pawn."""
_THREW, _THREW_ANYWAY, _MOVED = 1 / 0.8, 1 / 0.2, 0.05 / 0.2
"""How many times likelier a side that only throws takes such a turn than one that answers threats: rough estimates."""
_MOST: Final = 20.0
"""The highest odds, so that a few answers change the opinion."""


class Attention:
    """The odds that the other side only throws, from its turns of one game in which it could throw safely."""

    def __init__(self) -> None:
        self._odds: float | None = None
        self._last: Position | None = None

    @property
    def ignores(self) -> float:
        """The chance that the other side only throws; 0 before it had the choice."""
        return 0.0 if self._odds is None else self._odds / (1 + self._odds)

    def notice(self, position: Position, limits: tuple[int, int]) -> None:
        """Judge the turn that led here; the side to move notices. `limits` of lost darts are by side."""
        last, self._last = self._last, position
        other = 1 - position.mover
        if last is None or last.mover != position.mover or last.move_number + 1 != position.move_number:
            return
        if last.placed[other] >= THROWS or last.fouls[other] + 1 >= limits[other]:
            return
        if position.placed[other] > last.placed[other] or position.fouls[other] > last.fouls[other]:
            anyway = _can_win(position) or _can_win(after_lost_dart(position))
            likelier = _THREW_ANYWAY if anyway else _THREW
        else:
            likelier = _MOVED
        odds = likelier * (1.0 if self._odds is None else self._odds)
        self._odds = max(1 / _MOST, min(_MOST, odds))


def _can_win(position: Position) -> bool:
    """Return whether the side to move has a capture that wins something."""
    return -Search().value_after(position, 0) - evaluate(position) >= _WORTH_AN_ANSWER
