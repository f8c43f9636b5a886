"""What the page of set-up may write into the configuration, and nothing else: each key with what its value may be."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from scharten.config import Config
from scharten.errors import Problem
from scharten.sensors.profiles import installed_profiles
from scharten.setup.toml_edit import Path as Keys
from scharten.setup.toml_edit import Value

MOST_CAMERAS: Final = 3
_LONGEST: Final = 300
_Test = Callable[[Any], bool]


def _text(pattern: str) -> _Test:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


def _devices(value: Any) -> bool:
    return (
        isinstance(value, list)
        and 1 <= len(value) <= MOST_CAMERAS
        and all(map(_text(rf".{{1,{_LONGEST}}}"), value))
    )


CHOICES: Final[Mapping[str, _Test]] = {
    "board.id": _text(r"[a-z0-9_-]{1,32}"),
    "board.club": _text(r"[^\x00-\x1f\x7f]{0,40}"),
    "board.profile": _text(r"[A-Za-z0-9_-]{1,32}"),
    "board.white_sits_at": lambda value: value in (3, 20),
    "broker.club": _text(r"[a-z0-9_-]{1,32}"),
    "source.kind": lambda value: (
        value in ("simulated", "serial", "camera", "granboard", ["serial", "camera"])
    ),
    "source.serial.port": _text(r"/dev/[\w./:@+-]{1,200}"),
    "source.serial.baud": lambda value: value in (115200, 250000),
    "source.camera.devices": _devices,
    "source.granboard": _text(r"([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2}"),
    "web.language": lambda value: value in ("", "en", "nl", "de"),
    "web.host": lambda value: value in ("127.0.0.1", "0.0.0.0"),
}


def chosen(given: object) -> dict[Keys, Value] | Problem:
    """The changes that a page asks for, by their path in the file; a `Problem` names the first that may not be."""
    if not isinstance(given, dict) or len(given) > len(CHOICES):
        return Problem("malformed", "changes are an object")
    for key, value in given.items():
        if key not in CHOICES:
            return Problem("not_here", f"{key} is not changed from this page", {"key": key})
        if isinstance(value, float | bool) or not CHOICES[key](value):
            return Problem("wrong_value", f"{key}: {str(value)[:60]!r} cannot be used", {"key": key})
    return {tuple(key.split(".")): value for key, value in given.items()}


def now(config: Config) -> dict[str, object]:
    """The same keys as they are."""
    data = config.model_dump(mode="json")
    found: dict[str, object] = {}
    for key in CHOICES:
        value: Any = data
        for part in key.split("."):
            value = value[part]
        found[key] = value
    return found


def profiles(folder: Path) -> list[str]:
    """The board profiles that can be named: installed ones, and those of this machine."""
    own = sorted(
        one.stem for one in (folder / "profiles").glob("*.toml") if CHOICES["board.profile"](one.stem)
    )
    return [
        *(one for one in own if one != "cameras"),
        *(one for one in installed_profiles() if one not in own),
    ]
