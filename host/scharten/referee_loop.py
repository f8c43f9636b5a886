"""One bounded queue of inputs, one thread: step, store, and only then acknowledge and publish.

While the journal cannot store, play stands still: the input at hand is kept and tried again, commands are refused
with the reason, lines of the board wait unacknowledged (the board keeps them), and the display says why.
"""

from __future__ import annotations

import contextlib
import json
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol

from scharten.contract.caller import call
from scharten.contract.score_sheet import sheet
from scharten.contract.snapshot import snapshot
from scharten.dartboard.lines import Lamp
from scharten.game.basics import Side
from scharten.journal.journal import JournalError, Record
from scharten.match.codec import encode_event, encode_input
from scharten.match.codes import RefusalCode
from scharten.match.digest import digest
from scharten.match.events import Answered, Event, HitReport
from scharten.match.inputs import Command, Input, ReadingsLost, SensorNews, Tick, receipt_of
from scharten.match.referee import deadline, lamp, step
from scharten.match.seen import SeenCommands
from scharten.match.settings import MatchSettings
from scharten.match.state import Match
from scharten.sensors.sensor import Sensor, log_line

log = logging.getLogger(__name__)

QUEUE_LENGTH = 256
RETRY_S = 0.5
BEAT_S = 1.0
ASIDE_S = 0.004
"""How long the referee stands aside when a state is out: broker and page's server share its interpreter."""


class JournalWriter(Protocol):
    """What the loop asks of the journal."""

    def append(self, record: Record) -> int:
        """Store one step durably or raise `JournalError`."""
        ...

    def settle(self) -> None:
        """Do what can wait until no input does."""
        ...


class Outlet(Protocol):
    """Where results go; none of these may wait."""

    def publish_state(self, snapshot: Mapping[str, Any]) -> object:
        """The whole snapshot."""
        ...

    def publish_sheet(self, sheet: Mapping[str, Any]) -> object:
        """The whole score sheet."""
        ...

    def publish_event(self, event: Mapping[str, Any]) -> object:
        """Something happened."""
        ...

    def publish_hit(self, hit: Mapping[str, Any]) -> object:
        """A dart was read."""
        ...

    def publish_said(self, said: Mapping[str, Any]) -> object:
        """The caller says something."""
        ...

    def answer(self, role: str, answer: Mapping[str, Any]) -> object:
        """The answer to a command."""
        ...


@dataclass(frozen=True, slots=True)
class Trouble:
    """Why play stands still, in words, and since when."""

    message: str
    cure: str
    since_ms: int


class InputObserver(Protocol):
    """Who keeps the health of the machine."""

    def observe(self, given: Input) -> None:
        """An input was accepted."""
        ...

    def read(self, reading: Mapping[str, Any]) -> None:
        """A dart was read."""
        ...

    def set_trouble(self, trouble: Trouble | None) -> None:
        """Play stands still, or goes on."""
        ...


class RefereeLoop:
    """The referee's thread and the only owner of the match."""

    def __init__(
        self,
        match: Match,
        journal: JournalWriter,
        outlet: Outlet,
        now_ms: Callable[[], int],
        *,
        settings: MatchSettings | None = None,
        sensor: Sensor | None = None,
        health: InputObserver | None = None,
        seen: SeenCommands | None = None,
        trace: Callable[[str, Input], None] | None = None,
    ) -> None:
        self.match = match
        self.trouble: Trouble | None = None
        self.beats = 0
        self.inputs = 0
        self._journal, self._outlet = journal, outlet
        self.sensor = sensor
        self._now_ms, self._health, self._seen = now_ms, health, seen or SeenCommands()
        self._settings = settings or match.start.settings
        self._setup = f"setup-{now_ms()}"
        self._trace = trace or (lambda stage, given: None)
        self.subscribers: list[Callable[[Event], object]] = []
        """Hear each event once it is published; must not wait."""
        self.gone = self._hidden = frozenset[str]()
        """Deleted players, whose names are not told; set from any thread."""
        self._inbox: queue.Queue[Input | None] = queue.Queue(QUEUE_LENGTH)
        self._held: deque[Input] = deque(maxlen=QUEUE_LENGTH)
        self._sheet: Mapping[str, Any] = {}
        self._digest = digest(match)
        self._start = match.start, match.start.model_dump_json()
        self._thread = threading.Thread(target=self._run, name="referee", daemon=True)
        self._stopping = threading.Event()
        self._opening: Input | None = None

    @property
    def waiting(self) -> int:
        """How many inputs wait for the referee."""
        return self._inbox.qsize() + len(self._held)

    def start(self, opening: Input | None = None) -> None:
        """Begin; `opening` is judged before anything is published, then what was taken in meanwhile."""
        self._opening = opening
        self._thread.start()

    def take(self, given: Input, wait_s: float | None = None) -> bool:
        """Hand an input in from any thread; False when the inbox stayed full for `wait_s` (None: no waiting)."""
        try:
            self._inbox.put(given, block=wait_s is not None, timeout=wait_s)
        except queue.Full:
            return False
        return True

    def stop(self, timeout_s: float = 5.0) -> None:
        """Finish the input at hand and end the thread."""
        self._stopping.set()
        self.take(Tick(self._now_ms()))
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def publish_all(self) -> None:
        """Say the present state and the sheet once more; from the loop's own thread or before it starts."""
        self._hidden = self.gone
        self._outlet.publish_state(self._snapshot())
        self._sheet = sheet(self.match.without_names_of(self._hidden))
        self._outlet.publish_sheet(self._sheet)

    # --- the thread ---

    def _run(self) -> None:
        if self._opening is not None:
            self._process(self._opening)
            self.publish_all()
        while not self._stopping.is_set():
            self.beats += 1
            given = self._held.popleft() if self._held else self._next()
            if given is not None:
                self._process(given)
            if self.gone != self._hidden:
                self.publish_all()
            if not self.waiting:
                self._journal.settle()

    def _snapshot(self) -> Mapping[str, Any]:
        return snapshot(self.match.without_names_of(self._hidden), self._now_ms())

    def _next(self) -> Input | None:
        due = deadline(self.match)
        wait = BEAT_S if due is None else min(BEAT_S, max(0.0, (due - self._now_ms()) / 1000))
        try:
            return self._inbox.get(timeout=wait) if wait else self._inbox.get_nowait()
        except queue.Empty:
            return Tick(self._now_ms()) if due is not None and self._now_ms() >= due else None

    def _process(self, given: Input) -> None:
        self._trace("taken", given)
        after, events = step(self.match, given)
        if after.id != self.match.id and after.start.settings != self._settings:
            # A game begins after the configuration was changed: it begins with what is configured now.
            after, events = step(_reconfigured(self.match, self._settings), given)
        self._trace("stepped", given)
        if isinstance(given, Command) and given in self._seen and after is not self.match:
            self._refuse(
                given, RefusalCode.STALE
            )  # its answer is forgotten by now, that it was played is not
            return
        receipt = receipt_of(given)
        mark = digest(after)
        changed = mark != self._digest
        kept = changed or receipt is not None or _lost(given) is not None
        if kept and not self._store(after, given, events, mark):
            return
        if kept:
            self._seen.observe(given)
        self._trace("stored", given)
        before, self.match, self._digest = self.match, after, mark
        if receipt is not None and self.sensor is not None:
            self.sensor.acknowledge(receipt)
        news = changed or after.message != before.message
        self._tell_first(events, news)
        self._trace("published", given)
        if news:
            self._stand_aside()
        self._tell_rest(events, news)
        if self._health is not None:
            self._health.observe(given)
        if (line_of_the_log := log_line(given)) is not None:
            log.log(*line_of_the_log)
        self._trace("finished", given)
        self.inputs += 1

    def _store(self, after: Match, given: Input, events: tuple[Event, ...], mark: str) -> bool:
        if after.start is not self._start[0]:
            self._start = after.start, after.start.model_dump_json()
        record = as_record(after, given, events, self._setup, mark=mark, start=self._start[1])
        while True:
            try:
                self._journal.append(record)
            except JournalError as error:
                self.stand_still(error)
                if error.for_good:
                    self._refuse(given)
                if error.for_good or self._stopping.wait(RETRY_S):
                    return False
                continue
            if self.trouble is not None:
                self.trouble = None
                log.warning("the journal stores again; the game goes on")
                self._tell_trouble()
            return True

    def stand_still(self, error: JournalError) -> None:
        """Say why nothing is played; from the loop's own thread or before it starts."""
        self.beats += 1
        if (
            self.trouble is None or self.trouble.message != error.message
        ):  # another reason, such as a full disk
            since_ms = self._now_ms() if self.trouble is None else self.trouble.since_ms
            self.trouble = Trouble(error.message, error.cure, since_ms)
            log.error("play stands still: %s %s", error.message, error.cure)
            words = {"code": "journal_failed", "args": {"message": error.message, "cure": error.cure}}
            self._outlet.publish_state({**self._snapshot(), "message": words})
            self._tell_trouble()
        while not self._held or len(self._held) < QUEUE_LENGTH:
            try:
                waiting = self._inbox.get_nowait()
            except queue.Empty:
                return
            if isinstance(waiting, Command):
                self._refuse(waiting)
            elif waiting is not None and not error.for_good:
                self._held.append(waiting)

    def _refuse(self, given: Input, code: RefusalCode = RefusalCode.PAUSED) -> None:
        if isinstance(given, Command):
            said = {"v": 2, "id": given.order.id, "accepted": False, "code": code}
            self._outlet.answer(given.role, said)

    def _read(self, reading: Mapping[str, Any]) -> None:
        self._outlet.publish_hit(reading)
        if self._health is not None:
            self._health.read(reading)

    def _show_lamp(self) -> None:
        if self.sensor is not None:
            self.sensor.show(Lamp.FAULT if self.trouble else Lamp(lamp(self.match)))

    def _tell_trouble(self) -> None:
        if self._health is not None:
            self._health.set_trouble(self.trouble)
        self._show_lamp()

    def _tell_first(self, events: tuple[Event, ...], changed: bool) -> None:
        """What people wait for: the answer, and the state that everything is drawn from."""
        for event in events:
            if isinstance(event, Answered):
                self._outlet.answer(event.role, event.body)
        if changed:
            self._outlet.publish_state(self._snapshot())

    def _stand_aside(self) -> None:
        """Lets the threads that carry the state go first; an input that waits, or comes meanwhile, ends it."""
        if self._held or not self._thread.is_alive():
            return
        with contextlib.suppress(queue.Empty):
            waiting = self._inbox.get(timeout=ASIDE_S)
            if waiting is not None:
                self._held.append(waiting)

    def _tell_rest(self, events: tuple[Event, ...], changed: bool) -> None:
        for event in events:
            if isinstance(event, HitReport):
                self._read(encode_event(event))
            elif not isinstance(event, Answered):
                self._outlet.publish_event(encode_event(event))
            for hear in self.subscribers:
                hear(event)
        self._show_lamp()
        if (said := call(self.match, events)) is not None:
            self._outlet.publish_said(said)
        if changed:
            written = sheet(self.match.without_names_of(self._hidden))
            if written != self._sheet:
                self._sheet = written
                self._outlet.publish_sheet(written)


def _reconfigured(match: Match, settings: MatchSettings) -> Match:
    return replace(match, start=match.start.model_copy(update={"settings": settings}))


def as_record(
    after: Match, given: Input, events: tuple[Event, ...], setup: str, *, mark: str, start: str
) -> Record:
    """What the journal keeps of one step: `mark` is the digest of `after`, `start` its beginning as JSON.

    `setup` names what comes before a first game.
    """
    receipt, lost = receipt_of(given), _lost(given)
    return Record(
        match=after.id or setup,
        t_ms=given.t_ms,
        body=_text(encode_input(given)),
        events=_text([encode_event(event) for event in events]),
        digest=mark,
        start=start,
        summary=_text(summary(after)),
        line=(receipt.session, receipt.number) if receipt else None,
        dropped=lost.total if lost else None,
    )


def _lost(given: Input) -> ReadingsLost | None:
    return given.news if isinstance(given, SensorNews) and isinstance(given.news, ReadingsLost) else None


def summary(match: Match) -> dict[str, Any]:
    """What a list of games shows of a match."""
    names = {side.word: match.name_of(side) for side in Side}
    players = {side.word: match.player_of(side) for side in Side if match.player_of(side)}
    ended = {"phase": match.phase.name, "result": match.result, "reason": match.reason}
    return {
        "game": match.game.key,
        "kind": match.options.kind,
        "names": names,
        **({"players": players} if players else {}),
        **ended,
        "turns": len(match.turns),
    }


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
