"""What the daemon leaves for others on this machine: where it serves, and when an input passed which stage."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

from scharten.match.inputs import Input, Reading, receipt_of

STEP_MS = 2000
"""A date that differs from the clock by more was set; less is a clock that is kept right."""


class SteadyClock:
    """Unix time in ms that runs on while the date is set: the date at the start, and the steady clock since.

    `date` and `steady` are for tests.
    """

    def __init__(
        self,
        date: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        steady: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self._date, self._steady = date, steady
        self._zero = date() - steady()

    def now_ms(self) -> int:
        """The time of an input."""
        return self._zero + self._steady()

    def step_ms(self) -> int:
        """By how much the date was set forward (below 0: back) since; 0 while the two agree."""
        step = self._date() - self.now_ms()
        return step if abs(step) > STEP_MS else 0

    def look(self, playing: bool) -> str | None:
        """What to tell of a date that was set, in words; while nobody plays the date is taken over."""
        step = self.step_ms()
        if step and not playing:
            self._zero += step
            return None
        if not step:
            return None
        way = "forward" if step > 0 else "back"
        length = timedelta(seconds=abs(step) // 1000)
        return f"the date of this machine was set {way} by {length} in play: no clock is charged for it"


def write_running(folder: Path, told: Mapping[str, object]) -> Callable[[], None]:
    """Say in running.json where this daemon serves, for tools of the same user; gives what removes it again."""
    path = folder / "running.json"
    draft = folder / f".{path.name}.{os.getpid()}"
    draft.write_text(json.dumps({"pid": os.getpid(), **told}))
    draft.replace(path)
    return lambda: path.unlink(missing_ok=True)


class StageTrace:
    """A file with the moments at which each input passed each stage, in ns of the steady clock, for `make bench`."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)
        self._stages: dict[str, int] = {}

    def note(self, stage: str, given: Input) -> None:
        """One stage passed; the last one writes the line."""
        if stage == "taken":
            self._stages = {}
        self._stages[stage] = time.monotonic_ns()
        if stage == "finished":
            receipt = receipt_of(given)
            kind = type(given.what if isinstance(given, Reading) else given).__name__
            number = receipt.number if receipt else None
            self._file.write(json.dumps({"kind": kind, "seq": number, **self._stages}) + "\n")
