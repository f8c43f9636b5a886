"""The tables of `make trust` in a document: the lines of each row, replaced when that row runs again."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from lab.trust.rows import Attack, Fault, Held, Row
from scharten.errors import SchartenError

HEADS: dict[type[Row], tuple[str, str]] = {
    Fault: (
        "| row | fault | tried | survived | lost | doubled | | run |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- | --- |",
    ),
    Attack: ("| row | attack | tried | succeeded | | run |", "| --- | --- | ---: | ---: | --- | --- |"),
    Held: ("| row | measured | figure | run |", "| --- | --- | --- | --- |"),
}
PARTS_HEAD = ("| part | not covered | took | run |", "| --- | --- | --- | --- |")


def write_rows(document: Path, rows: Iterable[Row], run: str) -> None:
    """Replace the lines of these rows; `run` says when and with what they ran. Raises `SchartenError`."""
    made = list(rows)
    for kind, head in HEADS.items():
        lines = (
            _line((f"`{row.row}`", row.what, *getattr(row, "cells", ()), row.figure, run))
            for row in made
            if isinstance(row, kind)
        )
        _write(document, head, lines)


def write_parts(document: Path, parts: Iterable[tuple[str, str, str]], run: str) -> None:
    """Replace the lines of whole parts: name, limits, duration. Raises `SchartenError`."""
    _write(document, PARTS_HEAD, (_line((f"`{name}`", limits, took, run)) for name, limits, took in parts))


def _write(document: Path, head: tuple[str, str], lines: Iterable[str]) -> None:
    """Replace the lines of the same names, or add them at the end of the table with this head."""
    text = document.read_text(encoding="utf-8").splitlines()
    if head[0] not in text:
        raise SchartenError(f"{document} has no table for these rows.", f"Add this line to it: {head[0]}")
    start = text.index(head[0]) + len(head)
    end = next((n for n in range(start, len(text)) if not text[n].startswith("|")), len(text))
    text[start:end] = [
        line for group in (_by_name(text[start:end]) | _by_name(lines)).values() for line in group
    ]
    document.write_text("\n".join(text) + "\n", encoding="utf-8")


def _by_name(lines: Iterable[str]) -> dict[str, list[str]]:
    """Return the lines of each row, since some rows have several lines."""
    groups: dict[str, list[str]] = {}
    for line in lines:
        groups.setdefault(line.split("|")[1].strip(), []).append(line)
    return groups


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in cells)} |"
