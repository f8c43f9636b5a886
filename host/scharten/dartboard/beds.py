"""The beds of a dartboard: places of a dart, and readings of a switch (docs/contract.md, Beds)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum


class BedKind(Enum):
    """A ring of beds, with the letters that name it."""

    DOUBLE = "D"
    FAT = "F"  # the outer single
    TREBLE = "T"
    LITTLE = "L"  # the inner single
    SINGLE = "S"  # one switch that serves both singles of a number: fat or little, in doubt
    OUTER_BULL = "25"
    BULL = "BULL"
    MISS = "MISS"


_NUMBERED = (BedKind.DOUBLE, BedKind.FAT, BedKind.TREBLE, BedKind.LITTLE, BedKind.SINGLE)
_BY_LETTER = {kind.value: kind for kind in _NUMBERED}
_PLAIN = {kind.value: kind for kind in BedKind if kind not in _NUMBERED}
_TEXT = re.compile(r"([DFTLS])([1-9][0-9]?)")

NUMBERS: tuple[int, ...] = (20, 1, 18, 4, 13, 6, 10, 15, 2, 17, 3, 19, 7, 16, 8, 11, 14, 9, 12, 5)
"""The numbers of a dartboard, clockwise from the 20 as seen from the oche."""


@dataclass(frozen=True)
class Bed:
    """One bed: `number` is 1 to 20 for the rings and None for the bulls and a miss."""

    kind: BedKind
    number: int | None = None

    def __post_init__(self) -> None:
        if (self.number is None) is (self.kind in _NUMBERED):
            raise ValueError(f"{self.kind.name} {'needs a' if self.number is None else 'has no'} number")
        if self.number is not None and not 1 <= self.number <= 20:
            raise ValueError(f"a dartboard has no {self.number}")

    def __str__(self) -> str:
        return self.kind.value if self.number is None else f"{self.kind.value}{self.number}"


def parse_bed(text: str) -> Bed | None:
    """The bed that `text` names ("D20", "S5", "25", "BULL", "MISS"), or None; in capitals, as written."""
    if text in _PLAIN:
        return Bed(_PLAIN[text])
    match = _TEXT.fullmatch(text)
    if match is None or int(match[2]) > 20:
        return None
    return Bed(_BY_LETTER[match[1]], int(match[2]))


def shade(bed: Bed) -> str:
    """The colour of a bed on a real board: `black` or `cream` singles, `red` or `green` rings, by its number.

    The 20 and every second number from it are dark; the outer bull is green, the bull red. The page's own is `shade`
    in geometry.js.
    """
    if bed.number is None:
        return "red" if bed.kind is BedKind.BULL else "green"
    dark = NUMBERS.index(bed.number) % 2 == 0
    if bed.kind in (BedKind.DOUBLE, BedKind.TREBLE):
        return "red" if dark else "green"
    return "black" if dark else "cream"


Beds = tuple[tuple[Bed, float], ...]
"""Beds with their probabilities, the likeliest first; the rest to 1 lies in omitted beds."""

SURE = 0.90
"""A dart whose likeliest bed is less probable is in doubt (docs/contract.md)."""

MISS = Bed(BedKind.MISS)
OUTER_BULL = Bed(BedKind.OUTER_BULL)
BULL = Bed(BedKind.BULL)

RINGS: tuple[BedKind, ...] = (BedKind.DOUBLE, BedKind.FAT, BedKind.TREBLE, BedKind.LITTLE)
"""The four rings of numbered beds, from outside in."""

ALL_BEDS: tuple[Bed, ...] = (*(Bed(ring, n) for ring in RINGS for n in NUMBERS), OUTER_BULL, BULL, MISS)
"""All places of a dart: 80 numbered beds from outside in and clockwise, both bulls, and a miss."""

SHARED_BEDS: tuple[Bed, ...] = tuple(Bed(BedKind.SINGLE, n) for n in NUMBERS)
"""Beds of a switch that serves both singles of a number."""


def readings(bed: Bed) -> tuple[Bed, ...]:
    """Return the beds the dart may really be in: two for a shared single (S20: F20, L20), else the bed itself."""
    if bed.kind is BedKind.SINGLE:
        return (Bed(BedKind.FAT, bed.number), Bed(BedKind.LITTLE, bed.number))
    return (bed,)


def neighbours(bed: Bed) -> tuple[Bed, ...]:
    """The beds that touch this one, nearest centre first; of equally near ones the clockwise one first.

    What a person who corrects a dart most likely means. A shared single touches what both its readings touch.
    """
    if bed.kind is BedKind.MISS:
        return tuple(Bed(BedKind.DOUBLE, n) for n in NUMBERS)
    if bed.kind is BedKind.BULL:
        return (OUTER_BULL,)
    if bed.kind is BedKind.OUTER_BULL:
        return (BULL, *(Bed(BedKind.LITTLE, n) for n in NUMBERS))
    if bed.kind is BedKind.SINGLE:
        both = readings(bed)
        touching = (other for reading in both for other in (*both, *neighbours(reading)))
        return tuple(dict.fromkeys(touching))
    return _around(bed)


# For each ring the steps (rings inwards, sectors clockwise) to the beds around, nearest centre first.
_STEPS: dict[BedKind, tuple[tuple[int, int], ...]] = {
    BedKind.DOUBLE: ((-1, 0), (1, 0), (0, 1), (0, -1), (1, 1), (1, -1)),
    BedKind.FAT: ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)),
    BedKind.TREBLE: ((-1, 0), (0, 1), (0, -1), (1, 0), (-1, 1), (-1, -1), (1, 1), (1, -1)),
    BedKind.LITTLE: ((0, 1), (0, -1), (1, 0), (-1, 0), (-1, 1), (-1, -1)),
}
_INWARDS: tuple[BedKind, ...] = (BedKind.MISS, *RINGS, BedKind.OUTER_BULL)


def _around(bed: Bed) -> tuple[Bed, ...]:
    assert bed.number is not None
    ring, sector = _INWARDS.index(bed.kind), NUMBERS.index(bed.number)
    found: list[Bed] = []
    for inwards, clockwise in _STEPS[bed.kind]:
        kind = _INWARDS[ring + inwards]
        number = NUMBERS[(sector + clockwise) % 20] if kind in RINGS else None
        found.append(Bed(kind, number))
    return tuple(found)
