"""Values of a TOML text changed where they stand: comments, order and everything else stay as a person wrote them."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from scharten.errors import Problem

Path = tuple[str, ...]
Value = str | int | float | bool | list[str]
_HEADER: Final = re.compile(r"^\s*\[(?!\[)(.+)\]\s*(#.*)?$")
_LONGEST: Final = 200  # lines of one value


@dataclass(frozen=True)
class _Statement:
    """Lines `first` to `last` (both within) of a text: a header of `table`, or a key whose whole path is `path`."""

    first: int
    last: int
    table: Path
    path: Path = ()


def edited(text: str, changes: Mapping[Path, Value]) -> str | Problem:
    """The text with these values, each at its path such as `("source", "kind")`; a `Problem` where it cannot be done.

    What comes out is read again: it says what was wanted, and everything else as before.
    """
    try:
        wanted = tomllib.loads(text)
        for path, value in changes.items():
            _put(wanted, path, value)
            text = _changed(text, path, value)
        same = tomllib.loads(text) == wanted and bool(text.encode())
    except (ValueError, TypeError, RecursionError):  # no TOML, or letters that no file can hold
        same = False
    if same:
        return text
    lines = "; ".join(f"{'.'.join(path)} = {written(value)}" for path, value in changes.items())
    words = f"the file is written in a way that only a person can change: {lines}"
    return Problem("by_hand", words, {"lines": lines}, "Write these keys by hand, then start again.")


def written(value: Value) -> str:
    """A value as TOML has it."""
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007F")


def _put(data: dict[str, Any], path: Path, value: Value) -> None:
    for part in path[:-1]:
        data = data.setdefault(part, {})
        if not isinstance(data, dict):
            raise TypeError(part)
    data[path[-1]] = value


def _changed(text: str, path: Path, value: Value) -> str:
    lines = text.rstrip("\n").split("\n")
    statements = _statements(lines)
    there = next((one for one in statements if one.path == path), None)
    if there is not None:
        head = lines[there.first].partition("=")[0].rstrip()
        comment = _comment(lines[there.first]) if there.first == there.last else ""
        lines[there.first : there.last + 1] = [f"{head} = {written(value)}{comment}"]
    else:
        _add(lines, statements, path, value)
    return "\n".join(lines) + "\n"


def _add(lines: list[str], statements: list[_Statement], path: Path, value: Value) -> None:
    """A key that is not there yet: at the end of its table, or in a table of its own at the end."""
    table, line = path[:-1], f"{path[-1]} = {written(value)}"
    within = [one.last for one in statements if one.table == table and one.path[:-1] in ((), table)]
    if within or not table:
        lines.insert(within[-1] + 1 if within else 0, line)
        return
    if lines and lines[-1].strip():
        lines.append("")
    lines += [f"[{'.'.join(table)}]", line]


def _statements(lines: list[str]) -> list[_Statement]:
    found: list[_Statement] = []
    table: Path = ()
    at = 0
    while at < len(lines):
        line = lines[at].strip()
        header = _HEADER.match(line)
        last = at
        if line.startswith("[["):
            table = ("[[",)  # a list of tables: nothing here is ever changed
        elif header:
            table = _keys(f"[{header[1]}]")
            found.append(_Statement(at, at, table))
        elif line and not line.startswith("#"):
            last, path = _value(lines, at)
            found.append(_Statement(at, last, table, (*table, *path)))
        at = last + 1
    return found


def _value(lines: list[str], first: int) -> tuple[int, Path]:
    """Where the statement that begins here ends, and its key."""
    for last in range(first, min(len(lines), first + _LONGEST)):
        try:
            data = tomllib.loads("\n".join(lines[first : last + 1]))
        except tomllib.TOMLDecodeError:
            continue
        key = lines[first].partition("=")[0]
        depth = len(_keys(f"[{key.strip()}]"))
        return last, _path(data, depth)
    raise TypeError(lines[first])


def _keys(header: str) -> Path:
    data, path = tomllib.loads(header), []
    while data:
        key, data = next(iter(data.items()))
        path.append(key)
    return tuple(path)


def _path(data: dict[str, Any], depth: int) -> Path:
    path = []
    for _ in range(depth):
        key, data = next(iter(data.items()))
        path.append(key)
    return tuple(path)


def _comment(line: str) -> str:
    """What stands behind the value, with the blanks before it."""
    for at, letter in enumerate(line):
        if letter == "#":
            try:
                tomllib.loads(line[:at])
            except tomllib.TOMLDecodeError:
                continue
            return line[len(line[:at].rstrip()) :]
    return ""
