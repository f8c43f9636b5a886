"""`perft`, `moves` and `status` with `--game`, as a person types them, and what they refuse by name."""

from __future__ import annotations

import pytest
from typer.testing import CliRunner

from scharten.cli import build
from scharten.errors import SchartenError

CHESS = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
RANDOM = "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1"
SHATRANJ = "rnegkenr/pppppppp/8/8/8/8/PPPPPPPP/RNEGKENR w 0 1"
SHAKTI = "7/1w1k1w1/7/7/7/1W1K1W1/7 w 1"
SCHARTEN = "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1"


def printed(*arguments: str) -> list[str]:
    """Return the lines that the command prints."""
    found = CliRunner().invoke(build(), list(arguments), catch_exceptions=False)
    assert found.exit_code == 0, found.output
    return found.output.splitlines()


@pytest.mark.parametrize(
    ("game", "position", "first", "second"),
    [("chess", CHESS, 20, 400), ("fischer_random", RANDOM, 20, 400), ("shatranj", SHATRANJ, 16, 256),
     ("shakti", SHAKTI, 28, 768)],
)  # fmt: skip
def test_perft_moves_and_status_of_each_game(game: str, position: str, first: int, second: int) -> None:
    """The opening's turns are counted, listed and described the same, and divided they add up."""
    assert printed("perft", position, "2", "--game", game) == [str(second)]
    moves = printed("moves", position, "--game", game)
    assert len(moves) == first and moves == sorted(moves)
    divided = printed("perft", position, "2", "--divide", "--game", game)
    assert [line.split()[0] for line in divided[:-1]] == moves and divided[-1] == f"total {second}"
    assert printed("status", position, "--game", game) == [f"check=0 moves={first} throws=0 state=ongoing"]
    loud = printed("status", f"{position} 0/0", "--loud", "--game", game)
    assert loud[0].startswith("check=0 moves=") and loud[0].endswith("state=ongoing")


def test_without_a_game_it_is_scharten() -> None:
    """A command line from before there were other games means the same."""
    assert printed("status", SCHARTEN, "--loud") == printed(
        "status", SCHARTEN, "--loud", "--game", "scharten"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["moves", CHESS, "--game", "hnefatafl"], "There is no game 'hnefatafl'"),
        (["moves", CHESS, "--game", "chess", "--options", "--pat-swap"], "unknown option '--pat-swap'"),
        (["moves", SHAKTI, "--game", "shakti", "--zones", "home"], "Unknown option '--zones'"),
        (["status", SHAKTI, "--game", "shatranj"], "not a position"),
        (["perft", SHATRANJ, "1", "--game", "chess"], "not a position: a position of this silent game has 6 parts"),
        (["perft", CHESS, "1", "--game", "chess", "--loud"], "FOULS"),
        (["status", CHESS], "not a position"),
    ],
)  # fmt: skip
def test_another_games_option_or_position_is_refused_by_name(arguments: list[str], words: str) -> None:
    """Nothing is counted; the words say what does not belong, and to what."""
    with pytest.raises(SchartenError) as refused:
        printed(*arguments)
    assert words in str(refused.value)
