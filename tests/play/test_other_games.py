"""The built-in player of chess, Fischer Random, Shatranj and Shakti: the moves it finds at each depth."""

from __future__ import annotations

import pytest

from scharten.errors import Problem
from scharten.games import GAMES_BY_KEY
from scharten.play.any_game import AnyGamePlayer, Choice
from scharten.play.evaluate import MATE


def best(game: str, position: str, depth: int, most: int | None = None, seen: tuple[str, ...] = ()) -> Choice:
    """Return the best move, chosen without errors."""
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
def test_the_player_mates_and_avoids_stalemate(
    game: str, position: str, depth: int, move: str | None
) -> None:
    """It mates where it can; where it cannot yet, it never gives a stalemate that draws."""
    found = best(game, position, depth)
    assert found.value > 400 and (move is None or found.move == move)
    assert move is None or found.value > MATE // 2


def test_a_search_of_one_turn_takes_no_defended_pawn() -> None:
    """A queen leaves a pawn that another pawn defends, and takes an undefended one."""
    defended = "4k3/2p5/3p4/8/3Q4/8/8/4K3 w - - 0 1"
    assert best("chess", defended, 1).move != "d4d6"
    assert best("chess", defended.replace("2p5", "p7"), 1).move in ("d4d6", "d4a7")


def test_the_search_of_captures_includes_en_passant_and_promotion() -> None:
    """A search of one turn captures en passant, and promotes a pawn to a queen."""
    assert best("chess", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", 1).move == "e5d6"
    assert best("chess", "7k/P7/8/8/8/8/8/K7 w - - 0 2", 1).move == "a7a8q"


def test_castling_in_fischer_random_is_no_capture() -> None:
    """Castling moves the king onto its own rook, which the search does not count as a gain."""
    found = best("fischer_random", "4k3/8/8/8/8/8/4PPPP/5KR1 w G - 0 1", 2)
    assert abs(found.value - 900) < 150


def test_the_limit_of_positions_never_cuts_the_first_turn() -> None:
    """The limit ends a deeper search; the search of one turn is always complete."""
    opening = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
    assert best("chess", opening, 40, most=1).depth == 1
    assert best("chess", opening, 40, most=3000).depth >= 3


def test_a_turn_of_shakti_has_a_value() -> None:
    """The search returns a turn of Shakti with the value of the position."""
    found = best("shakti", "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1", 1)
    assert abs(found.value) < 300 and found.depth == 1
