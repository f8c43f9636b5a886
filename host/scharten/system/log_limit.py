"""A log that repeats no warning and no traceback more than once a minute."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable


class RateLimitedLog:
    """Warn at most once in `every_s` seconds per kind; callers choose the kinds, so they are few."""

    def __init__(
        self, log: logging.Logger, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._log, self._every_s, self._clock = log, every_s, clock
        self._next: dict[str, float] = {}
        self._withheld: dict[str, int] = {}

    def warn(self, kind: str, words: str, *arguments: object) -> None:
        """Log the line now, or count it for the next one."""
        now = self._clock()
        if now < self._next.get(kind, now):
            self._withheld[kind] = self._withheld.get(kind, 0) + 1
            return
        withheld = self._withheld.pop(kind, 0)
        self._next[kind] = now + self._every_s
        more = f" ({withheld} more like it since the last such line)" if withheld else ""
        self._log.warning(words + more, *arguments)


class TracebackLimit(logging.Filter):
    """Pass one traceback a minute from each place in the code; count the others for the next one.

    Anybody who reaches a port may cause exceptions by the thousand. The handlers of a process share one limit.
    """

    MOST_PLACES = 64

    def __init__(self, every_s: float = 60.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._every_s, self._clock = every_s, clock
        self._seen: dict[tuple[object, ...], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return False for a traceback that repeats too soon; every handler gets the same decision."""
        if not record.exc_info or record.exc_info[0] is None:
            return True
        decided = record.__dict__
        if "traceback_passes" not in decided:
            decided["traceback_passes"] = self._passes(record)
        return bool(decided["traceback_passes"])

    def _passes(self, record: logging.LogRecord) -> bool:
        now, place = self._clock(), _place(record)
        if place not in self._seen and len(self._seen) >= self.MOST_PLACES:
            place = ()  # the rest shares one place
        until, withheld = self._seen.get(place, (now, 0))
        if now < until:
            self._seen[place] = until, withheld + 1
            return False
        self._seen[place] = now + self._every_s, 0
        if withheld:
            record.msg, record.args = f"{record.getMessage()} ({withheld} more like it since the last)", ()
        return True


def _place(record: logging.LogRecord) -> tuple[object, ...]:
    """Return the logger, the kind of exception, and the line that raised it."""
    assert record.exc_info
    kind, _, trace = record.exc_info
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = (trace.tb_frame.f_code.co_filename, trace.tb_lineno) if trace is not None else ()
    return record.name, kind, *where


def start_log(
    level: str = "INFO",
    *more: logging.Handler,
    style: str = "%(asctime)s %(levelname)s %(name)s: %(message)s",
) -> None:
    """Log to the error output and to further handlers, with one limit of tracebacks for all."""
    handlers, limit = [logging.StreamHandler(), *more], TracebackLimit()
    for handler in handlers:
        handler.addFilter(limit)
    logging.basicConfig(level=level, format=style, handlers=handlers)
