"""The events for lamps, webhooks and Home Assistant, read from the message `said` by one table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class HomeEvent(StrEnum):
    """An event that a home may react to, the most important first; a message may hold several."""

    MATE = "mate"
    FOGLING = "fogling"
    GAME_OVER = "game_over"
    CHECK = "check"
    LOST = "lost"
    PLACED = "placed"
    MOVED = "moved"
    NEW_GAME = "new_game"


@dataclass(frozen=True, slots=True)
class Sign:
    """The sign of an event in a message: its `code`, or the argument `arg`, with this `value` if given."""

    code: str = ""
    arg: str = ""
    value: str = ""

    def seen_in(self, call: Mapping[str, Any]) -> bool:
        """Return whether the message shows the event."""
        if self.code:
            return bool(call.get("code") == self.code)
        args = call.get("args")
        value = args.get(self.arg) if isinstance(args, Mapping) else None
        return value is not None if not self.value else value == self.value

    @property
    def template(self) -> str:
        """Return the condition as an expression of Home Assistant's templates."""
        if self.code:
            return f"value_json.code == '{self.code}'"
        where = f"value_json.args.{self.arg}"
        return f"{where} == '{self.value}'" if self.value else f"{where} is not none and {where} is defined"


SIGNS: Final[Mapping[HomeEvent, Sign]] = {
    HomeEvent.MATE: Sign(arg="reason", value="checkmate"),
    HomeEvent.FOGLING: Sign(arg="reason", value="fogling"),
    HomeEvent.GAME_OVER: Sign(arg="result"),
    HomeEvent.CHECK: Sign(arg="check"),
    HomeEvent.LOST: Sign(code="lost"),
    HomeEvent.PLACED: Sign(code="placed"),
    HomeEvent.MOVED: Sign(code="moved"),
    HomeEvent.NEW_GAME: Sign(code="new_game"),
}


def happenings(call: Mapping[str, Any]) -> tuple[HomeEvent, ...]:
    """Return the events of a message, the most important first."""
    return tuple(event for event in HomeEvent if SIGNS[event].seen_in(call))
