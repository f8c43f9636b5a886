"""Greed, a rival in the proof of strength: it takes the largest gain at once, by a move or a dart."""

from __future__ import annotations

from pathlib import Path

import pytest

from games.scharten.boards import LOUD, SILENT, board
from lab.plain_engine import PlainEngine
from lab.rivals import by_greed, greedy_dart
from scharten.dartboard.locate import bed_at
from scharten.game.basics import LostDart, Move
from scharten.games.scharten.actions import move_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.play.scatter import Scatter
from scharten.play.throwing import throw_model

HANGS = """
    8  k . . . . . . . . .
    4  . . . . . . q . . .
    2  . . p . . . R . . .
    1  . . . . . . . . K .
"""
"""The rook may take the queen or the pawn; both stand on light fields."""
QUIET = HANGS.replace("q", ".").replace("p", ".")
MATES = [
    (text, keys)
    for text, moves, keys in (
        line.split("\t") for line in (Path(__file__).parent / "mates.tsv").read_text().splitlines()
    )
    if moves == "1"
]


def chosen_by_greed(position: Position, options: Options) -> set[str]:
    """Return greed's choices with ten seeds: moves, or "dart" for a throw."""
    found = (by_greed(options, seed)(position, frozenset()) for seed in range(10))
    return {turn.text if isinstance(turn, Move) else "dart" for turn in found}


def test_greed_takes_the_most_valuable_piece() -> None:
    """It takes the queen rather than a pawn, and the pawn if no other piece hangs."""
    assert chosen_by_greed(board(HANGS), SILENT) == {"f2f4"}
    assert chosen_by_greed(board(HANGS.replace("q", ".")), SILENT) == {"f2b2"}


def test_greed_chooses_between_equal_gains_by_chance() -> None:
    """Of two pawns it takes one or the other."""
    assert chosen_by_greed(board(HANGS.replace("q", "p")), SILENT) == {"f2f4", "f2b2"}


@pytest.mark.parametrize(
    ("drawing", "placed", "wanted"),
    [
        (HANGS, "0/17", "f2f4"),  # a queen for the dart of a pawn
        (HANGS.replace("q", "."), "0/17", "f2b2"),  # a certain pawn, before one that the dart may miss
        (HANGS.replace("q", "."), "15/17", "dart"),  # its own queen, where only a pawn hangs
        (QUIET, "0/17", "dart"),
    ],
)
def test_greed_throws_if_a_dart_expects_more_than_any_move(drawing: str, placed: str, wanted: str) -> None:
    """A placed piece counts as much as a captured one, times the chance to place it."""
    assert chosen_by_greed(board(drawing, options=LOUD, placed=placed), LOUD) == {wanted}


def test_greed_aims_its_darts_where_a_piece_may_be_placed() -> None:
    """From an empty board none of fifty darts is aimed at a point where it would be lost."""
    position = SCHARTEN.begin(LOUD)
    for seed in range(50):
        aim = by_greed(LOUD, seed)(position, frozenset())
        assert not isinstance(aim, Move)
        from_bed = SCHARTEN.throws.effect(position, LOUD, bed_at(*aim), 3)
        assert not isinstance(from_bed.action, LostDart)


def test_a_dart_that_may_lose_the_game_is_worth_less_than_a_pawn() -> None:
    """A wild dart into an empty half expects most of a pawn; after two lost darts it expects to lose."""
    model = throw_model(Scatter(60, 60))
    worth = [
        greedy_dart(board(QUIET, options=LOUD, placed="0/17", fouls=f"{lost}/0"), model, 3)[1]
        for lost in (0, 1, 2)
    ]
    assert 60 < worth[0] == worth[1] < 100 and worth[2] < -300


@pytest.mark.parametrize(("text", "keys"), MATES)
def test_greed_mates_wherever_one_move_does(text: str, keys: str) -> None:
    """A mate is worth more than any capture."""
    mating = parse_position(text, rules_of(SILENT))
    assert isinstance(mating, Position)
    assert chosen_by_greed(mating, SILENT) <= set(keys.split())


def test_the_plain_engine_counts_turns_right_and_mates(tmp_path: Path) -> None:
    """The rival of `make bench ARGS=ladder` counts as many turns as another program, and finds mates in one."""
    engine, rules = PlainEngine(tmp_path), rules_of(SILENT)
    counted = 0
    for row in (Path(__file__).parents[1] / "perft" / "given.tsv").read_text().splitlines():
        text, options, depth, leaves = row.split("\t")
        position = parse_position(text, rules)
        if not options and isinstance(position, Position) and position.occupied.bit_count() > 3:
            assert engine.count(position, int(depth)) == int(leaves), row
            counted += 1
    assert counted > 20
    for text, keys in MATES:
        position = parse_position(text, rules)
        assert isinstance(position, Position)
        assert move_of(*engine.best_move(position, 2)).text in keys.split()
