"""The message `light`: a program reports a change of the light before making it, so that cameras see no dart in it."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from scharten.contract.models import VERSION
from scharten.contract.news_models import LightModel
from scharten.errors import Problem

LONGEST_MS = 10_000
"""A change takes no longer; one that goes on is announced again."""
_LIMIT = 1024
_MODEL: TypeAdapter[LightModel] = TypeAdapter(LightModel)


def light_message(by: str, now_ms: int, for_ms: int) -> LightModel:
    """Build the message that announces a change of light. `for_ms` includes the fading."""
    return {"v": VERSION, "by": by, "at_ms": now_ms, "back_ms": now_ms + min(for_ms, LONGEST_MS)}


def parse_light(data: bytes) -> LightModel | Problem:
    """Read one `light`; never raises, whatever the bytes are."""
    if len(data) > _LIMIT:
        return Problem("too_large", "light is one small JSON object")
    try:
        light = _MODEL.validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Problem("malformed", f"{place}: {first['msg']}"[:200])
    return light


def duration_ms(light: LightModel) -> int:
    """For how long the light changes, counted from when the message arrived, because clocks differ.

    A change without a possible end lasts `LONGEST_MS`.
    """
    duration = light["back_ms"] - light["at_ms"]
    return duration if 0 <= duration <= LONGEST_MS else LONGEST_MS
