"""Shakti by its own page of rules (games 5, 7)."""

from __future__ import annotations

import pytest

from games.any_game import BY_KEY, drawn, goals, options, play, refused, stand
from scharten.errors import Problem
from scharten.game.basics import End, Pass, Reason, Side, move_from_text

GAME = BY_KEY["shakti"]
SILENT = options(GAME)
BARE = options(GAME, corners="bare")
LOUD = options(GAME, kind="loud")

SIGHT = """
7  . . . k . . .
6  . . . . . . .
5  . . . . . . .
4  . _ _ W . w .
3  . . . . . . .
2  . . . . . . .
1  K . . . . . w
"""

MATE = """
7  _ . . _ . . _
6  . _ _ _ _ . .
5  . w _ . _ . .
4  K W _ _ _ _ .
3  . . _ _ _ _ .
2  . w _ _ _ . .
1  _ . . W . k _
"""


def test_the_opening_has_49_or_45_tiles() -> None:
    """`corners` decides about a1 g1 a7 g7 and nothing else."""
    assert GAME.situation(GAME.begin(SILENT), SILENT).text == "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1"
    assert GAME.situation(GAME.begin(BARE), BARE).text == "_5_/1w1k1w1/7/7/7/1W1K1W1/_5_ w 1"


def test_a_warrior_steps_to_what_it_sees_or_jumps_beyond() -> None:
    """Gaps are looked over; a jump needs both tiles free and lands on the second, a man hides what is behind."""
    position = stand(GAME, drawn(SIGHT.replace("1  K . . . . . w", "1  K . . . . . ."), "w 1"), SILENT)
    seen = {"d5", "d6", "a4", "e4", "d3", "d2", "c5", "b6", "e5", "f6", "c3", "b2", "e3", "f2"}
    assert goals(GAME, position, "d4", SILENT) == seen
    assert refused(GAME, position, "d4f4", SILENT).code == "occupied"
    assert refused(GAME, position, "d4g4", SILENT).args == {"move": "d4g4", "field": "e4"}
    assert refused(GAME, position, "d4c4", SILENT).code == "no_tile"
    assert refused(GAME, position, "d4e6", SILENT).args["reason"] == "not_on_a_line"


def test_a_jump_removes_the_tile_it_passed() -> None:
    """The tile is gone from the board, events name it, and notation marks it and which warrior it was."""
    position = GAME.begin(SILENT)
    played = play(GAME, position, "b2d4", SILENT)
    assert GAME.situation(played.position, SILENT).text == "7/1w1k1w1/7/3W3/2_4/3K1W1/7 b 1"
    assert played.details == {"gone": "c3"}
    assert GAME.write(position, move_from_text("b2d4"), SILENT) == "Wbd4*c3"
    assert GAME.write(position, move_from_text("b2c3"), SILENT) == "Wc3"


OPENED = """
7  . . . . . . k
6  . . . . . . .
5  . . . . . . .
4  . . . w . . .
3  . . . _ . . .
2  . . W . . . .
1  . . . K . . .
"""


def test_a_jump_may_not_open_a_line_onto_the_own_king() -> None:
    """Removal is compulsory: where it brings a warrior or the other king in sight the jump is illegal."""
    position = stand(GAME, drawn(OPENED, "w 1"), SILENT)
    assert "c2d2" in GAME.situation(position, SILENT).moves
    why = refused(GAME, position, "c2e2", SILENT)
    assert (why.code, why.args["checkers"]) == ("leaves_check", [{"field": "d4", "supporters": []}])
    kings = stand(GAME, drawn(OPENED.replace("k", ".").replace("w", "k"), "w 1"), SILENT)
    assert refused(GAME, kings, "c2e2", SILENT).code == "kings_see"


def test_the_inventors_figure_is_mate() -> None:
    """Ka4 is checked from b5, every field beside him is seen, and taking would bring the kings in sight."""
    position = stand(GAME, drawn(MATE, "w 30"), SILENT)
    found = GAME.situation(position, SILENT)
    assert (found.check, found.end) == (("a4",), End(Side.BLACK, Reason.CHECKMATE))
    assert GAME.shown(position, SILENT)["checkers"] == [{"field": "b5", "supporters": []}]


def test_a_king_in_check_goes_one_field_and_may_capture() -> None:
    """In check only the eight fields beside him count, the checker's among them; nothing can be interposed."""
    board = """
    7  . . . . . . k
    6  . . . . . . .
    5  . . . . . . .
    4  . . . . . . .
    3  . _ . . . . .
    2  . w . . . . W
    1  K . . . . . .
    """
    position = stand(GAME, drawn(board, "w 9"), SILENT)
    assert GAME.situation(position, SILENT).moves == ("a1b2",)
    assert GAME.write(position, move_from_text("a1b2"), SILENT) == "Kxb2"
    assert refused(GAME, position, "g2g3", SILENT).code == "leaves_check"


def test_a_king_in_check_may_not_go_far() -> None:
    """A tile that he sees over a gap is too far for a king in check."""
    board = """
    7  . . . . . . k
    6  . . . . . . .
    5  . . . . . . .
    4  . . . . . . .
    3  . . . . . . .
    2  _ . . . . . .
    1  K w . . . . W
    """
    position = stand(GAME, drawn(board, "w 9"), SILENT)
    assert refused(GAME, position, "a1a3", SILENT).code == "one_step_in_check"


def test_nobody_passes_but_by_force() -> None:
    """Without a legal move the turn goes over and counts; if neither side has one the game is blocked."""
    passing = stand(GAME, "_1__1__/_k___w_/___K___/w______/__1____/_______/____1__ w 20", SILENT)
    found = GAME.situation(passing, SILENT)
    assert (found.moves, found.forced, found.end) == ((), Pass(), None)
    later = GAME.situation(play(GAME, passing, "--", SILENT).position, SILENT)
    assert (later.side, later.number) == (Side.BLACK, 20)
    assert refused(GAME, GAME.begin(SILENT), "--", SILENT).code == "not_a_move"
    blocked = stand(GAME, "___k___/_______/W______/____K__/W______/_______/_______ w 20", SILENT)
    assert GAME.situation(blocked, SILENT).end == End(None, Reason.BLOCKED)


def test_without_warriors_nobody_can_win() -> None:
    """No warrior on the board is a draw; a side without one cannot win."""
    position = stand(GAME, "3k3/7/7/7/7/7/2K4 w 20", SILENT)
    assert GAME.situation(position, SILENT).end == End(None, Reason.DEAD_POSITION)
    first = stand(GAME, "3k3/7/7/W6/7/7/2K4 w 20", SILENT)
    assert GAME.can_win(first, Side.BLACK, SILENT) is False
    assert GAME.can_win(first, Side.WHITE, SILENT) is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("7/1w1k1w1/7/7/7/1W3W1/7 w 1", "kings"),
        ("7/1w1k1w1/7/7/7/1W1KWW1/7 w 1", "warriors"),
        ("7/1w1k1w1/7/7/7/1W1K1Q1/7 w 1", "pieces"),
        ("7/1w1k1w1/7/7/7/1W1K1W/7 w 1", "row_length"),
        ("7/1w1k1w1/7/7/1W1K1W1/7 w 1", "rows"),
        ("7/3k3/_7/7/7/3K3/7 w 1", "row_length"),
        ("_______/3k3/_______/_______/_______/3K3/7 w 1", "kings_see"),
        ("7/1w1k1w1/7/7/7/1W1K1W1/7 w 0 1", "parts"),
        ("7/1w1kW2/7/7/7/1W1K3/7 w 1", "side_in_check"),
    ],
)
def test_a_wrong_position_is_refused_by_name(text: str, code: str) -> None:
    """Each wrong position is refused with a code, words, and the wrong part."""
    found = GAME.read(text, SILENT)
    assert isinstance(found, Problem) and found.code == code and found.words and found.args["part"]
