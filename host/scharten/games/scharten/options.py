"""The options of a game of Scharten, and the rules from them (rules 3, 4, 6)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field as Limits
from pydantic import SerializerFunctionWrapHandler, field_validator, model_serializer
from pydantic_core import PydanticCustomError

from scharten.game.basics import Kind
from scharten.game.options import DARTS, RULES, Closed, GameOptions
from scharten.games.scharten.board import FIELDS, line_of, parse_field, row_of
from scharten.games.scharten.geometry import ALL, bits

ZoneField = Annotated[str, Limits(pattern=r"^[oa-i][1-8]$")]


class ZoneLists(Closed):
    """Zones as lists of fields per side (rules 6)."""

    white: Annotated[tuple[ZoneField, ...], Limits(max_length=80, strict=False)]
    black: Annotated[tuple[ZoneField, ...], Limits(max_length=80, strict=False)]


ZoneName = Literal["half", "half_with_o", "home"]
Protection = Literal["until_moved", "off"]


class Options(GameOptions):
    """The options of a game of Scharten, by default loud (rules 3 to 8)."""

    kind: Annotated[Kind, Limits(strict=False)] = Kind.LOUD
    zones: Annotated[ZoneName | ZoneLists, DARTS] = "half"
    support: Annotated[Literal["field_value", "count"], RULES] = "field_value"
    protection: Annotated[Protection | None, RULES] = None
    double_step: Annotated[Literal["first_move", "home_row"], RULES] = "first_move"

    @property
    def protects(self) -> Protection:
        """The protection of unmoved pieces: the chosen one, else that of the kind of game."""
        return self.protection or ("until_moved" if self.kind is Kind.LOUD else "off")

    @field_validator("zones")
    @classmethod
    def _not_the_last_row(cls, zones: ZoneName | ZoneLists) -> ZoneName | ZoneLists:
        """Refuse a zone that contains its side's last row (rules 6)."""
        if isinstance(zones, ZoneLists):
            for word, fields, last in (("white", zones.white, "8"), ("black", zones.black, "1")):
                wrong = sorted(name for name in fields if name.endswith(last))
                if wrong:
                    words = f"the zone of {word} may not contain its last row: {wrong[0]}"
                    cure = f"Leave out the fields of row {last}."
                    raise PydanticCustomError("last_row", "{words}", {"words": words, "cure": cure})
        return zones

    @model_serializer(mode="wrap")
    def _in_kept_order(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the keys in the order of old journals' digests."""
        written = write(self)
        return {name: written[name] for name in _WRITTEN_ORDER if name in written}


_WRITTEN_ORDER: Final = tuple(
    sorted(
        Options.model_fields, key=lambda name: name not in ("kind", "foul_limit", *Options.__annotations__)
    )
)


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules by the options; `zones` and `two_step` (fields of pawns that may go two fields) are sets per side."""

    loud: bool
    protects: bool
    counts: bool
    zones: tuple[int, int]
    two_step: tuple[int, int]
    foul_limit: tuple[int, int]


@lru_cache(maxsize=256)
def rules_of(options: GameOptions) -> Rules:
    """Return the rules for these options; ValueError for another game's options."""
    if not isinstance(options, Options):
        raise ValueError(f"these are not options of Scharten: {type(options).__name__}")
    home = options.double_step == "home_row"
    steps = [bits(f for f in FIELDS if row_of(f) == row) if home else ALL for row in (2, 7)]
    return Rules(
        options.kind is Kind.LOUD,
        options.protects == "until_moved",
        options.support == "count",
        _zone_sets(options.zones),
        (steps[0], steps[1]),
        (options.foul_limit.white, options.foul_limit.black),
    )


def _zone_sets(zones: ZoneName | ZoneLists) -> tuple[int, int]:
    """Return the fields on which each side's darts may place a piece (rules 6)."""
    if isinstance(zones, ZoneLists):
        white, black = (
            bits(at for name in names if (at := parse_field(name)) is not None)
            for names in (zones.white, zones.black)
        )
        return white, black
    deepest = 2 if zones == "home" else 4
    held = [field for field in FIELDS if zones == "half_with_o" or line_of(field) != "o"]
    return (
        bits(field for field in held if row_of(field) <= deepest),
        bits(field for field in held if 9 - row_of(field) <= deepest),
    )
