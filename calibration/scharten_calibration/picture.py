"""A dartboard as SVG, one shape per bed, for the pages and pictures of the calibration tools."""

from __future__ import annotations

import math

from scharten.dartboard.beds import ALL_BEDS, MISS, NUMBERS, Bed, BedKind
from scharten.dartboard.locate import (
    BOARD_RADIUS,
    BULL_RADIUS,
    DOUBLE_INNER_RADIUS,
    DOUBLE_OUTER_RADIUS,
    OUTER_BULL_RADIUS,
    TREBLE_INNER_RADIUS,
    TREBLE_OUTER_RADIUS,
)

_EDGES = {
    BedKind.DOUBLE: (DOUBLE_INNER_RADIUS, DOUBLE_OUTER_RADIUS),
    BedKind.FAT: (TREBLE_OUTER_RADIUS, DOUBLE_INNER_RADIUS),
    BedKind.TREBLE: (TREBLE_INNER_RADIUS, TREBLE_OUTER_RADIUS),
    BedKind.LITTLE: (OUTER_BULL_RADIUS, TREBLE_INNER_RADIUS),
    BedKind.OUTER_BULL: (BULL_RADIUS, OUTER_BULL_RADIUS),
}
_NUMBER_RADIUS = 190


def _point(radius: float, turn: float) -> str:
    angle = math.radians(turn)
    return f"{radius * math.sin(angle):.2f} {-radius * math.cos(angle):.2f}"


def _circle(radius: float) -> str:
    half = f"A{radius} {radius} 0 0 1"
    return f"M{-radius} 0 {half} {radius} 0 {half} {-radius} 0 Z"


def _shape(bed: Bed) -> str:
    if bed.kind is BedKind.BULL:
        return f'<circle r="{BULL_RADIUS}"'
    inner, outer = _EDGES[bed.kind]
    if bed.number is None:
        return f'<path fill-rule="evenodd" d="{_circle(outer)} {_circle(inner)}"'
    turn = NUMBERS.index(bed.number) * 18
    left, right = turn - 9, turn + 9
    path = f"M{_point(outer, left)} A{outer} {outer} 0 0 1 {_point(outer, right)} L{_point(inner, right)}"
    return f'<path d="{path} A{inner} {inner} 0 0 0 {_point(inner, left)} Z"'


def board_svg() -> str:
    """The board, seen from the oche; the shape of bed D20 has the id `bed-D20`, and so on."""
    beds = "".join(f'{_shape(bed)} id="bed-{bed}"/>' for bed in ALL_BEDS if bed != MISS)
    numbers = "".join(
        f'<text x="{x}" y="{y}">{number}</text>'
        for number, (x, y) in (
            (n, _point(_NUMBER_RADIUS, place * 18).split()) for place, n in enumerate(NUMBERS)
        )
    )
    box = f"{-BOARD_RADIUS} {-BOARD_RADIUS} {2 * BOARD_RADIUS} {2 * BOARD_RADIUS}"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="dartboard">'
        f'<circle r="{BOARD_RADIUS - 3}" class="surround"/>{beds}<g class="numbers">{numbers}</g></svg>'
    )
