"""The named options of a game's rules (rules 4, 6), checked once and hashable."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Any, Final, Literal

from pydantic import Field as Limits
from pydantic import SerializerFunctionWrapHandler, model_serializer, model_validator
from pydantic_core import PydanticCustomError

from scharten.errors import SchartenError
from scharten.game.basics import Kind, Side
from scharten.game.options import DARTS, RULES, Closed, GameOptions
from scharten.games.scharten.board import FIELDS, Field, field_name, line_of, parse_field, row_of

ZONES: Final = ("half", "half_with_o", "home")
SUPPORTS: Final = ("field_value", "count")
PROTECTIONS: Final = ("until_moved", "off")
DOUBLE_STEPS: Final = ("first_move", "home_row")
MAX_FOUL_LIMIT: Final = 99


ZoneField = Annotated[str, Limits(pattern=r"^[oa-i][1-8]$")]


class ZoneLists(Closed):
    """Zones as lists of fields per side (rules 6)."""

    white: Annotated[tuple[ZoneField, ...], Limits(max_length=80, strict=False)]
    black: Annotated[tuple[ZoneField, ...], Limits(max_length=80, strict=False)]


class Options(GameOptions):
    """Everything that can be chosen in a game of Scharten; without a choice it is loud (rules 3 to 8)."""

    kind: Annotated[Kind, Limits(strict=False)] = Kind.LOUD
    zones: Annotated[Literal["half", "half_with_o", "home"] | ZoneLists, DARTS] = "half"
    support: Annotated[Literal["field_value", "count"], RULES] = "field_value"
    protection: Annotated[Literal["until_moved", "off"] | None, RULES] = None
    double_step: Annotated[Literal["first_move", "home_row"], RULES] = "first_move"

    @model_validator(mode="after")
    def _playable(self) -> Options:
        """Refuse zones that cannot be, by name."""
        wrong = make_options(zones=zones_words(self.zones))
        if isinstance(wrong, OptionsError):
            raise PydanticCustomError("last_row", "{words}", {"words": f"{wrong.words}. {wrong.cure}"})
        return self

    @model_serializer(mode="wrap")
    def _in_kept_order(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write the keys in the order that old journals' digests have."""
        written = write(self)
        return {name: written[name] for name in _WRITTEN_ORDER if name in written}


def zones_words(zones: str | ZoneLists) -> str:
    """Zones as `parse_zones` reads them."""
    if isinstance(zones, str):
        return zones
    return f"white={','.join(zones.white)};black={','.join(zones.black)}"


_WRITTEN_ORDER: Final = tuple(
    sorted(
        Options.model_fields, key=lambda name: name not in ("kind", "foul_limit", *Options.__annotations__)
    )
)


@dataclass(frozen=True, slots=True)
class Zones:
    """Where each side's darts may put pieces, as lists of fields."""

    white: frozenset[Field]
    black: frozenset[Field]


@dataclass(frozen=True, slots=True)
class OptionsError:
    """Why options are refused: `code`, the words for a person, and what to do."""

    code: str
    words: str
    cure: str = ""


@dataclass(frozen=True, slots=True)
class RuleOptions:
    """The rules of one game; SchartenError with the allowed values for anything else.

    `protection=None` becomes the variant's own: `until_moved` in a loud game, `off` in a silent one.
    """

    loud: bool = False
    zones: str | Zones = "half"
    support: str = "field_value"
    protection: str | None = None
    double_step: str = "first_move"
    foul_limit: tuple[int, int] = (3, 3)

    def __post_init__(self) -> None:
        if self.protection is None:
            object.__setattr__(self, "protection", "until_moved" if self.loud else "off")
        error = _problem(self)
        if error is not None:
            raise SchartenError(error.words, error.cure)

    def zone(self, side: Side) -> frozenset[Field]:
        """The fields on which this side's darts may put a piece."""
        zones = _zones(self.zones) if isinstance(self.zones, str) else self.zones
        return zones.white if side is Side.WHITE else zones.black


def make_options(
    *,
    loud: bool = False,
    zones: str = "half",
    support: str = "field_value",
    protection: str | None = None,
    double_step: str = "first_move",
    foul_limit: tuple[int, int] = (3, 3),
) -> RuleOptions | OptionsError:
    """Options from words, as messages and the command line give them; the refusal is a value."""
    chosen = parse_zones(zones)
    if isinstance(chosen, OptionsError):
        return chosen
    try:
        return RuleOptions(loud, chosen, support, protection, double_step, foul_limit)
    except SchartenError as error:
        return OptionsError("unknown_value", error.message, error.cure)


def parse_zones(text: str) -> str | Zones | OptionsError:
    """One of the named zones, or lists of fields such as `white=a1,b1;black=a8,b8`."""
    if text in ZONES:
        return text
    wrong = OptionsError(
        "unknown_value",
        f"zones cannot be '{text}'",
        f"Use {_choices(ZONES)}, or fields per side: white=a1,b1;black=a8,b8",
    )
    lists: dict[str, frozenset[Field]] = {}
    for part in text.split(";"):
        name, equals, names = part.partition("=")
        fields = [parse_field(entry.strip()) for entry in names.split(",") if entry.strip()]
        known = frozenset(field for field in fields if field is not None)
        side = name.strip()
        if not equals or side not in ("white", "black") or side in lists or not fields or None in fields:
            return wrong
        lists[side] = known
    if len(lists) != 2:
        return wrong
    return Zones(lists["white"], lists["black"])


def zones_text(zones: str | Zones) -> str:
    """The inverse of `parse_zones`."""
    if isinstance(zones, str):
        return zones
    lists = (",".join(map(field_name, sorted(fields))) for fields in (zones.white, zones.black))
    return "white={};black={}".format(*lists)


_FLAGS: Final = {
    "--zones": "zones",
    "--support": "support",
    "--protection": "protection",
    "--double-step": "double_step",
}


@lru_cache(maxsize=256)
def parse_flags(text: str) -> RuleOptions | OptionsError:
    """Options as the command line writes them, `--loud --zones home`; an empty text is the silent defaults."""
    try:
        words = shlex.split(text)
    except ValueError as error:
        return OptionsError("malformed", f"options '{text}' cannot be read: {error}")
    chosen: dict[str, str] = {}
    variants: set[bool] = set()
    position = 0
    while position < len(words):
        name, equals, given = words[position].partition("=")
        position += 1
        if name in ("--loud", "--silent") and not equals:
            variants.add(name == "--loud")
            continue
        if name not in _FLAGS:
            known = _choices(("--loud", "--silent", *_FLAGS))
            return OptionsError("unknown_option", f"unknown option '{name}'", f"Use {known}.")
        if not equals:
            if position == len(words):
                return OptionsError("malformed", f"option {name} has no value")
            given = words[position]
            position += 1
        chosen[_FLAGS[name]] = given
    if len(variants) == 2:
        return OptionsError("malformed", "a game is loud or silent, not both")
    return make_options(loud=True in variants, **chosen)  # type: ignore[arg-type]  # all of them are words


def flags_text(options: RuleOptions) -> str:
    """The inverse of `parse_flags`; what is at its default is left out (the foul limit has no flag)."""
    plain = RuleOptions(loud=options.loud)
    parts = ["--loud"] if options.loud else []
    for flag, name in _FLAGS.items():
        chosen = getattr(options, name)
        if chosen != getattr(plain, name):
            parts.append(f"{flag} {shlex.quote(zones_text(chosen))}")
    return " ".join(parts)


def _choices(names: tuple[str, ...]) -> str:
    return f"{', '.join(names[:-1])} or {names[-1]}"


def _problem(options: RuleOptions) -> OptionsError | None:
    """The first thing that is wrong with these options."""
    for name, given, allowed in (
        ("support", options.support, SUPPORTS),
        ("protection", options.protection, PROTECTIONS),
        ("double_step", options.double_step, DOUBLE_STEPS),
    ):
        if given not in allowed:
            return OptionsError("unknown_value", f"{name} cannot be '{given}'", f"Use {_choices(allowed)}.")
    if isinstance(options.zones, str):
        if options.zones not in ZONES:
            return OptionsError(
                "unknown_value", f"zones cannot be '{options.zones}'", f"Use {_choices(ZONES)}."
            )
    else:
        for side, last in ((Side.WHITE, 8), (Side.BLACK, 1)):
            wrong = sorted(field for field in options.zone(side) if row_of(field) == last)
            if wrong:
                named = field_name(wrong[0])
                return OptionsError(
                    "last_row",
                    f"the zone of {side.word} may not contain its last row: {named}",
                    f"Leave out the fields of row {last}.",
                )
    if not all(isinstance(limit, int) and 1 <= limit <= MAX_FOUL_LIMIT for limit in options.foul_limit):
        return OptionsError(
            "unknown_value",
            f"foul_limit cannot be {options.foul_limit}",
            f"Use 1 to {MAX_FOUL_LIMIT} per player.",
        )
    return None


@lru_cache(maxsize=8)
def _zones(name: str) -> Zones:
    """The named zones of rules 6."""
    rows: Callable[[int], bool] = (lambda row: row <= 2) if name == "home" else (lambda row: row <= 4)
    with_o = name == "half_with_o"
    held = [f for f in FIELDS if with_o or line_of(f) != "o"]
    return Zones(
        frozenset(f for f in held if rows(row_of(f))), frozenset(f for f in held if rows(9 - row_of(f)))
    )
