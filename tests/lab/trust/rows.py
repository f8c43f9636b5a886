"""Findings of a run of `make trust`: faults, attacks, figures, and the table that they make."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Fault:
    """Something that broke: how often, after how many play went on as it should, what was lost, what counted twice."""

    what: str
    tried: int
    survived: int
    lost: int = 0
    doubled: int = 0
    figure: str = ""
    row: str = ""
    """By which name `--row` runs it alone."""

    @property
    def harmless(self) -> bool:
        """Survived every time, with nothing lost and nothing twice."""
        return self.survived == self.tried and not self.lost and not self.doubled

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the table."""
        return tuple(f"{item:,}" for item in (self.tried, self.survived, self.lost, self.doubled))


@dataclass(frozen=True)
class Attack:
    """Something that was tried against us, and how often it got somewhere."""

    what: str
    tried: int
    succeeded: int
    figure: str = ""
    row: str = ""

    @property
    def harmless(self) -> bool:
        """Never succeeded."""
        return not self.succeeded

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of the table."""
        return (f"{self.tried:,}", f"{self.succeeded:,}")


@dataclass(frozen=True)
class Held:
    """A figure beside its aim: load held, memory, exposure."""

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
    """The rows as lines of text: faults, attacks, then the figures, the first column as wide as its longest word."""
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
    """The names for `--row` as wide as the longest."""
    width = max((len(row.row) for row in rows), default=0)
    return [replace(row, row=row.row.ljust(width)) for row in rows]


def _line(what: str, cells: Sequence[str], widths: Sequence[int], figure: str = "") -> str:
    fitted = (cell.rjust(width) for cell, width in zip(cells, widths, strict=True))
    return "  ".join([what, *fitted, figure]).rstrip()


def say(words: str) -> None:
    """Progress, beside the table: to the screen while the table may go into a file."""
    print(f"… {words}", file=sys.stderr, flush=True)
