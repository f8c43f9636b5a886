"""The problems that ship with the program."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from scharten.problems.line import Puzzle, parse_file

FILE: Final = Path(__file__).with_name("bundled.tsv")


@cache
def bundled() -> tuple[Puzzle, ...]:
    """Return the readable problems of the file that ships; `scharten problems --check` names the others."""
    try:
        text = FILE.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(puzzle for _, puzzle in parse_file(text) if isinstance(puzzle, Puzzle))
