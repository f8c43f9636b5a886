"""The levels of the computer: each searches more than the one below, and a game can be repeated."""

from __future__ import annotations

from itertools import pairwise

import pytest

from lab.play import Game, Seat, play
from lab.rivals import by_chance
from lab.strength import Match, played
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.play.levels import LEVELS

DIVIDED = 100.0


@pytest.mark.long
@pytest.mark.parametrize("kind", list(Kind))
def test_a_game_can_be_repeated_by_its_number(kind: Kind) -> None:
    """A game depends on its number alone: score, turns and searched positions repeat."""
    match = Match(kind, 4, "2", 0.65)
    rows = [{**played(match, 1, DIVIDED), "cpu_s": 0} for _ in range(2)]
    assert rows[0] == rows[1]


def test_a_hopeless_side_resigns_at_its_third_turn() -> None:
    """In self-play a bare king against five queens resigns as the computer does at a board."""
    options = Options(kind=Kind.SILENT)
    lost = parse_position("4K15/20/20/9qqqqqk5 w - 17/17 0/0 0/0 40", rules_of(options))
    assert isinstance(lost, Position)
    game = play(lost, Seat(1, options, 1, DIVIDED), by_chance(options, 1), options)
    assert game == Game(0.0, 4, "resigned")


def test_each_level_searches_twice_as_many_positions() -> None:
    """From level to level positions double, the error falls by a third, scatter shrinks, and depth never does."""
    for below, above in pairwise(LEVELS[number] for number in range(1, 11)):
        assert above.positions in (2 * below.positions, 2 * below.positions + 1)
        assert above.depth >= below.depth and 0.6 < above.error / below.error < 0.7
        assert above.scatter.x_mm < below.scatter.x_mm
