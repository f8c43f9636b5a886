"""The table that `make trust` prints, and when it says that something did harm."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from lab.trust import run
from lab.trust.parts import PARTS, ROWS, UNCOVERED, Size
from lab.trust.rows import Attack, Fault, Held, Row, table

GOOD = Fault("a fault", 3, 3, figure="well")
HARM = [
    Fault("not survived", 3, 2),
    Fault("lost", 1, 1, lost=1),
    Fault("doubled", 1, 1, doubled=1),
    Attack("an attack", 9, 1),
    Held("a figure", "too large", False),
]


def test_columns_stand_under_their_heads_whatever_the_longest_name() -> None:
    """Faults, attacks and figures, each under heads of its own; every number ends where its head ends."""
    rows: list[Row] = [
        GOOD,
        Attack("an attack with a name that is longer than all others", 100_000, 0),
        HARM[-1],
    ]
    faults, fault, _, attacks, attack, _, held, figure = table(rows)
    for head, line, words in (
        (faults, fault, ("survived", "lost")),
        (attacks, attack, ("tried", "succeeded")),
    ):
        for word in words:
            end = head.index(word) + len(word)
            assert line[end - 1].isdigit() and line[end : end + 1] in ("", " "), (head, line)
    assert "100,000" in attack and fault.endswith("well")
    assert held == "held" and figure.startswith("a figure  ") and figure.endswith("too large")


def ended(monkeypatch: pytest.MonkeyPatch, part: Iterator[Row], *arguments: str) -> int:
    """The exit status of a run of one part that gives these rows."""

    def rows(folder: Path, size: Size) -> Iterator[Row]:
        """A part of a test."""
        yield from part

    monkeypatch.setitem(PARTS, "unit", rows)
    monkeypatch.setattr(sys, "argv", ["run.py", "--only", "unit", *arguments])
    return run.main()


def test_the_exit_status_tells_of_harm(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """0 when all is well; 1 for each kind of harm, and for a part that does not come to its end."""
    assert ended(monkeypatch, iter([GOOD])) == 0
    for harm in HARM:
        assert ended(monkeypatch, iter([GOOD, harm])) == 1, harm

    def breaks() -> Iterator[Row]:
        yield GOOD
        raise TimeoutError("nobody answered")

    assert ended(monkeypatch, breaks(), "--short") == 1
    told = capsys.readouterr().out
    assert "part unit, the rest of it" in told and "TimeoutError: nobody answered" in told
    assert 'make trust ARGS="--only unit --short"' in told


def test_a_row_runs_alone_by_the_name_it_has_in_the_table(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--row parsers:megabytes` runs that row of that part, and prints what it does not cover."""
    monkeypatch.setattr("lab.trust.fuzz.swamped", lambda: Attack("a megabyte", 1, 0))
    monkeypatch.setattr("lab.trust.fuzz.fuzzed", lambda examples: pytest.fail("not asked for"))
    monkeypatch.setattr(sys, "argv", ["run.py", "--row", "parsers:megabytes"])
    assert run.main() == 0
    told = capsys.readouterr().out
    assert "parsers:megabytes  a megabyte" in told and UNCOVERED["parsers"] in told
    assert ROWS.keys() <= PARTS.keys() and "kills:daemon" not in told


def test_every_part_says_what_it_does_not_cover() -> None:
    """No part of the table without its limits, and no limits of a part that is gone."""
    assert UNCOVERED.keys() == PARTS.keys() and all(UNCOVERED.values())
