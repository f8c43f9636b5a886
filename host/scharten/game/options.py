"""The options that every game has; each game's own closed model adds its rules to these (rules 6 to 8, contract)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from scharten.game.basics import Kind
from scharten.words import LANGUAGES


class Closed(BaseModel):
    """A frozen model that refuses unknown keys and converts no types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


def _known_language(name: str) -> str:
    if name not in LANGUAGES:
        raise ValueError(f"use {', '.join(LANGUAGES)}")
    return name


LanguageName = Annotated[
    str, AfterValidator(_known_language), Field(json_schema_extra={"enum": list(LANGUAGES)})
]

DARTS = Field(json_schema_extra={"group": "darts"})
RULES = Field(json_schema_extra={"group": "rules"})
"""The group in which a dialog shows an option; a silent game has no options of darts."""


class FoulLimit(Closed):
    """Lost darts in a row that lose the game, per player (rules 6)."""

    white: int = Field(3, ge=1, le=99)
    black: int = Field(3, ge=1, le=99)


class StageRequest(Closed):
    """One stage of a clock: a number of turns (null: the rest) in minutes or seconds."""

    moves: int | None = None
    minutes: int | float | None = None
    seconds: int | float | None = None


class ClockRequest(Closed):
    """The `clock` object of the contract; `match.clock` checks its figures."""

    stages: Annotated[tuple[StageRequest, ...], Field(min_length=1, max_length=10, strict=False)]
    increment_s: int | float = 0


WhiteBy = Literal["lot", "dart", "agreed"]


class GameOptions(Closed):
    """The options of every game."""

    kind: Annotated[Kind, Field(strict=False)] = Kind.SILENT
    foul_limit: Annotated[FoulLimit, DARTS] = FoulLimit()
    touch_move: Annotated[Literal["off", "on"], RULES] = "off"
    rated: Annotated[bool, RULES] = False
    """A rated game counts for a ranking; its players get no advice."""
    white_by: WhiteBy = "agreed"
    arming: Annotated[Literal["announce", "auto"], DARTS] = "announce"
    settle_ms: Annotated[int, DARTS] = Field(1500, ge=0, le=60_000)
    bounce_counts: Annotated[bool, DARTS] = True
    knock_in_auto: Annotated[Literal["ask", "lost", "ignore"], DARTS] = "ask"
    """Where every dart counts, the meaning of a knock without a contact: rules 6 call a bounce-out a lost dart."""
    clock: ClockRequest | None = None
    clock_side: Literal["left", "right"] = "left"
    """The side of White on which the clock stands, by Black's choice (rules 8)."""
