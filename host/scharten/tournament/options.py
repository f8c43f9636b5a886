"""The options of a season: the system of pairing, its points, and the game."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field, JsonValue, field_validator

from scharten.game.basics import Kind
from scharten.game.options import ClockRequest, Closed

FractionText = Annotated[str, Field(pattern=r"^(0|1|[1-9]/[1-9])$")]
"""A part of a whole, exact: `1/3`."""


class System(StrEnum):
    """A system of pairing."""

    KEIZER = "keizer"
    SWISS = "swiss"
    ROUND_ROBIN = "round_robin"
    KNOCKOUT = "knockout"
    FREE = "free"


class KeizerOptions(Closed):
    """The Keizer system: shares of the own value for not playing, and how soon two members may meet again.

    The highest value is `ratio` times the lowest. `own_value` counts each member's value once, as a start.
    A season pays `most_absences`; further ones give nothing. `counting` says how often the ranking is computed from its
    own values: until nothing moves (`settled`), or once a round (`each_round`).
    """

    ratio: Annotated[int, Field(ge=2, le=10)] = 3
    own_value: bool = True
    counting: Literal["settled", "each_round"] = "settled"
    bye: FractionText = "2/3"
    club: FractionText = "2/3"
    excused: FractionText = "1/3"
    absent: FractionText = "1/3"
    most_absences: Annotated[int, Field(ge=0, le=99)] = 5
    rematch_after: Annotated[int, Field(ge=1, le=99)] = 4


class RoundPoints(Closed):
    """The points of a round without a game in the other systems."""

    bye: Annotated[float, Field(ge=0, le=1)] = 1.0
    excused: Annotated[float, Field(ge=0, le=1)] = 0.5
    club: Annotated[float, Field(ge=0, le=1)] = 0.5
    absent: Annotated[float, Field(ge=0, le=1)] = 0.0
    late: Annotated[float, Field(ge=0, le=1)] = 0.0


TieBreak = Literal[
    "buchholz_cut1", "buchholz", "median_buchholz", "sonneborn_berger", "progressive", "direct_encounter",
    "wins", "wins_black", "koya",
]  # fmt: skip
TIE_BREAKS: dict[System, tuple[TieBreak, ...]] = {
    System.KEIZER: ("wins",),
    System.SWISS: ("buchholz_cut1", "buchholz", "sonneborn_berger", "direct_encounter"),
    System.ROUND_ROBIN: ("direct_encounter", "wins", "sonneborn_berger", "koya"),
    System.KNOCKOUT: (),
    System.FREE: ("wins",),
}


class SeasonOptions(Closed):
    """One season, or one tournament of an evening."""

    system: Annotated[System, Field(strict=False)] = System.KEIZER
    rounds: Annotated[int, Field(ge=1, le=99)] = 7
    keizer: KeizerOptions = KeizerOptions()
    points: RoundPoints = RoundPoints()
    cycles: Annotated[int, Field(ge=1, le=4)] = 1
    double_elimination: bool = False
    tie_breaks: Annotated[tuple[TieBreak, ...], Field(max_length=6, strict=False)] | None = None
    game: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,31}$")] = "scharten"
    kind: Annotated[Kind, Field(strict=False)] = Kind.LOUD
    game_options: Annotated[dict[str, JsonValue], Field(max_length=40, default_factory=dict)]
    clock: ClockRequest | None = None
    handicap: bool = True
    start: Literal["at_once", "together"] = "at_once"
    """With `together` the clocks stand until the organiser starts the round."""

    @field_validator("game_options")
    @classmethod
    def _no_duplicates(cls, options: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if twice := {"kind", "clock"} & set(options):
            raise ValueError(f"{min(twice)} stands beside game_options, not in it")
        return options

    @property
    def breaks(self) -> tuple[TieBreak, ...]:
        """Return the chosen tie-breaks, or those of the system, in their order."""
        return TIE_BREAKS[self.system] if self.tie_breaks is None else self.tie_breaks
