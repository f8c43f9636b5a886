"""The named options: their defaults, their words, and what is refused."""

from __future__ import annotations

import pytest

from scharten.errors import SchartenError
from scharten.game.basics import Side
from scharten.games.scharten.board import parse_field
from scharten.games.scharten.options import (
    OptionsError,
    RuleOptions,
    Zones,
    make_options,
    parse_flags,
    parse_zones,
)


def test_protection_is_the_variants_own_by_default() -> None:
    """On in loud games, off in silent ones, and as named otherwise."""
    assert RuleOptions(loud=True).protection == "until_moved"
    assert RuleOptions().protection == "off"
    assert parse_flags("--loud --protection off") == RuleOptions(loud=True, protection="off")


def test_flags_as_the_perft_files_write_them() -> None:
    """An empty text is the silent defaults; values with a space or an equals sign."""
    assert parse_flags("") == RuleOptions()
    assert parse_flags("--silent") == RuleOptions()
    assert parse_flags("--loud --zones home --support=count --double-step home_row") == RuleOptions(
        loud=True, zones="home", support="count", double_step="home_row"
    )


def test_options_can_be_keys() -> None:
    """Equal options hash alike, with lists of fields too."""
    one, two = (make_options(loud=True, zones="white=a1,b1;black=a8") for _ in range(2))
    assert {one: 1}[two] == 1


@pytest.mark.parametrize(
    "text",
    ["", "all", "white=a1", "white=a1;white=b1", "white=a1;black=z9", "white=;black=a8", "red=a1;black=a8"],
)
def test_zones_that_cannot_be_read(text: str) -> None:
    """Each is refused with what would be right."""
    found = parse_zones(text)
    assert isinstance(found, OptionsError)
    assert "white=a1,b1;black=a8,b8" in found.cure


@pytest.mark.parametrize(("name", "side"), [("a8", Side.WHITE), ("o1", Side.BLACK)])
def test_a_zone_may_not_contain_its_last_row(name: str, side: Side) -> None:
    """Neither as words nor as a value."""
    field = parse_field(name)
    assert field is not None
    zones = {side.word: frozenset({field}), side.other.word: frozenset()}
    with pytest.raises(SchartenError, match=f"zone of {side.word} may not contain its last row: {name}"):
        RuleOptions(loud=True, zones=Zones(**zones))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"support": "none"}, "Use field_value or count."),
        ({"protection": "on"}, "Use until_moved or off."),
        ({"double_step": "x"}, "Use first_move or home_row."),
        ({"zones": "x"}, "Use half, half_with_o or home"),
        ({"foul_limit": (0, 3)}, "Use 1 to 99 per player."),
    ],
)
def test_unknown_values_name_the_allowed_ones(given: dict[str, object], told: str) -> None:
    """As a value from words, as an exception from code."""
    refused = make_options(**given)  # type: ignore[arg-type]
    assert isinstance(refused, OptionsError)
    assert told in refused.cure
    with pytest.raises(SchartenError, match="cannot be"):
        RuleOptions(**given)  # type: ignore[arg-type]


def test_flags_that_cannot_be_read() -> None:
    """A quote that is never closed is told too."""
    found = parse_flags("--zones 'white")
    assert isinstance(found, OptionsError)
    assert found.code == "malformed"
