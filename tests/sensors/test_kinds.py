"""The table of sensor kinds: its texts, its settings, and the sensor that each kind makes."""

import inspect
from pathlib import Path

import pytest
from pydantic import ValidationError

from scharten.sensors.camera import CameraSensor
from scharten.sensors.combined.sensor import CombinedSensor
from scharten.sensors.granboard import GranBoardSensor
from scharten.sensors.kinds import KINDS, SourceSection, make_sensor, selectable
from scharten.sensors.sensor import Sensor, SensorSetup
from scharten.sensors.serial import SerialSensor
from scharten.sensors.simulator.sensor import SimulatedSensor
from scharten.words import texts


def test_every_kind_has_its_texts() -> None:
    """The status page, `doctor` and the set-up page have a text for each kind of sensor."""
    keys = [f"{group}.{name}" for name in KINDS for group in ("status.source", "setup.kind")]
    assert [
        key for key in (*keys, *(f"setup.kind.{name}.help" for name in KINDS)) if key not in texts("en")
    ] == []


def test_configuration_and_page_take_their_lists_from_the_table() -> None:
    """`[source] kind` accepts the table's names, each with its settings. The page offers them all; another name is
    refused."""
    for name, kind in KINDS.items():
        if kind.settings:
            assert SourceSection.model_fields[name].annotation is kind.settings
        section = SourceSection(kind=name, serial={"port": "/dev/x"}, camera={"devices": ["0"]})
        assert section.kinds == (name,) and isinstance(section.settings(name), kind.settings or type(None))
    assert selectable() == ["serial", "camera", ["serial", "camera"], "granboard", "simulated"]
    assert {name for name in KINDS if SourceSection.model_construct(kind=name).on_line} == {
        "serial",
        "simulated",
    }
    with pytest.raises(ValidationError, match="'serial', 'camera', 'granboard' or 'simulated'"):
        SourceSection(kind="smoke")


@pytest.mark.parametrize(
    ("source", "made"),
    [
        ({"kind": "serial", "serial": {"port": "/dev/x"}}, SerialSensor),
        ({"kind": "granboard", "granboard": "AA:BB:CC:DD:EE:FF"}, GranBoardSensor),
        ({"kind": "simulated"}, SimulatedSensor),
        ({"kind": ["granboard", "camera"], "camera": {"devices": ["0"]}}, CombinedSensor),
        ({"kind": "camera", "camera": {"devices": ["0"]}}, CameraSensor),
    ],
)
def test_each_configuration_makes_its_sensor(
    source: dict[str, object], made: type, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each kind, and a board with cameras, makes its sensor class with its own settings."""
    monkeypatch.setattr(CameraSensor, "__init__", lambda *_: None)
    setup = SensorSetup(tmp_path, "simulated", lambda given: None, lambda name, value: None, lambda: 0)
    assert type(make_sensor(setup, SourceSection.model_validate(source))) is made


MADE = [SerialSensor, SimulatedSensor, CameraSensor, GranBoardSensor, CombinedSensor]


@pytest.mark.parametrize("made", MADE)
def test_each_sensor_implements_the_whole_protocol(made: type) -> None:
    """Each class has the protocol's five methods with the same parameters."""
    asked = [name for name, member in vars(Sensor).items() if inspect.isfunction(member) and name[0] != "_"]
    assert len(asked) == 5
    for name in asked:
        wanted, has = (inspect.signature(getattr(source, name)) for source in (Sensor, made))
        assert list(wanted.parameters) == list(has.parameters)
