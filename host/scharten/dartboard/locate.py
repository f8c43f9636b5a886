"""Where on the board: millimetres to beds and back.

Millimetres have their origin at the centre of the bull, x to the right (towards the 6) and y up (towards the
20), as seen from the oche; independent of where White sits. Radii are those of a standard board.
"""

from __future__ import annotations

import math

from scharten.dartboard.beds import BULL, MISS, NUMBERS, OUTER_BULL, Bed, BedKind

BULL_RADIUS = 6.35
OUTER_BULL_RADIUS = 15.9
TREBLE_INNER_RADIUS = 99.0
TREBLE_OUTER_RADIUS = 107.0
DOUBLE_INNER_RADIUS = 162.0
DOUBLE_OUTER_RADIUS = 170.0
BOARD_RADIUS = 225.5
"""Radius of the whole board with its surround of numbers."""

WIRE_RADII: tuple[float, ...] = (
    BULL_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
)
"""The circular wires, from the centre outwards."""

_SECTOR = math.radians(18)
# Outer edge of each ring of numbered beds, from inside out.
_RING_EDGES = (
    (TREBLE_INNER_RADIUS, BedKind.LITTLE),
    (TREBLE_OUTER_RADIUS, BedKind.TREBLE),
    (DOUBLE_INNER_RADIUS, BedKind.FAT),
    (DOUBLE_OUTER_RADIUS, BedKind.DOUBLE),
)
_CENTRE_RADII = {
    BedKind.DOUBLE: (DOUBLE_INNER_RADIUS + DOUBLE_OUTER_RADIUS) / 2,
    BedKind.FAT: (TREBLE_OUTER_RADIUS + DOUBLE_INNER_RADIUS) / 2,
    BedKind.SINGLE: (TREBLE_OUTER_RADIUS + DOUBLE_INNER_RADIUS) / 2,
    BedKind.TREBLE: (TREBLE_INNER_RADIUS + TREBLE_OUTER_RADIUS) / 2,
    BedKind.LITTLE: (OUTER_BULL_RADIUS + TREBLE_INNER_RADIUS) / 2,
    BedKind.OUTER_BULL: (BULL_RADIUS + OUTER_BULL_RADIUS) / 2,
    BedKind.BULL: 0.0,
    BedKind.MISS: (DOUBLE_OUTER_RADIUS + BOARD_RADIUS) / 2,
}


def _clockwise_from_twenty(x_mm: float, y_mm: float) -> float:
    return math.atan2(x_mm, y_mm) % math.tau


def bed_at(x_mm: float, y_mm: float) -> Bed:
    """The bed at a point; on a wire the bed outside or clockwise of it; beyond the double it is MISS."""
    radius = math.hypot(x_mm, y_mm)
    if radius < BULL_RADIUS:
        return BULL
    if radius < OUTER_BULL_RADIUS:
        return OUTER_BULL
    for edge, kind in _RING_EDGES:
        if radius < edge:
            sector = int((_clockwise_from_twenty(x_mm, y_mm) + _SECTOR / 2) // _SECTOR) % 20
            return Bed(kind, NUMBERS[sector])
    return MISS


def wire_distance(x_mm: float, y_mm: float) -> float:
    """How far the point is from the nearest border between beds, in mm (the double's outer wire counts)."""
    radius = math.hypot(x_mm, y_mm)
    nearest = min(abs(radius - wire) for wire in WIRE_RADII)
    if not OUTER_BULL_RADIUS < radius < DOUBLE_OUTER_RADIUS:
        return nearest
    into_sector = (_clockwise_from_twenty(x_mm, y_mm) + _SECTOR / 2) % _SECTOR
    off_wire = min(into_sector, _SECTOR - into_sector)
    along = max(radius * math.cos(off_wire), OUTER_BULL_RADIUS)  # the straight wires begin at the outer bull
    return min(nearest, math.hypot(radius * math.sin(off_wire), radius * math.cos(off_wire) - along))


def centre_of(bed: Bed) -> tuple[float, float]:
    """A point in the middle of the bed, (x_mm, y_mm).

    The middle of 25 and of MISS lies on the line to the 20; a shared single has that of its outer one.
    """
    radius = _CENTRE_RADII[bed.kind]
    angle = 0.0 if bed.number is None else NUMBERS.index(bed.number) * _SECTOR
    return (radius * math.sin(angle), radius * math.cos(angle))
