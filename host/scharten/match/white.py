"""The seats, and who has White: by lot, by the dart nearest the centre, or by agreement (rules 8, `white_by`).

Seat 1 throws first. In each round both seats throw a dart; the nearer dart has White, and after equal darts both
throw again. The lot's seed comes with the input, so that a replay draws the same lot.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from enum import Enum, StrEnum

from scharten.dartboard.beds import Bed, BedKind, readings


class Seat(StrEnum):
    """One of the two players, before and after colours are given out."""

    SEAT1 = "seat1"
    SEAT2 = "seat2"


class Nearer(Enum):
    """The nearer of two darts to the centre; IN_DOUBT while a shared single could decide it."""

    FIRST = "first"
    SECOND = "second"
    EQUAL = "equal"
    IN_DOUBT = "in_doubt"


@dataclass(frozen=True, slots=True)
class TossDart:
    """A dart thrown for White: its bed, and its distance from the centre in mm where known."""

    bed: Bed
    distance_mm: float | None = None


NEARNESS: tuple[BedKind, ...] = (
    BedKind.BULL,
    BedKind.OUTER_BULL,
    BedKind.LITTLE,
    BedKind.TREBLE,
    BedKind.FAT,
    BedKind.DOUBLE,
    BedKind.MISS,
)
"""The rings from the centre outwards; without millimetres, darts in one ring are equally near."""


def draw_lot(seed: int) -> Seat:
    """The seat that has White by lot; every bit of the seed counts, and each seat has half of all seeds."""
    drawn = hashlib.sha256(str(seed).encode()).digest()[0] & 1
    return Seat.SEAT2 if drawn else Seat.SEAT1


def compare(first: TossDart, second: TossDart) -> Nearer:
    """Compare by mm (to 0.1) if both are known, else by ring, where all readings of a bed must agree."""
    if first.distance_mm is not None and second.distance_mm is not None:
        return _compared(round(first.distance_mm, 1), round(second.distance_mm, 1))
    found = {
        _compared(NEARNESS.index(bed.kind), NEARNESS.index(other.kind))
        for bed in readings(first.bed)
        for other in readings(second.bed)
    }
    return found.pop() if len(found) == 1 else Nearer.IN_DOUBT


def _compared(first: float, second: float) -> Nearer:
    if first == second:
        return Nearer.EQUAL
    return Nearer.FIRST if first < second else Nearer.SECOND


@dataclass(frozen=True, slots=True)
class TossForWhite:
    """The darts thrown for White so far, in order; the rest is computed from them."""

    darts: tuple[TossDart, ...] = ()

    @property
    def nearer(self) -> Nearer | None:
        """The nearer dart of the last complete round; `None` before it and during a round."""
        if not self.darts or len(self.darts) % 2:
            return None
        return compare(self.darts[-2], self.darts[-1])

    @property
    def white(self) -> Seat | None:
        """The seat that has White, once a round has decided it."""
        return {Nearer.FIRST: Seat.SEAT1, Nearer.SECOND: Seat.SEAT2}.get(self.nearer or Nearer.EQUAL)

    @property
    def to_throw(self) -> Seat | None:
        """The seat that throws next; `None` when White is decided or a question is open."""
        if len(self.darts) % 2:
            return Seat.SEAT2
        return Seat.SEAT1 if self.nearer in {None, Nearer.EQUAL} else None


def throw(toss: TossForWhite, dart: TossDart) -> TossForWhite:
    """The toss with one more dart; unchanged when no dart is awaited."""
    return toss if toss.to_throw is None else TossForWhite((*toss.darts, dart))
