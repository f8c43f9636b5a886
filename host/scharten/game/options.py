"""The options that every game has; each game's own closed model adds its rules to these (rules 6 to 8, contract)."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from scharten.game.basics import Kind


class Closed(BaseModel):
    """A frozen model that knows only its own keys and guesses no types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


DARTS = Field(json_schema_extra={"group": "darts"})
RULES = Field(json_schema_extra={"group": "rules"})
"""Where a dialog shows an option: what is about darts is not asked for in a silent game."""


class FoulLimit(Closed):
    """Lost darts in a row that lose the game, per player (rules 6)."""

    white: int = Field(3, ge=1, le=99)
    black: int = Field(3, ge=1, le=99)


class StageWish(Closed):
    """One stage of a clock: so many turns (null: the rest) in so many minutes or seconds."""

    moves: int | None = None
    minutes: int | float | None = None
    seconds: int | float | None = None


class ClockWish(Closed):
    """The `clock` object of the contract; what its figures may be, `match.clock` says."""

    stages: Annotated[tuple[StageWish, ...], Field(min_length=1, max_length=10, strict=False)]
    increment_s: int | float = 0


WhiteBy = Literal["lot", "dart", "agreed"]


class GameOptions(Closed):
    """What can be chosen in any game."""

    kind: Annotated[Kind, Field(strict=False)] = Kind.SILENT
    foul_limit: Annotated[FoulLimit, DARTS] = FoulLimit()
    touch_move: Annotated[Literal["off", "on"], RULES] = "off"
    rated: Annotated[bool, RULES] = False
    """It counts for a ranking: nobody is advised."""
    white_by: WhiteBy = "agreed"
    arming: Annotated[Literal["announce", "auto"], DARTS] = "announce"
    settle_ms: Annotated[int, DARTS] = Field(1500, ge=0, le=60_000)
    bounce_counts: Annotated[bool, DARTS] = True
    clock: ClockWish | None = None
    clock_side: Literal["left", "right"] = "left"
    """On which hand of White the clock stands, as Black said (rules 8)."""
