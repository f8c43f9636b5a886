"""Both sensors on one simulated clock: feed `sensors.combined` with their reports, and judge its readings."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab.both.throws import Throw
from scharten.dartboard.beds import MISS, SURE
from scharten.dartboard.lines import HitLine, HitNotice, KnockLine, Notice, StuckLine
from scharten.dartboard.profile import BoardProfile
from scharten.match.dart import Dart
from scharten.match.inputs import (
    ContactStuck,
    Input,
    Knock,
    News,
    NoDart,
    Observed,
    Reading,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.camera import dart_seen
from scharten.sensors.combined.automaton import (
    on_board,
    on_cameras,
    on_hit_notice,
    on_time,
    on_tracking,
    on_truth,
)
from scharten.sensors.combined.evidence import ContactTable, Timing
from scharten.sensors.combined.state import BothSensors, take_output
from scharten.sensors.sensor import BOARD, CAMERA, dart_of_contact

TICK_MS = 100
RIGHT, ASKED, WRONG, SILENT = "right", "asked", "wrong", "nothing"


@dataclass
class OneClock:
    """Both sensors found, at the time `now` in ms.

    `reported` is what the referee gets, `spent_s` the CPU time of `sensors.combined`, `looking_ms` the time since
    which the cameras have not been covered.
    """

    profile: BoardProfile
    now: int = 1_000_000
    reported: list[Input] = field(default_factory=list)
    spent_s: float = 0.0
    looking_ms: int = 0

    def __post_init__(self) -> None:
        self.state = BothSensors(ContactTable(self.profile), Timing())
        for sensor in (BOARD, CAMERA):
            self.news(sensor, SensorChanged(SensorState.FOUND))
        self.tracking("empty")

    def _apply(self, change: Callable[[BothSensors], BothSensors]) -> None:
        started = time.process_time()
        self.state, out = take_output(change(self.state))
        self.spent_s += time.process_time() - started
        self.reported += out

    def news(self, sensor: str, news: News, receipt: Receipt | None = None) -> None:
        """Pass on a sensor's news about itself."""
        given = SensorNews(self.now, sensor, news, receipt)
        enter = on_board if sensor == BOARD else on_cameras
        self._apply(lambda state: enter(state, given, self.now))

    def tracking(self, state: str) -> None:
        """Pass on the cameras' current state."""
        self._apply(lambda both: on_tracking(both, state, self.now, self.looking_ms))

    def line(self, line: HitLine | KnockLine | StuckLine | Notice, at_ms: int) -> None:
        """Pass on a line of the board about an event at this time."""
        match line:
            case HitLine():
                self.read(BOARD, dart_of_contact(line.contact, self.profile), at_ms, Receipt(1, line.seq))
            case KnockLine():
                self.read(BOARD, Knock(line.peak), at_ms, Receipt(1, line.seq))
            case StuckLine():
                stuck = ContactStuck(line.contact, self.profile.bed(line.contact), line.stuck)
                self.news(BOARD, stuck, Receipt(1, line.seq))
            case Notice(key=key, count=seq) if key in tuple(HitNotice):
                self._apply(lambda state: on_hit_notice(state, Receipt(1, seq), HitNotice(key)))

    def seen(self, reported: dict[str, Any], at_ms: int) -> None:
        """Pass on the cameras' report of a dart."""
        self.read(CAMERA, dart_seen({**reported, "at_ms": at_ms}, self.now).what, at_ms)

    def read(self, sensor: str, what: Observed, at_ms: int, receipt: Receipt | None = None) -> None:
        """Pass on a reading of a sensor."""
        given = Reading(self.now, at_ms, sensor, what, receipt)
        enter = on_board if sensor == BOARD else on_cameras
        self._apply(lambda state: enter(state, given, self.now))

    def run_to(self, at: int) -> None:
        """Let time pass, with the cameras in their present state."""
        while self.now < at:
            self.now = min(at, self.now + TICK_MS)
            self.tracking(self.state.tracking)
            self._apply(lambda state: on_time(state, self.now))

    def answer(self, throw: Throw) -> None:
        """If the throw raised a question, answer it with the truth."""
        if verdict(throw, self.reported) != ASKED:
            return
        last = [
            item.what for item in self.reported if isinstance(item, Reading) and isinstance(item.what, Dart)
        ][-1]
        self._apply(lambda state: on_truth(state, last.contact, throw.truth))


def verdict(throw: Throw, reported: list[Input]) -> str:
    """Return the final verdict on a throw: right, asked about, wrong and sure, or nothing."""
    judged = SILENT
    for given in reported:
        if isinstance(given, Reading) and isinstance(given.what, NoDart) and given.revises:
            judged = RIGHT if throw.seen is None else WRONG
        elif isinstance(given, Reading):
            judged = judge(throw, given.what, judged) or judged
    return RIGHT if judged == SILENT and throw.seen is None else judged


def judge(throw: Throw, what: Observed, before: str = SILENT) -> str:
    """Return one reading's verdict on the throw, or "" if the reading is none."""
    lost = throw.truth in (None, MISS) and throw.seen is not None
    match what:
        case Knock():
            return (RIGHT if lost else WRONG) if before == SILENT else before
        case Dart() if what.bounced:
            return RIGHT if lost else WRONG
        case Dart() if what.confidence < SURE:
            return ASKED
        case Dart():
            bed = what.beds[0][0]
            return RIGHT if bed == throw.truth or (bed == MISS and lost) else WRONG
        case _:
            return ""
