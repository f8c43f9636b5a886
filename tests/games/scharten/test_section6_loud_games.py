"""Rules 6, loud games (§4, §5, §7, §8): throws, zones, lost darts, and throws that end a check."""

from __future__ import annotations

import pytest

from games.scharten.asking import at, goals, play, refused, state, thrown_to
from games.scharten.boards import LOUD, SILENT, board, game_options, opening_of
from scharten.errors import Problem
from scharten.game.basics import Side
from scharten.game.flags import parse_flags
from scharten.games.scharten.board import FIELDS, Piece, PieceKind, field_name, line_of, row_of
from scharten.games.scharten.geometry import NO_FIELD, scan
from scharten.games.scharten.options import Options, ZoneLists, rules_of
from scharten.games.scharten.position import after_lost_dart

OPENING = opening_of(LOUD)


def refusal(field: str, options: Options = LOUD) -> Problem:
    """Why the first white piece cannot be put there."""
    return refused(OPENING, f"@{field}", options)


def test_the_first_turn_may_be_a_throw() -> None:
    """An unmoved pawn is put on the field; the turn and the count of placed pieces go on."""
    stepped = play(OPENING, "@c3", LOUD)
    assert stepped.piece_at(at("c3")) == Piece(Side.WHITE, PieceKind.PAWN, moved=False)
    assert (stepped.side, stepped.placed) == (Side.BLACK, (1, 0))


@pytest.mark.parametrize(
    ("zones", "rows", "with_o"), [("half", 4, False), ("half_with_o", 4, True), ("home", 2, False)]
)
def test_the_named_zones(zones: str, rows: int, with_o: bool) -> None:
    """Rows 1 to 4 or 1 and 2 for White, the mirrored ones for Black, with or without the o-line."""
    options = game_options(loud=True, zones=zones)
    held = [f for f in FIELDS if with_o or line_of(f) != "o"]
    white, black = rules_of(options).zones
    assert set(scan(white)) == {f for f in held if row_of(f) <= rows}
    assert set(scan(black)) == {f for f in held if row_of(f) >= 9 - rows}
    names = {field_name(f) for f in scan(white)} - {"e1"}
    assert thrown_to(OPENING, options) == names


def test_a_zone_of_listed_fields() -> None:
    """Lists of fields per side are a zone too, but never with the side's last row."""
    options = game_options(loud=True, zones="white=a1,b1;black=a8")
    assert options.zones == ZoneLists(white=("a1", "b1"), black=("a8",))
    assert thrown_to(OPENING, options) == {"a1", "b1"}
    wrong = parse_flags("--loud --zones 'white=a1,b8;black=a8'", Options)
    assert isinstance(wrong, Problem)
    assert "b8" in wrong.words


def test_where_a_dart_is_lost() -> None:
    """Outside the zone, on an occupied field, or with nothing left to throw, each with its own reason."""
    assert refusal("c5").args["reason"] == "outside_zone"
    assert refusal("o2").args["reason"] == "outside_zone"
    assert refusal("e1").args["reason"] == "occupied"
    assert refusal("e8").args["reason"] == "occupied"
    assert refusal("c3", SILENT).args["reason"] == "nothing_to_throw"
    full = board("8 . . . . . k . . . .\n2 . P . . . K . . . .", options=LOUD, placed="17/3")
    assert thrown_to(full, LOUD) == set()


def test_a_lost_dart_changes_nothing_but_the_turn() -> None:
    """One more in a row for the thrower; pieces and order as before; the 75-count begins again."""
    lost = after_lost_dart(OPENING)
    assert (lost.kind_at, lost.own, lost.unmoved) == (OPENING.kind_at, OPENING.own, OPENING.unmoved)
    assert lost.placed == OPENING.placed
    assert (lost.side, lost.fouls, lost.clocks, lost.move_number) == (Side.BLACK, (1, 0), (1, 0), 1)
    repeated = after_lost_dart(lost)
    assert (repeated.side, repeated.fouls, repeated.clocks, repeated.move_number) == (
        Side.WHITE,
        (1, 1),
        (2, 0),
        2,
    )


def test_a_move_or_a_placed_piece_starts_the_count_of_lost_darts_again() -> None:
    """Only the count of the player who completed the turn."""
    twice = after_lost_dart(after_lost_dart(OPENING))
    assert play(twice, "e1d1", LOUD).fouls == (0, 1)
    assert play(twice, "@a1 @a8", LOUD).fouls == (0, 0)


def test_a_lost_dart_ends_an_en_passant_right() -> None:
    """Any turn does."""
    drawn = board(
        """
        8  . . . . . k . . . .
        4  . . . . p . . . . .
        2  . . . . . P* . . . .
        1  . K . . . . . . . .
        """,
        options=LOUD,
        placed="17/12",
    )
    stepped = play(drawn, "e2e4", LOUD)
    assert "e3" in goals(stepped, "d4", LOUD)
    assert after_lost_dart(stepped).ep == NO_FIELD


CHECKED = """
    7  p . . . . . . . . k
    4  . . . . . r . . . .
    2  . . . . . K . . . .
"""


def test_in_check_only_throws_that_end_it_are_legal() -> None:
    """The rook on e4 checks the king on e2: only a piece on e3 stands between."""
    drawn = board(CHECKED, options=LOUD, placed="3/17")
    assert thrown_to(drawn, LOUD) == {"e3"}
    assert refused(drawn, "@a1", LOUD).code == "leaves_check"
    assert thrown_to(board(CHECKED, options=LOUD), LOUD) == set()


def test_a_throw_into_a_supporters_path_ends_the_check() -> None:
    """On a double field the check needs both rooks: a piece in the path of either ends it (h1 bars the way round)."""
    drawn = board(
        """
        7  p . . . . . . . . k
        4  . . . . . r . . . .
        1  . r . . . K . . P .
        """,
        options=LOUD,
        placed="3/17",
    )
    assert thrown_to(drawn, LOUD) == {"e2", "e3", "b1", "c1", "d1"}


def test_checkmate_counts_throws() -> None:
    """Without a legal move, but with a field where the next piece ends the check, one must throw; else it is mate."""
    drawing = """
        5  . . . . . . . . p* .
        3  . . . b . . . . . .
        2  . . . . . P* P* . . .
        1  . . . . k K P* r . .
    """
    drawn = board(drawing, options=LOUD, placed="5/17")
    assert (thrown_to(drawn, LOUD), state(drawn, LOUD)) == ({"d2"}, "must_throw")
    assert state(board(drawing, options=LOUD), LOUD) == "checkmate"
    elsewhere = game_options(loud=True, zones="white=a1;black=a8")
    assert state(drawn, elsewhere) == "checkmate"


def test_no_stalemate_while_pieces_are_left_to_throw() -> None:
    """Even with the zone full: then only lost darts are left."""
    full = game_options(loud=True, zones="white=a1;black=e8")
    drawing = """
        8  . . . . N k N . . .
        7  . . . . . B . P . .
        6  . . . K P . . . . .
        5  . P . . . . . . . .
    """
    assert state(board(drawing, "b", full, placed="12/17"), full) == "stalemate"
    left = board(drawing, "b", full, placed="12/16")
    assert (state(left, full), thrown_to(left, full)) == ("ongoing", set())


def test_what_the_next_dart_brings() -> None:
    """The order goes on per side."""
    stepped = play(OPENING, "@a1 @a8 @b1", LOUD)
    assert [stepped.to_throw(side) for side in Side] == [15, 16]
    assert stepped.next_kind(Side.WHITE) is PieceKind.PAWN
