"""Home Assistant: one retained message that makes a board a device there (off by default: `broker.discovery`)."""

from __future__ import annotations

from scharten.contract.roles import discovery_topic
from scharten.contract.topics import Topic, Topics
from scharten.mqtt.publisher import MqttOutlet, encoded


def announce(outlet: MqttOutlet, topics: Topics, version: str) -> None:
    """Keeps the message on `homeassistant/device/<id>/config`."""
    outlet.keep(discovery_topic(topics), encoded(device(topics, version)))


def device(topics: Topics, version: str) -> dict[str, object]:
    """The device and what it shows; every value is read out of the retained snapshot."""
    name = topics.id
    return {
        "device": {
            "identifiers": [name],
            "name": f"Scharten {topics.board}",
            "manufacturer": "Scharten",
            "model": "schartbord",
            "sw_version": version,
        },
        "origin": {"name": "scharten", "sw_version": version},
        "state_topic": topics.of(Topic.STATE),
        "availability_topic": topics.of(Topic.AVAILABILITY),
        "components": {
            f"{name}_{key}": {"platform": platform, "unique_id": f"{name}_{key}", "name": words, **more}
            for key, platform, words, more in _COMPONENTS
        },
    }


_COMPONENTS: tuple[tuple[str, str, str, dict[str, str]], ...] = (
    ("phase", "sensor", "Phase", {"value_template": "{{ value_json.phase }}", "icon": "mdi:bullseye-arrow"}),
    (
        "game",
        "sensor",
        "Game",
        {
            "value_template": "{{ value_json.game.key }}, {{ value_json.kind }}",
            "icon": "mdi:chess-knight",
        },
    ),
    ("side", "sensor", "Side to move", {"value_template": "{{ value_json.side }}", "icon": "mdi:chess-king"}),
    (
        "last",
        "sensor",
        "Last turn",
        {"value_template": "{{ (value_json.last or {}).text }}", "icon": "mdi:history"},
    ),
    (
        "result",
        "sensor",
        "Result",
        {"value_template": "{{ value_json.result or 'none' }}", "icon": "mdi:trophy"},
    ),
    (
        "check",
        "binary_sensor",
        "Check",
        {
            "value_template": "{{ 'yes' if value_json.check else 'no' }}",
            "payload_on": "yes",
            "payload_off": "no",
            "icon": "mdi:crown",
        },
    ),
)
