"""The referee's thread: take an input from a bounded queue, step, store, and only then acknowledge and publish.

Play stops while the journal cannot store. The loop retries the current input and refuses commands with the reason;
lines of the board wait unacknowledged (the board keeps them), and the display shows why.

An input on which the rules raise is refused, and the match stays: a command gets `internal_error`. A line of the board
is stored with the digest of the row before it, which no replay judges again. It is then acknowledged and published as
a reading that did not count, so the line continues and nothing is lost or counted twice.
"""

from __future__ import annotations

import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from scharten.contract.snapshot import snapshot
from scharten.daemon.announcer import Announcement, Announcer
from scharten.dartboard.lines import Lamp
from scharten.errors import Problem
from scharten.journal.journal import Journal, JournalError, Record
from scharten.journal.refused import RefusedJournal
from scharten.journal.step_record import as_record, readings_lost
from scharten.match.answers import answer
from scharten.match.codes import RefusalCode
from scharten.match.digest import digest
from scharten.match.events import Answered, Event
from scharten.match.inputs import Command, Input, Reading, Restarted, Tick, receipt_of
from scharten.match.referee import deadline, lamp, not_judged, step
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import Match, changed
from scharten.mqtt.publisher import Publisher
from scharten.sensors.sensor import Sensor
from scharten.system.worker import Worker

log = logging.getLogger(__name__)

QUEUE_LENGTH = 256
RETRY_S = 0.5
BEAT_S = 0.5
TICK_AGAIN_MS = 5000
"""Delay of the next tick after one on which the rules raised."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why play is impossible, the cure, and since when."""

    message: str
    cure: str
    since_ms: int


@dataclass(frozen=True, slots=True)
class _Judged:
    """The match after an input, its events, its digest (`mark`), and the record to store."""

    match: Match
    events: tuple[Event, ...]
    mark: str
    record: Record | None
    failed: bool = False


def no_trace(_stage: str, _given: Input) -> None:
    """Ignore the stages of an input."""


class RefereeLoop:
    """The referee's thread, the only owner of the match."""

    def __init__(
        self,
        match: Match,
        journal: Journal | RefusedJournal,
        outlet: Publisher,
        announcer: Announcer,
        now_ms: Callable[[], int],
        *,
        settings: MatchSettings | None = None,
        seen: SeenCommands | None = None,
        trace: Callable[[str, Input], None] = no_trace,
    ) -> None:
        # A running game keeps the settings it began with; the next one begins with what is configured now.
        self.match = changed(match, next_settings=settings)
        self.sensor: Sensor | None = None
        self.on_stored: Callable[[Record, Input], object] = lambda record, given: None
        """Called when an input is stored and its state published."""
        self.sets_lamp = True
        self.publish_again = False
        """Set from any thread: other messages stood on the board's topics."""
        self.trouble: Trouble | None = None
        self.inputs = 0
        self.on_trouble: Callable[[Trouble | None], object] = lambda trouble: None
        self.on_fault: Callable[[str, Exception], object] = lambda name, error: None
        self.deleted_players = self._hidden = frozenset[str]()
        """Deleted players, whose names are not published; set from any thread."""
        self.worker = Worker("referee", self._run)
        self._journal, self._outlet, self._announcer = journal, outlet, announcer
        self._now_ms, self._seen, self._trace = now_ms, seen or SeenCommands(), trace
        self._setup = f"setup-{now_ms()}"
        self._inbox: queue.Queue[Input] = queue.Queue(QUEUE_LENGTH)
        self._errands: queue.SimpleQueue[Callable[[Journal], object]] = queue.SimpleQueue()
        self._held: deque[Input] = deque(maxlen=QUEUE_LENGTH)
        self._digest = digest(match)
        self._start = match.start, match.start.model_dump_json()
        self._stopping = threading.Event()
        self._opening: Input | None = None
        self._in_hand: Input | None = None
        self._tick_from_ms = 0
        self._known_faults: set[str] = set()
        self.storing = False
        """Whether the journal may hold a step that `match` does not have yet."""

    @property
    def waiting(self) -> int:
        """The number of waiting inputs."""
        return self._inbox.qsize() + len(self._held)

    def start(self, opening: Input | None = None) -> None:
        """Start the thread; it processes `opening` before it publishes anything, then the queue."""
        self._opening = opening
        self.worker.start()

    def restart(self) -> bool:
        """Restart the thread after it ended; False when only a replay of the journal gives the right match."""
        if self.storing:
            return False
        self.worker.start()
        return True

    def take(self, given: Input, wait_s: float | None = None) -> bool:
        """Queue an input, from any thread; False when the inbox stays full for `wait_s` (None: do not wait)."""
        try:
            self._inbox.put(given, block=wait_s is not None, timeout=wait_s)
        except queue.Full:
            return False
        return True

    def run_between(self, errand: Callable[[Journal], object]) -> None:
        """Run a function that writes the journal, between two inputs and in the loop's thread; from any thread."""
        self._errands.put(errand)

    def go_back(self, match: Match) -> None:
        """Continue an earlier match of the journal in place of the present one; from any thread."""
        self.run_between(lambda _journal: self._exchange(match))

    def stop(self, timeout_s: float = 5.0) -> None:
        """Finish the current input and end the thread."""
        self._stopping.set()
        self.take(Tick(self._now_ms()))
        self.worker.join(timeout_s)

    def publish_all(self) -> None:
        """Publish state and sheet again; call this in the loop's thread or before it starts."""
        self._hidden = self.deleted_players
        self._outlet.publish_state(self._snapshot())
        self._announcer.announce(Announcement(self.match, self._shown()))

    # --- the thread ---

    def _run(self) -> None:
        if (broken := self._in_hand) is not None:  # the thread before this one ended on it
            self._finish(broken, self._refused(broken))
        if self._opening is not None:
            opening, self._opening = self._opening, None
            self._process(opening)
            self.publish_all()
        while not self._stopping.is_set():
            self.worker.rounds += 1
            given = self._held.popleft() if self._held else self._next()
            if given is not None:
                self._process(given)
            if self.deleted_players != self._hidden or self.publish_again:
                self.publish_again = False
                self.publish_all()
            while isinstance(self._journal, Journal) and not self._errands.empty():
                self._guard(self._errands.get(), self._journal)
            if not self.waiting:
                self.worker.blocked = True
                self._journal.settle()
                self.worker.blocked = False

    def _exchange(self, match: Match) -> None:
        self.match = changed(match, next_settings=self.match.next_settings)
        self._digest, self._start = digest(match), (match.start, match.start.model_dump_json())
        self._process(Restarted(self._now_ms()))
        self.publish_all()

    def _shown(self) -> Match:
        return self.match.without_names_of(self._hidden)

    def _snapshot(self) -> Mapping[str, Any]:
        return snapshot(self._shown(), self._now_ms())

    def _next(self) -> Input | None:
        due = deadline(self.match)
        due = due and max(due, self._tick_from_ms)
        wait = BEAT_S if due is None else min(BEAT_S, max(0.0, (due - self._now_ms()) / 1000))
        try:
            return self._inbox.get(timeout=wait) if wait else self._inbox.get_nowait()
        except queue.Empty:
            return Tick(self._now_ms()) if due is not None and self._now_ms() >= due else None

    def _process(self, given: Input) -> None:
        self._in_hand = given
        self._trace("taken", given)
        try:
            judged = self._judged(given, *step(self.match, given))
        except Exception as error:
            self._note("referee", error, given)
            judged = self._refused(given)
        self._trace("stepped", given)
        self._finish(given, judged)

    def _refused(self, given: Input) -> _Judged:
        """Refuse an input on which the rules raised: only the match's message changes."""
        if isinstance(given, Tick):
            self._tick_from_ms = self._now_ms() + TICK_AGAIN_MS
        if isinstance(given, Command):
            self._refuse(given, RefusalCode.INTERNAL_ERROR)
            return self._judged(given, self.match, (), failed=True)
        return self._judged(given, *not_judged(self.match, given), failed=True)

    def _judged(
        self, given: Input, new: Match, events: tuple[Event, ...], *, failed: bool = False
    ) -> _Judged:
        """Encode the record now: no code between the journal and the assignment of `match` may raise."""
        if new.start is not self._start[0]:
            self._start = new.start, new.start.model_dump_json()
        mark, record = digest(new), None
        if mark != self._digest or receipt_of(given) is not None or readings_lost(given) is not None:
            record = as_record(new, given, events, self._setup, mark=mark, start=self._start[1])
        return _Judged(new, events, mark, record, failed)

    def _finish(self, given: Input, judged: _Judged) -> None:
        """Store a judged input, then acknowledge and publish it."""
        before, moved = self.match, judged.mark != self._digest
        if isinstance(given, Command) and given in self._seen and judged.match is not before:
            # The answer is gone by now, but the command was played.
            self._in_hand = None
            self._refuse(given, RefusalCode.STALE)
            return
        receipt = receipt_of(given)
        if judged.record is not None:
            self.storing = True
            if not self._store(judged.record, given):
                self.storing = False
                return
        self.match, self._digest, self._in_hand = judged.match, judged.mark, None
        self.storing = False
        if judged.record is not None and not judged.failed:
            self._seen.observe(given)
        self._trace("stored", given)
        if (
            receipt is not None
            and self.sensor is not None
            and not (isinstance(given, Reading) and given.place)
        ):
            self._guard(self.sensor.acknowledge, receipt)
        news = moved or judged.match.message != before.message
        for event in judged.events:
            if isinstance(event, Answered):
                self._guard(partial(self._outlet.answer, event.role), event.body)
        if news:
            self._guard(lambda _given: self._outlet.publish_state(self._snapshot()), given)
        self._trace("published", given)
        if judged.record is not None:
            self._guard(partial(self.on_stored, judged.record), given)
        self._announcer.announce(Announcement(self.match, self._shown(), judged.events, given, news))
        self._guard(lambda _given: self._show_lamp(), given)
        self._trace("finished", given)
        self.inputs += 1

    def _store(self, record: Record, given: Input) -> bool:
        while True:
            try:
                self.worker.blocked = True
                self._journal.append(record)
                self.worker.blocked = False
            except JournalError as error:
                self.worker.blocked = False
                self.stand_still(error)
                if error.for_good:
                    self._refuse(given)
                if error.for_good or self._stopping.wait(RETRY_S):
                    self._in_hand = None
                    return False
                continue
            if self.trouble is not None:
                self.trouble = None
                log.warning("the journal stores again; the game continues")
                self._report_trouble()
            return True

    def stand_still(self, error: JournalError) -> None:
        """Publish why play is impossible; call this in the loop's thread or before it starts."""
        self.worker.rounds += 1
        if self.trouble is None or self.trouble.message != error.message:
            since_ms = self.trouble.since_ms if self.trouble else self._now_ms()
            self.trouble = Trouble(error.message, error.cure, since_ms)
            log.error("play stands still: %s %s", error.message, error.cure)
            message = {"code": "journal_failed", "args": {"message": error.message, "cure": error.cure}}
            self._guard(
                lambda text: self._outlet.publish_state({**self._snapshot(), "message": text}), message
            )
            self._report_trouble()
        while len(self._held) < QUEUE_LENGTH:
            try:
                waiting = self._inbox.get_nowait()
            except queue.Empty:
                return
            if isinstance(waiting, Command):
                self._refuse(waiting)
            elif not error.for_good:
                self._held.append(waiting)

    def _refuse(self, given: Input, code: RefusalCode = RefusalCode.PAUSED) -> None:
        if isinstance(given, Command):
            body = answer(given.order.id, Problem(code, ""))
            self._guard(partial(self._outlet.answer, given.role), body)

    def _show_lamp(self) -> None:
        if self.sensor is not None and self.sets_lamp:
            self.sensor.show(Lamp.FAULT if self.trouble else Lamp(lamp(self.match)))

    def _report_trouble(self) -> None:
        self._guard(self.on_trouble, self.trouble)
        self._guard(lambda _trouble: self._show_lamp(), self.trouble)

    def _guard(self, function: Callable[[Any], object], argument: object) -> None:
        """Call a function whose exception must not end the referee; journal and next state hold the facts."""
        try:
            function(argument)
        except Exception as error:
            self._note("publisher", error, argument)

    def _note(self, part: str, error: Exception, argument: object) -> None:
        """Log each kind of error once, with its argument, and report every error."""
        kind = f"{part} {type(error).__name__} {error}"
        if kind not in self._known_faults and len(self._known_faults) < QUEUE_LENGTH:
            self._known_faults.add(kind)
            log.exception("refused because of an error in the program: %.1000r", argument)
        self.on_fault(part, error)
