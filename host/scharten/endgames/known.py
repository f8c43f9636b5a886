"""The figures of the endgame tables, which ship with the program; `make bench ARGS="tables --write"` computes them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

FILE: Final = Path(__file__).with_name("known.tsv")
HEAD: Final = "# men\tpositions\twon\tlongest"


@dataclass(frozen=True, slots=True)
class Ending:
    """The men beside the strong king, such as `RQ`, and what they reach with the strong side to move.

    `positions` counts the legal placements, `won` those with a forced mate, `longest` the moves of the longest mate.
    """

    men: str
    positions: int
    won: int
    longest: int

    @property
    def line(self) -> str:
        """Return the ending as a line of the file."""
        return f"{self.men}\t{self.positions}\t{self.won}\t{self.longest}"


@cache
def known() -> tuple[Ending, ...]:
    """Return every ending of the file, in the order of the tables."""
    rows = (line.split("\t") for line in FILE.read_text(encoding="ascii").splitlines() if line[:1] != "#")
    return tuple(Ending(men, *map(int, figures)) for men, *figures in rows)


def table_file(folder: Path, men: str) -> Path:
    """Return where the table of these men is kept in a folder of tables."""
    return folder / f"{men}.table"
