"""The engine in drawn positions: it mates, takes what hangs, throws where that is best, and keeps its time."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial
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
from scharten.play.evaluate import MATE, evaluate
from scharten.play.levels import LEVELS
from scharten.play.mating import Mates
from scharten.play.player import Mind
from scharten.play.scatter import Scatter
from scharten.play.search import Darts, Search
from scharten.play.throwing import throw_model

SLOW = ["20/10B9/10q9/4k3r7bK2 b - 17/17 0/0 0/0 40", "3", "h4g4"]
"""Takes as long as all others together: solved by `make bench ARGS=solve`, with them."""
SILENT = rules_of(Options(kind=Kind.SILENT))
LOUD = rules_of(Options())
MATES = [line.split("\t") for line in (Path(__file__).parent / "mates.tsv").read_text().splitlines()]


def position(text: str, loud: bool = False) -> Position:
    found = parse_position(text, LOUD if loud else SILENT)
    assert isinstance(found, Position)
    return found


def looks(count: int):  # type: ignore[no-untyped-def]
    """A clock that runs out after this many looks."""
    left = iter(range(count))
    return lambda: next(left, None) is None


@pytest.mark.parametrize(("text", "moves", "keys"), [row for row in MATES if row != SLOW])
def test_every_first_move_of_a_mate_is_found(text: str, moves: str, keys: str) -> None:
    """All first moves that force mate, and no others, as another program found them; none is quicker."""
    mates = Mates()
    assert mates.fewest(position(text), int(moves) - 1)[0] == 0
    assert {move_of(*turn).text for turn in mates.keys(position(text), int(moves))} == set(keys.split())


@pytest.mark.parametrize(("text", "moves", "keys"), [row for row in MATES if row[1] in "12"])
def test_the_search_plays_a_mate(text: str, moves: str, keys: str) -> None:
    """The engine itself chooses a move that forces the mate and knows that it is one."""
    found = choose(position(text), Thinker(depth=2 * int(moves)), looks(10**9))
    assert found is not None and found.turn is not None
    assert move_of(*found.turn).text in keys.split()
    assert found.value >= MATE - 2 * int(moves)


def test_it_throws_in_the_loud_opening_and_names_the_worth_of_fields() -> None:
    """With nothing on the board a dart into one's own half is best, aimed where the half is most surely hit."""
    found = choose(opening(LOUD), Thinker(depth=3, model=throw_model(Scatter(20, 20))), looks(10**9))
    assert found is not None and found.turn is None and found.aim is not None
    assert abs(found.aim[0]) < 30 and -140 < found.aim[1] < -60
    assert "c3" in found.fields and "c6" not in found.fields


def test_errors_do_not_keep_a_level_from_throwing() -> None:
    """With the errors of level 3 the opening's best dart is thrown by most, though one of many moves looks better."""
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


def test_in_check_it_throws_only_if_nothing_else_saves() -> None:
    """A lost dart in check loses the game (rules 6), so a king that can step away does."""
    checked = position("15k*4/1r3K*14/20/20 w - 0/5 0/0 0/0 9", loud=True)
    assert Turns(checked).checked
    found = choose(checked, Thinker(depth=2, model=throw_model(Scatter(30, 30))), looks(10**9))
    assert found is not None and found.turn is not None


def test_a_dart_is_valued_as_deep_as_a_move() -> None:
    """At depth 3 the values of the likely fields differ from those at depth 1, and the expectation with them."""
    here = opening(LOUD)
    near, far = (
        choose(here, Thinker(depth=depth, model=throw_model(Scatter(9, 9))), looks(10**9)) for depth in (1, 3)
    )
    assert near is not None and far is not None and far.depth == 3
    changed = {at for at, worth in far.fields.items() if worth != near.fields[at]}
    assert changed and far.value != near.value


def test_a_later_dart_is_valued_on_its_likeliest_fields() -> None:
    """A sure dart below the root is worth the mean of the fields that it hits, weighed by their chances."""
    here = opening(LOUD)
    first, second = list(scan(here.rules.zones[0]))[:30:29]
    likely = ((first, 0.6), (second, 0.2))
    search = Search(Darts(1.0, (3, 3), (likely, likely)))
    placed = [search.value_after(after_placement(here, field), 0) for field in (first, second)]
    assert placed[0] != placed[1]
    assert -search.value_after(here, 1) == round(0.75 * placed[0] + 0.25 * placed[1])


@pytest.mark.parametrize(("level", "depth"), [(2, 1), (3, 3), (5, 3), (7, 3)])
def test_from_level_3_the_answer_to_a_dart_is_seen(level: int, depth: int) -> None:
    """With pieces to come a level from 3 finishes three turns, however few its positions, and reports that depth."""
    options = Options(kind=Kind.LOUD)
    mind = Mind(SCHARTEN, options, level, 3, gauss=random.Random(1).gauss, divided_by=10_000)
    intent = mind.think(opening(rules_of(options)), 60.0, lambda: 0.0)
    assert intent is not None and f"{depth} turns deep" in intent.words


def test_the_limit_of_lost_darts_is_feared() -> None:
    """At one lost dart before the limit a thrower who misses often moves instead (rules 6)."""
    text = "5K*9k*4/20/20/20 w - 0/0 2/0 2/0 3"
    wild = Thinker(depth=2, model=throw_model(Scatter(60, 60)))
    found = choose(position(text, loud=True), wild, looks(10**9))
    assert found is not None and found.turn is not None
    sure = replace(wild, model=throw_model(Scatter(20, 20)))
    calm = choose(position(text, loud=True), sure, looks(10**9))
    assert calm is not None and calm.aim is not None


def test_time_that_is_over_at_once_still_gives_a_legal_turn() -> None:
    """Whenever the clock stops it, the engine answers with a legal move, and looks at few positions more."""
    start = opening(SILENT)
    for looks_left in (0, 1, 5, 20):
        found = choose(start, Thinker(), looks(looks_left))
        assert found is not None and found.turn is not None
        assert Turns(start).allows(*found.turn)
        assert found.nodes <= looks_left + 1


def test_the_evaluation_is_the_same_seen_from_the_other_side() -> None:
    """Turning the board by half a circle and exchanging the colours changes no value."""
    here = opening(SILENT)
    assert evaluate(here) == 0
    moved = after_move(here, *next(turn for turn in Turns(here).moves() if move_of(*turn).text == "e2e4"))
    assert evaluate(moved) == -evaluate(moved._replace(mover=0))


def test_a_level_with_error_errs_and_chance_alone_decides_how() -> None:
    """Two streams of chance give different moves, the same stream the same move."""
    start, thinker = opening(SILENT), Thinker(depth=1, error=300)
    streams = [iter([(n * k) % 7 - 3.0 for n in range(200)]) for k in (1, 1, 3)]
    chosen = [choose(start, thinker, looks(10**9), lambda source=stream: next(source)) for stream in streams]
    moves = [item.turn for item in chosen if item is not None]
    assert moves[0] == moves[1] != moves[2]


def test_after_its_positions_it_looks_no_further_however_much_time_there_is() -> None:
    """One turn is looked at in whole; beyond that the positions end it, and the same ones each time."""
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
def test_high_levels_choose_among_equals(level: int) -> None:
    """Without darts too, other chance gives another game against itself; the same chance the same."""
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
def test_nobody_misjudges_a_mate_that_is_seen(text: str, moves: str, keys: str) -> None:
    """A level that errs by five pawns still gives a mate in one, whatever chance says."""
    for seed in range(5):
        err = partial(random.Random(seed).gauss, 0, 1)
        found = choose(position(text), Thinker(depth=1, error=500), looks(10**9), err)
        assert found is not None and found.turn is not None
        assert move_of(*found.turn).text in keys.split()
