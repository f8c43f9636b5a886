"""The problem of the day: the same for everybody with the same file, by the date in UTC, none twice in a round."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

from scharten.problems.line import Puzzle

DAY_MS = 86_400_000


def day_of(t_ms: int) -> int:
    """Return the number of the day in UTC since 1970-01-01."""
    return t_ms // DAY_MS


def of_the_day(puzzles: Sequence[Puzzle], day: int) -> Puzzle:
    """Return the day's problem; the order is that of the ids' digests, whatever the order of the file."""
    order = sorted(puzzles, key=lambda puzzle: hashlib.sha256(puzzle.id.encode()).digest())
    return order[day % len(order)]
