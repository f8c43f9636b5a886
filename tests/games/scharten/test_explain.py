"""`explain`: why a move is or is not legal, in codes with figures (rules 4, contract `explain`)."""

from __future__ import annotations

import json

import pytest

from games.scharten.asking import why
from games.scharten.boards import LOUD, SILENT, board, game_options
from scharten.games.scharten.position import Position

TREBLE = board("""
    7  k . . . . . . K . .
    5  . . . . . R . . . .
    3  . . . . . q . . . .
    2  . . . N . . . . . .
""")


def test_a_capture_that_lacks_support_is_explained_with_figures() -> None:
    """Value of the field, support present, who gives how much, and what would be needed."""
    result = why(TREBLE, "c2e3")
    assert (result.legal, result.code) == (False, "no_support")
    assert result.args == {
        "field": "e3",
        "value": 3,
        "support": 1,
        "supporters": ["e5"],
        "gives": {"e5": 1},
        "needed": 2,
    }


def test_a_legal_capture_has_its_figures_too() -> None:
    """The answer has the support it needed and had; with option `count` each supporter gives 1."""
    count = game_options(support="count")
    drawn = board("""
        7  k . . . . . . K . .
        3  . R . . . q . . . .
        2  . . . N . . . . . .
    """)
    result = why(drawn, "c2e3")
    assert (result.legal, result.code) == (True, None)
    assert result.args == {"field": "e3", "value": 3, "support": 3, "supporters": ["a3"], "gives": {"a3": 3}}
    assert why(drawn, "c2e3", count).args["gives"] == {"a3": 1}


SCENE = board(
    """
    8  . . . . . r . . . .
    7  . . k . . . . . . .
    6  . . . . . . p* . . .
    5  . . . . . . . P . .
    3  . . . . . N . . . .
    2  P* . . . . K . . p .
    1  . R* . . . . . . . .
    """,
    options=LOUD,
)


@pytest.mark.parametrize(
    ("text", "code", "args"),
    [
        ("d4d5", "not_a_move", {"reason": "empty", "field": "d4"}),
        ("b7b6", "not_a_move", {"reason": "not_yours", "field": "b7"}),
        ("a1b2", "not_a_move", {"reason": "pattern"}),
        ("a1a1", "not_a_move", {"reason": "pattern"}),
        ("e2e4", "not_a_move", {"reason": "castling", "castling": "king_moved"}),
        ("e2e5", "not_a_move", {"reason": "pattern"}),
        ("e2e3", "blocked", {"field": "e3"}),
        ("o2o1", "not_a_move", {"reason": "pattern"}),
        ("o2a3", "not_a_move", {"reason": "nothing_to_capture"}),
        ("o2o3q", "not_a_move", {"reason": "promotion_not_due"}),
        ("g5f6", "protected", {"field": "f6"}),
        ("e3d5", "leaves_check", {"checkers": [{"field": "e8", "supporters": []}]}),
    ],
)
def test_each_code_with_what_it_says(text: str, code: str, args: dict[str, object]) -> None:
    """One move per reason on one drawn board."""
    result = why(SCENE, text, LOUD)
    assert (result.legal, result.code) == (False, code)
    assert args.items() <= result.args.items()


def test_a_two_step_beside_the_home_row_says_so() -> None:
    """With `home_row` an unmoved pawn elsewhere goes on one field; any unmoved pawn may take two by default."""
    drawn = board("8 . . . . . k . . . .\n4 . . . P* . . . . . .\n1 . . . . . K . . . .")
    assert why(drawn, "c4c6").legal
    result = why(drawn, "c4c6", game_options(double_step="home_row"))
    assert (result.code, result.args) == ("not_a_move", {"reason": "not_on_home_row"})


def test_a_legal_move_says_so() -> None:
    """No code, no figures where nothing is captured."""
    result = why(SCENE, "a1b1", LOUD)
    assert (result.legal, result.code, result.args) == (True, None, {})


def test_the_far_side_of_a_blocked_path_names_the_blocker() -> None:
    """Of two ways round the ring the shorter one's blocker is named."""
    drawn = board("""
        8  . . k . . . . . . .
        3  . R . . p . . . n .
        1  . . . . . K . . . .
    """)
    assert why(drawn, "a3f3").args == {"field": "d3"}


def test_nothing_is_a_move_in_a_dead_position() -> None:
    """King against king: the game is over."""
    dead = board("8 . . . . . k . . . .\n1 . . . . . K . . . .")
    assert why(dead, "e1e2").args == {"reason": "game_over"}


@pytest.mark.parametrize("position", [TREBLE, SCENE])
def test_explanations_fit_into_json(position: Position) -> None:
    """For every pair of fields: the page gets them by MQTT."""
    names = [f"{line}{row}" for line in "oabcdefghi" for row in range(1, 9)]
    for origin in ("c2", "e5", "e3", "g5", "e2", "a1"):
        for to in names:
            result = dict(why(position, origin + to, SILENT).args)
            assert json.loads(json.dumps(result)).keys() == result.keys()
