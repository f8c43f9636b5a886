"""Rules 4, captures, support and check (§6, §7, §8), with protection and en passant."""

from __future__ import annotations

import pytest

from games.scharten.asking import at, goals, in_check, legal_moves, move, play, refused, state, under, why
from games.scharten.boards import LOUD, SILENT, board, game_options
from scharten.game.basics import Side
from scharten.games.scharten.explain import checkers_args
from scharten.games.scharten.geometry import NO_FIELD
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position

COUNT = game_options(support="count")
SILENT_PROTECTED = game_options(protection="until_moved")


def checks(position: Position, options: Options = SILENT) -> dict[str, list[str]]:
    """The checkers of the side to move with their supporters, by name."""
    found = checkers_args(under(position, options), position.mover)
    return {str(item["field"]): list(map(str, item["supporters"])) for item in found}


def test_fat_and_little_need_no_support() -> None:
    """A rook alone takes on the fat ring and on the little ring."""
    drawn = board("""
        8  k . . . . . . . . .
        4  . . . . . . p . . .
        2  . . p . . . R . . .
        1  . . . . . . . . . K
    """)
    assert {"f4", "b2"} <= goals(drawn, "f2")


def test_a_double_needs_one_supporter() -> None:
    """On a double field of value 2 any supporter is enough, a pawn too."""
    drawing = """
        7  . . k . . . . . . .
        {}
        2  . . . . . . . . . K
        1  . R . . n . . . . .
    """
    alone = board(drawing.format("6  . . . . . . p . . ."))
    assert "d1" not in goals(alone, "a1")
    result = refused(alone, "a1d1")
    assert (result.code, result.args) == (
        "no_support",
        {"field": "d1", "value": 2, "support": 0, "supporters": [], "gives": {}, "needed": 1},
    )
    helped = board(drawing.format("4  . . . . . . . . Q ."))
    assert "d1" not in goals(helped, "a1"), "a queen on h4 does not look at d1"
    assert why(board(drawing.format("3  . . . . . N . . . .")), "a1d1").args["gives"] == {"e3": 3}
    pawned = board("""
        8  . . . . n . . . . .
        7  . . . . . P . . . .
        3  . . . . R . . . . .
        2  . . . . . . . k . K
    """)
    assert why(pawned, "d3d8").args["gives"] == {"e7": 1}
    assert "d8" in goals(pawned, "d3")


@pytest.mark.parametrize(
    ("supporter", "options", "legal", "support"),
    [
        ("3  . R . . . . . . . .", SILENT, True, 3),
        ("2  . . R . . . . . . .", SILENT, False, 0),
        ("5  . . . . . R . . . .", SILENT, False, 1),
        ("1  . . . . . R . . . .", SILENT, True, 2),
        ("1  . . . . . R . . . .", COUNT, False, 1),
        ("3  . R . . . . . . . .", COUNT, False, 1),
    ],
)
def test_a_treble_needs_a_support_of_two(supporter: str, options: Options, legal: bool, support: int) -> None:
    """The knight on c2 takes the queen on e3 if a rook on a double or treble helps; `count` wants two helpers."""
    rows = {"3": "3  . . . . . q . . . .", "2": "2  . . . N . . . . . ."}
    words = supporter.split()
    row = rows.get(words[0], f"{words[0]} . . . . . . . . . .").split()
    rows[words[0]] = " ".join(a if b == "." else b for a, b in zip(row, words, strict=True))
    drawn = board("\n".join(("7  k . . . . . . K . .", *rows.values())), options=options)
    result = why(drawn, "c2e3", options)
    assert (result.legal, result.args["support"]) == (legal, support)


def test_two_supporters_of_one_each_are_enough_for_a_treble() -> None:
    """Two pieces on fat or little fields, or pawns, together support a capture on a treble."""
    drawn = board("""
        8  k . . . . . . . . .
        5  . . . . . R . . . .
        3  . . . . . q . . . .
        2  . . . N P . . . . .
        1  . . . . . . . . . K
    """)
    assert why(drawn, "c2e3").args["gives"] == {"e5": 1, "d2": 1}
    assert move("c2e3") in legal_moves(drawn, SILENT)
    assert move("c2e3") in legal_moves(drawn, COUNT)


def test_a_pawn_gives_one_wherever_it_stands() -> None:
    """A pawn on a treble field supports with 1, not 3, so the capture on a treble lacks one."""
    drawn = board("""
        8  k . . . . . . . . .
        6  . . . . . . n . . .
        5  . . . . . P . . . .
        4  . . . . . . . . . .
        3  . . . . . . . . . .
        2  . . . . . . R . . K
    """)
    result = why(drawn, "f2f6")
    assert (result.code, result.args["support"], result.args["needed"]) == ("no_support", 1, 2)


def test_pawns_capture_anything_without_support() -> None:
    """Alone, on a double and on a treble."""
    drawn = board("""
        8  . . . n . . . . . k
        7  . . P . . . . . . .
        3  . . . . . . q . . .
        2  . . . . . P . . . .
        1  . . . . . . . . . K
    """)
    assert "f3" in goals(drawn, "e2")
    assert "c8" in goals(drawn, "b7")


def test_a_rook_behind_a_rook_does_not_support() -> None:
    """Attack ends at the first piece, also at one's own."""
    drawn = board("""
        7  k . . . . . . K . .
        3  p R . R . n . . . .
    """)
    result = why(drawn, "c3e3")
    assert (result.code, result.args["supporters"]) == ("no_support", [])


def test_a_piece_supports_once_even_by_two_paths() -> None:
    """A bishop on e3 attacks e5 by d4 and by f4: its support there counts once."""
    drawn = board("""
        8  k . . . . . . . . .
        6  . . . . . q . . . .
        5  . . . . . . . . . .
        3  . . . . . . . . . R
        1  . . . . . . . . . K
    """)
    assert why(drawn, "i3e6").args["support"] == 0
    two = board("""
        8  k . . . . . . . . .
        5  . . . . . p . . . R
        3  . . . . . B . . . .
        1  . . . . . . . . . K
    """)
    assert why(two, "i5e5").args["gives"] == {"e3": 3}


def test_pinned_pieces_support_and_give_check() -> None:
    """The knight on e3 may not move, and still supports the capture on the double d1 and checks."""
    drawn = board("""
        7  k . . . . . . . . .
        3  . . . . r N . K . .
        1  . R . . n . . . . .
    """)
    result = why(drawn, "a1d1")
    assert result.legal
    assert result.args["gives"] == {"e3": 3}
    pinned = board("""
        5  . . . . . r . . . .
        3  . . . . . N . . . .
        2  . . k . . K . . . .
    """)
    assert goals(pinned, "e3") == set()
    assert refused(pinned, "e3g2").args == {"checkers": [{"field": "e5", "supporters": []}]}
    on_a_double = board("""
        5  . . . . . r . . . .
        2  . . . . . N . . . .
        1  . . k . . K . . . .
    """)
    assert "g1" in goals(on_a_double, "e2"), "a rook alone does not check on a double field"


def test_the_check_of_section_7_of_the_source() -> None:
    """Black's king on f6 (treble) beside a white king on the little ring: White is in check, Black is not."""
    drawn = board(
        """
        7  . . . . . . k . . .
        5  . . . . . K . . . .
        2  P . . . . . . . . .
        """,
        "b",
    )
    stepped = play(drawn, "f7f6")
    assert in_check(stepped, Side.WHITE, SILENT)
    assert not in_check(stepped, Side.BLACK, SILENT)
    assert checks(stepped) == {"f6": []}


def test_the_mate_of_figure_4() -> None:
    """Black Kf1, white Ke1 and Rg1, Black to move: checkmate, the king and the rook support each other."""
    drawn = board("1  . . . . . K k R . .", "b")
    assert state(drawn) == "checkmate"
    assert checks(drawn) == {"e1": ["g1"], "g1": ["e1"]}


def test_two_kings_may_stand_side_by_side_where_neither_is_in_check() -> None:
    """On the double ring a king alone has no support against the other."""
    drawn = board("""
        7  p . . . . . . . . .
        1  . . . . . K . k . .
    """)
    stepped = play(drawn, "e1f1")
    assert not any(in_check(stepped, side, SILENT) for side in Side)
    assert refused(stepped, "g1f1").args == {"reason": "king_cannot_be_captured"}


def test_check_is_judged_after_the_move_with_the_captured_piece_gone() -> None:
    """The king takes the rook that checked it; the rook no longer supports the knight."""
    drawn = board("""
        8  . . . . . . . . k .
        2  . . . . . r . . . .
        1  . . . . . K . . . .
    """)
    assert "e2" in goals(drawn, "e1")
    guarded = board("""
        8  . . . . . r . . k .
        2  . . . . . r . . . .
        1  . . . . . K . . . .
    """)
    assert "e2" not in goals(guarded, "e1")


def test_check_is_met_by_capturing_or_blocking_a_needed_supporter() -> None:
    """On a double field the rook checks only with its supporter: take that, or step into its path."""
    drawn = board("""
        8  . . . . . . . . k .
        5  . . R . . . . . . .
        4  . . . . . r . . . .
        1  . r . . . K . . . .
    """)
    assert checks(drawn) == {"a1": ["e4"], "e4": ["a1"]}
    found = {(m.origin, m.to) for m in legal_moves(drawn, SILENT)}
    assert {goal for origin, goal in found if origin == "b5"} == {"b1", "e4"}
    blocked = board("""
        8  . . . . . . . . k .
        4  . . . . . r . . . .
        2  . . R . . . . . . .
        1  . r . . . K . . . .
    """)
    assert goals(blocked, "b2") == {"b1", "e2"}


def test_the_kings_of_section_11_with_three_pawns_around() -> None:
    """Rows of the public status file, drawn: a black king mates a smothered white one."""
    smothered = board("""
        5  . . . . P P P . . .
        4  . . . . . K . . . .
        3  . . . . P k P . . .
    """)
    assert state(smothered) == "checkmate"


def test_protection_of_unmoved_pieces() -> None:
    """In a loud game nothing takes an unmoved piece, pawns included; it attacks, supports and checks as usual."""
    drawing = """
        8  k* . . . . . . . . .
        3  . . . . . . n* . . .
        2  . . . . . P . . . R
        1  . . . . . . . . . K
    """
    loud, silent = board(drawing, options=LOUD), board(drawing)
    result = refused(loud, "e2f3", LOUD)
    assert (result.code, result.args) == ("protected", {"field": "f3"})
    assert "f3" in goals(silent, "e2")
    assert refused(silent, "e2f3", SILENT_PROTECTED).code == "protected"
    assert "f3" in goals(loud, "e2", game_options(loud=True, protection="off"))
    knight = board(
        """
        8  k . . . . . . . . .
        4  . . . . . n* . . . .
        2  . . . . K . . . . .
    """,
        options=LOUD,
    )
    assert checks(knight, LOUD) == {"e4": []}


def test_protection_ends_with_the_first_move() -> None:
    """The knight that has moved may be taken."""
    drawn = board(
        """
        8  k . . . . . . . . .
        6  . . . . n* . . . . .
        2  . . . . . P . . . .
        1  . . . . . . . . . K
    """,
        "b",
        LOUD,
    )
    stepped = play(drawn, "d6e4 i1h1 e4f2 e2e3 f2e4", LOUD)
    assert stepped.piece_at(at("e4")) is not None
    assert refused(stepped, "e3d4", LOUD).args["reason"] == "nothing_to_capture"


EN_PASSANT = """
    8  . . . . . . . . k .
    4  . . . . . . p . . .
    2  . . . . . P* . . . .
    1  . K . . . . . . . .
"""


def test_en_passant_as_in_the_source() -> None:
    """e2-e4 with a black pawn on f4: it may take on e3, and the pawn on e4 is gone."""
    stepped = play(board(EN_PASSANT), "e2e4")
    assert stepped.ep == at("e3")
    taken = play(stepped, "f4e3")
    assert taken.piece_at(at("e4")) is None
    assert taken.clocks == (0, 0)


def test_en_passant_only_right_after_the_two_step() -> None:
    """Any turn ends the right."""
    stepped = play(board(EN_PASSANT), "e2e4 h8g8 a1b1")
    assert stepped.ep == NO_FIELD
    assert refused(stepped, "f4e3").args["reason"] == "nothing_to_capture"


def test_no_en_passant_across_the_seam() -> None:
    """i2-i4 with black pawns on o5 (beside, attacking elsewhere) and o7 (attacking i3, not beside)."""
    drawn = board("""
        8  . . . . . k . . . .
        7  p . . . . . . . . .
        5  p . . . . . . . . .
        2  . . . . . . . . . P*
        1  . . . . . K . . . .
    """)
    stepped = play(drawn, "i2i4")
    assert stepped.ep == at("i3")
    assert at("i3") not in {m.to for m in legal_moves(stepped, SILENT)}
    assert refused(stepped, "o7i3").code == "not_a_move"


def test_en_passant_may_not_open_a_check() -> None:
    """Both pawns leave the ring at once: the rook behind them would check the king."""
    drawn = board("""
        8  K . . . . . . . . .
        4  P . k . . . p . . R
        2  . . . . . P* . . . .
    """)
    stepped = play(drawn, "e2e4")
    result = why(stepped, "f4e3")
    assert (result.legal, result.code) == (False, "leaves_check")
    assert result.args["checkers"] == [{"field": "i4", "supporters": []}]


def test_attack_over_the_centre_is_one_way_on_diagonals() -> None:
    """The bishop on a1 checks a king on c5; a bishop on c5 does not attack a1."""
    drawn = board(
        """
        8  . . . . . . . . p .
        5  . . . k . . . . . .
        1  . B . . . . . . . K
    """,
        "b",
    )
    assert checks(drawn) == {"a1": []}
    other = board("""
        8  . . . . . . . . p .
        5  . . . b . . . . . .
        2  . K . . . . . . . .
        1  . . . . . . . . . k
    """)
    assert not in_check(other, Side.WHITE, SILENT)


def test_the_side_that_has_moved_may_not_be_in_check() -> None:
    """The same position with the other side to move is refused, under its own options."""
    text = "5KkR12/20/20/20 {} - 17/17 0/0 0/0 1"
    assert isinstance(parse_position(text.format("b"), rules_of(SILENT)), Position)
    assert not isinstance(parse_position(text.format("w"), rules_of(SILENT)), Position)
