"""Publish what follows answer and state: hits, events, speech and the sheet; and call the listeners of the game.

The announcer has a thread behind a bounded queue, so no listener delays or ends the referee. A full queue drops an
announcement: `health` counts its events as lost, and the whole sheet is published once the queue is empty. State and
journal are never affected.
"""

from __future__ import annotations

import logging
import queue
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from scharten.contract.caller import call
from scharten.contract.score_sheet import sheet
from scharten.match.codec import encode_event
from scharten.match.events import Answered, Event, HitReport
from scharten.match.inputs import Input
from scharten.match.state import Match
from scharten.mqtt.publisher import Publisher
from scharten.sensors.sensor import log_line
from scharten.system.log_limit import RateLimitedLog
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

QUEUE_LENGTH = 1000
ROUND_S = 0.5


@dataclass(frozen=True, slots=True)
class Announcement:
    """A step: its input, the match after it, its events; `shown` is that match without the names of deleted players."""

    match: Match
    shown: Match
    events: tuple[Event, ...] = ()
    given: Input | None = None
    changed: bool = True


class Announcer:
    """Publish announcements in order and pass events on to the listeners.

    An exception of a listener is logged with its argument, counted in `faults` and reported. The listener gets the
    next event all the same: it may handle other kinds of events well.
    """

    def __init__(
        self,
        outlet: Publisher,
        report: Callable[[str, Exception], object] = lambda name, error: None,
        length: int = QUEUE_LENGTH,
    ) -> None:
        self._outlet, self._report = outlet, report
        self.listeners: list[Callable[[Event], object]] = []
        """Called with each event, after it is published."""
        self.observers: list[Callable[[Input], object]] = []
        """Called with each accepted input."""
        self.readers: list[Callable[[Mapping[str, Any]], object]] = []
        """Called with each reading, as published on `hits`."""
        self.lost = 0
        self.faults: Counter[str] = Counter()
        self.worker = Worker("announcer", self._run)
        self._queue: queue.Queue[Announcement | None] = queue.Queue(length)
        self._warnings = RateLimitedLog(log)
        self._newest: Announcement | None = None
        self._behind = False
        self._sheet: Mapping[str, Any] = {}

    @property
    def waiting(self) -> int:
        """The number of unfinished announcements."""
        return self._queue.unfinished_tasks

    def announce(self, news: Announcement) -> None:
        """Queue an announcement without waiting; only the referee's thread calls this."""
        self._newest = news
        try:
            self._queue.put_nowait(news)
        except queue.Full:
            self._behind = True
            self.lost += len(news.events)
            self._warnings.warn("full", "the announcer is too slow: %d events are lost so far", self.lost)

    def start(self) -> None:
        """Start or restart the thread."""
        self.worker.start()

    def stop(self, timeout_s: float = 3.0) -> None:
        """Finish the queue and end the thread."""
        try:
            self._queue.put(None, timeout=timeout_s)
        except queue.Full:
            return
        self.worker.join(timeout_s)

    def _run(self) -> None:
        while True:
            self.worker.rounds += 1
            try:
                news = self._queue.get(timeout=ROUND_S)
            except queue.Empty:
                continue
            try:
                if news is None:
                    return
                self._publish_whole(news)
                if self._behind and self._queue.empty() and self._newest is not None:
                    self._behind = False
                    self._guard(self._publish_sheet, self._newest.shown)
            finally:
                self._queue.task_done()

    def _publish_whole(self, news: Announcement) -> None:
        """Publish an announcement; count its events as lost if that ends the thread."""
        done = False
        try:
            self._publish(news)
            done = True
        finally:
            if not done:
                self._behind = True
                self.lost += len(news.events)

    def _publish(self, news: Announcement) -> None:
        for event in news.events:
            self._guard(self._publish_event, event)
            for listener in self.listeners:
                self._guard(listener, event)
        if news.events:
            self._guard(self._publish_call, news)
        if news.changed:
            self._guard(self._publish_sheet, news.shown)
        if news.given is not None:
            for observer in (*self.observers, _log):
                self._guard(observer, news.given)

    def _publish_event(self, event: Event) -> None:
        if isinstance(event, HitReport):
            reading = encode_event(event)
            self._outlet.publish_hit(reading)
            for reader in self.readers:
                self._guard(reader, reading)
        elif not isinstance(event, Answered):
            self._outlet.publish_event(encode_event(event))

    def _publish_call(self, news: Announcement) -> None:
        if (announced := call(news.match, news.events)) is not None:
            self._outlet.publish_said(announced)

    def _publish_sheet(self, shown: Match) -> None:
        written = sheet(shown)
        if written != self._sheet:
            self._sheet = written
            self._outlet.publish_sheet(written)

    def _guard(self, function: Callable[[Any], object], argument: object) -> None:
        try:
            function(argument)
        except Exception as error:
            name = getattr(function, "__qualname__", repr(function))
            known = f"{name}: {type(error).__name__}"
            self.faults[known] += 1
            if self.faults[known] == 1:
                log.exception("%s raised on %.500r; the other listeners continue", name, argument)
            self._report(name, error)


def _log(given: Input) -> None:
    if (line := log_line(given)) is not None:
        log.log(*line)
