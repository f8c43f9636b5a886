"""Both sensors on one simulated clock: what the judge of `sensors.combined` tells of what they say, and what became."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from lab.both.throws import Throw
from scharten.dartboard.beds import MISS, SURE
from scharten.dartboard.lines import HitLine, HitNotice, KnockLine, Notice, StuckLine
from scharten.dartboard.profile import BoardProfile
from scharten.match.inputs import (
    ContactStuck,
    Dart,
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
from scharten.sensors.combined.beside import hit_noticed
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.moments import Moments
from scharten.sensors.combined.state import Watched, taken
from scharten.sensors.combined.watch import (
    elapsed,
    from_board,
    from_cameras,
    told_by_person,
    tracked,
)
from scharten.sensors.sensor import BOARD, CAMERA, dart_of_contact

TICK_MS = 100
RIGHT, ASKED, WRONG, SILENT = "right", "asked", "wrong", "nothing"


@dataclass
class OneClock:
    """Both sensors found, at the time `now` in ms; `told` is what the referee hears, `spent_s` the judge's CPU time.

    `looking_ms`: since when the cameras have not been covered.
    """

    profile: BoardProfile
    now: int = 1_000_000
    told: list[Input] = field(default_factory=list)
    spent_s: float = 0.0
    looking_ms: int = 0

    def __post_init__(self) -> None:
        self.watched = Watched(ContactTable(self.profile), Moments())
        for sensor in (BOARD, CAMERA):
            self.news(sensor, SensorChanged(SensorState.FOUND))
        self.tracking("empty")

    def _then(self, change: Callable[[Watched], Watched]) -> None:
        started = time.process_time()
        self.watched, out = taken(change(self.watched))
        self.spent_s += time.process_time() - started
        self.told += out

    def news(self, sensor: str, news: News, receipt: Receipt | None = None) -> None:
        """What a sensor says about itself."""
        given = SensorNews(self.now, sensor, news, receipt)
        enter = from_board if sensor == BOARD else from_cameras
        self._then(lambda watched: enter(watched, given, self.now))

    def tracking(self, state: str) -> None:
        """What the cameras see just now."""
        self._then(lambda watched: tracked(watched, state, self.now, self.looking_ms))

    def line(self, line: HitLine | KnockLine | StuckLine | Notice, at_ms: int) -> None:
        """A line of the board, of something that happened at this time."""
        match line:
            case HitLine():
                self.read(BOARD, dart_of_contact(line.contact, self.profile), at_ms, Receipt(1, line.seq))
            case KnockLine():
                self.read(BOARD, Knock(line.peak), at_ms, Receipt(1, line.seq))
            case StuckLine():
                stuck = ContactStuck(line.contact, self.profile.bed(line.contact), line.stuck)
                self.news(BOARD, stuck, Receipt(1, line.seq))
            case Notice(key=key, count=seq) if key in tuple(HitNotice):
                self._then(lambda watched: hit_noticed(watched, Receipt(1, seq), HitNotice(key)))

    def seen(self, told: dict[str, Any], at_ms: int) -> None:
        """A dart that the cameras tell."""
        self.read(CAMERA, dart_seen({**told, "at_ms": at_ms}, self.now).what, at_ms)

    def read(self, sensor: str, what: Observed, at_ms: int, receipt: Receipt | None = None) -> None:
        """A reading of a sensor."""
        given = Reading(self.now, at_ms, sensor, what, receipt)
        enter = from_board if sensor == BOARD else from_cameras
        self._then(lambda watched: enter(watched, given, self.now))

    def run_to(self, at: int) -> None:
        """Time passes; the cameras look on."""
        while self.now < at:
            self.now = min(at, self.now + TICK_MS)
            self.tracking(self.watched.tracking)
            self._then(lambda watched: elapsed(watched, self.now))

    def answer(self, throw: Throw) -> None:
        """Whoever is asked says how it was."""
        if verdict(throw, self.told) != ASKED:
            return
        last = [each.what for each in self.told if isinstance(each, Reading) and isinstance(each.what, Dart)][
            -1
        ]
        self._then(lambda watched: told_by_person(watched, last.contact, throw.truth))


def verdict(throw: Throw, told: list[Input]) -> str:
    """How a throw was judged in the end: right, asked about, wrong and sure, or not at all."""
    judged = SILENT
    for given in told:
        if isinstance(given, Reading) and isinstance(given.what, NoDart) and given.revises:
            judged = RIGHT if throw.seen is None else WRONG
        elif isinstance(given, Reading):
            judged = judge(throw, given.what, judged) or judged
    return RIGHT if judged == SILENT and throw.seen is None else judged


def judge(throw: Throw, what: Observed, before: str = SILENT) -> str:
    """How one reading judges it; "" where it says nothing."""
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
