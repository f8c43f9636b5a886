"""Errors of a configuration as text: one line for each key, with its name, the cure, and an example."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Mapping
from typing import Any, Final, get_args

from pydantic import BaseModel
from pydantic_core import ErrorDetails

EXAMPLES: Final[Mapping[str, str]] = {
    "board": '[board] with id = "board1" under it',
    "game": '[game] with kind = "loud" under it',
    "source": '[source] with kind = "simulated" under it',
    "broker": '[broker] with url = "embedded" under it',
    "web": "[web] with port = 8765 under it",
    "homes": "[homes] with home_assistant = true under it",
    "homes.lamps": "[[homes.lamps]] with name, url, idle and presets under it",
    "homes.webhooks": "[[homes.webhooks]] with name, url and secret_file under it",
    "homes.lamps.presets": "{ placed = 2, check = 4, fogling = 5 }",
    "opponent.engines": '[opponent.engines.my-engine] with command = ["/usr/games/my-engine"] under it',
    "opponent.engines.command": '["/usr/games/my-engine"]',
    "opponent.engines.options": '{ Hash = 64, "Use NNUE" = false }',
    "board.id": '"board1": 1 to 32 of a-z, 0-9, _ and -',
    "broker.prefix": '"scharten": 1 to 32 of a-z, 0-9, _ and -',
    "broker.club": '"home": 1 to 32 of a-z, 0-9, _ and -',
    "broker.url": '"embedded", "mqtt://192.168.1.20" or "mqtts://club.local:8883"',
    "broker.credentials": '"secrets"',
    "*.foul_limit": "{ white = 3, black = 3 }",
    "*.zones.white": '"e2"',
    "*.zones.black": '"e7"',
    "*.zones": '{ white = ["a1", "b1"], black = ["a8", "b8"] }',
    "*.clock": "{ stages = [{ moves = 40, minutes = 100 }, { minutes = 15 }], increment_s = 30 }",
    "*.stages": "[{ moves = 40, minutes = 100 }, { minutes = 15 }]",
    "source.serial": '[source.serial] with port = "/dev/scharten-board" under it',
    "source.serial.port": '"/dev/scharten-board"',
    "source.camera": '[source.camera] with devices = ["/dev/video0"] under it',
    "source.camera.devices": '["/dev/video0", "/dev/video2"]',
    "source.granboard": '"AA:BB:CC:DD:EE:FF"',
    "web.origins": '["https://club.example"]',
    "web.tls": 'true or { cert = "fullchain.pem", key = "privkey.pem" }',
}
"""By the key; a `*` stands for the tables of several games."""
_CREDENTIALS: Final = "is now broker.credentials, a folder with a password file for each account"
_CERTIFICATE: Final = 'is now part of web.tls: tls = { cert = "fullchain.pem", key = "privkey.pem" }'
MOVED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            f"broker.{account}{key}"
            for account in ("", "web_", "simulator_")
            for key in ("username", "password_file")
        ),
        _CREDENTIALS,
    ),
    "broker.discovery": "is now homes.home_assistant",
    "web.tls_cert": _CERTIFICATE,
    "web.tls_key": _CERTIFICATE,
    "web.new_secrets_each_start": "is now an option of the command: scharten run --new-links",
    "journal": "is gone: the journal is scharten.sqlite3 in the data folder",
    "source.camera.replays": "is gone: throws are kept in replays/ in the data folder; replays_mb says how much",
}
"""Keys of earlier versions, and what to write now."""
_KIND_OF_VALUE: Final[Mapping[str, str]] = {
    "bool": "true or false",
    "int": "a whole number",
    "float": "a number",
    "string": "a text in quotes",
    "tuple": "a list",
    "list": "a list",
    "model": "a table",
    "dict": "a table",
}
_LIMITS: Final[Mapping[str, str]] = {
    "greater_than_equal": "at least {ge}",
    "greater_than": "more than {gt}",
    "less_than_equal": "at most {le}",
    "less_than": "less than {lt}",
    "too_long": "at most {max_length} entries",
    "too_short": "at least {min_length} entry",
    "string_too_long": "at most {max_length} characters",
}


def wrong_keys(errors: Iterable[ErrorDetails], model: type[BaseModel]) -> list[str]:
    """One line for each key that is wrong, in the order of the file's tables."""
    found: dict[str, list[ErrorDetails]] = {}
    for error in errors:
        found.setdefault(_key(error, model), []).append(error)
    inside = {key for key in found if any(other.startswith((f"{key}.", f"{key}[")) for other in found)}
    return [_line(key, some, model) for key, some in found.items() if key not in inside]


def _line(key: str, errors: list[ErrorDetails], model: type[BaseModel]) -> str:
    if errors[0]["type"] == "extra_forbidden":
        return _unknown(key, model)
    name = key or "the file"
    if errors[0]["type"] == "missing":
        return f"{name} is missing{_such_as(key)}"
    custom = [error["msg"].removeprefix("Value error, ") for error in errors if not _cure(error)]
    if custom:
        return f"{name}: {custom[0]}{_given_value(errors[0])}"
    wanted = " or ".join(dict.fromkeys(filter(None, map(_cure, errors))))
    return f"{name}: use {wanted}{_such_as(key)}{_given_value(errors[0])}"


def _unknown(key: str, model: type[BaseModel]) -> str:
    if key in MOVED:
        return f"{key} {MOVED[key]}"
    table, _, last = key.rpartition(".")
    near = difflib.get_close_matches(last, list(_table(table, model)), n=1, cutoff=0.4)
    hint = f": did you mean {table}{'.' if table else ''}{near[0]}?" if near else ""
    return f"{key} is not a known key{hint}"


def _cure(error: ErrorDetails) -> str:
    """The cure, or "" where the message already contains it."""
    kind, figures = error["type"], error.get("ctx", {})
    if kind in ("literal_error", "enum"):
        return str(figures["expected"])
    if kind == "string_pattern_mismatch":
        return "a text of another form"
    if kind in _LIMITS:
        return _LIMITS[kind].format(**figures)
    return _KIND_OF_VALUE.get(kind.split("_")[0], "")


def _such_as(key: str) -> str:
    plain = re.sub(r"\[\d+\]", "", key)
    fits = (example for name, example in EXAMPLES.items() if name[0] == "*" and plain.endswith(name[1:]))
    example = EXAMPLES.get(plain) or next(fits, "")
    return f", such as {example}" if example else ""


def _given_value(error: ErrorDetails) -> str:
    given = error.get("input")
    return f" (it says {given!r})" if isinstance(given, str | int | float | bool) else ""


def _key(error: ErrorDetails, model: type[BaseModel]) -> str:
    """The key in the file, without the names that a union gives its members."""
    parts: list[str] = []
    here: list[type[BaseModel]] = [model]
    last = len(error["loc"]) - 1
    for place, part in enumerate(error["loc"]):
        fields = {name: field for model_here in here for name, field in model_here.model_fields.items()}
        if isinstance(part, int):
            parts[-1] += f"[{part + 1}]"
        elif part in fields:
            parts.append(part)
            here = _models(fields[part].annotation)
        elif error["type"] == "extra_forbidden" and place == last:
            parts.append(part)
    return ".".join(parts)


def _table(key: str, model: type[BaseModel]) -> list[str]:
    """The keys that a table of the file may have."""
    here = [model]
    for part in filter(None, key.split(".")):
        fields = {name: field for model_here in here for name, field in model_here.model_fields.items()}
        found = fields.get(part.partition("[")[0])
        here = _models(found.annotation) if found else []
    return [name for model_here in here for name in model_here.model_fields]


def _models(annotation: Any) -> list[type[BaseModel]]:
    """The models in a type, through unions, lists and annotations."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]
