"""Rules 1, the board (§ intro, §1, §14): fields, values, and the steps over the centre and the seam."""

from __future__ import annotations

import pytest

from games.scharten.asking import at, goals
from games.scharten.boards import board
from scharten.game.basics import Side, side_from_word
from scharten.games.scharten.board import (
    FIELDS,
    Ring,
    field_name,
    line_of,
    parse_field,
    ring_of,
    row_of,
    sector_of,
    value,
)


def test_eighty_fields_have_eighty_names_that_lead_back_to_them() -> None:
    """Every field has its own line and row, and both ways of naming it agree."""
    assert len({field_name(field) for field in FIELDS}) == 80
    for field in FIELDS:
        assert parse_field(field_name(field)) == field
        assert field_name(field) == f"{line_of(field)}{row_of(field)}"


@pytest.mark.parametrize(
    ("name", "sector", "ring"),
    [
        ("e1", 5, Ring.DOUBLE),
        ("e4", 5, Ring.LITTLE),
        ("e5", 15, Ring.LITTLE),
        ("e8", 15, Ring.DOUBLE),
        ("o8", 10, Ring.DOUBLE),
        ("o1", 0, Ring.DOUBLE),
        ("i3", 9, Ring.TREBLE),
        ("i7", 19, Ring.FAT),
    ],
)
def test_sectors_run_counterclockwise_from_whites_left(name: str, sector: int, ring: Ring) -> None:
    """The examples of section 1 lie where it says."""
    assert (sector_of(at(name)), ring_of(at(name))) == (sector, ring)


@pytest.mark.parametrize(
    ("name", "worth"), [("e1", 2), ("e2", 1), ("e3", 3), ("e4", 1), ("e6", 3), ("e8", 2)]
)
def test_values_of_the_rings(name: str, worth: int) -> None:
    """Double 2, fat 1, treble 3, little 1, on both sides of the centre."""
    assert value(at(name)) == worth


@pytest.mark.parametrize("name", ["", "e", "e0", "e9", "j1", "E1", "e11", "o", "bull", "25"])
def test_what_is_no_field(name: str) -> None:
    """The bulls and anything else are not fields."""
    assert parse_field(name) is None


def test_sides_by_word() -> None:
    """`white` and `black` are read back, other words are not."""
    assert [side_from_word(side.word) for side in Side] == list(Side)
    assert side_from_word("w") is None


KNIGHT_ON = """
    8  k . . . . . . . . .
    7  p . . . . . . . . .
    {}
    1  . . . . . . . . K .
"""


@pytest.mark.parametrize(
    ("row", "origin", "expected"),
    [
        ("4  . . . . . N . . . .", "e4", "c3 g3 d2 f2 d6 f6"),
        ("3  . . . . . N . . . .", "e3", "c2 g2 c4 g4 d1 f1 d5 f5"),
        ("2  . . . . . N . . . .", "e2", "c1 g1 c3 g3 d4 f4"),
        ("6  . . . . . N . . . .", "e6", "c7 g7 c5 g5 d8 f8 d4 f4"),
    ],
)
def test_knight_never_stays_on_its_ring(row: str, origin: str, expected: str) -> None:
    """The two drawn knights of section 1, and the same from the fat ring and from the far side."""
    assert goals(board(KNIGHT_ON.format(row)), origin) == set(expected.split())


def test_knight_of_the_silent_opening_over_the_seam() -> None:
    """The check of §14: from b8 the knight goes to a6, c6 and o7."""
    opening = board(
        """
        8  . r* n* b* q* k* q* b* n* r*
        7  . p* p* p* p* p* p* p* p* p*
        2  . P* P* P* P* P* P* P* P* P*
        1  . R* N* B* Q* K* Q* B* N* R*
        """,
        "b",
    )
    assert goals(opening, "b8") == {"a6", "c6", "o7"}


EMPTY_BUT_KINGS = """
    8  . . . . . k . . . .
    7  . . . . . . . . . p
    {}
    1  . . . . . K . . . .
"""


def test_the_long_diagonal_keeps_its_heading() -> None:
    """The long diagonal of section 1, and the bishop's other one, over the seam: o2 i6 h5, over the centre to i4."""
    drawn = board("""
        8  . . . . . k . . . .
        7  . . . . . . . . . p
        1  . B . . . . . . . K
    """)
    assert goals(drawn, "a1") == {
        "b2",
        "c3",
        "d4",
        "c5",
        "b6",
        "a7",
        "o8",
        "o2",
        "i6",
        "h5",
        "i4",
        "o6",
        "b8",
    }


def test_a_diagonal_over_the_centre_has_no_way_back() -> None:
    """A bishop on a1 reaches o8, but one on o8 goes a7 b6 c5 b4 and comes to a1 only round the other side."""
    drawn = board("""
        8  B . . . . . . k . .
        7  . . . . . . . . p .
        3  . . . . . . . . . P
        2  . . . . . K . . . P
    """)
    assert goals(drawn, "o8") == {"a7", "b6", "c5", "b4", "a3", "o2", "i8"}


def test_queen_of_section_18_crosses_the_centre() -> None:
    """A queen on f2 reaches g5 by g3 and h4; with h4 taken it does not."""
    free = board("""
        8  . . . . . k . . . .
        2  . . . . . . Q . . .
        1  . . . . . K . . . .
    """)
    barred = board("""
        8  . . . . . k . . . .
        4  . . . . . . . . P .
        2  . . . . . . Q . . .
        1  . . . . . K . . . .
    """)
    assert "g5" in goals(free, "f2")
    assert "g5" not in goals(barred, "f2")


@pytest.mark.parametrize(
    ("origin", "row", "expected"),
    [
        (
            "e4",
            "4  . . . . . R . . . .",
            "o4 a4 b4 c4 d4 f4 g4 h4 i4 o5 a5 b5 c5 d5 e5 f5 g5 h5 i5 e2 e3 e6 e7",
        ),
        (
            "i2",
            "2  . . . . . . . . . R",
            "o2 a2 b2 c2 d2 e2 f2 g2 h2 o7 a7 b7 c7 d7 e7 f7 g7 h7 i1 i3 i4 i5 i6 i7",
        ),
    ],
)
def test_a_ring_is_a_loop_of_twenty_and_a_line_a_path_of_eight(origin: str, row: str, expected: str) -> None:
    """A rook reaches every field of its ring and line up to the kings and the pawn (taken on the fat ring)."""
    assert goals(board(EMPTY_BUT_KINGS.format(row)), origin) == set(expected.split())


def test_the_kings_steps_over_the_centre() -> None:
    """From the little ring a king has eight steps: three outwards, two along the ring, three over the centre."""
    drawn = board("""
        8  . . . . . k . . . .
        7  . . . . . . . . p .
        4  . . . . K . . . . .
    """)
    assert goals(drawn, "d4") == {"c3", "d3", "e3", "c4", "e4", "c5", "d5", "e5"}
