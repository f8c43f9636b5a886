"""Endgame tables compared with an independent program and with the rules; damaged files are rebuilt."""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import zlib
from pathlib import Path

import pytest

from lab.endgames import disagreements
from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games.scharten.board import B, N, P, Q, R
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position, after_move
from scharten.games.scharten.position_text import parse_position
from scharten.games.scharten.turns import Turns
from scharten.opponent.table_files import TableFiles
from scharten.play.choose import Thinker, choose
from scharten.play.endgame_board import Men
from scharten.play.evaluate import MATE
from scharten.play.mating import Mates
from scharten.play.retrograde import ORDER, Counts, build
from scharten.play.tables import position_of, probe, read, write


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> TableFiles:
    return TableFiles(tmp_path_factory.mktemp("tables"), pytest.fail)


def position(text: str) -> Position:
    found = parse_position(text, rules_of(Options(kind=Kind.SILENT)))
    assert isinstance(found, Position)
    return found


@pytest.mark.parametrize(
    ("man", "counts"),
    [
        (Q, Counts(362_560, 2160, 468_000, 180, 100, 120)),
        (R, Counts(392_240, 680, 468_000, 80, 80, 0)),
        (B, Counts(429_600, 0, 468_000, 0, 0, 0)),
        (N, Counts(450_240, 0, 468_000, 0, 0, 0)),
    ],
)
def test_counts_agree_with_an_independent_program(man: int, counts: Counts) -> None:
    """Legal placements, wins, mates and stalemates of king and one man against king all agree."""
    table, found = build(Men(man), {})
    assert found == counts
    distances = {turns: 20 * int((table.strong == turns).sum()) for turns in (1, 3, 5)}
    assert distances == {Q: {1: 1240, 3: 920, 5: 0}, R: {1: 680, 3: 0, 5: 0}}.get(man, {1: 0, 3: 0, 5: 0})


@pytest.mark.parametrize("men", [Men(B), Men(P), Men(N, N)])
def test_each_placement_agrees_with_the_turns_of_the_rules(men: Men, files: TableFiles) -> None:
    """For both colours, with unmoved and moved pawns: the best turn by the rules leads to one turn less."""
    assert disagreements(men, files.sure, random.Random(5), 100) == []


def test_probing_agrees_with_the_search_for_forced_mates(files: TableFiles) -> None:
    """Won placements of a queen are mated in as many moves as the search needs."""
    table, _ = files.sure(Men(Q))
    won = [number for number in range(len(table.strong)) if table.strong[number] < 200]
    for number in won[::11]:
        found = position_of(Men(Q), number, mover=0, turn=number % 20, black=number % 2 == 1)
        moves, _ = Mates().fewest(found, 2)
        assert probe(found, files) == 2 * moves - 1


def test_the_computer_plays_by_the_tables(files: TableFiles) -> None:
    """Searching one turn deep, it still plays a mate in two to its end, for both sides."""
    thinker = Thinker(depth=1, tables=files)
    table, _ = files.sure(Men(Q))
    number = int((table.strong == 3).argmax())
    here = position_of(Men(Q), number, mover=0, turn=3, black=True)
    for left in (3, 2, 1):
        found = choose(here, thinker, lambda: False)
        assert found is not None and found.turn is not None and found.nodes == 0
        assert found.value == (MATE - left if left % 2 else left - MATE)
        here = after_move(here, *found.turn)
    assert Turns(here).stuck and Turns(here).checked


def test_a_position_without_a_table_is_refused(files: TableFiles) -> None:
    """More men, a king that may castle, and an unmoved pawn on another row have no table."""
    for text in (
        "20/19r/12P2Kk3/14r5 b - 17/17 0/0 0/0 40",
        "5K*3R*10/20/15k4/20 w - 17/17 0/0 0/0 40",
        "5K14/20/5P*9k4/20 w - 17/17 0/0 0/0 40",
    ):
        refused = probe(position(text), files)
        assert isinstance(refused, Problem) and refused.code == "no_table"


def test_a_table_is_read_as_written_and_a_damaged_one_is_refused(files: TableFiles) -> None:
    """A changed byte breaks the checksum, and the file of another table is refused."""
    table, counts = files.sure(Men(R))
    data = write(Men(R), table, counts)
    kept = read(Men(R), data)
    assert not isinstance(kept, Problem) and kept[1] == counts and (kept[0].lone == table.lone).all()
    for wrong in (
        data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
        write(Men(Q), *files.sure(Men(Q))),
        b"",
        data[:50],
    ):
        damaged = read(Men(R), wrong)
        assert isinstance(damaged, Problem) and damaged.code == "damaged"


@pytest.mark.long
def test_the_command_rebuilds_a_damaged_table(tmp_path: Path) -> None:
    """`tables probe` reports a file of junk, rebuilds the table, and answers. The file is whole again."""
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "N.table").write_text("junk")
    text = "4N15/1k8K9/20/20 w - 17/17 0/0 0/0 40"
    command = [sys.executable, "-m", "scharten", "tables", "probe", text, "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "draw" and "checksum" in done.stderr
    assert not isinstance(read(Men(N), (folder / "N.table").read_bytes()), Problem)


def test_a_pipe_in_place_of_a_table_is_reported_and_replaced(tmp_path: Path) -> None:
    """The builder does not wait for the pipe: it reports it, builds the table, and writes the file."""
    os.mkfifo(tmp_path / "Q.table")
    os.mkfifo(tmp_path / ".Q.part")
    messages: list[str] = []
    TableFiles(tmp_path, messages.append).sure(Men(Q))
    assert any("Q.table is no file" in words for words in messages)
    assert (tmp_path / "Q.table").is_file()


@pytest.mark.parametrize(
    "content", [b"no zlib", zlib.compress(b"no json"), zlib.compress(b"[]"), zlib.compress(b"{}")]
)
def test_wrong_content_with_a_right_checksum_is_damaged(content: bytes) -> None:
    """A file without a table is refused with a reason, whatever its checksum."""
    refused = read(ORDER[0], hashlib.sha256(content).hexdigest().encode() + b"\n" + content)
    assert isinstance(refused, Problem) and refused.code == "damaged"
