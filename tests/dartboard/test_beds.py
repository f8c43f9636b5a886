"""Beds: their names, their places on the board and their fields."""

from __future__ import annotations

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scharten.dartboard.beds import (
    ALL_BEDS,
    MISS,
    NUMBERS,
    RINGS,
    SHARED_BEDS,
    Bed,
    BedKind,
    neighbours,
    parse_bed,
    readings,
)
from scharten.dartboard.locate import DOUBLE_OUTER_RADIUS, bed_at, centre_of, wire_distance
from scharten.games.scharten.board import FIELDS, bed_of, field_name, field_of

# Clockwise from the top, as a dartboard hangs; read across from the oche:
#            20
#        5        1
#     12            18
#   9                 4
#  14                  13
#  11                   6
#   8                  10
#   16                15
#     7             2
#       19       17
#            3
POINTS = {
    (0, 166): "D20",
    (0, 103): "T20",
    (0, 60): "L20",
    (0, 130): "F20",
    (166, 0): "D6",
    (-103, 0): "T11",
    (0, -130): "F3",
    (0, 0): "BULL",
    (10, 0): "25",
    (0, 171): "MISS",
    (90, 120): "F18",
    (-30, 50): "L12",
}


def bed(text: str) -> Bed:
    """Return the bed of this name."""
    found = parse_bed(text)
    assert found is not None, text
    return found


def test_every_bed_is_named_and_read_back() -> None:
    """Writing and reading the name of every bed gives the same bed."""
    for bed_named in (*ALL_BEDS, *SHARED_BEDS):
        assert parse_bed(str(bed_named)) == bed_named
    assert len(set(ALL_BEDS)) == 83


@pytest.mark.parametrize("text", ["", "D0", "D21", "d20", "D020", "X1", "26", "25 ", "BULLS", "D²", "T1\n"])
def test_an_invalid_bed_name_is_refused(text: str) -> None:
    """A name that does not exactly match a bed gives None."""
    assert parse_bed(text) is None


def test_an_impossible_bed_cannot_be_created() -> None:
    """A double without a number and a bull with a number are programming errors."""
    with pytest.raises(ValueError, match="needs a number"):
        Bed(BedKind.DOUBLE)
    with pytest.raises(ValueError, match="no number"):
        Bed(BedKind.BULL, 20)
    with pytest.raises(ValueError, match="21"):
        Bed(BedKind.FAT, 21)


def test_known_points_lie_in_their_beds() -> None:
    """Points read from a drawn board give the beds that a person sees there."""
    for (x_mm, y_mm), name in POINTS.items():
        assert str(bed_at(x_mm, y_mm)) == name, (x_mm, y_mm)


def test_the_centre_of_each_bed_lies_in_it() -> None:
    """`bed_at` and `centre_of` are inverse on all beds, and no centre lies on a wire."""
    for bed_named in ALL_BEDS:
        assert bed_at(*centre_of(bed_named)) == bed_named
        assert wire_distance(*centre_of(bed_named)) > 3


@given(st.floats(-400, 400), st.floats(-400, 400))
def test_the_bed_cannot_change_within_the_distance_to_the_wire(x_mm: float, y_mm: float) -> None:
    """Around any point a circle smaller than its distance to the wire holds only one bed."""
    free = wire_distance(x_mm, y_mm) * 0.999 - 1e-6
    if free <= 0:
        return
    here = bed_at(x_mm, y_mm)
    for turn in range(12):
        angle = turn * math.tau / 12
        assert bed_at(x_mm + free * math.cos(angle), y_mm + free * math.sin(angle)) == here


@given(st.floats(0, math.tau), st.floats(0, 169.9))
def test_there_is_another_bed_just_beyond_the_wire(angle: float, radius: float) -> None:
    """The distance to the wire is not too small: a slightly larger circle touches a second bed."""
    x_mm, y_mm = radius * math.cos(angle), radius * math.sin(angle)
    reach = wire_distance(x_mm, y_mm) + 0.05
    beds = {
        bed_at(x_mm + reach * math.cos(turn * math.tau / 720), y_mm + reach * math.sin(turn * math.tau / 720))
        for turn in range(720)
    }
    assert len(beds | {bed_at(x_mm, y_mm)}) > 1


@pytest.mark.parametrize("white_sits_at", [3, 20])
def test_beds_and_fields_are_one_to_one(white_sits_at: int) -> None:
    """Each of the 80 fields has one bed, and each such bed one field, wherever White sits; the bulls have no field."""
    beds = {bed_of(field, white_sits_at) for field in FIELDS}
    assert len(beds) == 80
    assert all(field_of(bed_of(field, white_sits_at), white_sits_at) == field for field in FIELDS)
    for name in ("25", "BULL", "MISS", "S20"):
        assert field_of(bed(name), white_sits_at) is None


def test_the_e_line_runs_from_the_three_to_the_twenty() -> None:
    """Rules 1 names the beds of the e-line and of o8; seating White at the other end swaps near and far."""
    e_line = ["D3", "F3", "T3", "L3", "L20", "T20", "F20", "D20"]
    for row, name in enumerate(e_line, 1):
        field = field_of(bed(name), 3)
        assert field is not None and field_name(field) == f"e{row}"
        turned = field_of(bed(name), 20)
        assert turned is not None and field_name(turned) == f"e{9 - row}"
    o8 = field_of(bed("D6"), 3)
    assert o8 is not None and field_name(o8) == "o8"


def test_a_seat_that_is_not_on_the_e_line_is_refused() -> None:
    """White at the 5 is a programming error, not an unnoticed turn of the board."""
    with pytest.raises(ValueError, match="not at the 5"):
        field_of(bed("D20"), 5)


def test_a_shared_single_is_in_doubt() -> None:
    """S20 may be the outer or the inner single; every other bed stands only for itself."""
    assert [str(bed_named) for bed_named in readings(bed("S20"))] == ["F20", "L20"]
    assert all(readings(bed_named) == (bed_named,) for bed_named in ALL_BEDS)


def test_neighbours_touch_and_come_nearest_first() -> None:
    """Neighbours are mutual. The corrections of a treble begin with its fat single, and nearer centres come first."""
    assert [str(bed_named) for bed_named in neighbours(bed("T20"))][:3] == ["F20", "T1", "T5"]
    assert neighbours(bed("BULL")) == (bed("25"),)
    for bed_named in ALL_BEDS:
        for other in neighbours(bed_named):
            assert other != bed_named
            assert other == MISS or bed_named in neighbours(other), (str(bed_named), str(other))
        near = [other for other in neighbours(bed_named) if bed_named.kind in RINGS and other.kind in RINGS]
        apart = [math.dist(centre_of(bed_named), centre_of(other)) for other in near]
        assert all(first <= second + 1e-6 for first, second in pairwise(apart)), str(bed_named)


def test_a_shared_single_neighbours_the_beds_beside_both_singles() -> None:
    """The corrections of S20 begin with its two readings and hold no bed twice."""
    around = neighbours(bed("S20"))
    assert {str(bed_named) for bed_named in around[:3]} >= {"F20", "L20"}
    assert len(set(around)) == len(around)


def test_the_numbers_stand_as_on_a_dartboard() -> None:
    """The 20 stands at the top, the 6 at the right, the 3 at the bottom and the 11 at the left."""
    assert (NUMBERS[0], NUMBERS[5], NUMBERS[10], NUMBERS[15]) == (20, 6, 3, 11)
    assert sorted(NUMBERS) == list(range(1, 21))
    assert str(bed_at(0, DOUBLE_OUTER_RADIUS - 0.01)) == "D20"
