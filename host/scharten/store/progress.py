"""Report how far a long recovery has come, so that nobody takes it for a hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

Progress = Callable[[str], object]
Item = TypeVar("Item")
EVERY_S = 2.0
_ROWS = 1000
"""Rows between two looks at the clock."""


def silent(_words: str) -> None:
    """Report nothing."""


def reported(rows: Iterable[Item], words: str, progress: Progress) -> Iterator[Item]:
    """Pass the rows on, and report their number with `words` every two seconds."""
    due = time.monotonic() + EVERY_S
    for number, row in enumerate(rows, 1):
        if number % _ROWS == 0 and time.monotonic() > due:
            progress(f"{number} {words}")
            due = time.monotonic() + EVERY_S
        yield row
