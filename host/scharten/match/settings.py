"""What a game is played with: the options of rules.md, as configured and as a `new_game` wishes them.

Strict and closed models: an unknown option is an error that names it, never ignored.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

FieldName = Annotated[str, Field(pattern=r"^[oa-i][1-8]$")]
SideName = Literal["white", "black"]


class Closed(BaseModel):
    """A frozen model that knows only its own keys and guesses no types."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class FoulLimit(Closed):
    """Lost darts in a row that lose the game, per player (rules 6)."""

    white: int = Field(3, ge=1, le=99)
    black: int = Field(3, ge=1, le=99)


class ZoneLists(Closed):
    """Zones as lists of fields per side (rules 6)."""

    white: Annotated[tuple[FieldName, ...], Field(max_length=80, strict=False)]
    black: Annotated[tuple[FieldName, ...], Field(max_length=80, strict=False)]


class StageWish(Closed):
    """One stage of a clock: so many turns (null: the rest) in so many minutes or seconds."""

    moves: int | None = None
    minutes: int | float | None = None
    seconds: int | float | None = None


class ClockWish(Closed):
    """The `clock` object of contract.md; what its figures may be, `clock.parse_clock` says."""

    stages: Annotated[tuple[StageWish, ...], Field(min_length=1, max_length=10, strict=False)]
    increment_s: int | float = 0


Zones = Literal["half", "half_with_o", "home"] | ZoneLists
Kind = Literal["loud", "silent"]
WhiteBy = Literal["lot", "dart", "agreed"]


class Game(Closed):
    """Every option of a game, with the defaults of rules.md and contract.md."""

    kind: Kind = "loud"
    foul_limit: FoulLimit = FoulLimit()
    zones: Zones = "half"
    support: Literal["field_value", "count"] = "field_value"
    protection: Literal["until_moved", "off"] | None = None
    double_step: Literal["first_move", "home_row"] = "first_move"
    touch_move: Literal["off", "on"] = "off"
    white_by: WhiteBy = "agreed"
    arming: Literal["announce", "auto"] = "announce"
    settle_ms: int = Field(1500, ge=0, le=60_000)
    bounce_counts: bool = True
    clock: ClockWish | None = None


class GameWish(Closed):
    """The options that a `new_game` names; what it leaves out is as configured."""

    foul_limit: FoulLimit | None = None
    zones: Zones | None = None
    support: Literal["field_value", "count"] | None = None
    protection: Literal["until_moved", "off"] | None = None
    double_step: Literal["first_move", "home_row"] | None = None
    touch_move: Literal["off", "on"] | None = None
    white_by: WhiteBy | None = None
    arming: Literal["announce", "auto"] | None = None
    settle_ms: Annotated[int, Field(ge=0, le=60_000)] | None = None
    bounce_counts: bool | None = None


class MatchSettings(Closed):
    """What the referee is told once: which board this is, how the players sit at it, the configured game."""

    board: str = Field("board1", pattern=r"^[a-z0-9_-]{1,32}$")
    white_sits_at: Literal[3, 20] = 3
    game: Game = Game()
