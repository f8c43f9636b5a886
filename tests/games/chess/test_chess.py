"""Chess and Fischer Random where python-chess leaves the decision to us (games 2, 3, 7)."""

from __future__ import annotations

import chess
import pytest

from games.any_game import BY_KEY, drawn, goals, options, play, refused, stand, state
from scharten.errors import Problem
from scharten.game.basics import End, Reason, Side, move_from_text

GAME, RANDOM = BY_KEY["chess"], BY_KEY["fischer_random"]
SILENT, FISCHER = options(GAME), options(RANDOM)

CASTLING = """
8  r . . . k . . r
7  . . . . . . . .
6  . . . . . . . .
5  . . . . r . . .
4  . . . . . . . .
3  . . . . . . . .
2  . . . . . . . .
1  R N . . K . . R
"""

SOURCES_BISHOP = """
8  . . . . k . . .
7  . . . . . . . .
6  . . . . . . . .
5  . . . . . . . .
4  . . . B . . . .
3  . . . . . . . .
2  . r . . . P . .
1  . . . . . . . K
"""


@pytest.mark.parametrize(
    ("man", "least", "most"), [("K", 3, 8), ("Q", 21, 27), ("R", 14, 14), ("B", 7, 13), ("N", 2, 8)]
)
def test_the_sources_counts_on_an_empty_board(man: str, least: int, most: int) -> None:
    """On an empty board each man reaches as many fields as the source counts, from the worst to the best field."""
    reached = []
    for square in chess.SQUARES:
        board = chess.Board(None)
        board.set_piece_at(square, chess.Piece.from_symbol(man))
        reached.append(len(board.attacks(square)))
    assert (min(reached), max(reached)) == (least, most)


def test_the_sources_bishop() -> None:
    """With an own man on f2 and a black rook on b2 the bishop on d4 may take it, and reaches neither a1, f2 nor g1."""
    position = stand(GAME, drawn(SOURCES_BISHOP, "w - - 0 1"), SILENT)
    fields = goals(GAME, position, "d4", SILENT)
    assert "b2" in fields and not fields & {"a1", "f2", "g1"}
    assert refused(GAME, position, "d4a1", SILENT).args["field"] == "b2"
    assert refused(GAME, position, "d4f2", SILENT).code == "blocked"
    assert refused(GAME, position, "d4d5", SILENT).args["reason"] == "not_how_it_moves"


def test_why_one_may_not_castle() -> None:
    """Moved, not free, or attacked: each reason has its own code; the rook may pass an attacked field."""
    text = drawn(CASTLING, "w Kkq - 0 1")
    in_check = stand(GAME, text, SILENT)
    assert refused(GAME, in_check, "e1g1", SILENT).code == "castling_check"
    position = stand(GAME, drawn(CASTLING.replace("5  . . . . r", "5  . . . . ."), "w Kkq - 0 1"), SILENT)
    assert "e1g1" in GAME.situation(position, SILENT).moves
    assert refused(GAME, position, "e1c1", SILENT).code == "castling_moved"
    knight = stand(GAME, drawn(CASTLING.replace("5  . . . . r", "5  . . . . ."), "w KQkq - 0 1"), SILENT)
    why = refused(GAME, knight, "e1c1", SILENT)
    assert (why.code, why.args["field"]) == ("castling_blocked", "b1")
    passed = drawn(CASTLING.replace("5  . . . . r", "5  . . . r .").replace("R N .", "R . ."), "w KQkq - 0 1")
    why = refused(GAME, stand(GAME, passed, SILENT), "e1c1", SILENT)
    assert (why.code, why.args["field"]) == ("castling_check", "d1")
    assert why.args["checkers"] == [{"field": "d5", "supporters": []}]
    rook_passes = drawn(
        CASTLING.replace("5  . . . . r", "5  . r . . .").replace("R N .", "R . ."), "w KQkq - 0 1"
    )
    assert "e1c1" in GAME.situation(stand(GAME, rook_passes, SILENT), SILENT).moves
    assert refused(GAME, position, "e1h1", SILENT).code == "blocked"


def test_the_castling_rook_and_the_man_taken_in_passing_are_involved() -> None:
    """Touch-move needs the rook of a castling and the field of a pawn taken en passant."""
    position = stand(GAME, "4k3/8/8/8/2pP4/8/8/R3K2R b KQ d3 0 1", SILENT)
    assert GAME.involved(position, move_from_text("c4d3"), SILENT).captured == "d4"
    white = stand(GAME, "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", SILENT)
    assert GAME.involved(white, move_from_text("e1g1"), SILENT).rook == "h1"
    assert GAME.involved(white, move_from_text("e1c1"), SILENT).rook == "a1"
    assert GAME.write(white, move_from_text("e1c1"), SILENT) == "O-O-O"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("R7/8/8/8/8/8/2k4K/R7 w - - 0 1", {"a1a4": "R1a4", "a8a4": "R8a4"}),
        ("8/2k5/8/8/8/8/7K/R6R w - - 0 1", {"a1d1": "Rad1", "h1d1": "Rhd1"}),
        ("8/8/8/8/8/5N2/k6K/1N3N2 w - - 0 1", {"b1d2": "Nbd2", "f3d2": "N3d2", "f1d2": "Nf1d2"}),
        ("8/7k/8/8/8/Q7/8/Q1Q4K w - - 0 1", {"a1c3": "Qa1c3", "a3c3": "Q3c3", "c1c3": "Qcc3"}),
    ],
)
def test_notation_distinguishes_two_men_that_reach_one_field(text: str, moves: dict[str, str]) -> None:
    """The line comes first, then the row where men share the line, then the whole field where neither is enough."""
    position = stand(GAME, text, SILENT)
    written = {move: GAME.write(position, move_from_text(move), SILENT).rstrip("+#") for move in moves}
    assert written == moves


def test_promotion_must_name_its_man() -> None:
    """A pawn on its last row without a letter is refused, and so is a letter on the way."""
    position = stand(GAME, "7k/P7/8/8/8/8/8/K7 w - - 0 1", SILENT)
    assert refused(GAME, position, "a7a8", SILENT).args["reason"] == "promotion_missing"
    assert refused(GAME, position, "a7a8k", SILENT).args["reason"] == "no_such_promotion"
    assert GAME.write(position, move_from_text("a7a8n"), SILENT) == "a8N"
    assert GAME.write(position, move_from_text("a7a8q"), SILENT) == "a8Q+"


@pytest.mark.parametrize(
    ("text", "state_is", "end"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "stalemate", End(None, Reason.STALEMATE)),
        ("R6k/8/6K1/8/8/8/8/8 b - - 150 90", "checkmate", End(Side.WHITE, Reason.CHECKMATE)),
        ("7k/8/6K1/8/8/8/8/8 b - - 0 1", "dead", End(None, Reason.DEAD_POSITION)),
        ("5b1k/8/6K1/8/8/8/8/2B5 w - - 0 1", "dead", End(None, Reason.DEAD_POSITION)),
        ("5b1k/8/6K1/8/8/8/8/3B4 w - - 0 1", "ongoing", None),
        ("R6k/8/5K2/8/8/8/8/8 w - - 149 90", "ongoing", None),
        ("R7/7k/5K2/8/8/8/8/8 w - - 150 90", "ongoing", End(None, Reason.SEVENTY_FIVE_MOVES)),
    ],
)
def test_how_a_game_ends(text: str, state_is: str, end: End | None) -> None:
    """Mate goes before stalemate, that before dead, and all before the automatic limit."""
    if text.startswith("R6k/8/5K2"):
        text = text.replace("R6k", "R7").replace("/8/5K2", "/7k/5K2")
    position = stand(GAME, text, SILENT)
    assert state(GAME, position, SILENT) == state_is
    assert GAME.situation(position, SILENT).end == end


def test_who_cannot_win_is_known() -> None:
    """A lone king or a lone bishop cannot mate a lone king; where it is not known the answer is None."""
    position = stand(GAME, "7k/8/6K1/8/8/8/8/R7 w - - 0 1", SILENT)
    assert GAME.can_win(position, Side.BLACK, SILENT) is False
    assert GAME.can_win(position, Side.WHITE, SILENT) is None


def test_the_same_position_heeds_en_passant_only_if_legal() -> None:
    """A pawn's two-step that nobody can answer en passant makes no other position."""
    first = play(GAME, GAME.begin(SILENT), "e2e4", SILENT).position
    plain = stand(GAME, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", SILENT)
    assert GAME.situation(first, SILENT).key == GAME.situation(plain, SILENT).key
    assert GAME.situation(first, SILENT).text.split()[3] == "-"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("8/8/8/8/8/8/8/K7 w - - 0 1", "kings"),
        ("kk6/8/8/8/8/8/8/K7 w - - 0 1", "kings"),
        ("k7/8/8/8/8/8/8/KG6 w - - 0 1", "pieces"),
        ("k7/8/8/8/8/8/8/K5 w - - 0 1", "row_length"),
        ("k7/8/8/8/8/8/K7 w - - 0 1", "rows"),
        ("k7/8/8/8/8/8/8/K7 w - -", "parts"),
        ("k7/8/8/8/8/8/8/K7 w - - 0 1 0/0", "parts"),
        ("k6P/8/8/8/8/8/8/K7 w - - 0 1", "pawn_on_last_row"),
        ("k7/8/8/8/8/8/8/K2P4 w - - 0 1", "pawn_on_last_row"),
        ("4k3/8/8/8/8/8/8/4K2R w Q - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K1R1 w K - 0 1", "castling"),
        ("4k3/8/8/8/8/8/8/4K2R w X - 0 1", "fen"),
        ("4k3/8/8/8/8/8/8/4K2R w K e9 0 1", "fen"),
        ("4k3/8/8/3Pn3/8/8/8/4K3 w - e6 0 1", "en_passant"),
        ("4k3/4p3/8/3Pp3/8/8/8/4K3 w - e6 0 1", "en_passant"),
        ("k6R/8/8/8/8/8/8/K7 w - - 0 1", "side_in_check"),
        ("rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR w 0 1", "parts"),
    ],
)
def test_a_wrong_position_is_refused_by_name(text: str, code: str) -> None:
    """Each wrong position is refused with a code, words, and the wrong part."""
    found = GAME.read(text, SILENT)
    assert isinstance(found, Problem) and found.code == code and found.words and found.args["part"]


def test_fischer_castling_names_its_rook() -> None:
    """The coordinates are the king's field and his rook's; the king's goal alone is no castling."""
    position = stand(RANDOM, "1r2k2r/8/8/8/8/8/8/1R2K1R1 w GBhb - 0 1", FISCHER)
    moves = RANDOM.situation(position, FISCHER).moves
    assert {"e1g1", "e1b1"} <= set(moves) and "e1c1" not in moves
    later = play(RANDOM, position, "e1b1", FISCHER).position
    assert (RANDOM.man_at(later, "c1").letter, RANDOM.man_at(later, "d1").letter) == ("K", "R")
    assert RANDOM.write(position, move_from_text("e1b1"), FISCHER) == "O-O-O"
    assert RANDOM.involved(position, move_from_text("e1b1"), FISCHER).rook == "b1"
    assert RANDOM.situation(position, FISCHER).text == "1r2k2r/8/8/8/8/8/8/1R2K1R1 w KQkq - 0 1"


def test_a_rook_that_uncovers_its_king_may_not_castle() -> None:
    """White Kc1 Rb1 and a black rook on a1: the king would stay, uncovered, so castling is illegal."""
    position = stand(RANDOM, "5k2/8/8/8/8/8/8/rRK4R w B - 0 1", FISCHER)
    assert "c1b1" not in RANDOM.situation(position, FISCHER).moves
    assert refused(RANDOM, position, "c1b1", FISCHER).code == "castling_check"
    assert refused(RANDOM, position, "c1h1", FISCHER).code == "castling_moved"


def test_the_classical_opening_is_refused_by_name() -> None:
    """518 as the agreed number is an error that says so; a number without `number`, or none with it, too."""
    for chosen in (
        {"opening_by": "number", "opening_number": 518},
        {"opening_by": "number"},
        {"opening_number": 4},
        {"opening_by": "number", "opening_number": 960},
    ):
        with pytest.raises(ValueError, match=r"classical|opening_number|less than"):
            options(RANDOM, **chosen)
    agreed = options(RANDOM, opening_by="number", opening_number=0)
    assert RANDOM.situation(RANDOM.begin(agreed), agreed).text == (
        "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
    )
