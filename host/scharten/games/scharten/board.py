"""The board of 80 fields, their beds on the dartboard, and the pieces (rules 1, 2; §1, §2, §14)."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from functools import cache
from typing import Final, NewType

from scharten.dartboard.beds import RINGS, Bed, BedKind
from scharten.game.basics import FieldName, Side

Field = NewType("Field", int)
"""A field: depth * 20 + s, 0 to 79; the order of the position string."""

Line = NewType("Line", str)
"""One of the ten lines, `o` and `a` to `i`."""

SECTORS: Final = 20
DEPTHS: Final = 4
LINES: Final[tuple[Line, ...]] = tuple(Line(letter) for letter in "oabcdefghi")


class Ring(IntEnum):
    """The four rings from outside in; the number is the depth."""

    DOUBLE = 0
    FAT = 1
    TREBLE = 2
    LITTLE = 3


class PieceKind(Enum):
    """The six kinds of pieces, by their English letters."""

    KING = "K"
    QUEEN = "Q"
    ROOK = "R"
    BISHOP = "B"
    KNIGHT = "N"
    PAWN = "P"


P, N, B, R, Q, K, EMPTY = range(7)
"""The kinds as numbers, for sets of fields and tables."""
KINDS: Final = (
    PieceKind.PAWN,
    PieceKind.KNIGHT,
    PieceKind.BISHOP,
    PieceKind.ROOK,
    PieceKind.QUEEN,
    PieceKind.KING,
)
CODES: Final = {kind: code for code, kind in enumerate(KINDS)}
PROMOTIONS: Final = (Q, R, B, N)
"""The promotions of a pawn on its last row (§6)."""
THROW_ORDER: Final = (P,) * 9 + (N, N, B, B, R, R, Q, Q)
"""The pieces of a side's darts, in order (§4)."""
THROWS: Final = len(THROW_ORDER)


@dataclass(frozen=True, slots=True)
class Piece:
    """A piece; `moved` is false from its opening place, its throw or its promotion until its first move."""

    side: Side
    kind: PieceKind
    moved: bool
    _hash: int = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        # Tables of known positions hash up to 80 pieces for each lookup.
        object.__setattr__(self, "_hash", hash((self.side.value, self.kind.value, self.moved)))

    def __hash__(self) -> int:
        return self._hash


FIELDS: Final[tuple[Field, ...]] = tuple(Field(index) for index in range(SECTORS * DEPTHS))


def sector_of(field: Field) -> int:
    """Return the sector number s, 0 to 19, counterclockwise from White's left."""
    return field % SECTORS


def ring_of(field: Field) -> Ring:
    """Return the ring of a field."""
    return Ring(field // SECTORS)


def line_of(field: Field) -> Line:
    """Return the line of a field."""
    return LINES[field % 10]


def row_of(field: Field) -> int:
    """Return the row, 1 (White's side) to 8."""
    depth, s = divmod(field, SECTORS)
    return depth + 1 if s < 10 else 8 - depth


_VALUES: Final = {Ring.DOUBLE: 2, Ring.FAT: 1, Ring.TREBLE: 3, Ring.LITTLE: 1}


def value(field: Field) -> int:
    """Return the value of a field in captures and support: double 2, treble 3, fat and little 1."""
    return _VALUES[ring_of(field)]


def _name(field: Field) -> FieldName:
    return FieldName(f"{line_of(field)}{row_of(field)}")


NAMES: Final = tuple(_name(field) for field in FIELDS)
_BY_NAME: Final[dict[str, Field]] = {name: field for field, name in zip(FIELDS, NAMES, strict=True)}


def field_name(field: int) -> FieldName:
    """Return the field's coordinate, such as `e4` (§14)."""
    return NAMES[field]


def parse_field(text: str) -> Field | None:
    """Return the field with this coordinate, or None."""
    return _BY_NAME.get(text)


@cache
def piece(side: Side, kind: PieceKind, moved: bool) -> Piece:
    """Return the shared object of a piece, so that making a position is quick."""
    return Piece(side, kind, moved)


# The dartboard's numbers for the sectors s = 0 to 19 when White sits at the 3 (rules 1).
_WHITE_AT_THREE = (11, 8, 16, 7, 19, 3, 17, 2, 15, 10, 6, 13, 4, 18, 1, 20, 5, 12, 9, 14)

SEATS: tuple[int, ...] = (3, 20)
"""The numbers at which White may sit: the two ends of the e-line."""


def _numbers(white_sits_at: int) -> tuple[int, ...]:
    if white_sits_at not in SEATS:
        raise ValueError(f"White sits at the 3 or at the 20, not at the {white_sits_at}")
    return _WHITE_AT_THREE if white_sits_at == 3 else _WHITE_AT_THREE[10:] + _WHITE_AT_THREE[:10]


def field_of(bed: Bed, white_sits_at: int) -> Field | None:
    """Return the field of a bed, or None for a bull, a miss and a shared single (take its `readings` first)."""
    if bed.number is None or bed.kind is BedKind.SINGLE:
        return None
    return Field(RINGS.index(bed.kind) * 20 + _numbers(white_sits_at).index(bed.number))


def bed_of(field: Field, white_sits_at: int) -> Bed:
    """Return the bed of a field: the inverse of `field_of`."""
    depth, sector = divmod(int(field), 20)
    return Bed(RINGS[depth], _numbers(white_sits_at)[sector])
