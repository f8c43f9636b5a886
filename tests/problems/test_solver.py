"""The solver beside other engines: python-chess for chess, an own brute force for the other games."""

from __future__ import annotations

import chess
import pytest

from problems.brute import Brute, chess_mates
from scharten.games import GAMES_BY_KEY
from scharten.problems.bundled import bundled
from scharten.problems.check import check, solve
from scharten.problems.daily import of_the_day
from scharten.problems.line import Kind, Opened, Puzzle, Task, opened
from scharten.problems.solve import Solver

SHORT = [puzzle for puzzle in bundled() if puzzle.task.moves < 3]
BRUTE_GAMES = ("scharten", "shatranj", "shakti")


def _opened(puzzle: Puzzle) -> Opened:
    found = opened(puzzle, GAMES_BY_KEY)
    assert isinstance(found, Opened)
    return found


@pytest.mark.parametrize("game", ["chess", "fischer_random"])
def test_python_chess_finds_the_same_mates(game: str) -> None:
    """The solver's first moves of mates in one and two are those of a plain search on python-chess and the key."""
    mates = [puzzle for puzzle in SHORT if puzzle.game == game and puzzle.task.kind in (Kind.MATE, Kind.DART)]
    assert len({puzzle.task.moves for puzzle in mates}) == 2
    for puzzle in mates[:: max(1, len(mates) // 20)]:
        board = chess.Board(" ".join(puzzle.position.split(" ")[:6]), chess960=game == "fischer_random")
        case = _opened(puzzle)
        solved, _ = solve(case.board, case.position, puzzle.task)
        assert solved == chess_mates(board, puzzle.task.moves) == [puzzle.key], puzzle.line


def _few(found: list[Puzzle]) -> list[Puzzle]:
    """Two problems of one turn, and that of two turns whose position has the fewest turns: a plain search is slow."""
    short = [puzzle for puzzle in found if puzzle.task.moves == 1]
    longer = [puzzle for puzzle in found if puzzle.task.moves == 2]
    longer.sort(key=lambda puzzle: len(list(_opened(puzzle).board.reached(_opened(puzzle).position))))
    return [*short[:: max(1, len(short) // 2)][:2], *longer[:1]]


@pytest.mark.long
@pytest.mark.parametrize("game", BRUTE_GAMES)
@pytest.mark.parametrize("kind", list(Kind))
def test_brute_force_finds_the_same_keys(game: str, kind: Kind) -> None:
    """A few problems of each kind, and the position after a turn of each, have the turns that a plain search finds."""
    found = [puzzle for puzzle in SHORT if puzzle.game == game and puzzle.task.kind is kind]
    if kind is Kind.FIELD and game != "scharten":
        assert not found
        return
    assert found
    for puzzle in _few(found):
        case = _opened(puzzle)
        brute = Brute(case.game, case.options)
        moves = puzzle.task.moves
        plain = (
            brute.saving(case.position, moves) if kind is Kind.SAVE else brute.forcing(case.position, moves)
        )
        assert plain == [puzzle.key], puzzle.line
        for _, child in list(case.board.reached(case.position))[:1]:
            assert solve(case.board, child, Task(Kind.MATE, 1))[0] == brute.forcing(child, 1)
            assert solve(case.board, child, Task(Kind.SAVE, 1))[0] == brute.saving(child, 1)


def test_the_solver_sees_a_chess_classic() -> None:
    """Morphy's problem: mate in two by Ra6 alone, and no mate in one."""
    text = "kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1"
    case = _opened(Puzzle(text, "", Task(Kind.MATE, 2), "a1a6", 1, "chess"))
    assert Solver(case.board).forcing(case.position, 2) == ["a1a6"]
    assert Solver(case.board).forcing(case.position, 1) == []


@pytest.mark.long
def test_a_year_of_problems_has_one_key_each() -> None:
    """The problems of 365 days differ, and the solver proves every ninth (`scharten problems --check` proves all)."""
    puzzles = bundled()
    year = [of_the_day(puzzles, 20_000 + day) for day in range(365)]
    assert len({puzzle.id for puzzle in year}) == 365
    for puzzle in year[::9]:
        assert check(puzzle, GAMES_BY_KEY) is None, puzzle.line
