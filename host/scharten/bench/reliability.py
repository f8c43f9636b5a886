"""How sure the detector was beside how often it was right: what it calls 0.9 should be right nine times of ten."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

_STEPS = (0.0, 0.5, 0.7, 0.8, 0.9, 0.95, 0.99, 1.01)


def reliability(judged: Sequence[tuple[float, bool]]) -> list[str]:
    """For each range of confidence that holds darts, how many are right; `judged`: a dart's confidence, if it is."""
    lines = []
    for low, high in pairwise(_STEPS):
        some = [each for each in judged if low <= each[0] < high]
        if some:
            mean = sum(sure for sure, _ in some) / len(some)
            hits = sum(right for _, right in some)
            lines.append(f"  called {mean:6.1%}   right {hits / len(some):6.1%} = {hits}/{len(some)}")
    return lines
