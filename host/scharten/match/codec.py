"""Inputs and events as plain JSON objects, for the journal and the topics; an input comes back as it went.

`decode_input(encode_input(i)) == i` for every input. What an input looks like is its class's fields; beds are
written as texts, orders as the commands that they came as.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any, get_args

from scharten.dartboard.beds import Bed, parse_bed
from scharten.match.events import Answered, Event, Happened, Reading
from scharten.match.inputs import Button, Input, Line, Role, SourceState
from scharten.match.orders import ORDERS, Order

CLASSES: dict[str, type[Any]] = {kind.__name__: kind for kind in get_args(Input)}


class UnreadableInputError(ValueError):
    """A stored input that this version cannot read; the words name what is wrong with it."""


def encode_input(given: Input) -> dict[str, object]:
    """An input as a JSON object; `input` names its class."""
    written = {each.name: _plain(getattr(given, each.name)) for each in fields(given)}
    return {"input": type(given).__name__, **written}


def _plain(value: object) -> object:
    match value:
        case Order():
            return value.model_dump(mode="json", exclude_unset=True)
        case Bed():
            return str(value)
        case Line():
            return [value.session, value.number]
        case tuple():
            return [_plain(each) for each in value]
        case _:
            return value


def decode_input(raw: Mapping[str, object]) -> Input:
    """The input that `encode_input` wrote; `UnreadableInputError` for anything else."""
    try:
        kind = CLASSES[str(raw["input"])]
        read = {name: _READERS.get(name, _same)(value) for name, value in raw.items() if name != "input"}
        return kind(**read)  # type: ignore[no-any-return]  # one of the classes of Input
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnreadableInputError(f"this input cannot be read: {error}") from error


def _same(value: Any) -> Any:
    return value


def _bed(value: Any) -> Bed | None:
    if value is None:
        return None
    bed = parse_bed(value)
    if bed is None:
        raise ValueError(f"{value!r} is no bed")
    return bed


def _order(value: Any) -> Order:
    # From Python objects strict models want tuples where JSON has lists: read it as JSON again.
    return ORDERS.validate_json(json.dumps(value))


def _line(value: Any) -> Line | None:
    return None if value is None else Line(*value)


_READERS: dict[str, Callable[[Any], Any]] = {
    "bed": _bed,
    "beds": lambda value: tuple(_bed(each) for each in value),
    "order": _order,
    "role": Role,
    "button": Button,
    "state": SourceState,
    "line": _line,
    "told": lambda value: None if value is None else tuple(value),
}


def encode_event(event: Event) -> dict[str, object]:
    """An event as the JSON object of its topic: `hits` for readings, `answer/<role>` for answers, else `events`."""
    match event:
        case Answered():
            return dict(event.body)
        case Reading():
            written = {each.name: _plain(getattr(event, each.name)) for each in fields(event)}
            return {"v": 1, **written}
        case Happened():
            return {
                "v": 1,
                "match": event.match,
                "seq": event.seq,
                "t_ms": event.t_ms,
                "code": event.code,
                "args": dict(event.args),
            }
