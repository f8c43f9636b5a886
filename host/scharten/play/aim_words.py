"""An aim in words: the bed, and where in it (docs/contract.md, Beds)."""

from __future__ import annotations

import math

from scharten.dartboard.beds import Bed, BedKind
from scharten.dartboard.locate import bed_at, centre_of

_RINGS = {
    BedKind.DOUBLE: "the double",
    BedKind.FAT: "the outer single",
    BedKind.TREBLE: "the treble",
    BedKind.LITTLE: "the inner single",
}
_NEAR_MM = 8.0
"""An aim this near to the middle of its bed is called the middle."""


def aim_words(x_mm: float, y_mm: float) -> str:
    """Such as "aim at the outer part of the inner single 19"."""
    bed = bed_at(x_mm, y_mm)
    if bed.number is None:
        plain = {BedKind.BULL: "the bull", BedKind.OUTER_BULL: "the outer bull"}
        return f"aim at {plain.get(bed.kind, 'the surround, beside the board')}"
    radius, middle = math.hypot(x_mm, y_mm), math.hypot(*centre_of(bed))
    part = "" if abs(radius - middle) <= _NEAR_MM else "outer " if radius > middle else "inner "
    return f"aim at the {part or 'middle '}{'part ' if part else ''}of {_named(bed)}"


def _named(bed: Bed) -> str:
    return f"{_RINGS[bed.kind]} {bed.number}"
