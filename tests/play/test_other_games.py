"""The built-in player of chess, Fischer Random, Shatranj and Shakti: what its search sees at which depth."""

from __future__ import annotations

import pytest

from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.play.any_game import AnyGamePlayer, Choice
from scharten.play.evaluate import MATE


def best(game: str, position: str, depth: int, most: int | None = None, seen: tuple[str, ...] = ()) -> Choice:
    """Return the best move without errors."""
    played = GAMES_BY_KEY[game]
    options = played.options_model()
    start = played.read(position, options)
    assert not isinstance(start, Problem), start
    player = AnyGamePlayer(played, options, lambda: False, most=most)
    found = player.best_move(start, depth, lambda: 0)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("game", "position", "depth", "move"),
    [
        ("chess", "6k1/5ppp/8/8/8/8/8/R3K3 w Q - 0 1", 1, "a1a8"),
        ("chess", "7k/8/8/6Q1/8/5K2/8/8 w - - 0 1", 3, None),
        ("chess", "8/8/8/8/8/5k2/4q3/7K b - - 0 1", 1, None),
        ("shatranj", "7k/R7/1R6/8/8/2p2p2/8/K7 w 0 40", 1, "b6b8"),
        ("shatranj", "k7/2K5/8/8/8/8/p7/1R6 w 0 40", 1, None),
    ],
)
def test_it_wins_what_can_be_won(game: str, position: str, depth: int, move: str | None) -> None:
    """It mates where it can, and where it cannot yet it never ends in a stalemate that draws."""
    found = best(game, position, depth)
    assert found.value > 400 and (move is None or found.move == move)
    assert move is None or found.value > MATE // 2


def test_one_turn_deep_it_takes_nothing_that_is_defended() -> None:
    """A queen leaves a pawn that another pawn defends, and takes one that nobody does."""
    defended = "4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1"
    assert best("chess", defended, 1).move != "d4d6"
    assert best("chess", defended.replace("2p5", "p7"), 1).move in ("d4d6", "d4a7")


def test_in_passing_and_a_queen_are_captures() -> None:
    """The search of captures sees a pawn taken in passing, and a pawn that becomes a queen."""
    assert best("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", 1).move == "e5d6"
    assert best("chess", "7k/P7/8/8/8/8/8/K7 w - - 0 2", 1).move == "a7a8q"


def test_castling_captures_nobody() -> None:
    """In Fischer Random castling names the own rook, which is no gain."""
    found = best("fischer_random", "4k3/8/8/8/8/8/4PPPP/5KR1 w G - 0 1", 2)
    assert abs(found.value - 900) < 150


def test_positions_bound_the_depth_and_not_the_first_one() -> None:
    """The limit of positions ends a deeper search; the search of one turn is always complete."""
    opening = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert best("chess", opening, 40, most=1).depth == 1
    assert best("chess", opening, 40, most=3000).depth >= 3


def test_shakti_has_a_value_too() -> None:
    """A turn of Shakti comes with the value of the position."""
    found = best("shakti", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", 1)
    assert abs(found.value) < 300 and found.depth == 1
