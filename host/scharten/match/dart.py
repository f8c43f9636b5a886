"""A dart as sensors read it."""

from __future__ import annotations

from dataclasses import dataclass

from scharten.dartboard.beds import SURE, Bed
from scharten.dartboard.profile import Contact


@dataclass(frozen=True, slots=True)
class Opinion:
    """One of several sensors' view of a dart: its likeliest bed with the probability, no bed if it noticed none."""

    sensor: str
    bed: Bed | None
    probability: float = 1.0


@dataclass(frozen=True, slots=True)
class Dart:
    """A dart: every bed it may be in with its probability, the likeliest first; mm as in contract.md.

    `beds` is empty for a contact that no profile knows, and where cameras saw a change but no dart. `bounced`: it did
    not stay in the board. `contact`: the contact that it closed on an electronic board. `seen_ms`: when cameras saw
    it, if that differs from the reading's time. `opinions` of sensors that disagree.
    """

    beds: tuple[tuple[Bed, float], ...]
    x_mm: float | None = None
    y_mm: float | None = None
    bounced: bool = False
    contact: Contact | None = None
    seen_ms: int | None = None
    opinions: tuple[Opinion, ...] = ()

    @property
    def watched(self) -> bool:
        """Whether cameras saw it; they also see somebody take it out."""
        return self.contact is None or self.seen_ms is not None

    @property
    def confidence(self) -> float:
        """The probability of the likeliest bed, 0 where none is known."""
        return self.beds[0][1] if self.beds else 0.0

    @property
    def candidates(self) -> tuple[tuple[Bed, float], ...]:
        """The beds to consider: only the likeliest of a sure dart, all of a doubtful one."""
        return self.beds[:1] if self.confidence >= SURE else self.beds
