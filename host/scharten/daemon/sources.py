"""Connect the configured sensors with the referee, and the pictures of their cameras with the page."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from pathlib import Path

from scharten.daemon.announcer import Announcer
from scharten.daemon.health import MachineHealth
from scharten.daemon.referee_loop import RefereeLoop
from scharten.dartboard.lines import Lamp
from scharten.dartboard.link import LinkState
from scharten.display.context import NamedPictures, ThrowPictures
from scharten.match.events import Event
from scharten.match.inputs import Input, Reading, Receipt
from scharten.sensors.kinds import SourceSection, make_sensor
from scharten.sensors.sensor import CAMERA, LearnsFromMatch, Sensor, SensorSetup


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The last pictures and throws of the cameras; empty without cameras."""

    pictures: NamedPictures = dict
    throws: ThrowPictures | None = None


@dataclass
class BoardSensors:
    """The sensors of a board, which can restart while the referee runs.

    `stored` returns the last line in the journal: the board resends the lines after it.
    """

    setup: SensorSetup
    source: SourceSection
    referee: RefereeLoop
    stored: Callable[[], LinkState | None]
    stopping: threading.Event = field(default_factory=threading.Event, init=False)
    _taker: Callable[[Reading], object] | None = field(default=None, init=False)
    _running: bool = field(default=False, init=False)
    _rounds: int = field(default=0, init=False)
    _beats: tuple[int | None, ...] = field(default=(), init=False)
    _waiting: int = field(default=0, init=False)

    @property
    def alive(self) -> bool:
        """Whether all threads run, unless they were stopped."""
        return not self._running or all(worker.alive for worker in self._sensor.workers)

    @property
    def beats(self) -> int | None:
        """A number that grows once every thread has worked; None while the referee's inbox is full."""
        if self._waiting or not self._running:
            return None
        beats = tuple(worker.beats for worker in self._sensor.workers)
        if all(now is None or now != before for now, before in zip_longest(beats, self._beats)):
            self._beats, self._rounds = beats, self._rounds + 1
        return self._rounds

    @property
    def error(self) -> Exception | None:
        """The exception that ended a thread."""
        return next((worker.error for worker in self._sensor.workers if worker.error), None)

    def start(self) -> None:
        """Make and start the sensor; `SchartenError` when that is impossible."""
        sensor = make_sensor(replace(self.setup, emit=self._take, stored=self.stored()), self.source)
        self.referee.sensor = sensor
        sensor.start()
        self._running = True

    def restart(self) -> None:
        """Stop the sensor's remains and start a new one."""
        self._sensor.stop(for_good=False)
        self.start()

    def divert(self, taker: Callable[[Reading], object] | None) -> None:
        """Give the board's readings and its lamp to another host's game, or (None) to the referee again."""
        self._taker = taker
        self.referee.sets_lamp = taker is None

    def acknowledge(self, receipt: Receipt) -> None:
        """The other host has a reading."""
        if self.referee.sensor is not None:
            self.referee.sensor.acknowledge(receipt)

    def show(self, lamp: Lamp) -> None:
        """Set the lamp for the other host's game."""
        if self.referee.sensor is not None:
            self.referee.sensor.show(lamp)

    def on_event(self, event: Event) -> None:
        """Pass an event of the match to a sensor that learns from it."""
        if isinstance(self._sensor, LearnsFromMatch):
            self._sensor.on_event(event)

    def look_after(self) -> None:
        """Let the sensor report its state and restart its parts."""
        self._sensor.look_after()

    def release(self) -> None:
        """Release the board's port for the setup wizard."""
        self._running = False
        self._sensor.stop(for_good=False)

    def stop(self, *, for_good: bool) -> None:
        """Stop the sensor, dropping inputs that a full inbox refuses; `for_good` at the end of the evening."""
        self._running = False
        self.stopping.set()
        self._sensor.stop(for_good=for_good)

    def _take(self, given: Input) -> None:
        """Hand an input to the referee, waiting while its inbox is full; a diverted reading to its taker."""
        if self._taker is not None and isinstance(given, Reading):
            self._taker(given)
            return
        self._waiting += 1
        try:
            while not self.referee.take(given, wait_s=1.0) and not self.stopping.is_set():
                pass
        finally:
            self._waiting -= 1

    @property
    def _sensor(self) -> Sensor:
        assert self.referee.sensor is not None
        return self.referee.sensor


def camera_pictures(
    source: SourceSection, folder: Path, announcer: Announcer, health: MachineHealth
) -> LookedAt:
    """With cameras: store the referee's result with each throw, and warn when it contradicts them too often."""
    if CAMERA not in source.kinds:
        return LookedAt()
    from scharten.sensors.corrections import Calibrate, CalibrationReminder  # noqa: PLC0415
    from scharten.sensors.kept_throws import LastPictures, Truths  # noqa: PLC0415  (brings OpenCV, slow to load)
    from scharten.sensors.shown_throws import ShownThrows  # noqa: PLC0415
    from scharten.sensors.throw_files import REPLAYS  # noqa: PLC0415

    def calibrate(found: Calibrate | None) -> None:
        health.set_part("calibrate", found.as_json() if found else None)
        health.set_warning("calibrate", found.words if found else None)

    throws = folder / REPLAYS
    announcer.listeners += [Truths(throws).on_event, CalibrationReminder(throws, calibrate).on_event]
    return LookedAt(LastPictures(source.camera, folder), ShownThrows(throws))
