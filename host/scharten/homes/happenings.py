"""What lamps, webhooks and Home Assistant are told of: read out of the one message `said`, by one table for all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class HomeEvent(StrEnum):
    """Something that a home may react to; one message may be several, the weightiest first in this order."""

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
    """How a message shows it: `code` is this one, or the argument `arg` is there, with this value if one is named."""

    code: str = ""
    arg: str = ""
    value: str = ""

    def seen_in(self, said: Mapping[str, Any]) -> bool:
        """Whether the message shows it."""
        if self.code:
            return bool(said.get("code") == self.code)
        args = said.get("args")
        told = args.get(self.arg) if isinstance(args, Mapping) else None
        return told is not None if not self.value else told == self.value

    @property
    def template(self) -> str:
        """The same as an expression of Home Assistant's templates."""
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


def happenings(said: Mapping[str, Any]) -> tuple[HomeEvent, ...]:
    """What the message says has happened, the weightiest first; nothing for what no home reacts to."""
    return tuple(one for one in HomeEvent if SIGNS[one].seen_in(said))
