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


class Hand(NamedTuple):
    """How darts land: their scatter, and their mean offset from the aim, to the right and up in mm."""

    scatter: Scatter
    right_mm: float = 0.0
    up_mm: float = 0.0

    def sized(self, mm: float) -> Hand:
        """Return the hand of the same shape whose darts, offset included, are off by `mm`."""
        x_mm, y_mm, correlation = self.scatter
        by = mm / ((x_mm**2 + y_mm**2 + self.right_mm**2 + self.up_mm**2) / 2) ** 0.5
        return Hand(Scatter(x_mm * by, y_mm * by, correlation), self.right_mm * by, self.up_mm * by)

    def as_list(self) -> list[float]:
        """Return the five figures, for `hand_from`."""
        return [*self.scatter, self.right_mm, self.up_mm]


def hand_from(mm: float, figures: list[float] | None = None) -> Hand:
    """Return a hand of this size with the shape of `as_list`, without one the same to all sides."""
    x_mm, y_mm, correlation, right_mm, up_mm = figures or (mm, mm, 0.0, 0.0, 0.0)
    return Hand(Scatter(x_mm, y_mm, correlation), right_mm, up_mm).sized(mm)
