"""The scatter of a thrower's darts, as a value; `throwing` computes with it."""

from __future__ import annotations

from typing import NamedTuple


class Scatter(NamedTuple):
    """Standard deviations to the side and up in mm, and their correlation."""

    x_mm: float
    y_mm: float
    correlation: float = 0.0

    @property
    def mm(self) -> float:
        """The deviation to all sides as one figure, in mm."""
        return float(((self.x_mm**2 + self.y_mm**2) / 2) ** 0.5)
