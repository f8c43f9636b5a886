"""The kinds of sensors, by the name that `[source] kind` gives them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

from scharten.sensors.granboard import GranBoardSensor
from scharten.sensors.sensor import BOARD, CAMERA, GRANBOARD, Sensor, SensorSetup
from scharten.sensors.serial import SerialSensor
from scharten.sensors.simulator.sensor import SimulatedSensor


def _cameras(setup: SensorSetup) -> Sensor:
    from scharten.sensors.camera import CameraSensor  # noqa: PLC0415  (only cameras need OpenCV, slow to load)

    return CameraSensor(setup)


def _cameras_beside(make_board: Callable[[SensorSetup], Sensor]) -> Callable[[SensorSetup], Sensor]:
    def made(setup: SensorSetup) -> Sensor:
        from scharten.sensors.combined.sensor import CombinedSensor  # noqa: PLC0415  (as above)

        return CombinedSensor(setup, make_board)

    return made


KINDS: Mapping[str, Callable[[SensorSetup], Sensor]] = {
    "simulated": SimulatedSensor,
    "serial": SerialSensor,
    "camera": _cameras,
    "granboard": GranBoardSensor,
}


def maker(kinds: Collection[str]) -> Callable[[SensorSetup], Sensor]:
    """Who makes the sensor of one kind, or of a board and cameras together."""
    boards = [kind for kind in kinds if kind != "camera"]
    if not boards:
        return _cameras
    return _cameras_beside(KINDS[boards[0]]) if "camera" in kinds else KINDS[boards[0]]


def names(kinds: Collection[str]) -> dict[str, tuple[str, ...]]:
    """By kind, what a sensor of that kind calls itself in readings."""
    return {kind: (CAMERA,) if kind == "camera" else (BOARD, GRANBOARD) for kind in kinds}
