"""The endgame trainer judges turns by the tables, and defends as long as possible."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from scharten.endgames.known import known
from scharten.endgames.trainer import best, judge, read, start, turns_left
from scharten.errors import Problem
from scharten.games.scharten.actions import action_of
from scharten.games.scharten.board import B, N, Q, R
from scharten.games.scharten.position_text import position_text
from scharten.games.scharten.turns import Turns
from scharten.opponent.table_files import TableFiles
from scharten.play.endgame_board import Men
from scharten.play.retrograde import ILLEGAL, ORDER, build
from scharten.play.tables import longest, name_of, write


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TableFiles:
    made = TableFiles(tmp_path_factory.mktemp("tables"), pytest.fail)
    made.sure(Men(R, R))
    return made


def _started(files: TableFiles, men: Men, seed: int) -> str:
    position = start(men, files.sure(men)[0], random.Random(seed).randrange)
    assert position is not None
    return position_text(position)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(4))
def test_the_best_turns_mate_in_as_many_moves_as_the_table_says(files: TableFiles, seed: int) -> None:
    """Each best turn leaves one turn less and each answer another: the last one mates on the board."""
    text = _started(files, Men(R, R), seed)
    table = files.sure(Men(R, R))[0]
    position = read(text)
    assert not isinstance(position, Problem)
    left = turns_left(position, files)
    assert left is not None and left >= longest(table) // 2
    while left > 0:
        turn = best(text, files)
        assert isinstance(turn, str)
        judged = judge(text, turn, files)
        assert not isinstance(judged, Problem)
        assert (judged.left_before, judged.left_after) == (left, left - 1)
        text, left = position_text(judged.position), left - 2
    assert judged.mated and not judged.answer
    mated = Turns(judged.position)
    assert mated.stuck and mated.checked


@pytest.mark.long
@pytest.mark.long
def test_a_slower_turn_and_a_lost_win_are_named(files: TableFiles) -> None:
    """Of all turns of a position, those that draw leave no turns, and slower ones leave more."""
    seen = set()
    for seed in range(20):
        text = _started(files, Men(R, R), seed)
        position = read(text)
        assert not isinstance(position, Problem)
        for turn in Turns(position).moves():
            judged = judge(text, action_of(turn).text, files)
            assert not isinstance(judged, Problem)
            seen.add(
                "drawn"
                if judged.left_after is None
                else "best"
                if judged.left_after < judged.left_before
                else "slower"
            )
            if judged.left_after is None:
                assert judged.answer == "" and judged.position.mover == 1
    assert seen == {"drawn", "best", "slower"}


@pytest.mark.long
def test_what_is_no_won_position_is_refused(files: TableFiles) -> None:
    """Junk, an illegal turn, a drawn position and the lone king's turn: each a reason, no exception."""
    text = _started(files, Men(R, R), 1)
    lone = judge(text, str(best(text, files)), files)
    assert not isinstance(lone, Problem)
    drawn = "4N15/1k8K9/20/20 w - 17/17 0/0 0/0 40"
    files.sure(Men(N))
    for position, turn, code in (
        ("junk", "e2e4", None),
        (text, "a1a1", "illegal"),
        (drawn, "e1e2", "not_won"),
        ("5K3Q3R1B4/20/15k4/20 w - 17/17 0/0 0/0 40", "f1e1", "no_table"),
    ):
        refused = judge(position, turn, files)
        assert isinstance(refused, Problem) and code in (None, refused.code), refused


def test_an_ending_without_a_win_has_no_position_to_train() -> None:
    """A bishop cannot mate."""
    assert start(Men(B), build(Men(B), {})[0], lambda most: 0) is None


def test_a_table_that_contradicts_the_rules_is_a_refusal(tmp_path: Path) -> None:
    """The checksum is right and every cell is 9: no turn leads to 8, so the trainer says that the table is damaged."""
    table, counts = build(Men(Q), {})
    table.strong[table.strong < ILLEGAL] = 9
    table.lone[:] = 9
    (tmp_path / "Q.table").write_bytes(write(Men(Q), table, counts))
    files = TableFiles(tmp_path, pytest.fail)
    position = start(Men(Q), table, lambda most: most // 2)
    assert position is not None
    refused = best(position_text(position), files)
    assert isinstance(refused, Problem) and refused.code == "damaged"


def test_the_figures_that_ship_are_those_of_the_tables(files: TableFiles) -> None:
    """Every ending is there; the smallest, and two rooks, are computed again (`make bench ARGS=tables`: all)."""
    assert [ending.men for ending in known()] == [name_of(men) for men in ORDER]
    for men in (Men(N), Men(B), Men(R), Men(Q), Men(R, R)):
        table, counts = files.sure(men)
        ending = next(ending for ending in known() if ending.men == name_of(men))
        assert (ending.positions, ending.won) == (counts.strong, counts.strong_won)
        assert ending.longest == (longest(table) + 1) // 2


def test_tables_leave_the_memory_and_appear_while_a_program_runs(tmp_path: Path) -> None:
    """With room for one table the second replaces the first, which is read again; a new file is found at once."""
    files = TableFiles(tmp_path, pytest.fail, most=1)
    assert files(Men(N)) is None
    other = TableFiles(tmp_path)
    for men in (Men(N), Men(B)):
        other.build(men)
    first, second = files(Men(N)), files(Men(B))
    assert first is not None and second is not None
    assert files(Men(N)) is not first and files(Men(N)) is files(Men(N))
