"""`scharten best` and `scharten solve` as a person runs them."""

from __future__ import annotations

import subprocess
import sys

import pytest

MATE_IN_TWO = "4Kb8r5/1k8P9/9q6P3/20 b - 17/17 0/0 0/0 40"


def scharten(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "scharten", *arguments], capture_output=True, text=True, timeout=120
    )


@pytest.mark.long
def test_solve_prints_the_first_moves_of_a_mate() -> None:
    """It prints them on one line; without a mate it prints a message and ends with status 1."""
    assert scharten("solve", MATE_IN_TWO, "--mate", "2").stdout.strip() == "i3d3 i3f3"
    none = scharten("solve", MATE_IN_TWO, "--mate", "1")
    assert (none.returncode, none.stdout.strip()) == (1, "no mate in 1")


@pytest.mark.long
def test_best_prints_a_move_or_an_aim_and_its_speed() -> None:
    """It plays a mate, and describes an aim in a loud opening. Positions per second go to stderr."""
    mating = scharten("best", MATE_IN_TWO, "--time", "3")
    assert mating.stdout.splitlines()[0] in ("i3d3", "i3f3")
    assert "per second" in mating.stderr
    thrown = scharten("best", "5K*9k*4/20/20/20 w - 0/0 0/0 0/0 1", "--loud", "--time", "1")
    assert thrown.stdout.startswith("throw at ") and "aim at " in thrown.stdout


@pytest.mark.long
def test_best_plays_chess_and_refuses_an_invalid_position() -> None:
    """It mates in a game that it knows only by the protocol, and refuses an unreadable position with a message."""
    mate = scharten("best", "6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1", "--game", "chess", "--time", "5")
    assert mate.stdout.splitlines()[0] == "a1a8"
    wrong = scharten("best", "nonsense")
    assert wrong.returncode == 1 and wrong.stderr.startswith("scharten: ")
