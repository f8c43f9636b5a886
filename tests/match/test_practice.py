"""Practice while no game is on: each exercise, which darts count, and the same result from a replay."""

from __future__ import annotations

from dataclasses import replace

import jsonschema
import pytest

from match.driver import Table
from scharten.contract.schema import schema
from scharten.contract.snapshot import snapshot
from scharten.dartboard.beds import MISS, Bed, BedKind
from scharten.match.digest import digest
from scharten.match.orders import Exercise
from scharten.match.practice import Practice

STATE = jsonschema.Draft202012Validator(schema("state"))


def practice(exercise: Exercise) -> Practice:
    """Return a series on a board whose White sits at the 3."""
    return Practice(exercise, "ann", 1, 3)


@pytest.mark.parametrize(
    ("exercise", "darts"), [("warm_up", 20), ("round_the_zone", 10), ("lit_field", 20), ("doubles", 20)]
)
def test_a_series_of_hits_ends(exercise: str, darts: int) -> None:
    """Hitting every target ends the series after its number of darts; another dart changes nothing."""
    series = practice(Exercise(exercise))
    for _ in range(darts):
        assert not series.over and series.targets
        series = series.throw(series.targets[0])
    assert (
        series.over and series.targets == () and series.throw(practice(Exercise.DOUBLES).targets[0]) == series
    )
    assert (series.thrown, series.hit, series.best_run) == (darts, darts, darts)


def test_fouls_in_a_row_end_the_last_exercise() -> None:
    """Three misses in a row outside the zone end the series; a hit in between restarts the count."""
    series = practice(Exercise.FOULS_IN_A_ROW)
    inside, outside = series.targets[0], practice(Exercise.DOUBLES).targets[0]
    for bed in (outside, outside, inside, outside, outside):
        series = series.throw(bed)
        assert not series.over
    series = series.throw(outside)
    assert series.over and (series.thrown, series.hit) == (6, 1)


def test_the_board_counts_while_no_game_is_on() -> None:
    """A dart on the board or a reported dart changes the digest, so that it is stored. A new game ends the
    practice."""
    table = Table(begin=False)
    assert table.hit("BULL") == "not_started"
    table.ok("practice", "seat1", exercise="warm_up", player="ann")
    before = digest(table.match)
    assert table.hit("BULL") == "" and digest(table.match) != before
    table.ok("practice_dart", bed="MISS")
    shown = snapshot(table.match, table.t)
    STATE.validate(shown)
    assert shown["practice"] is not None
    assert (shown["practice"]["thrown"], shown["practice"]["hit"], shown["practice"]["of"]) == (2, 1, 20)
    table.ok("new_game")
    assert table.match.practice is None and table.refused("practice", exercise="doubles") == "wrong_phase"


def test_a_dart_in_doubt_counts_in_the_likeliest_bed_until_corrected() -> None:
    """The snapshot names the possible beds. `instead` corrects the last dart, also when it ended the series."""
    table = Table(begin=False)
    assert table.ok("practice", exercise="doubles")
    assert table.refused("practice_dart", bed="D20", instead=True) == "not_allowed"
    series = practice(Exercise.DOUBLES)
    due, beside = series.targets[0], Bed(BedKind.FAT, series.targets[0].number)
    table.seen(str(beside), str(due), confidence=0.6)
    shown = snapshot(table.match, table.t)
    STATE.validate(shown)
    assert shown["practice"] is not None and shown["practice"]["doubt"] == [str(beside), str(due)]
    assert (shown["practice"]["last"], shown["practice"]["hit"]) == (str(beside), 0)
    for bed, hit in ((due, 1), (beside, 0), (due, 1)):
        before = digest(table.match)
        table.ok("practice_dart", bed=str(bed), instead=True)
        shown = snapshot(table.match, table.t)["practice"]
        assert shown is not None and (shown["thrown"], shown["hit"], shown["doubt"]) == (1, hit, [])
        assert digest(table.match) != before
    assert table.seen_unclear() == "not_started", (
        "cameras saw something and not what: a person reports the dart"
    )


@pytest.mark.parametrize("exercise", list(Exercise))
def test_the_last_dart_of_a_series_can_be_corrected(exercise: Exercise) -> None:
    """The corrected series equals a series in which the other bed was hit at once."""
    series = practice(exercise)
    while not series.over:
        last = series
        series = series.throw(MISS if exercise is Exercise.FOULS_IN_A_ROW else series.targets[0])
    other = last.targets[0] if exercise is Exercise.FOULS_IN_A_ROW else MISS
    corrected = series.correct(other)
    assert corrected is not None and replace(corrected, corrected=False) == last.throw(other)
    assert corrected.over is (exercise in (Exercise.WARM_UP, Exercise.LIT_FIELD))


def test_a_practice_ends_on_request() -> None:
    """Null ends the practice: then a dart is only shown, and a reported dart is refused."""
    table = Table(begin=False)
    table.ok("practice", exercise="lit_field")
    table.ok("practice", exercise=None)
    assert table.hit("BULL") == "not_started" and table.refused("practice_dart", bed="T20") == "not_allowed"
    assert table.refused("practice_dart", "table", bed="MISS") == "not_allowed"
