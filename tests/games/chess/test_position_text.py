"""The text of a chess position is the one that python-chess writes, in chess, in Fischer Random and in a variant."""

import random

import chess
import chess.variant
import pytest

from scharten.games.chess_position import Position

STARTS = {
    "chess": chess.Board(),
    "fischer_random": chess.Board.from_chess960_pos(356),
    "checks": chess.variant.ThreeCheckBoard(),
}


@pytest.mark.parametrize("name", STARTS)
def test_the_text_is_that_of_python_chess_after_each_move_of_random_games(name: str) -> None:
    """Captures, castling, promotions and en passant, legal or not, come by in 20 games."""
    chance = random.Random(5)
    for _ in range(20):
        board = STARTS[name].copy()
        while not board.is_game_over() and board.fullmove_number < 60:
            board.push(chance.choice(list(board.legal_moves)))
            assert Position(board.copy(stack=False)).epd == board.epd()
