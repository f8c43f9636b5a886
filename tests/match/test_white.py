"""Deciding who has White (rules 8): lot, a dart each, agreed."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from match.driver import Table
from scharten.dartboard.beds import ALL_BEDS, SHARED_BEDS, Bed, parse_bed
from scharten.game.basics import Side
from scharten.match.referee import digest
from scharten.match.white import Nearer, Seat, TossDart, TossForWhite, compare, draw_lot, throw


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
    """A seed always draws the same seat, and over 2000 seeds each seat has about half."""
    drawn = [draw_lot(seed) for seed in range(2000)]
    assert drawn == [draw_lot(seed) for seed in range(2000)]
    assert 900 < drawn.count(Seat.SEAT1) < 1100


def test_rings_from_the_centre_outwards() -> None:
    """BULL is nearer than 25, then little, treble, fat, double, off; each beats all later rings."""
    order = ["BULL", "25", "L7", "T7", "F7", "D7", "MISS"]
    for place, near in enumerate(order):
        assert compare(dart(near), dart(near)) is Nearer.EQUAL
        for far in order[place + 1 :]:
            assert compare(dart(near), dart(far)) is Nearer.FIRST
            assert compare(dart(far), dart(near)) is Nearer.SECOND


def test_millimetres_decide_when_both_are_known() -> None:
    """Millimetres decide between two darts in one ring; if either is unknown, the rings decide."""
    assert compare(dart("F3", 120.4), dart("F17", 118.0)) is Nearer.SECOND
    assert compare(dart("F3", 120.4), dart("F17")) is Nearer.EQUAL
    assert compare(dart("BULL", 3.01), dart("BULL", 3.02)) is Nearer.EQUAL


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        ("S5", "D5", Nearer.FIRST),
        ("S5", "BULL", Nearer.SECOND),
        ("S5", "T5", Nearer.IN_DOUBT),
        ("S5", "S6", Nearer.IN_DOUBT),
        ("S5", "L5", Nearer.IN_DOUBT),
    ],
)
def test_a_shared_single_decides_only_when_it_cannot_matter(first: str, second: str, verdict: Nearer) -> None:
    """A bed that stands for both singles settles the round only if both readings give the same seat."""
    assert compare(dart(first), dart(second)) is verdict


def test_seat1_throws_first_and_equal_darts_are_thrown_again() -> None:
    """A round starts with seat 1, then seat 2. Equal rings start another round in the same order."""
    assert TossForWhite().to_throw is Seat.SEAT1
    assert toss("F20").to_throw is Seat.SEAT2
    equal = toss("F20", "F3")
    assert (equal.nearer, equal.white, equal.to_throw) == (Nearer.EQUAL, None, Seat.SEAT1)
    decided = throw(throw(equal, dart("MISS")), dart("D11"))
    assert (decided.white, decided.to_throw) == (Seat.SEAT2, None)
    assert throw(decided, dart("BULL")) == decided


def test_two_darts_in_one_millisecond_belong_to_one_seat_each() -> None:
    """The second dart, at the same time, counts for seat 2; a dart from before the first does not count."""
    table = Table(begin=False)
    table.ok("new_game", options={"white_by": "dart"})
    assert [table.hit("F20"), table.hit("D20", later_ms=0)] == ["", ""]
    assert [str(thrown.bed) for thrown in table.match.toss.darts] == ["F20", "D20"]
    assert table.match.toss.white is Seat.SEAT1
    table = Table(begin=False)
    table.ok("new_game", options={"white_by": "dart"})
    assert [table.hit("F20"), table.hit("D20", later_ms=0, ago=1)] == ["", "stale"]
    assert table.match.toss.to_throw is Seat.SEAT2


ANNA, BERT = "0" * 12, "1" * 12


@pytest.mark.parametrize("white", list(Seat))
@pytest.mark.parametrize("gone", [(), (ANNA,), (BERT,), (ANNA, BERT), ("2" * 12,)])
def test_a_deleted_player_s_name_is_hidden_in_either_colour(white: Seat, gone: tuple[str, ...]) -> None:
    """A deleted player's seat shows no name, the other seat keeps its name; the digest stays."""
    table = Table(begin=False)
    table.ok(
        "new_game",
        names={"seat1": "Anna", "seat2": "Bert"},
        players={"seat1": ANNA, "seat2": BERT},
        seats={seat.value: "white" if seat is white else "black" for seat in Seat},
    )
    shown = table.match.without_names_of(gone)
    for side in Side:
        player, name = table.match.player_of(side), table.match.name_of(side)
        assert (player, name) == (
            (ANNA, "Anna") if table.match.side_of(Seat.SEAT1) is side else (BERT, "Bert")
        )
        assert shown.name_of(side) == ("" if player in gone else name)
    assert digest(shown) == digest(table.match)


def test_doubt_waits_for_a_person() -> None:
    """In doubt no seat throws and none has White until the dart is corrected."""
    doubt = toss("T5", "S6")
    assert (doubt.white, doubt.to_throw) == (None, None)
    assert TossForWhite((doubt.darts[0], dart("L6"))).white is Seat.SEAT2


@given(st.sampled_from((*ALL_BEDS, *SHARED_BEDS)), st.sampled_from((*ALL_BEDS, *SHARED_BEDS)))
def test_the_seats_are_treated_alike(first: Bed, second: Bed) -> None:
    """Swapping the two darts swaps the verdict."""
    swapped = {Nearer.FIRST: Nearer.SECOND, Nearer.SECOND: Nearer.FIRST}
    verdict = compare(TossDart(first), TossDart(second))
    assert compare(TossDart(second), TossDart(first)) is swapped.get(verdict, verdict)
