"""Test bench: a board and cameras as one combined sensor, on a clock that the test moves."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from scharten.dartboard.profile import BoardProfile
from scharten.match.dart import Dart
from scharten.match.inputs import Cleared, Input, Reading, Receipt, SensorChanged, SensorNews, SensorState
from scharten.sensors.combined.automaton import on_board, on_cameras, on_time, on_tracking
from scharten.sensors.combined.evidence import ContactTable, Timing
from scharten.sensors.combined.state import BothSensors, take_output
from scharten.sensors.sensor import dart_of_contact
from sensors.contacts import MEASURED, PROFILE, bed, contact


@dataclass
class Bench:
    """Both sensors on one clock; `inputs` collects what the referee gets."""

    profile: BoardProfile = PROFILE
    timing: Timing = MEASURED
    state: BothSensors = field(init=False)
    now: int = 1_000_000
    number: int = 0
    looking_ms: int = 0
    inputs: list[Input] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.state = BothSensors(ContactTable(self.profile), self.timing)
        self.set_board_state(SensorState.FOUND)
        self.set_cameras_state(SensorState.FOUND)
        self.track("empty")
        self.inputs.clear()

    def apply(self, state: BothSensors) -> None:
        self.state, inputs = take_output(state)
        self.inputs += inputs

    def set_board_state(self, state: SensorState) -> None:
        self.apply(on_board(self.state, SensorNews(self.now, "board", SensorChanged(state)), self.now))

    def set_cameras_state(self, state: SensorState) -> None:
        self.apply(on_cameras(self.state, SensorNews(self.now, "camera", SensorChanged(state)), self.now))

    def track(self, state: str) -> None:
        self.apply(on_tracking(self.state, state, self.now, self.looking_ms))

    def send_from_board(self, what: Any) -> None:
        """Send a reading of the board that happened now, on the next numbered line."""
        self.number += 1
        given = Reading(self.now, self.now, "board", what, Receipt(1, self.number))
        self.apply(on_board(self.state, given, self.now))

    def hit(self, name: str) -> None:
        self.send_from_board(dart_of_contact(contact(name, self.profile), self.profile))

    def see(
        self, *beds: tuple[str, float], ago: int, at: tuple[float, float] | None = (5.0, 5.0), **more: Any
    ) -> None:
        """Send the cameras' reading of a dart that came `ago` ms before now."""
        x, y = at or (None, None)
        dart = Dart(tuple((bed(name), share) for name, share in beds), x, y, **more)
        self.apply(on_cameras(self.state, Reading(self.now, self.now - ago, "camera", dart), self.now))

    def empty(self) -> None:
        self.apply(on_cameras(self.state, Reading(self.now, self.now, "camera", Cleared()), self.now))

    def wait(self, ms: int) -> None:
        """Let time pass in steps of 100 ms; the cameras keep their tracking state."""
        for _ in range(ms // 100):
            self.now += 100
            self.track(self.state.tracking)
            self.apply(on_time(self.state, self.now))

    @property
    def readings(self) -> list[Reading]:
        return [given for given in self.inputs if isinstance(given, Reading)]

    @property
    def last(self) -> Dart:
        what = self.readings[-1].what
        assert isinstance(what, Dart)
        return what

    @property
    def states(self) -> list[tuple[str, SensorState]]:
        news = [given for given in self.inputs if isinstance(given, SensorNews)]
        return [(given.sensor, given.news.state) for given in news if isinstance(given.news, SensorChanged)]
