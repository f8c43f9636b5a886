"""The kinds of sensors: one table, and each is what the daemon asks of any of them."""

import inspect
from typing import get_args

import pytest

from scharten.config import SensorKind
from scharten.sensors.camera import CameraSensor
from scharten.sensors.combined.sensor import CombinedSensor
from scharten.sensors.granboard import GranBoardSensor
from scharten.sensors.kinds import KINDS
from scharten.sensors.sensor import Sensor
from scharten.sensors.serial import SerialSensor
from scharten.sensors.simulator.sensor import SimulatedSensor


def test_every_kind_that_can_be_configured_has_a_maker() -> None:
    """`[source] kind` and the table name the same sensors."""
    assert set(get_args(SensorKind)) == set(KINDS)


MADE = [SerialSensor, SimulatedSensor, CameraSensor, GranBoardSensor, CombinedSensor]


@pytest.mark.parametrize("made", MADE)
def test_each_sensor_answers_to_the_whole_protocol(made: type) -> None:
    """Start, acknowledge, show, look after and stop, with the protocol's own parameters."""
    asked = [name for name, member in vars(Sensor).items() if inspect.isfunction(member) and name[0] != "_"]
    assert len(asked) == 5
    for name in asked:
        wanted, has = (inspect.signature(getattr(of, name)) for of in (Sensor, made))
        assert list(wanted.parameters) == list(has.parameters)
