"""The engine in given positions: it mates, takes hanging pieces, throws if a dart is best, and keeps its time."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path

import pytest

from scharten.game.basics import Kind
from scharten.games.scharten.actions import move_of, turn_of
from scharten.games.scharten.game import SCHARTEN
from scharten.games.scharten.geometry import scan
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move, after_placement
from scharten.games.scharten.position_text import opening, parse_position
from scharten.games.scharten.turns import Turns
from scharten.play.choose import Thinker, choose
from scharten.play.evaluate import AT_STAKE, MATE, evaluate, free_singles
from scharten.play.levels import LEVELS
from scharten.play.mating import Mates
from scharten.play.player import Mind
from scharten.play.room import darts_needed
from scharten.play.scatter import Scatter
from scharten.play.search import Darts, Search
from scharten.play.throwing import throw_model

SLOW = ["20/10B9/10q9/4k3r7bK2 b - 17/17 0/0 0/0 40", "3", "h4g4"]
"""Takes as long as all others together. `make bench ARGS=solve` solves it with them."""
SILENT = rules_of(Options(kind=Kind.SILENT))
LOUD = rules_of(Options())
MATES = [line.split("\t") for line in (Path(__file__).parent / "mates.tsv").read_text().splitlines()]


def position(text: str, loud: bool = False) -> Position:
    found = parse_position(text, LOUD if loud else SILENT)
    assert isinstance(found, Position)
    return found


def looks(count: int):  # type: ignore[no-untyped-def]
    """Return a clock that runs out after this many looks."""
    left = iter(range(count))
    return lambda: next(left, None) is None


@pytest.mark.parametrize(("text", "moves", "keys"), [row for row in MATES if row != SLOW])
def test_every_first_move_of_a_mate_is_found(text: str, moves: str, keys: str) -> None:
    """The solver finds exactly the first moves that another program found, and no quicker mate."""
    mates = Mates()
    assert mates.fewest(position(text), int(moves) - 1)[0] == 0
    assert {move_of(*turn).text for turn in mates.keys(position(text), int(moves))} == set(keys.split())


@pytest.mark.parametrize(("text", "moves", "keys"), [row for row in MATES if row[1] in "12"])
def test_the_search_plays_a_mate(text: str, moves: str, keys: str) -> None:
    """The engine chooses a move that forces the mate, and values it as a mate."""
    found = choose(position(text), Thinker(depth=2 * int(moves)), looks(10**9))
    assert found is not None and found.turn is not None
    assert move_of(*found.turn).text in keys.split()
    assert found.value >= MATE - 2 * int(moves)


def test_the_engine_throws_in_the_loud_opening() -> None:
    """On an empty board it aims into its own half, where the half is most surely hit, and values its fields."""
    found = choose(opening(LOUD), Thinker(depth=3, model=throw_model(Scatter(20, 20))), looks(10**9))
    assert found is not None and found.turn is None and found.aim is not None
    assert abs(found.aim[0]) < 30 and -140 < found.aim[1] < -60
    assert "c3" in found.fields and "c6" not in found.fields


def test_level_3_throws_in_the_opening_despite_its_errors() -> None:
    """In at least six of eight games it throws, though errors make one of many moves look better."""
    options = Options(kind=Kind.LOUD)
    model = throw_model(LEVELS[3].scatter)
    thrown = 0
    for seed in range(8):
        chance = partial(random.Random(seed).gauss, 0, 1)
        found = choose(
            opening(rules_of(options)), Thinker(depth=1, error=50, model=model), lambda: False, chance
        )
        thrown += found is not None and found.turn is None
    assert thrown >= 6


def test_the_engine_in_check_moves_its_king_rather_than_throw() -> None:
    """A lost dart in check loses the game (rules 6), so a king that can step away does."""
    checked = position("15k*4/1r3K*14/20/20 w - 0/5 0/0 0/0 9", loud=True)
    assert Turns(checked).checked
    found = choose(checked, Thinker(depth=2, model=throw_model(Scatter(30, 30))), looks(10**9))
    assert found is not None and found.turn is not None


def test_a_dart_is_valued_as_deep_as_a_move() -> None:
    """At depth 3 likely fields have other values than at depth 1, and so has the dart."""
    here = opening(LOUD)
    near, far = (
        choose(here, Thinker(depth=depth, model=throw_model(Scatter(9, 9))), looks(10**9)) for depth in (1, 3)
    )
    assert near is not None and far is not None and far.depth == 3
    changed = {at for at, worth in far.fields.items() if worth != near.fields[at]}
    assert changed and far.value != near.value


def test_a_later_dart_is_valued_on_its_likeliest_fields() -> None:
    """Below the root a sure dart is worth the mean of its likely fields, weighted by their chances."""
    here = opening(LOUD)
    first, second = list(scan(here.rules.zones[0]))[:30:29]
    likely = ((first, 0.6), (second, 0.2))
    search = Search(Darts(1.0, (3, 3), (likely, likely)))
    placed = [search.value_after(after_placement(here, field), 0) for field in (first, second)]
    assert placed[0] != placed[1]
    assert -search.value_after(here, 1) == round(0.75 * placed[0] + 0.25 * placed[1])


def test_a_full_zone_needs_more_darts() -> None:
    """A sure hand needs a dart a piece, a wild hand more, and more in a full zone; a move makes room for one single."""
    zone = LOUD.zones[0]
    sure, wild = darts_needed(Scatter(1, 1), zone, 3), darts_needed(Scatter(42, 42), zone, 3)
    assert sure[0][-1] == pytest.approx(17) and sure[17] == wild[17] == (0.0,) * 19
    assert wild[0][-1] > 25
    steps = [fuller - emptier for fuller, emptier in pairwise(wild[15])]
    assert all(0 <= step <= 1 + 1e-9 for step in steps) and sum(steps) > 5


@pytest.mark.parametrize(("level", "throws"), [(10, True), (5, False)])
def test_a_wild_thrower_makes_room_first(level: int, throws: bool) -> None:
    """With five free singles the surest hand throws its rook; a wild one first moves a piece away from a single."""
    full = position("5K9k4/1P*P*P*P*P*P*P*P*P*10/20/1N*N*B*B*15 w - 13/0 0/0 0/0 20", loud=True)
    mind = Mind(SCHARTEN, Options(), level, 3, gauss=lambda *_: 0.0, divided_by=10_000)
    intent = mind.think(full, 60.0, lambda: 0.0)
    assert intent is not None and (intent.move is None) == throws
    if intent.move is not None:
        reached = after_move(full, *turn_of(intent.move))
        assert free_singles(reached, 0) == free_singles(full, 0) + 1


def test_the_search_sees_that_only_a_dart_ends_a_check() -> None:
    """At the end of its lines too a check without a move is worth the dart's chance, not the men on the board."""
    checked = position("4kKP*r12/5P*P*13/3b16/18p*1 w - 5/17 1/0 3/3 45", loud=True)
    assert Turns(checked).stuck and evaluate(checked) > 0
    assert -Search(Darts(0.7, (3, 3))).value_after(checked, 0) < -AT_STAKE // 2


@pytest.mark.parametrize(("level", "depth"), [(2, 1), (3, 3), (5, 3), (7, 3)])
def test_levels_from_3_search_three_turns_deep(level: int, depth: int) -> None:
    """With pieces to place, a level from 3 completes three turns however few its positions, and reports that depth."""
    options = Options(kind=Kind.LOUD)
    mind = Mind(SCHARTEN, options, level, 3, gauss=random.Random(1).gauss, divided_by=10_000)
    intent = mind.think(opening(rules_of(options)), 60.0, lambda: 0.0)
    assert intent is not None and f"{depth} turns deep" in intent.words


def test_a_wild_thrower_moves_before_the_limit_of_lost_darts() -> None:
    """One lost dart before the limit (rules 6), a scatter of 60 mm moves and one of 20 mm throws."""
    text = "5K*9k*4/20/20/20 w - 0/0 2/0 2/0 3"
    wild = Thinker(depth=2, model=throw_model(Scatter(60, 60)))
    found = choose(position(text, loud=True), wild, looks(10**9))
    assert found is not None and found.turn is not None
    sure = replace(wild, model=throw_model(Scatter(20, 20)))
    calm = choose(position(text, loud=True), sure, looks(10**9))
    assert calm is not None and calm.aim is not None


def test_a_search_stopped_at_once_gives_a_legal_turn() -> None:
    """Whenever the clock stops it, the engine returns a legal move within one more position."""
    start = opening(SILENT)
    for looks_left in (0, 1, 5, 20):
        found = choose(start, Thinker(), looks(looks_left))
        assert found is not None and found.turn is not None
        assert Turns(start).allows(*found.turn)
        assert found.nodes <= looks_left + 1


def test_the_evaluation_is_symmetric() -> None:
    """The opening is worth 0, and exchanging the sides negates a value."""
    here = opening(SILENT)
    assert evaluate(here) == 0
    moved = after_move(here, *next(turn for turn in Turns(here).moves() if move_of(*turn).text == "e2e4"))
    assert evaluate(moved) == -evaluate(moved._replace(mover=0))


def test_only_chance_decides_the_errors_of_a_level() -> None:
    """Two streams of random numbers give different moves, the same stream the same move."""
    start, thinker = opening(SILENT), Thinker(depth=1, error=300)
    streams = [iter([(n * k) % 7 - 3.0 for n in range(200)]) for k in (1, 1, 3)]
    chosen = [choose(start, thinker, looks(10**9), lambda source=stream: next(source)) for stream in streams]
    moves = [item.turn for item in chosen if item is not None]
    assert moves[0] == moves[1] != moves[2]


def test_the_limit_of_positions_ends_the_search() -> None:
    """The first turn is always complete. Beyond it the search stops at the limit, with the same result each time."""
    start = opening(SILENT)
    [whole, most, repeated] = [
        choose(start, thinker, looks(10**9))
        for thinker in (Thinker(depth=1), Thinker(positions=500), Thinker(positions=500))
    ]
    assert whole is not None and most is not None and repeated is not None
    assert most.nodes == 501 and (most.turn, most.value) == (repeated.turn, repeated.value)
    few = choose(start, Thinker(positions=1), looks(10**9))
    assert few is not None and (few.turn, few.nodes) == (whole.turn, whole.nodes + 1)


@pytest.mark.parametrize("level", [8, 9])
def test_high_levels_choose_among_equal_moves(level: int) -> None:
    """In silent games, different random numbers give different games, and the same numbers the same game."""
    games = []
    for seed in (*range(5), 0):
        chance, here = random.Random(seed), opening(SILENT)
        mind = Mind(SCHARTEN, Options(kind=Kind.SILENT), level, 3, gauss=chance.gauss, divided_by=100)
        for _ in range(6):
            intent = mind.think(here, 1.0, lambda: 0.0)
            assert intent is not None and intent.move is not None
            here = after_move(here, *turn_of(intent.move))  # type: ignore[misc]
        games.append(here)
    assert len(set(games)) > 2 and games[0] == games[-1]


@pytest.mark.parametrize(("text", "moves", "keys"), [row for row in MATES if row[1] == "1"])
def test_no_error_hides_a_mate_in_one(text: str, moves: str, keys: str) -> None:
    """A level that errs by five pawns still plays a mate in one, for any random numbers."""
    for seed in range(5):
        err = partial(random.Random(seed).gauss, 0, 1)
        found = choose(position(text), Thinker(depth=1, error=500), looks(10**9), err)
        assert found is not None and found.turn is not None
        assert move_of(*found.turn).text in keys.split()
