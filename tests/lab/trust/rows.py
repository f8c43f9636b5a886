"""Findings of a run of `make trust`: faults, attacks, figures, and their table."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Fault:
    """A fault: how often it was tried, how often play survived it, and how many darts were lost or counted twice."""

    what: str
    tried: int
    survived: int
    lost: int = 0
    doubled: int = 0
    figure: str = ""
    row: str = ""
    """The name by which `--row` runs it alone."""

    @property
    def harmless(self) -> bool:
        """Whether play survived every time, with nothing lost or duplicated."""
        return self.survived == self.tried and not self.lost and not self.doubled

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(f"{item:,}" for item in (self.tried, self.survived, self.lost, self.doubled))


@dataclass(frozen=True)
class Attack:
    """An attack, and how often it succeeded."""

    what: str
    tried: int
    succeeded: int
    figure: str = ""
    row: str = ""

    @property
    def harmless(self) -> bool:
        """Whether it never succeeded."""
        return not self.succeeded

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the table."""
        return (f"{self.tried:,}", f"{self.succeeded:,}")


@dataclass(frozen=True)
class Held:
    """A figure beside its aim: load, memory, exposure."""

    what: str
    figure: str
    harmless: bool = True
    row: str = ""


Row = Fault | Attack | Held
HEADS = (
    (Fault, "faults", ("tried", "survived", "lost", "doubled")),
    (Attack, "attacks", ("tried", "succeeded")),
)


def table(rows: Iterable[Row]) -> Iterator[str]:
    """Return the rows as lines of text: faults, attacks, then the figures, aligned."""
    rows = [
        replace(item, what=f"{item.row}  {item.what}" if item.row else item.what)
        for item in _aligned(list(rows))
    ]
    width = max((len(row.what) for row in rows), default=0)
    for kind, head, columns in HEADS:
        chosen = [row for row in rows if isinstance(row, kind)]
        if not chosen:
            continue
        widths = [
            max(map(len, column)) for column in zip(columns, *(item.cells for item in chosen), strict=True)
        ]
        yield _line(head.ljust(width), columns, widths)
        for item in chosen:
            yield _line(item.what.ljust(width), item.cells, widths, item.figure)
        yield ""
    held = [row for row in rows if isinstance(row, Held)]
    if held:
        yield "held"
        yield from (f"{item.what.ljust(width)}  {item.figure}" for item in held)


def _aligned(rows: list[Row]) -> list[Row]:
    """Return the names for `--row`, padded to the longest."""
    width = max((len(row.row) for row in rows), default=0)
    return [replace(row, row=row.row.ljust(width)) for row in rows]


def _line(what: str, cells: Sequence[str], widths: Sequence[int], figure: str = "") -> str:
    fitted = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join([what, *fitted, figure]).rstrip()


def show_progress(words: str) -> None:
    """Print progress to stderr, because the table may go into a file."""
    print(f"… {words}", file=sys.stderr, flush=True)
