"""Who has White (rules 8): lot, a dart each, agreed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.beds import ALL_BEDS, SHARED_BEDS, Bed, parse_bed
from scharten.match.white import (
    Nearer,
    Seat,
    TossDart,
    TossForWhite,
    compare,
    correct,
    draw_lot,
    take_out,
    throw,
)


def dart(text: str, mm: float | None = None) -> TossDart:
    bed = parse_bed(text)
    assert bed is not None
    return TossDart(bed, mm)


def toss(*beds: str) -> TossForWhite:
    thrown = TossForWhite()
    for text in beds:
        thrown = throw(thrown, dart(text))
    return thrown


def test_the_lot_is_fair_and_repeatable() -> None:
    """One seed always draws the same seat, and over 2000 seeds each seat has about half."""
    drawn = [draw_lot(seed) for seed in range(2000)]
    assert drawn == [draw_lot(seed) for seed in range(2000)]
    assert 900 < drawn.count(Seat.SEAT1) < 1100


def test_rings_from_the_centre_outwards() -> None:
    """BULL is nearer than 25, then little, treble, fat, double, off; each beats all that follow."""
    order = ["BULL", "25", "L7", "T7", "F7", "D7", "MISS"]
    for place, near in enumerate(order):
        assert compare(dart(near), dart(near)) is Nearer.EQUAL
        for far in order[place + 1 :]:
            assert compare(dart(near), dart(far)) is Nearer.FIRST
            assert compare(dart(far), dart(near)) is Nearer.SECOND


def test_millimetres_decide_when_both_are_known() -> None:
    """Two darts in one ring are told apart by millimetres; with one unknown the rings decide."""
    assert compare(dart("F3", 120.4), dart("F17", 118.0)) is Nearer.SECOND
    assert compare(dart("F3", 120.4), dart("F17")) is Nearer.EQUAL
    assert compare(dart("BULL", 3.01), dart("BULL", 3.02)) is Nearer.EQUAL


@pytest.mark.parametrize(
    ("one", "two", "verdict"),
    [
        ("S5", "D5", Nearer.FIRST),
        ("S5", "BULL", Nearer.SECOND),
        ("S5", "T5", Nearer.IN_DOUBT),
        ("S5", "S6", Nearer.IN_DOUBT),
        ("S5", "L5", Nearer.IN_DOUBT),
    ],
)
def test_a_shared_single_decides_only_when_it_cannot_matter(one: str, two: str, verdict: Nearer) -> None:
    """A bed that stands for both singles settles the round only if either reading gives the same seat."""
    assert compare(dart(one), dart(two)) is verdict


def test_seat1_throws_first_and_equal_darts_are_thrown_again() -> None:
    """A round goes seat 1, seat 2; equal rings start another round, in the same order."""
    assert TossForWhite().to_throw is Seat.SEAT1
    assert toss("F20").to_throw is Seat.SEAT2
    again = toss("F20", "F3")
    assert (again.nearer, again.white, again.to_throw) == (Nearer.EQUAL, None, Seat.SEAT1)
    decided = throw(throw(again, dart("MISS")), dart("D11"))
    assert (decided.white, decided.to_throw) == (Seat.SEAT2, None)
    assert throw(decided, dart("BULL")) == decided


def test_doubt_waits_for_a_person() -> None:
    """In doubt nobody throws and nobody has White, until the dart is corrected."""
    doubt = toss("T5", "S6")
    assert (doubt.white, doubt.to_throw) == (None, None)
    assert correct(doubt, dart("L6")).white is Seat.SEAT2


def test_a_dart_can_be_taken_out() -> None:
    """Deleting the last dart gives the state before it, also after the decision."""
    assert take_out(toss("T5", "L6")) == toss("T5")
    assert take_out(TossForWhite()) == TossForWhite()
    assert correct(TossForWhite(), dart("D1")) == TossForWhite()


@given(st.sampled_from((*ALL_BEDS, *SHARED_BEDS)), st.sampled_from((*ALL_BEDS, *SHARED_BEDS)))
def test_the_seats_are_treated_alike(one: Bed, two: Bed) -> None:
    """Swapping the two darts swaps the verdict."""
    swapped = {Nearer.FIRST: Nearer.SECOND, Nearer.SECOND: Nearer.FIRST}
    verdict = compare(TossDart(one), TossDart(two))
    assert compare(TossDart(two), TossDart(one)) is swapped.get(verdict, verdict)
