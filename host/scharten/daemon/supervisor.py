"""Watch every long-lived part, and restart parts that ended.

A part has ended when its thread has, and hangs when its beats stop; on a slow or crowded machine it gets more patience.
The supervisor restarts a part at once, then after 1, 2, 4 ... seconds. Python cannot end a thread that hangs, so a hang
restarts the whole process from the journal, as does a referee that cannot be restarted. `health.parts` lists the faults
of each part.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol

from scharten.daemon.systemd import TURN_S
from scharten.system.newest_last import NewestLast
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

HANGS_S = 2.0
"""A part whose beats stop for longer hangs, unless `watch` gives it more patience."""
MOST_CROWDED = 8.0
"""A crowded machine multiplies the patience by no more than this."""
MOST_PATIENT = 16.0
"""A slow and crowded machine multiplies the patience by no more than this."""
LOOP, LOOP_S = 100_000, 0.004
"""A loop of this many rounds took this CPU time on the machine for which `HANGS_S` was chosen."""
LONGEST_WAIT_S = 60.0
MOST_RESTARTS, WITHIN_S = 3, 60.0
"""A vital part that needs more restarts than this within that time restarts the process."""
RECENT_MS, SHOWN_MS = 60_000, 3_600_000
"""How long all pages show a fault, and how long the status page does."""


def crowding() -> float:
    """Return how many programs shared each core in the last minute; at least 1."""
    return min(MOST_CROWDED, max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def slowness() -> float:
    """Return how many times slower than that machine this one runs Python; at least 1.

    Whether a side can still mate takes a fast machine 0.7 s at most, and one ten times slower longer than `HANGS_S`.
    """
    began_s = time.thread_time()
    sum(number * number for number in range(LOOP))
    return max(1.0, (time.thread_time() - began_s) / LOOP_S)


class Watched(Protocol):
    """A part that the supervisor can watch: `Worker`, `LoopThread` or `BoardSensors`."""

    @property
    def alive(self) -> bool:
        """Whether it runs."""

    @property
    def beats(self) -> int | None:
        """A number that grows while the part works; None when that is unknown."""

    @property
    def error(self) -> Exception | None:
        """The exception that ended it."""


@dataclass
class _Part:
    name: str
    watched: Callable[[], Watched]
    restart: Callable[[], object]
    patience_s: float
    vital: bool
    beats: int | None = None
    checks_without_beat: int = 0
    next_s: float = 0.0
    restarts: list[float] = field(default_factory=list)


class Supervisor:
    """Check the parts; `report` gets `health.parts` whenever it changes.

    Call `check` in one thread, `note` in any.
    """

    def __init__(
        self,
        report: Callable[[list[dict[str, Any]]], object],
        now_ms: Callable[[], int],
        steady_s: Callable[[], float] = time.monotonic,
        crowding: Callable[[], float] = crowding,
        slowness: Callable[[], float] = slowness,
    ) -> None:
        self._crowding, self._slowness = crowding, slowness()
        self._now_ms, self._steady_s = now_ms, steady_s
        self._publish_faults = NewestLast(lambda: report(self._known_faults()))
        self._parts: list[_Part] = []
        self._faults: dict[str, dict[str, Any]] = {}
        self._more = False
        self._lock = threading.Lock()

    @contextmanager
    def thread_ends(self) -> Iterator[None]:
        """Note every thread that an exception ends."""
        before = threading.excepthook

        def on_end(ended: threading.ExceptHookArgs) -> None:
            name = ended.thread.name if ended.thread is not None else ""
            before(ended)
            if isinstance(ended.exc_value, Exception):
                self.note("thread", f"{name}: {type(ended.exc_value).__name__}: {ended.exc_value}", "ended")

        threading.excepthook = on_end
        try:
            yield
        finally:
            threading.excepthook = before

    def watch(
        self,
        name: str,
        watched: Callable[[], Watched],
        restart: Callable[[], object],
        *,
        patience_s: float = HANGS_S,
        vital: bool = False,
    ) -> None:
        """Watch a running part; `restart` returns False if only a restart of the process helps."""
        self._parts.append(_Part(name, watched, restart, patience_s, vital))

    def watch_worker(self, worker: Worker, patience_s: float = HANGS_S) -> None:
        """Watch a worker."""
        self.watch(worker.name, lambda: worker, worker.start, patience_s=patience_s)

    def note(self, name: str, error: Exception | str, state: str = "faulty", times: int = 1) -> None:
        """Show a fault of a part in `health`."""
        words = error if isinstance(error, str) else f"{type(error).__name__}: {error}"
        with self._lock:
            old = self._faults.get(name)
            count = times + (old["count"] if old else 0)
            self._faults[name] = {"name": name, "state": state, "words": words[:200], "count": count,
                                  "since_ms": self._now_ms(), "recent": True}  # fmt: skip
            worse = old is None or not old["recent"] or old["state"] != state
            self._more = not worse
        if worse:
            self._publish_faults()

    def check(self) -> str | None:
        """Restart the parts that ended; return a reason if the whole process must restart."""
        self._forget_old_faults()
        for part in self._parts:
            watched = part.watched()
            if not watched.alive:
                if (reason := self._restart(part, watched.error)) is not None:
                    return reason
            elif self._hangs(part, watched.beats):
                return f"{part.name} hangs"
        return None

    def _hangs(self, part: _Part, beats: int | None) -> bool:
        # Counted in checks, which stop too while the whole program is suspended.
        part.checks_without_beat = (
            part.checks_without_beat + 1 if beats is not None and beats == part.beats else 0
        )
        part.beats = beats
        # A part that shares its core with five programs takes five times as long; a restart would only add work.
        silent_s = part.checks_without_beat * TURN_S
        return silent_s > part.patience_s and silent_s > part.patience_s * min(
            MOST_PATIENT, self._slowness * self._crowding()
        )

    def _restart(self, part: _Part, error: Exception | None) -> str | None:
        now = self._steady_s()
        if now < part.next_s:
            return None
        part.restarts = [at for at in part.restarts if now - at < WITHIN_S]
        words = f"{type(error).__name__}: {error}" if error is not None else "it ended"
        if part.vital and len(part.restarts) >= MOST_RESTARTS:
            return f"{part.name} ended {len(part.restarts)} times ({words})"
        part.next_s = now + min(LONGEST_WAIT_S, 2.0 ** len(part.restarts))
        part.restarts.append(now)
        part.checks_without_beat = 0
        log.error("%s ended and is restarted: %s", part.name, words)
        try:
            started = part.restart() is not False
        except Exception as failure:
            log.exception("%s could not be restarted", part.name)
            self.note(part.name, failure, "ended")
            return f"{part.name} could not be restarted ({failure})" if part.vital else None
        if not started:
            return f"{part.name} ended ({words})"
        self.note(part.name, words, "restarted")
        return None

    def _forget_old_faults(self) -> None:
        now = self._now_ms()
        with self._lock:
            before = {name: fault["recent"] for name, fault in self._faults.items()}
            for name, fault in list(self._faults.items()):
                fault["recent"] = fault["recent"] and now - fault["since_ms"] < RECENT_MS
                if now - fault["since_ms"] > SHOWN_MS:
                    del self._faults[name]
            news = self._more or before != {name: fault["recent"] for name, fault in self._faults.items()}
            self._more = False
        if news:
            self._publish_faults()

    def _known_faults(self) -> list[dict[str, Any]]:
        with self._lock:
            return [dict(fault) for fault in self._faults.values()]
