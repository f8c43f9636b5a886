"""What Home Assistant is told."""

import json

from scharten.contract.topics import Topics
from scharten.mqtt.discovery import announce

TOPICS = Topics("scharten", "home", "board1")


class Outlet:
    """Stands for the link and keeps what it is given."""

    def __init__(self) -> None:
        self.kept: dict[str, bytes] = {}

    def keep(self, topic: str, payload: bytes) -> None:
        self.kept[topic] = payload

    def publish(self, topic: str, payload: bytes, retain: bool = False) -> bool:
        raise AssertionError("only retained messages here")


def test_a_board_is_one_device_whose_values_come_from_the_snapshot() -> None:
    """One retained message; ids are unique, and every value is a template over the state topic."""
    outlet = Outlet()
    announce(outlet, TOPICS, "1.2")
    ((topic, payload),) = outlet.kept.items()
    assert topic == "homeassistant/device/scharten_home_board1/config"
    told = json.loads(payload)
    assert told["state_topic"] == "scharten/home/board1/state"
    assert told["availability_topic"] == "scharten/home/board1/availability"
    assert told["device"]["identifiers"] == ["scharten_home_board1"] and told["origin"]["name"] == "scharten"
    parts = told["components"]
    assert {part["unique_id"] for part in parts.values()} == set(parts)
    assert {part["platform"] for part in parts.values()} == {"sensor", "binary_sensor"}
    assert all("value_json." in part["value_template"] for part in parts.values())
    assert "value_json.game.key" in parts["scharten_home_board1_game"]["value_template"]
