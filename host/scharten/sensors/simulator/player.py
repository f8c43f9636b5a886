"""Plays a script's steps when they are due; time and the board are given in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable

from scharten.sensors.simulator.script import Deed, ScriptLine, Wait


class ScriptPlayer:
    """Steps in the order of the script. `now` is in ms; `over` returns whether a step's condition is met."""

    def __init__(self, steps: Iterable[ScriptLine], now: int) -> None:
        self._steps = deque(steps)
        self._origin = self._last = now
        self._waiting: Wait | None = None

    def add(self, step: ScriptLine, now: int) -> None:
        """One more line, typed by hand: `+` counts from now if nothing is outstanding."""
        if not self._steps and self._waiting is None:
            self._last = max(self._last, now)
        self._steps.append(step)

    def due(self) -> int | None:
        """When the next step is to be played, in ms; None if there is none or a wait must be over first."""
        if self._waiting is not None or not self._steps:
            return None
        step = self._steps[0]
        return round(step.seconds * 1000) + (self._last if step.relative else self._origin)

    def play(self, now: int, over: Callable[[Wait], bool]) -> tuple[Deed, ...]:
        """The deeds that are due now."""
        if self._waiting is not None and over(self._waiting):
            self._waiting = None
            self._origin = self._last = now
        deeds: list[Deed] = []
        while (at := self.due()) is not None and at <= now:
            deed = self._steps.popleft().deed
            self._last = at
            if isinstance(deed, Wait):
                self._waiting = deed
                break
            deeds.append(deed)
        return tuple(deeds)
