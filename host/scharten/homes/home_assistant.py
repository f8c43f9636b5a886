"""Home Assistant: one retained message that makes a board a device, by Home Assistant's device-based discovery of 2026.

Every value is a template over the board's own topics, so nothing else is published. The template language is Jinja:
 https://www.home-assistant.io/integrations/mqtt/#mqtt-discovery
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from scharten.contract.roles import discovery_topic
from scharten.contract.topics import Topic, Topics
from scharten.homes.happenings import SIGNS, HomeEvent
from scharten.homes.settings import HomesSection
from scharten.match.phases import PhaseName
from scharten.mqtt.client import MqttClient
from scharten.mqtt.publisher import OFFLINE, ONLINE, encoded
from scharten.words import ENGLISH, text

Component = dict[str, object]

ICONS: Final[Mapping[HomeEvent, str]] = {
    HomeEvent.MATE: "mdi:trophy",
    HomeEvent.FOGLING: "mdi:bullseye",
    HomeEvent.GAME_OVER: "mdi:flag-checkered",
    HomeEvent.CHECK: "mdi:crown",
    HomeEvent.LOST: "mdi:close-circle-outline",
    HomeEvent.PLACED: "mdi:bullseye-arrow",
    HomeEvent.MOVED: "mdi:chess-pawn",
    HomeEvent.NEW_GAME: "mdi:play",
}
BUTTONS: Final[Mapping[str, str]] = {
    "announce_throw": "mdi:bullhorn",
    "ready": "mdi:hand-back-right",
    "miss": "mdi:close-circle-outline",
    "offer_draw": "mdi:handshake",
}
"""The commands that a button may send for a seat, with its icon."""


def announce_home_assistant(
    client: MqttClient, topics: Topics, version: str, homes: HomesSection, language: str = ENGLISH
) -> None:
    """Publish the retained message on `homeassistant/device/<id>/config`, or remove an older one; before the start."""
    topic = discovery_topic(topics)
    if homes.home_assistant:
        return client.keep(topic, encoded(device(topics, version, homes.buttons, language)))

    def clear(_topic: str, payload: bytes, _retained: bool) -> None:
        if payload:
            client.publish(topic, b"", retain=True)

    return client.subscribe(topic, clear)


def device(topics: Topics, version: str, buttons: str = "", language: str = ENGLISH) -> dict[str, object]:
    """Return the device and its entities, named in a language; with `buttons` (a seat) also that seat's buttons."""
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
        "state_topic": topics.path(Topic.STATE),
        "availability_topic": topics.path(Topic.AVAILABILITY),
        "payload_available": ONLINE.decode(),
        "payload_not_available": OFFLINE.decode(),
        "qos": 1,
        "components": {
            f"{name}_{key}": (
                component
                if component["platform"] == "device_automation" or len(component) == 1
                else {
                    "unique_id": f"{name}_{key}",
                    "name": text(language or ENGLISH, f"home.{key}"),
                    **component,
                }
            )
            for key, component in _components(topics, buttons)
        },
    }


def _components(topics: Topics, buttons: str) -> Iterator[tuple[str, Component]]:
    yield from _shown(topics)
    yield from _happenings(topics)
    for command, icon in BUTTONS.items():
        # An unwanted button is named without further keys: Home Assistant then removes an earlier button.
        pressed = _button(topics, buttons, command, icon) if buttons else {}
        yield f"button_{command}", {"platform": "button", **pressed}


def _sensor(icon: str, template: str, **more: object) -> Component:
    return {"platform": "sensor", "icon": icon, "value_template": f"{{{{ {template} }}}}", **more}


def _yes_or_no(icon: str, template: str, **more: object) -> Component:
    template_keys = {
        "value_template": f"{{{{ 'yes' if {template} else 'no' }}}}",
        "payload_on": "yes",
        "payload_off": "no",
    }
    return {"platform": "binary_sensor", "icon": icon, **template_keys, **more}


def _shown(topics: Topics) -> Iterator[tuple[str, Component]]:
    """Yield the values of the snapshot; None is "unknown" in Home Assistant."""
    sides: Component = {"device_class": "enum", "options": ["white", "black"]}
    phases = [phase.value for phase in PhaseName]
    yield ("phase", _sensor("mdi:bullseye-arrow", "value_json.phase", device_class="enum", options=phases))
    about = "{'match': value_json.match, 'white': value_json.names.white, 'black': value_json.names.black}"
    attributes = {
        "json_attributes_topic": topics.path(Topic.STATE),
        "json_attributes_template": f"{{{{ {about} | to_json }}}}",
    }
    game = "value_json.game.key ~ ', ' ~ value_json.kind"
    yield "game", _sensor("mdi:chess-knight", game, **attributes)
    yield "side", _sensor("mdi:chess-king", "value_json.side", **sides)
    yield "turns", _sensor("mdi:counter", "value_json.turns")
    last = "value_json.last.text if value_json.last else None"
    yield "last", _sensor("mdi:history", last)
    yield "result", _sensor("mdi:trophy", "value_json.result or 'none'")
    yield "reason", _sensor("mdi:flag-checkered", "value_json.reason")
    for side in ("white", "black"):
        lost = f"value_json.shown.fouls.{side} if value_json.shown.fouls is defined else None"
        yield f"fouls_{side}", _sensor("mdi:close-circle-outline", lost)
        left = f"value_json.clock.{side}_ms // 1000 if value_json.clock else None"
        seconds: Component = {"device_class": "duration", "unit_of_measurement": "s"}
        yield (f"clock_{side}", _sensor("mdi:timer-outline", left, **seconds))
    running = "value_json.clock.running if value_json.clock else None"
    yield "clock_running", _sensor("mdi:timer-play-outline", running, **sides)
    flag = (
        "((value_json.clock.since_ms + value_json.clock[value_json.clock.running ~ '_ms']) // 1000) | as_datetime"
        " if value_json.clock and value_json.clock.running else None"
    )
    yield "flag_falls", _sensor("mdi:flag", flag, device_class="timestamp")
    yield "check", _yes_or_no("mdi:crown", "value_json.check")
    yield ("take_out", _yes_or_no("mdi:hand-back-right", "value_json.phase == 'settling'"))
    yield "question", _yes_or_no("mdi:help-circle-outline", "value_json.question")
    health = {
        "state_topic": topics.path(Topic.HEALTH),
        "device_class": "problem",
        "entity_category": "diagnostic",
    }
    yield "trouble", _yes_or_no("mdi:alert", "not value_json.playable", **health)


def _happenings(topics: Topics) -> Iterator[tuple[str, Component]]:
    """Yield an event and a device trigger for each happening, and the caller's sentence, all from `said`."""
    state_topic = {"state_topic": topics.path(Topic.SAID)}
    for happened in HomeEvent:
        sign, words = SIGNS[happened].template, happened.value.replace("_", " ")
        body = f"dict(value_json.args, event_type='{happened}', words=value_json.words.en) | to_json"
        event: Component = {"platform": "event", "event_types": [happened.value]}
        template = {"value_template": f"{{{{ {body} if {sign} }}}}"}
        yield f"event_{happened}", {**event, "icon": ICONS[happened], **state_topic, **template}
        yield (
            f"trigger_{happened}",
            {
                "platform": "device_automation",
                "automation_type": "trigger",
                "type": "happened",
                "subtype": words,
                "topic": topics.path(Topic.SAID),
                "value_template": f"{{{{ 'yes' if {sign} }}}}",
                "payload": "yes",
            },
        )
    spoken = "dict(value_json.words, event_type='important' if value_json.important else 'plain') | to_json"
    yield (
        "event_said",
        {
            "platform": "event",
            "icon": "mdi:account-voice",
            "event_types": ["plain", "important"],
            "value_template": f"{{{{ {spoken} }}}}",
            **state_topic,
        },
    )


def _button(topics: Topics, seat: str, command: str, icon: str) -> Component:
    """A button whose command carries the `match` and `seq` that Home Assistant saw, and a random id."""
    id_ = "'home-' ~ ((now().timestamp() * 1000) | int) ~ '-' ~ (range(10000, 99999) | random)"
    seen = "'match': this.attributes.match, 'seq': this.attributes.seq"
    attributes = "{'match': value_json.match, 'seq': value_json.seq} | to_json"
    return {
        "icon": icon,
        "command_topic": topics.command(seat),
        "command_template": f"{{{{ {{'v': 2, 'id': {id_}, 'type': '{command}', {seen}}} | to_json }}}}",
        "json_attributes_topic": topics.path(Topic.STATE),
        "json_attributes_template": f"{{{{ {attributes} }}}}",
    }
