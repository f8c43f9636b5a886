"""What the daemon leaves for others on this machine: where it serves, and when an input passed which stage."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import timedelta
from pathlib import Path

from scharten.match.inputs import Input, Reading, receipt_of
from scharten.mqtt.secrets import write_private

STEP_MS = 2000
"""A date that differs from the clock by more was set; less is a clock that is kept right."""
STILL_MS = 5000
"""When nobody has asked for the time for so long, the whole program stood still: the daemon asks every two seconds."""


class SteadyClock:
    """Unix time in ms that runs on while the date is set: the date at the start, and the steady clock since.

    While the program stands still (stopped, or starved of memory) it stands too. `date` and `steady` are for tests.
    """

    def __init__(
        self,
        date: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        steady: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self._date, self._steady = date, steady
        self._zero = date() - steady()
        self._seen, self._stood = steady(), 0
        self._one = threading.Lock()

    def now_ms(self) -> int:
        """The time of an input."""
        with self._one:
            now = self._steady()
            still, self._seen = now - self._seen, now
            if still > STILL_MS:
                self._zero -= still
                self._stood += still
            return self._zero + now

    def step_ms(self) -> int:
        """By how much the date was set forward (below 0: back) since; 0 while the two agree."""
        step = self._date() - self.now_ms()
        return step if abs(step) > STEP_MS else 0

    def look(self, playing: bool) -> str | None:
        """What to tell of a date that was set, in words; while nobody plays the date is taken over."""
        step = self.step_ms()
        if step and not playing:
            with self._one:
                self._zero, self._stood = self._zero + step, 0
            return None
        if not step:
            return None
        if abs(step - self._stood) <= STEP_MS:
            told = f"this program stood still for {timedelta(seconds=self._stood // 1000)}"
        else:
            way = "forward" if step > 0 else "back"
            told = f"the date of this machine was set {way} by {timedelta(seconds=abs(step) // 1000)}"
        return f"{told} in play: no clock is charged for it"


def write_running(folder: Path, told: Mapping[str, object]) -> Callable[[], None]:
    """Say in running.json where this daemon serves, for tools of the same user; gives what removes it again."""
    path = folder / "running.json"
    write_private(path, json.dumps({"pid": os.getpid(), **told}))
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
