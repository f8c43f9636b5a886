"""The table of sensor kinds: configuration, set-up page, doctor and daemon take their lists from it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, model_validator

from scharten.errors import Problem
from scharten.sensors.sensor import BOARD, CAMERA, GRANBOARD, Sensor, SensorSetup
from scharten.sensors.settings import CameraSection, GranBoardAddress, SensorSettings, SerialSection


def _serial(setup: SensorSetup, settings: SerialSection) -> Sensor:
    from scharten.sensors.serial import SerialSensor

    return SerialSensor(setup, settings)


def _cameras(setup: SensorSetup, settings: CameraSection) -> Sensor:
    from scharten.sensors.camera import CameraSensor  # OpenCV is slow to load

    return CameraSensor(setup, settings)


def _granboard(setup: SensorSetup, settings: GranBoardAddress) -> Sensor:
    from scharten.sensors.granboard import GranBoardSensor

    return GranBoardSensor(setup, settings)


def _no_bluetooth() -> Problem | None:
    from scharten.sensors.granboard import missing_library

    return missing_library()


def _simulated(setup: SensorSetup, _settings: None) -> Sensor:
    from scharten.sensors.simulator.sensor import SimulatedSensor

    return SimulatedSensor(setup)


@dataclass(frozen=True)
class Kind:
    """How a kind of sensor is configured and made.

    `settings` is the type of `[source] <kind>`; `missing` tests them and returns what they lack. `unusable` returns
    what this machine lacks. `on_line`: the board speaks Scharten's serial line. `beside_cameras`: the set-up page
    offers it together with cameras.
    """

    make: Callable[[SensorSetup, Any], Sensor]
    settings: type[BaseModel] | None = None
    missing: Callable[[Any], str] = lambda _settings: ""
    unusable: Callable[[], Problem | None] = lambda: None
    on_line: bool = False
    beside_cameras: bool = False


KINDS: Mapping[str, Kind] = {
    "serial": Kind(
        _serial,
        SerialSection,
        lambda settings: "" if settings.port else "kind is 'serial' but [source.serial] names no port",
        on_line=True,
        beside_cameras=True,
    ),
    CAMERA: Kind(
        _cameras,
        CameraSection,
        lambda settings: "" if settings.devices else "kind is 'camera' but [source.camera] names no devices",
    ),
    "granboard": Kind(_granboard, GranBoardAddress, unusable=_no_bluetooth),
    "simulated": Kind(_simulated, on_line=True),
}


def reading_names(kinds: Collection[str]) -> dict[str, tuple[str, ...]]:
    """The names that the sensors of each kind have in readings."""
    return {kind: (CAMERA,) if kind == CAMERA else (BOARD, GRANBOARD) for kind in kinds}


def selectable() -> list[str | list[str]]:
    """The values of `[source] kind` that the set-up page offers, in its order."""
    offered: list[str | list[str]] = []
    for name in KINDS:
        offered.append(name)
        if name == CAMERA:
            offered += [[board, CAMERA] for board, kind in KINDS.items() if kind.beside_cameras]
    return offered


_Name: Any = Literal[tuple(KINDS)]


class SourceSection(SensorSettings):
    """Where darts come from; a configured source that is missing is shown as missing, never replaced."""

    kind: _Name | tuple[_Name, ...] = "simulated"  # made from the table
    serial: SerialSection = SerialSection()
    camera: CameraSection = CameraSection()
    granboard: GranBoardAddress = GranBoardAddress()

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of sensors, one or two."""
        return (self.kind,) if isinstance(self.kind, str) else self.kind

    @property
    def on_line(self) -> bool:
        """Whether a board speaks Scharten's serial line."""
        return any(KINDS[kind].on_line for kind in self.kinds)

    def unusable(self) -> Problem | None:
        """The first thing that this machine lacks for these sensors, or None."""
        return next((lack for kind in self.kinds if (lack := KINDS[kind].unusable())), None)

    def settings(self, kind: str) -> object:
        """The settings of a kind, or None: it has none."""
        return getattr(self, kind) if KINDS[kind].settings else None

    @model_validator(mode="after")
    def _complete(self) -> SourceSection:
        kinds = self.kinds
        if not kinds:
            raise ValueError("kind names no sensor: use one, or a list such as ['serial', 'camera']")
        if twice := [kind for kind in kinds if kinds.count(kind) > 1]:
            raise ValueError(f"kind names {twice[0]!r} twice")
        if len(kinds) > 2 or (len(kinds) == 2 and CAMERA not in kinds):
            raise ValueError(f"kind joins one board and 'camera', not {' and '.join(map(repr, kinds))}")
        for kind in kinds:
            if missing := KINDS[kind].missing(self.settings(kind)):
                raise ValueError(missing)
        return self


def make_sensor(setup: SensorSetup, source: SourceSection) -> Sensor:
    """Make the configured sensor, or a board and cameras as one; `SchartenError` when that fails."""
    boards = [kind for kind in source.kinds if kind != CAMERA]
    if not boards:
        return _cameras(setup, source.camera)
    board, settings = KINDS[boards[0]], source.settings(boards[0])
    if CAMERA not in source.kinds:
        return board.make(setup, settings)
    from scharten.sensors.combined.sensor import CombinedSensor

    return CombinedSensor(setup, lambda own: board.make(own, settings), source.camera)
