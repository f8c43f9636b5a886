"""Compare our schema of Home Assistant's discovery with the source in its wheel."""

from __future__ import annotations

import ast
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from homes.home_assistant_format import DEVICE, ORIGIN, PLATFORMS, discovery_schema
from scharten.errors import SchartenError

MQTT = "homeassistant/components/mqtt"
MODULES = ("homeassistant/const.py", *(f"{MQTT}/{item}.py" for item in ("const", "schemas", "config")))
_MARKERS = ("Required", "Optional", "Exclusive")


class Source:
    """The assignments of some modules, by name."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._values: dict[str, ast.expr] = {}
        for text in texts.values():
            for node in ast.parse(text).body:
                if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self._values[node.targets[0].id] = node.value
                elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value:
                    self._values[node.target.id] = node.value

    def keys(self, name: str) -> dict[str, bool]:
        """Return the keys of a schema, and whether each is required; extensions of a schema count, values do not."""
        if name not in self._values:
            raise SchartenError(
                f"{name} is not in this wheel.", "The schema has moved: rewrite the format by hand."
            )
        return dict(self._gathered(self._values[name]))

    def _gathered(self, node: ast.expr) -> Iterator[tuple[str, bool]]:
        match node:
            case ast.Dict(keys, values):
                for key, value in zip(keys, values, strict=True):
                    if key is None:
                        yield from self._gathered(value)
                    elif isinstance(key, ast.Call) and isinstance(key.func, ast.Attribute):
                        assert key.func.attr in _MARKERS
                        yield self._text(key.args[0]), key.func.attr == "Required"
            case ast.Call(func, args):
                for item in (func, *args):
                    yield from self._gathered(item)
            case ast.Attribute(value):
                yield from self._gathered(value)
            case ast.Name(name) if name in self._values:
                yield from self._gathered(self._values[name])

    def _text(self, node: ast.expr) -> str:
        """Return a key's text; a constant that is an enumeration's member has the text of its own name."""
        name = node.id.removeprefix("CONF_").lower() if isinstance(node, ast.Name) else ""
        value = self._values.get(node.id, node) if isinstance(node, ast.Name) else node
        return str(value.value) if isinstance(value, ast.Constant) else name


def run(wheel: Path) -> int:
    """Print for each schema how many keys are Home Assistant's; return 1 if one is not, or ours lacks a required
    one."""
    with zipfile.ZipFile(wheel) as held:

        def source(*more: str) -> Source:
            return Source({item: held.read(item).decode() for item in (*MODULES, *more)})

        shared, differs = source(), 0
        differs += _compared("the message", shared.keys("DEVICE_DISCOVERY_SCHEMA"), discovery_schema())
        differs += _compared("its device", shared.keys("_MQTT_DEVICE_INFO_SCHEMA_BASE"), DEVICE)
        differs += _compared("its origin", shared.keys("MQTT_ORIGIN_INFO_SCHEMA"), ORIGIN)
        for platform, (known, needed) in PLATFORMS.items():
            automation = platform == "device_automation"
            module = source(f"{MQTT}/{'device_trigger' if automation else platform}.py")
            name = "TRIGGER_DISCOVERY_SCHEMA" if automation else "PLATFORM_SCHEMA_MODERN"
            theirs = module.keys(name) | ({"device": False} if automation else {})
            differs += _compared(
                f"a component `{platform}`", theirs, {"properties": known, "required": needed}
            )
    return int(differs > 0)


def _compared(what: str, theirs: Mapping[str, bool], ours: Mapping[str, object]) -> int:
    known, needed = ours["properties"], ours["required"]
    assert isinstance(known, Mapping) and isinstance(needed, list | tuple)
    unknown = sorted(set(known) - set(theirs))
    missing = sorted(their for their, required in theirs.items() if required and their not in needed)
    words = [f"unknown to Home Assistant: {', '.join(unknown)}"] if unknown else []
    words += [f"required there, not here: {', '.join(missing)}"] if missing else []
    print(
        f"{'✗' if words else '✓'} {what}: {len(set(known) & set(theirs))} of its {len(theirs)} keys {'; '.join(words)}"
    )
    return len(words)
