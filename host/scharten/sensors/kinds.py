"""The kinds of sensors, by the name that `[source] kind` gives them."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from scharten.sensors.granboard import GranBoardSensor
from scharten.sensors.sensor import Sensor, SensorSetup
from scharten.sensors.serial import SerialSensor
from scharten.sensors.simulator.sensor import SimulatedSensor


def _cameras(setup: SensorSetup) -> Sensor:
    from scharten.sensors.camera import CameraSensor  # noqa: PLC0415  (only cameras need OpenCV, slow to load)

    return CameraSensor(setup)


KINDS: Mapping[str, Callable[[SensorSetup], Sensor]] = {
    "simulated": SimulatedSensor,
    "serial": SerialSensor,
    "camera": _cameras,
    "granboard": GranBoardSensor,
}
