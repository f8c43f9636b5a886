"""The share of positions for which `could_mate` has an answer, and its time (rules 7)."""

from __future__ import annotations

import time
from pathlib import Path

from lab.figures import commit, percentile
from scharten.errors import Problem, SchartenError
from scharten.game.basics import Side, side_from_word
from scharten.game.flags import parse_flags
from scharten.games.scharten.mate.front import could_mate
from scharten.games.scharten.options import Options, rules_of
from scharten.games.scharten.position import Position
from scharten.games.scharten.position_text import parse_position

TESTS = Path(__file__).parents[1]
Case = tuple[Position, Side]
MOST_UNKNOWN = 0.05
"""The share of answers on the perft positions that may be unknown."""


def run(file: Path | None, budget: int) -> int:
    """Print the share of answers over a file of positions and over the kept list; status 1 if a target is missed."""
    print(f"could_mate, commit {commit()}, budget {budget} positions")
    name = f"perft positions, both sides (target: at most {MOST_UNKNOWN:.0%} None)"
    answers = _report(name, _perft_cases(file or TESTS / "perft" / "given.tsv"), budget)
    failed = int(answers.count(None) > MOST_UNKNOWN * len(answers))
    for wanted in (True, False):
        path = TESTS / "games" / "scharten" / "mate" / f"{str(wanted).lower()}.tsv"
        answers = _report(
            f"kept list {path.name} (target: at least 30, all {wanted})", _kept_cases(path), budget
        )
        failed += len(answers) < 30 or any(answer is not wanted for answer in answers)
    return 1 if failed else 0


def _report(name: str, cases: list[Case], budget: int) -> list[bool | None]:
    answers: list[bool | None] = []
    took: list[float] = []
    for position, side in cases:
        began = time.process_time()
        answers.append(could_mate(position, side, budget))
        took.append((time.process_time() - began) * 1000)
    shares = ", ".join(
        f"{value}: {answers.count(value)} ({answers.count(value) / len(answers):.1%})"
        for value in (True, False, None)
    )
    print(f"{name}: {len(answers)} answers; {shares}")
    print(
        f"  CPU time per answer: median {percentile(took, 50):.0f} ms, "
        f"99 % {percentile(took, 99):.0f} ms, longest {max(took):.0f} ms"
    )
    return answers


def _perft_cases(path: Path) -> list[Case]:
    """Each different position of a perft file, for both sides."""
    found = {(columns[0], columns[1]): None for columns in _rows(path, 2)}
    return [(_parsed(path, text, flags), side) for text, flags in found for side in Side]


def _kept_cases(path: Path) -> list[Case]:
    cases = []
    for text, flags, word in (columns[:3] for columns in _rows(path, 3)):
        side = side_from_word(word)
        if side is None:
            raise SchartenError(f"{path}: '{word}' is not a side", "Use white or black.")
        cases.append((_parsed(path, text, flags), side))
    return cases


def _rows(path: Path, least: int) -> list[list[str]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SchartenError(f"cannot read {path}: {error.strerror}", "Give a file of positions.") from error
    rows = [line.split("\t") for line in lines if line]
    if not rows or any(len(row) < least for row in rows):
        raise SchartenError(f"{path} has no rows of {least} columns", "Columns are parted by tabs.")
    return rows


def _parsed(path: Path, text: str, flags: str) -> Position:
    options = parse_flags(flags, Options)
    if isinstance(options, Problem):
        raise SchartenError(f"{path}: {options.words}", options.cure)
    position = parse_position(text, rules_of(options))
    if isinstance(position, Problem):
        raise SchartenError(f"{path}: {position.words}", f"The position was: {text}")
    return position
