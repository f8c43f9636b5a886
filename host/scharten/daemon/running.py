"""The daemon's clock, its running.json, and the trace of the stages of each input."""

from __future__ import annotations

import json
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta
from pathlib import Path

from scharten.match.inputs import Input, Reading, receipt_of
from scharten.system.secrets import write_private

log = logging.getLogger(__name__)

STEP_MS = 2000
"""A larger difference between date and clock means that the date was set; a smaller one is normal adjustment."""
STILL_MS = 5000
"""A longer gap between two readings means that the program was suspended: the daemon reads every two seconds."""


class SteadyClock:
    """Unix time in ms that ignores changes of the date: the date at the start plus the steady clock.

    It stops while the program is suspended or starved. `date` and `steady` are for tests.
    """

    def __init__(
        self,
        date: Callable[[], int] = lambda: time.time_ns() // 1_000_000,
        steady: Callable[[], int] = lambda: time.monotonic_ns() // 1_000_000,
    ) -> None:
        self._date, self._steady = date, steady
        self._zero = date() - steady()
        self._seen, self._stood = steady(), 0
        self._late: tuple[int, str] | None = None
        self._lock = threading.Lock()

    def not_before(self, ms: int) -> None:
        """Go on from `ms`, the newest date that is known, if the machine's date is earlier; `look` then warns."""
        with self._lock:
            date, steady = self._date(), self._steady()
            if date < ms - STEP_MS:
                day, known = (datetime.fromtimestamp(at // 1000).date() for at in (date, ms))
                words = f"the date of this machine, {day}, is before its newest game or program, {known}"
                self._late = date - steady, f"{words}: set it with `sudo timedatectl set-ntp true`"
                self._zero = ms - steady

    def now_ms(self) -> int:
        """Return the time for an input."""
        with self._lock:
            now = self._steady()
            still, self._seen = now - self._seen, now
            if still > STILL_MS:
                self._zero -= still
                self._stood += still
            return self._zero + now

    def step_ms(self) -> int:
        """Return by how many ms the date was set forward (negative: back); 0 while date and clock agree."""
        step = self._date() - self.now_ms()
        return step if abs(step) > STEP_MS else 0

    def check(self, playing: bool) -> str | None:
        """Return a warning if the date is impossible or was set in play; outside play, adopt a date that was set."""
        if self._late is not None:
            zero, words = self._late
            if abs(self._date() - self._steady() - zero) <= STEP_MS:
                return words
            self._late = None
        step = self.step_ms()
        if step and not playing:
            with self._lock:
                self._zero, self._stood = self._zero + step, 0
            return None
        if not step:
            return None
        if abs(step - self._stood) <= STEP_MS:
            reason = f"this program stood still for {timedelta(seconds=self._stood // 1000)}"
        else:
            way = "forward" if step > 0 else "back"
            reason = f"the date of this machine was set {way} by {timedelta(seconds=abs(step) // 1000)}"
        return f"{reason} in play: no clock is charged for it"


class DateWatch:
    """Warn in `health` when the machine's date was set during a game; outside a game, adopt it."""

    def __init__(
        self, clock: SteadyClock, playing: Callable[[], bool], warn: Callable[[str, str | None], object]
    ) -> None:
        self._clock, self._playing, self._warn = clock, playing, warn
        self._warned = False

    def check(self) -> None:
        """Compare date and clock."""
        words = self._clock.check(self._playing())
        if words and not self._warned:
            log.warning(words)
        self._warned = bool(words)
        self._warn("date", words)


def program_date_ms() -> int:
    """A date that the present cannot precede: a day before the installed file's, as archives know no time zones."""
    return int((Path(__file__).stat().st_mtime - 86_400) * 1000)


def write_running(folder: Path, fields: Mapping[str, object]) -> Callable[[], None]:
    """Write this daemon's addresses to running.json for tools of the same user; return its removal."""
    path = folder / "running.json"
    write_private(path, json.dumps({"pid": os.getpid(), **fields}))
    return lambda: path.unlink(missing_ok=True)


class StageTrace:
    """Write when each input passed each stage, in ns of the steady clock, for `make bench`."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", buffering=1)
        self._stages: dict[str, int] = {}

    def note(self, stage: str, given: Input) -> None:
        """Note a stage; the last stage writes the line."""
        if stage == "taken":
            self._stages = {}
        self._stages[stage] = time.monotonic_ns()
        if stage == "finished":
            receipt = receipt_of(given)
            kind = type(given.what if isinstance(given, Reading) else given).__name__
            number = receipt.number if receipt else None
            self._file.write(json.dumps({"kind": kind, "seq": number, **self._stages}) + "\n")
