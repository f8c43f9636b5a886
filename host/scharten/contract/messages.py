"""Commands and answers as bytes: read what anyone may have sent, without ever raising, and answer in words.

A command is judged in this order: its size, whether it is JSON, whether its type is known, whether its fields are
right. What is wrong comes back as a `Problem` with the command's id in its `args`, if that much could be read.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, NoReturn, get_args

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from scharten.contract.topics import COMMAND_LIMIT
from scharten.errors import Problem
from scharten.game.plain_text import is_plain
from scharten.match.answers import answer
from scharten.match.events import Args
from scharten.match.orders import ORDERS, AnyOrder, ContractVersion, NewGame

COMMAND_TYPES: tuple[str, ...] = tuple(
    get_args(model.model_fields["type"].annotation)[0] for model in get_args(get_args(AnyOrder)[0])
)
"""Every `type` that a command can have."""


def refused(problem: Problem) -> Args:
    """Answer what `parse_command` could not read, with the command's id where that much could be read."""
    return answer(problem.args.get("id"), replace(problem, args={}))


def parse_command(data: bytes) -> AnyOrder | Problem:
    """Read one command; at most `COMMAND_LIMIT` bytes of UTF-8 JSON. Never raises, whatever the bytes are."""
    if len(data) > COMMAND_LIMIT:
        return Problem("too_large", f"a command is at most {COMMAND_LIMIT} bytes, not {len(data)}")
    try:
        raw = json.loads(data.decode("utf-8"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        return Problem("malformed", "a command is one JSON object in UTF-8")
    if not isinstance(raw, dict):
        return Problem("malformed", "a command is one JSON object")
    name = _id_of(raw)
    kind = raw.get("type")
    if isinstance(kind, str) and kind not in COMMAND_TYPES:
        return Problem("unknown_type", f"no command has the type {_shown(kind)}", {"id": name})
    if not isinstance(kind, str):
        return Problem("malformed", "a command has a type, such as move", {"id": name})
    try:
        # Validated from the text, not from `raw`: strict models take a list for a tuple only from JSON.
        order = ORDERS.validate_json(data)
    except ValidationError as error:
        return Problem("malformed", _words(error), {"id": name})
    return _hidden_letters(order) or order


def _hidden_letters(order: AnyOrder) -> Problem | None:
    """A name that nobody could read as it is; journals of earlier versions may hold one, so the model allows it."""
    if not isinstance(order, NewGame):
        return None
    wrong = next((key for key, name in order.names if not is_plain(name)), None)
    words = f"names.{wrong}: a name is one line, without control letters"
    return Problem("malformed", words, {"id": order.id}) if wrong else None


def _no_number(text: str) -> NoReturn:
    raise ValueError(f"{text} is not JSON")


def _id_of(raw: Mapping[str, object]) -> str | None:
    name = raw.get("id")
    if isinstance(name, str) and 1 <= len(name) <= 64 and _encodable(name):
        return name
    return None


def _encodable(text: str) -> bool:
    return not any("\ud800" <= letter <= "\udfff" for letter in text)


def _shown(text: str) -> str:
    return ascii(text[:40])


def _words(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    # The first part of the place is the command's type, which the sender knows.
    place = ".".join(str(part) for part in first["loc"][1:])
    message = f"{_shown(place)[1:-1]}: {first['msg']}" if place else first["msg"]
    return message[:300]


class Throw(BaseModel):
    """`simulator/throw`: where the simulated board is hit, in mm, or that it is not."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    v: ContractVersion
    x_mm: Annotated[float, Field(ge=-2000, le=2000)] | None = None
    y_mm: Annotated[float, Field(ge=-2000, le=2000)] | None = None
    miss: bool = False
    bounce_out: bool = False

    def whole(self) -> bool:
        """Whether it means exactly one thing: both millimetres, or a miss, or a bounce-out."""
        placed = self.x_mm is not None and self.y_mm is not None
        half = (self.x_mm is None) is not (self.y_mm is None)
        return not half and [placed, self.miss, self.bounce_out].count(True) == (
            2 if placed and self.bounce_out else 1
        )


def parse_throw(data: bytes) -> Throw | Problem:
    """Read one `simulator/throw`; never raises, whatever the bytes are."""
    if len(data) > COMMAND_LIMIT:
        return Problem("too_large", "a throw is one small JSON object")
    try:
        throw = Throw.model_validate_json(data)
    except ValidationError as error:
        return Problem("malformed", _words(error))
    if not throw.whole():
        return Problem("malformed", "a throw is x_mm and y_mm, or miss, or bounce_out")
    return throw
