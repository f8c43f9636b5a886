"""A board and cameras as one sensor, on one clock that a test moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scharten.dartboard.profile import BoardProfile
from scharten.match.inputs import (
    Cleared,
    Dart,
    Input,
    Reading,
    Receipt,
    SensorChanged,
    SensorNews,
    SensorState,
)
from scharten.sensors.combined.contacts import ContactTable
from scharten.sensors.combined.moments import Moments
from scharten.sensors.combined.state import Watched, taken
from scharten.sensors.combined.watch import elapsed, from_board, from_cameras, tracked
from scharten.sensors.sensor import dart_of_contact
from sensors.contacts import MEASURED, PROFILE, bed, contact


@dataclass
class Bench:
    """Both sensors on one clock."""

    profile: BoardProfile = PROFILE
    moments: Moments = MEASURED
    watched: Watched = field(init=False)
    now: int = 1_000_000
    number: int = 0
    looking_ms: int = 0
    told: list[Input] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.watched = Watched(ContactTable(self.profile), self.moments)
        self.board_is(SensorState.FOUND)
        self.cameras_are(SensorState.FOUND)
        self.track("empty")
        self.told.clear()

    def _then(self, watched: Watched) -> None:
        self.watched, told = taken(watched)
        self.told += told

    def board_is(self, state: SensorState) -> None:
        self._then(from_board(self.watched, SensorNews(self.now, "board", SensorChanged(state)), self.now))

    def cameras_are(self, state: SensorState) -> None:
        self._then(from_cameras(self.watched, SensorNews(self.now, "camera", SensorChanged(state)), self.now))

    def track(self, state: str) -> None:
        self._then(tracked(self.watched, state, self.now, self.looking_ms))

    def board(self, what: Any) -> None:
        """Something on the board now, on the next numbered line."""
        self.number += 1
        given = Reading(self.now, self.now, "board", what, Receipt(1, self.number))
        self._then(from_board(self.watched, given, self.now))

    def hit(self, name: str) -> None:
        self.board(dart_of_contact(contact(name, self.profile), self.profile))

    def see(
        self, *beds: tuple[str, float], ago: int, at: tuple[float, float] | None = (5.0, 5.0), **more: Any
    ) -> None:
        """Cameras tell of a dart that came `ago` ms before."""
        x, y = at or (None, None)
        dart = Dart(tuple((bed(name), share) for name, share in beds), x, y, **more)
        self._then(from_cameras(self.watched, Reading(self.now, self.now - ago, "camera", dart), self.now))

    def empty(self) -> None:
        self._then(from_cameras(self.watched, Reading(self.now, self.now, "camera", Cleared()), self.now))

    def wait(self, ms: int) -> None:
        """Time passes; the cameras look on."""
        for _ in range(ms // 100):
            self.now += 100
            self.track(self.watched.tracking)
            self._then(elapsed(self.watched, self.now))

    @property
    def readings(self) -> list[Reading]:
        return [each for each in self.told if isinstance(each, Reading)]

    @property
    def last(self) -> Dart:
        what = self.readings[-1].what
        assert isinstance(what, Dart)
        return what

    @property
    def states(self) -> list[tuple[str, SensorState]]:
        news = [each for each in self.told if isinstance(each, SensorNews)]
        return [(each.sensor, each.news.state) for each in news if isinstance(each.news, SensorChanged)]
