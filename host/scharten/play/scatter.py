"""The scatter of a thrower's darts, as a value; `throwing` computes with it."""

from __future__ import annotations

from typing import NamedTuple


class Scatter(NamedTuple):
    """Standard deviations to the side and up in mm, and their correlation."""

    x_mm: float
    y_mm: float
    correlation: float = 0.0
