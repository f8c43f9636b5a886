"""The message `light`: whoever changes the light on the board says so first, so that cameras see no dart in it."""

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
    """What to publish just before the light changes; `for_ms` until it stands still again, the fading included."""
    return {"v": VERSION, "by": by, "at_ms": now_ms, "back_ms": now_ms + min(for_ms, LONGEST_MS)}


def parse_light(data: bytes) -> LightModel | Problem:
    """Read one `light`; never raises, whatever the bytes are."""
    if len(data) > _LIMIT:
        return Problem("too_large", "light is one small JSON object")
    try:
        told = _MODEL.validate_json(data, strict=True)
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = ".".join(str(part) for part in first["loc"])
        return Problem("malformed", f"{place}: {first['msg']}"[:200])
    return told


def duration_ms(told: LightModel) -> int:
    """For how long the light changes, counted from when the message came: clocks of other machines may differ.

    The light changes whatever was said of its end: a time that cannot be is one without end.
    """
    told_ms = told["back_ms"] - told["at_ms"]
    return told_ms if 0 <= told_ms <= LONGEST_MS else LONGEST_MS
