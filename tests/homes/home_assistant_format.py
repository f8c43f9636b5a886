"""Home Assistant's own format of device-based discovery and of blueprints, as JSON Schema, strict about unknown keys.

Rewritten from `homeassistant` 2026.11.0 of PyPI (components/mqtt: schemas.py, config.py and the module of each
platform; components/blueprint/schemas.py; Apache 2.0), which needs Python 3.14 and cannot be installed beside 3.11.
`make bench ARGS="home-assistant WHEEL"` reads the keys out of such a wheel and says what differs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
TEMPLATE: Schema = {"type": "string", "pattern": r"^\{\{ .* \}\}$"}
FILTER: Schema = {
    "type": "string",
    "pattern": r"^([^+#]+|(([^+#/]*|\+)/)*([^+#/]*|\+|#))$",
    "maxLength": 65535,
}
TOPIC: Schema = {"type": "string", "pattern": "^[^+#]+$", "maxLength": 65535}
NUMBER: Schema = {"type": "integer", "minimum": 0}
ICON: Schema = {"type": "string", "pattern": "^mdi:[a-z0-9-]+$"}
YES_NO: Schema = {"type": "boolean"}
TEXTS: Schema = {"type": "array", "items": TEXT, "minItems": 1, "uniqueItems": True}
QOS: Schema = {"enum": [0, 1, 2]}

SHARED: Mapping[str, Schema] = {
    "availability": {"type": "array"}, "availability_mode": TEXT, "availability_template": TEMPLATE,
    "availability_topic": FILTER, "command_topic": TOPIC, "encoding": TEXT, "message_expiry_interval": NUMBER,
    "payload_available": TEXT, "payload_not_available": TEXT, "state_topic": FILTER, "qos": QOS,
}  # fmt: skip
"""Keys beside `components` that each component inherits."""
BASE: Mapping[str, Schema] = {"qos": QOS, "encoding": TEXT, "group": TEXTS}
READ: Mapping[str, Schema] = {**BASE, "state_topic": FILTER, "value_template": TEMPLATE}
ENTITY: Mapping[str, Schema] = {
    **{key: SHARED[key] for key in SHARED if "avail" in key or key == "message_expiry_interval"},
    "device": {"type": "object"}, "entity_picture": TEXT, "origin": {"type": "object"},
    "enabled_by_default": YES_NO, "entity_category": {"enum": ["diagnostic", "config"]}, "icon": ICON,
    "json_attributes_topic": FILTER, "json_attributes_template": TEMPLATE, "default_entity_id": TEXT,
    "unique_id": TEXT, "visible_by_default": YES_NO, "name": {"type": ["string", "null"]},
}  # fmt: skip
PLATFORMS: Mapping[str, tuple[Mapping[str, Schema], tuple[str, ...]]] = {
    "sensor": (
        {**ENTITY, **READ, "device_class": {"enum": ["enum", "duration", "timestamp"]}, "expire_after": NUMBER,
         "force_update": YES_NO, "last_reset_value_template": TEMPLATE, "options": TEXTS,
         "suggested_display_precision": NUMBER, "state_class": {"enum": ["measurement", "total", "total_increasing"]},
         "unit_of_measurement": TEXT, "entity_category": {"enum": ["diagnostic"]}},
        ("state_topic", "unique_id"),
    ),
    "binary_sensor": (
        {**ENTITY, **READ, "device_class": {"enum": ["problem"]}, "expire_after": NUMBER, "force_update": YES_NO,
         "off_delay": NUMBER, "payload_off": TEXT, "payload_on": TEXT, "entity_category": {"enum": ["diagnostic"]}},
        ("state_topic", "unique_id"),
    ),
    "event": (
        {**ENTITY, **READ, "device_class": {"enum": ["button", "doorbell", "motion"]}, "event_types": TEXTS},
        ("state_topic", "event_types", "unique_id"),
    ),
    "button": (
        {**ENTITY, **BASE, "command_template": TEMPLATE, "command_topic": TOPIC, "payload_press": TEXT,
         "device_class": {"enum": ["identify", "restart", "update"]}, "retain": YES_NO},
        ("command_topic", "unique_id"),
    ),
    "device_automation": (
        {**BASE, "automation_type": {"const": "trigger"}, "device": {"type": "object"}, "payload": TEXT,
         "subtype": TEXT, "topic": TOPIC, "type": TEXT, "value_template": TEMPLATE},
        ("automation_type", "subtype", "topic", "type"),
    ),
}  # fmt: skip
"""By platform: the keys of a component, and those that it must have, inherited ones included."""
DEVICE: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["identifiers"],
    "properties": {
        **dict.fromkeys(("manufacturer", "model", "model_id", "name", "hw_version", "serial_number"), TEXT),
        **dict.fromkeys(("sw_version", "via_device", "suggested_area"), TEXT),
        "identifiers": TEXTS,
        "connections": {"type": "array"},
        "configuration_url": {"type": "string", "pattern": "^(https?|homeassistant)://"},
    },
}
ORIGIN: Schema = {
    "type": "object",
    "additionalProperties": False,
    "required": ["name"],
    "properties": {
        "name": TEXT,
        "sw_version": TEXT,
        "support_url": {"type": "string", "pattern": "^https?://"},
    },
}


def component_schema(platform: str, inherited: bool) -> Schema:
    """A component as it is sent (`inherited` false), or with what it inherits, when everything it needs is there."""
    keys, needed = PLATFORMS[platform]
    known = {**SHARED, **keys} if inherited else keys
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["platform", *(needed if inherited else ())],
        "properties": {**known, "platform": {"const": platform}},
    }


def discovery_schema() -> Schema:
    """The message on `homeassistant/device/<id>/config`; a component with its platform alone is one to remove."""
    item = [
        {
            "if": {"properties": {"platform": {"const": platform}}},
            "then": component_schema(platform, inherited=False),
        }
        for platform in PLATFORMS
    ]
    return {
        "type": "object",
        "additionalProperties": False,
        "required": ["device", "origin", "components"],
        "properties": {
            **SHARED,
            "device": DEVICE,
            "origin": ORIGIN,
            "components": {
                "type": "object",
                "propertyNames": {"pattern": "^[a-zA-Z0-9_-]+$"},
                "additionalProperties": {
                    "type": "object",
                    "required": ["platform"],
                    "properties": {"platform": {"enum": [*PLATFORMS]}},
                    "allOf": item,
                },
            },
        },
    }


BLUEPRINT: Schema = {
    "type": "object",
    "required": ["blueprint", "triggers", "actions"],
    "additionalProperties": False,
    "properties": {
        "blueprint": {
            "type": "object",
            "additionalProperties": False,
            "required": ["name", "domain"],
            "properties": {
                "name": TEXT,
                "description": TEXT,
                "domain": {"const": "automation"},
                "source_url": TEXT,
                "author": TEXT,
                "homeassistant": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {"min_version": {"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}},
                },
                "input": {
                    "type": "object",
                    "additionalProperties": {
                        "type": "object",
                        "additionalProperties": False,
                        "properties": {
                            "name": TEXT,
                            "description": TEXT,
                            "default": {},
                            "selector": {"type": "object"},
                        },
                    },
                },
            },
        },
        "variables": {"type": "object"},
        "triggers": {"type": "array", "items": {"type": "object", "required": ["trigger"]}},
        "conditions": {"type": "array", "items": {"type": "object", "required": ["condition"]}},
        "actions": {"type": "array", "minItems": 1, "items": {"type": "object"}},
        "mode": {"enum": ["single", "restart", "queued", "parallel"]},
        "max": NUMBER,
        "max_exceeded": TEXT,
    },
}
