"""The keys of the configuration that the page of set-up may write, each with a check of its value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, get_args

from pydantic import BaseModel

from scharten.config import BoardSection, Config
from scharten.errors import Problem
from scharten.sensors.kinds import selectable
from scharten.sensors.profiles import installed_profiles
from scharten.sensors.settings import SerialSection
from scharten.setup.config_file import Keys, Value
from scharten.vision.rig import MOST_CAMERAS
from scharten.words import LANGUAGES

_LONGEST: Final = 300
_Check = Callable[[Any], bool]


def _text(pattern: str) -> _Check:
    return lambda value: isinstance(value, str) and re.fullmatch(pattern, value) is not None


_PORT = re.compile(r"/dev/(pts/\d+|(tty|cu|rfcomm)[\w.@+-]*)")


def _serial_port(value: Any) -> bool:
    """Check that a path below /dev leads to a serial port there, or to nothing: opening other devices does harm."""
    if not isinstance(value, str) or not re.fullmatch(r"/dev/[\w./:@+-]{1,200}", value):
        return False
    real = os.path.realpath(value)
    absent = real == os.path.normpath(value) and not os.path.lexists(real)
    return bool(_PORT.fullmatch(real)) or (absent and real.startswith("/dev/"))


def is_new_profile(name: object, calibration: str) -> bool:
    """Return whether a mapping may write a board profile of this name: cameras' calibrations lie beside them."""
    reserved = {"cameras", Path(calibration).stem}
    return CHOICES["board.profile"](name) and name not in reserved


def _any_of(*values: object) -> _Check:
    return lambda value: value in values


def _values_of(section: type[BaseModel], field: str) -> _Check:
    """Check against the values that the configuration's own model lists."""
    return _any_of(*get_args(section.model_fields[field].annotation))


def _devices(value: Any) -> bool:
    is_device = _text(rf".{{1,{_LONGEST}}}")
    return isinstance(value, list) and 1 <= len(value) <= MOST_CAMERAS and all(map(is_device, value))


CHOICES: Final[Mapping[str, _Check]] = {
    "board.id": _text(r"[a-z0-9_-]{1,32}"),
    "board.club": _text(r"[^\x00-\x1f\x7f]{0,40}"),
    "board.profile": _text(r"[A-Za-z0-9_-]{1,32}"),
    "board.white_sits_at": _values_of(BoardSection, "white_sits_at"),
    "broker.club": _text(r"[a-z0-9_-]{1,32}"),
    "source.kind": lambda value: value in selectable(),
    "source.serial.port": _serial_port,
    "source.serial.baud": _values_of(SerialSection, "baud"),
    "source.camera.devices": _devices,
    "source.granboard": _text(r"(([0-9A-Fa-f]{2}:){5}[0-9A-Fa-f]{2})?"),
    "web.language": _any_of("", *LANGUAGES),
    "web.host": _any_of("127.0.0.1", "0.0.0.0"),
}


def chosen(changes: object) -> dict[Keys, Value] | Problem:
    """Return the changes of a page by their path in the file; a `Problem` names the first that is not allowed."""
    if not isinstance(changes, dict) or len(changes) > len(CHOICES):
        return Problem("malformed", "changes are an object")
    for key, value in changes.items():
        if key not in CHOICES:
            return Problem("not_here", f"{key} is not changed from this page", {"key": key})
        if isinstance(value, float | bool) or not CHOICES[key](value):
            return Problem.reasoned("wrong_value", "setting_value", key=key, given=repr(str(value)[:60]))
    return {tuple(key.split(".")): value for key, value in changes.items()}


def now(config: Config) -> dict[str, object]:
    """Return the present values of the same keys."""
    data = config.model_dump(mode="json")
    found: dict[str, object] = {}
    for key in CHOICES:
        value: Any = data
        for part in key.split("."):
            value = value[part]
        found[key] = value
    return found


def profiles(folder: Path) -> list[str]:
    """Return the names of the board profiles: those of this machine, then the installed ones."""
    names = sorted(path.stem for path in (folder / "profiles").glob("*.toml"))
    own = [name for name in names if CHOICES["board.profile"](name)]
    installed = [name for name in installed_profiles() if name not in own]
    return [*(name for name in own if name != "cameras"), *installed]
