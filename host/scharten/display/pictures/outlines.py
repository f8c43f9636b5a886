"""Outlines of pieces as points, from the path data that the page draws too."""

from __future__ import annotations

import cmath
import json
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

DRAWINGS: Final = Path(__file__).parents[1] / "static/js/piece-drawings.js"
STEPS: Final = 12
"""Straight lines in place of one curve."""
_TOKEN: Final = re.compile(r"[a-zA-Z]|-?(?:\d+\.?\d*|\.\d+)")
_NUMBERS: Final = {"M": 2, "L": 2, "H": 1, "V": 1, "C": 6, "S": 4, "A": 7, "Z": 0}
Point = complex
"""x + y·1j, y down."""


@cache
def drawings() -> Mapping[str, Mapping[str, list[str]]]:
    """Return `bodies` and `strokes` of each kind of piece; the script holds one JSON object."""
    text = DRAWINGS.read_text()
    found: Mapping[str, Mapping[str, list[str]]] = json.loads(
        text[text.index("= {") + 2 : text.rindex("}") + 1]
    )
    return found


def lines_of(path: str) -> list[list[Point]]:
    """Return the lines of a path (M, L, H, V, C, S, A and Z, absolute or relative), with curves as short lines."""
    found: list[list[Point]] = []
    at = start = control = 0j
    for letter, numbers in _commands(path):
        origin = at if letter.islower() else 0j
        match letter.upper():
            case "M":
                at = start = origin + complex(*numbers)
                found.append([at])
                continue
            case "Z":
                steps = [start]
            case "H":
                steps = [complex(origin.real + numbers[0], at.imag)]
            case "V":
                steps = [complex(at.real, origin.imag + numbers[0])]
            case "L":
                steps = [origin + complex(*numbers)]
            case "C" | "S":
                ends = [origin + complex(*pair) for pair in zip(numbers[::2], numbers[1::2], strict=True)]
                if letter in "Ss":
                    ends.insert(0, 2 * at - control)
                first, control, end = ends
                steps = [_bezier(at, first, control, end, step / STEPS) for step in range(1, STEPS + 1)]
            case _:
                end = origin + complex(*numbers[5:])
                steps = list(_half_circle(at, end, clockwise=bool(numbers[4])))
        found[-1] += steps
        at = steps[-1]
    return found


def _commands(path: str) -> Iterator[tuple[str, list[float]]]:
    """Yield each command with its numbers; numbers without a letter repeat the last command."""
    tokens = _TOKEN.findall(path)
    letter = ""
    while tokens:
        if tokens[0].isalpha():
            letter = tokens.pop(0)
        count = _NUMBERS[letter.upper()]
        yield letter, [float(tokens.pop(0)) for _ in range(count)]
        if letter in "Mm":
            letter = "L" if letter == "M" else "l"


def _bezier(a: Point, b: Point, c: Point, d: Point, t: float) -> Point:
    u = 1 - t
    return u**3 * a + 3 * u**2 * t * b + 3 * u * t**2 * c + t**3 * d


def _half_circle(start: Point, end: Point, *, clockwise: bool) -> Iterator[Point]:
    """Yield points from `start` to `end`, the ends of a diameter: no piece has another arc."""
    middle, count = (start + end) / 2, 2 * STEPS
    way = 1 if clockwise else -1
    for step in range(1, count + 1):
        yield middle + (start - middle) * cmath.exp(way * step / count * cmath.pi * 1j)
