"""The named options: their defaults, their words, and what is refused."""

from __future__ import annotations

import pytest

from games.scharten.boards import game_options
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.game.flags import flags_text, parse_flags, read_options
from scharten.games import GAMES_BY_KEY
from scharten.games.scharten.options import Options


def test_protection_is_the_kinds_own_by_default() -> None:
    """On in loud games, off in silent ones, and as named otherwise."""
    assert game_options(loud=True).protects == "until_moved"
    assert game_options().protects == "off"
    assert parse_flags("--loud --protection off", Options) == game_options(loud=True, protection="off")


def test_flags_as_the_perft_files_write_them() -> None:
    """An empty text is the silent defaults; values with a space or an equals sign."""
    assert parse_flags("", Options) == game_options()
    assert parse_flags("--silent", Options) == game_options()
    found = parse_flags("--loud --zones home --support=count --double-step home_row", Options)
    assert found == game_options(loud=True, zones="home", support="count", double_step="home_row")


def test_any_games_options_have_flags() -> None:
    """A switch needs no value; what is at its default is not written; another game's option is refused by name."""
    shatranj = GAMES_BY_KEY["shatranj"].options_model
    found = parse_flags("--loud --pat-swap --king-on d", shatranj)
    assert not isinstance(found, Problem)
    assert flags_text(found) == "--loud --king-on d --pat-swap"
    assert parse_flags("--pat-swap off", shatranj) == parse_flags("", shatranj)
    refused = parse_flags("--pat-swap", Options)
    assert isinstance(refused, Problem)
    assert (refused.code, refused.words) == ("unknown_option", "unknown option '--pat-swap'")


def test_options_can_be_keys() -> None:
    """Equal options hash alike, with lists of fields too."""
    first, two = (game_options(loud=True, zones="white=a1,b1;black=a8") for _ in range(2))
    assert {first: 1}[two] == 1


@pytest.mark.parametrize(
    "text",
    ["all", "white=a1", "white=a1;white=b1", "white=a1;black=z9", "white=;black=a8", "red=a1;black=a8"],
)
def test_zones_that_cannot_be_read(text: str) -> None:
    """Each is refused with what would be right."""
    found = parse_flags(f"--zones '{text}'", Options)
    assert isinstance(found, Problem)
    assert "white=a1,b1;black=a8,b8" in found.cure


@pytest.mark.parametrize(("name", "side"), [("a8", Side.WHITE), ("o1", Side.BLACK)])
def test_a_zone_may_not_contain_its_last_row(name: str, side: Side) -> None:
    """A pawn thrown there would stand on its last row."""
    zones = {side.word: [name], side.other.word: ["a4"]}
    found = read_options(Options, {"zones": zones})
    assert isinstance(found, Problem)
    assert (found.code, found.cure) == ("last_row", f"Leave out the fields of row {name[1]}.")
    assert found.words == f"the zone of {side.word} may not contain its last row: {name}"


@pytest.mark.parametrize(
    ("given", "cure"),
    [
        ({"support": "none"}, "Use field_value or count."),
        ({"protection": "on"}, "Use until_moved or off."),
        ({"double_step": "x"}, "Use first_move or home_row."),
        ({"zones": "x"}, "Use half, half_with_o or home"),
    ],
)
def test_unknown_values_name_the_allowed_ones(given: dict[str, object], cure: str) -> None:
    """The option is named, and what it may be."""
    refused = read_options(Options, given)
    assert isinstance(refused, Problem)
    assert refused.code == "unknown_value"
    assert refused.words.startswith(f"{next(iter(given))} cannot be")
    assert cure in refused.cure


def test_an_impossible_foul_limit_and_an_unknown_option_are_named() -> None:
    """Neither is ignored."""
    limit = read_options(Options, {"foul_limit": {"white": 0, "black": 3}})
    assert isinstance(limit, Problem)
    assert limit.words == "foul_limit.white cannot be '0'"
    unknown = read_options(Options, {"pat_swap": "on"})
    assert isinstance(unknown, Problem)
    assert unknown.words == "unknown option 'pat_swap'"


def test_flags_that_cannot_be_read() -> None:
    """A quote that is never closed is named too, and an option without its value."""
    for text in ("--zones 'white", "--zones", "--loud --silent"):
        found = parse_flags(text, Options)
        assert isinstance(found, Problem)
        assert found.code == "malformed"
