"""Where darts come from, wired to the referee: the configured sensors, and what people may look at of their cameras."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from scharten.config import Config
from scharten.dartboard.link import LinkState
from scharten.display.camera_pictures import NamedPictures, ThrowPictures
from scharten.match.inputs import Input
from scharten.referee_loop import RefereeLoop
from scharten.sensors.kinds import maker
from scharten.sensors.sensor import CameraSettings, LearnsFromMatch, LightListener, Sensor, SensorSetup


@dataclass(frozen=True, slots=True)
class LookedAt:
    """The last pictures of the cameras, and their throws; none without cameras."""

    pictures: NamedPictures = dict
    throws: ThrowPictures | None = None


@dataclass(frozen=True, slots=True)
class StartedSensors:
    """A sensor that runs; `stopping` set: what no longer fits the referee's inbox is dropped."""

    sensor: Sensor
    looked_at: LookedAt
    stopping: threading.Event

    def stop(self, *, for_good: bool) -> None:
        """End the sensor; `for_good` when the evening is over."""
        self.stopping.set()
        self.sensor.stop(for_good=for_good)


def start_sensors(
    config: Config,
    folder: Path,
    referee: RefereeLoop,
    *,
    report: Callable[[str, object], None],
    now_ms: Callable[[], int],
    stored: LinkState | None,
    endpoint: Mapping[str, object],
    on_light: Callable[[LightListener], object],
    warn: Callable[[str, str | None], object],
) -> StartedSensors:
    """Start what the configuration names, for this referee; `SchartenError` when it cannot be made."""
    source, stopping = config.source, threading.Event()

    def take(given: Input) -> None:
        """Hand an input to the referee; the sensor waits as long as its inbox is full."""
        while not referee.take(given, wait_s=1.0) and not stopping.is_set():
            pass

    cameras = CameraSettings(data=str(folder), replays="replays", **source.camera.model_dump())
    setup = SensorSetup(
        folder=folder,
        profile=config.board.profile,
        port=source.serial.port,
        baud=source.serial.baud,
        granboard=source.granboard,
        cameras=cameras,
        emit=take,
        report=report,
        now_ms=now_ms,
        stored=stored,
        endpoint=endpoint,
        on_light=on_light,
    )
    referee.sensor = sensor = maker(source.kinds)(setup)
    if isinstance(sensor, LearnsFromMatch):
        referee.subscribers.append(sensor.hear)
    looked_at = _looked_at(cameras, referee, report, warn) if "camera" in source.kinds else LookedAt()
    sensor.start()
    return StartedSensors(sensor, looked_at, stopping)


def _looked_at(
    cameras: CameraSettings,
    referee: RefereeLoop,
    report: Callable[[str, object], None],
    warn: Callable[[str, str | None], object],
) -> LookedAt:
    """With cameras: what the match's events say is kept with a throw, and said when it is too often against it."""
    from scharten.sensors.corrections import Calibrate, CalibrationReminder  # noqa: PLC0415
    from scharten.sensors.kept_throws import LastPictures, Truths  # noqa: PLC0415  (brings OpenCV, slow to load)
    from scharten.sensors.shown_throws import ShownThrows  # noqa: PLC0415

    def calibrate(found: Calibrate | None) -> None:
        report("calibrate", found.as_json() if found else None)
        warn("calibrate", found.words if found else None)

    folder = Path(cameras.data) / cameras.replays
    referee.subscribers += [Truths(folder).hear, CalibrationReminder(folder, calibrate).hear]
    return LookedAt(LastPictures(cameras), ShownThrows(folder))
