"""Values of a TOML text changed where they stand: comments, order and everything else stay as a person wrote them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, MutableMapping
from typing import Any

import tomlkit

from scharten.errors import Problem

Path = tuple[str, ...]
Value = str | int | float | bool | list[str]


def edited(text: str, changes: Mapping[Path, Value]) -> str | Problem:
    """The text with these values, each at its path such as `("source", "kind")`; a `Problem` where it cannot be done.

    What comes out is read again: it says what was wanted, and everything else as before.
    """
    try:
        document, wanted = tomlkit.parse(text), tomllib.loads(text)
        for path, value in changes.items():
            _put(wanted, path, value)
            _put(document, path, value)
        text = tomlkit.dumps(document)
        same = tomllib.loads(text) == wanted and bool(text.encode())
    except (
        ValueError,
        TypeError,
        RecursionError,
        AttributeError,
    ):  # no TOML, or letters that no file can hold
        same = False
    if same:
        return text
    lines = "; ".join(
        f"{'.'.join(path)} = {tomlkit.item(value).as_string()}" for path, value in changes.items()
    )
    words = f"the file is written in a way that only a person can change: {lines}"
    return Problem("by_hand", words, {"lines": lines}, "Write these keys by hand, then start again.")


def _put(data: MutableMapping[str, Any], path: Path, value: Value) -> None:
    for part in path[:-1]:
        data = data.setdefault(part, {})
        if not isinstance(data, MutableMapping):
            raise TypeError(part)
    data[path[-1]] = value
