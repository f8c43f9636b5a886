"""Endgame tables beside counts of an independent program and beside the search; damaged files are built anew."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from scharten.errors import Problem
from scharten.game.basics import Kind
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position
from scharten.play.mating import Mates
from scharten.play.tables import Counts, Table, build, probe, read, write

table_of = cache(build)


def position(text: str) -> Position:
    found = parse_position(text, rules_of(Options(kind=Kind.SILENT)))
    assert isinstance(found, Position)
    return found


@pytest.mark.parametrize(
    ("man", "counts"),
    [
        ("Q", Counts(362_560, 2160, 468_000, 180, 100, 120)),
        ("R", Counts(392_240, 680, 468_000, 80, 80, 0)),
        ("B", Counts(429_600, 0, 468_000, 0, 0, 0)),
        ("N", Counts(450_240, 0, 468_000, 0, 0, 0)),
    ],
)
def test_counts_are_those_of_an_independent_program(man: str, counts: Counts) -> None:
    """Legal placements, won ones, mates and stalemates of king and man against king, all of them."""
    assert table_of(man).counts == counts


def test_distances_are_those_of_the_search() -> None:
    """In 1,240 placements the queen mates at once and in 920 in two moves; the rook in 680 at once."""
    for man, wanted in (("Q", {1: 1240, 3: 920}), ("R", {1: 680})):
        turns = [left for place, left in table_of(man).until_mate.items() if place.mover == 0]
        assert {left: 20 * turns.count(left) for left in set(turns)} == wanted


@pytest.mark.parametrize("side", ["w", "b"])
def test_probing_agrees_with_the_search_for_either_colour(side: str) -> None:
    """Placements turned round the board, with the colours exchanged, are probed as the search sees them."""
    letters = ("k", "K", "Q") if side == "w" else ("K", "k", "q")
    won = [place for place in sorted(table_of("Q").until_mate) if place.mover == 0]
    for turn, place in enumerate(won[::11]):
        held = [""] * 80
        for letter, at in zip(letters, place[1:], strict=True):
            held[at - at % 20 + (at + turn) % 20] = letter
        rings = "/".join(_ring(held[first : first + 20]) for first in range(0, 80, 20))
        found = position(f"{rings} {side} - 17/17 0/0 0/0 1")
        moves, _ = Mates().fewest(found, 2)
        assert probe(found, table_of) == 2 * moves - 1


def _ring(held: list[str]) -> str:
    text, empty = "", 0
    for each in held:
        if each:
            text, empty = text + (str(empty) if empty else "") + each, 0
        else:
            empty += 1
    return text + (str(empty) if empty else "")


def test_what_no_table_has_is_refused_and_a_damaged_one_is_told() -> None:
    """More men and loud games are not in the tables; one changed figure breaks the checksum."""
    refused = probe(position("20/19r/12P2Kk3/14r5 b - 17/17 0/0 0/0 40"), table_of)
    assert isinstance(refused, Problem) and refused.code == "no_table"
    text = write(table_of("R"))
    kept = read(text)
    assert isinstance(kept, Table) and kept == table_of("R")
    damaged = read(text.replace("680", "681"))
    assert isinstance(damaged, Problem) and damaged.code == "damaged"


def test_the_command_builds_what_is_damaged_anew(tmp_path: Path) -> None:
    """`tables probe` with a file of junk says so, builds the table, and answers."""
    folder = tmp_path / "tables"
    folder.mkdir()
    (folder / "N.json").write_text("junk")
    text = "4N15/1k8K9/20/20 w - 17/17 0/0 0/0 40"
    command = [sys.executable, "-m", "scharten", "tables", "probe", text, "--data", str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert done.stdout.strip() == "draw" and "checksum" in done.stderr
    assert isinstance(read((folder / "N.json").read_text()), Table)
