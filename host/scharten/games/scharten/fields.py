"""Which dartboard bed is which field of the schartbord, and back (rules 1)."""

from __future__ import annotations

from scharten.dartboard.beds import RINGS, Bed, BedKind
from scharten.games.scharten.board import Field

# The dartboard's numbers for the sectors s = 0 to 19 when White sits at the 3 (rules 1).
_WHITE_AT_THREE = (11, 8, 16, 7, 19, 3, 17, 2, 15, 10, 6, 13, 4, 18, 1, 20, 5, 12, 9, 14)

SEATS: tuple[int, ...] = (3, 20)
"""The numbers at which White may sit: the two ends of the e-line."""


def _numbers(white_sits_at: int) -> tuple[int, ...]:
    if white_sits_at not in SEATS:
        raise ValueError(f"White sits at the 3 or at the 20, not at the {white_sits_at}")
    return _WHITE_AT_THREE if white_sits_at == 3 else _WHITE_AT_THREE[10:] + _WHITE_AT_THREE[:10]


def field_of(bed: Bed, white_sits_at: int) -> Field | None:
    """The field of a bed, or None for a bull, a miss and a shared single (take its `readings` first)."""
    if bed.number is None or bed.kind is BedKind.SINGLE:
        return None
    return Field(RINGS.index(bed.kind) * 20 + _numbers(white_sits_at).index(bed.number))


def bed_of(field: Field, white_sits_at: int) -> Bed:
    """The bed of a field: the inverse of `field_of`."""
    depth, sector = divmod(int(field), 20)
    return Bed(RINGS[depth], _numbers(white_sits_at)[sector])
