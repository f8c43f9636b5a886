"""The schartbord on paper: shapes in mm around the centre (y up), written as SVG or PDF, whole or in A4 tiles.

The rings have the proportions of the display's board, so that a piece fits on every field (§25).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from scharten.dartboard.beds import shade
from scharten.games.scharten.board import FIELDS, bed_of, field_name, ring_of, sector_of
from scharten.words import text

RIM = 560.0
RING_EDGES = (510.0, 432.0, 354.0, 276.0, 198.0)
"""Radii in the display's units, from the outer edge of the double inwards; letters and numbers are on the rim."""
COLOURS = {"black": "#1c1b1a", "cream": "#efe0bd", "red": "#b5232f", "green": "#1f6d45"}
"""The colours of beds by their shade, as in css/board.css."""
NAME_ON = {"black": "#f4e9cf", "cream": "#1f1d1a", "red": "#ffffff", "green": "#ffffff"}
INK, PAPER, WIRE = "#1f1d1a", "#ffffff", "#6d6454"
A4 = (210.0, 297.0)
MARGIN, OVERLAP = 10.0, 8.0
SHEET_MARGIN = 10.0


@dataclass(frozen=True, slots=True)
class Slice:
    """A part of a ring: radii in mm, the middle angle counterclockwise from the right in degrees, its colour."""

    outer: float
    inner: float
    angle: float
    fill: str


@dataclass(frozen=True, slots=True)
class Circle:
    """A circle around the centre."""

    radius: float
    fill: str


@dataclass(frozen=True, slots=True)
class PrintedText:
    """Text around (x, y), turned by `turn` degrees counterclockwise, letters `size` mm high."""

    x: float
    y: float
    size: float
    text: str
    turn: float = 0.0
    colour: str = INK


@dataclass(frozen=True, slots=True)
class Window:
    """A page: its size, and the point of the board at its lower left corner; a tile has a name, a label and marks."""

    width: float
    height: float
    left: float
    bottom: float
    name: str = ""
    label: str = ""


Shape = Slice | Circle | PrintedText


def shapes(diameter_mm: float, white_sits_at: int = 3, language: str = "en") -> Iterator[Shape]:
    """Draw the board: rim, fields with their names, letters of the lines, and the dartboard's numbers."""
    unit = diameter_mm / 2 / RIM
    yield Circle(RIM * unit, "#f5efe0")
    for field in FIELDS:
        sector, depth = sector_of(field), int(ring_of(field))
        angle = 180.0 + 18.0 * sector
        colour = shade(bed_of(field, white_sits_at))
        outer, inner = RING_EDGES[depth] * unit, RING_EDGES[depth + 1] * unit
        yield Slice(outer, inner, angle, COLOURS[colour])
        # Upright for White, who sits below, on both halves of the board.
        at = _polar(inner + 13 * unit, angle)
        yield PrintedText(*at, 13 * unit, field_name(field), 0.0, NAME_ON[colour])
        if depth == 0:
            number = str(bed_of(field, white_sits_at).number)
            yield PrintedText(*_polar(535 * unit, angle), 30 * unit, number)
            yield PrintedText(*_polar(532 * unit, angle - 5), 15 * unit, field_name(field)[0], 0.0, "#6d6454")
    yield Circle(RING_EDGES[-1] * unit, PAPER)
    yield PrintedText(0, 20 * unit, 40 * unit, "SCHARTEN")
    yield PrintedText(0, -40 * unit, 16 * unit, text(language, "print.white_below"))


def widest_foot(diameter_mm: float) -> float:
    """Return the widest foot in mm of a piece that fits on every field: the largest circle in the smallest field."""
    unit = diameter_mm / 2 / RIM
    depths = [outer - inner for outer, inner in pairwise(RING_EDGES)]
    widths = [(outer + inner) / 2 * math.radians(18) for outer, inner in pairwise(RING_EDGES)]
    return min(depths + widths) * unit


def windows(diameter_mm: float, tiles: bool, language: str = "en") -> list[Window]:
    """Return the pages: one sheet, or A4 tiles that overlap by 8 mm, from the top left to the bottom right."""
    half = diameter_mm / 2
    if not tiles:
        size = diameter_mm + 2 * SHEET_MARGIN
        return [Window(size, size, -size / 2, -size / 2)]
    wide, high = (edge - 2 * MARGIN - OVERLAP for edge in A4)
    columns, rows = (math.ceil(diameter_mm / step) for step in (wide, high))
    left, top = -columns * wide / 2, rows * high / 2
    assert columns * wide >= 2 * half and rows * high >= 2 * half
    return [
        Window(
            *A4,
            left + column * wide - MARGIN,
            top - (row + 1) * high - MARGIN - OVERLAP,
            name := f"{chr(65 + row)}{column + 1}",
            text(language, "print.tile", name=name),
        )
        for row in range(rows)
        for column in range(columns)
    ]


def write_svg(path: Path, window: Window, drawn: list[Shape]) -> None:
    """Write one page as SVG, at its true size."""
    x, y = window.left, -(window.bottom + window.height)
    box = f'viewBox="{x:.2f} {y:.2f} {window.width:.2f} {window.height:.2f}"'
    size = f'width="{window.width:.2f}mm" height="{window.height:.2f}mm"'
    inside = [_svg(shape) for shape in drawn]
    inside += [f'<path d="{_svg_lines(window)}" stroke="#000" stroke-width="0.2" fill="none"/>']
    if window.name:
        inside.append(_svg(_label(window)))
    path.write_text(
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>\n<title>Schartbord</title>\n'
        + "\n".join(inside)
        + "\n</svg>\n",
        encoding="utf-8",
    )


def write_pdf(path: Path, pages: list[Window], drawn: list[Shape]) -> None:
    """Write all pages as one PDF, at their true size."""
    from reportlab.lib.units import mm  # noqa: PLC0415  (only for printing)
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    canvas = Canvas(str(path))
    canvas.setTitle("Schartbord")
    for window in pages:
        canvas.setPageSize((window.width * mm, window.height * mm))
        canvas.saveState()
        canvas.scale(mm, mm)
        canvas.translate(-window.left, -window.bottom)
        for shape in drawn:
            _pdf(canvas, shape)
        canvas.setStrokeColor("#000000")
        canvas.setLineWidth(0.2)
        for x1, y1, x2, y2 in _marks(window):
            canvas.line(x1, y1, x2, y2)
        if window.name:
            _pdf(canvas, _label(window))
        canvas.restoreState()
        canvas.showPage()
    canvas.save()


def _label(window: Window) -> PrintedText:
    return PrintedText(window.left + MARGIN + 8, window.bottom + 4, 3.5, window.label)


def _marks(window: Window) -> list[tuple[float, float, float, float]]:
    """Return the crop marks outside the corners of a tile's picture, as lines in mm."""
    if not window.name:
        return []
    x1, y2 = window.left + MARGIN, window.bottom + window.height - MARGIN
    x2, y1 = window.left + window.width - MARGIN - OVERLAP, window.bottom + MARGIN + OVERLAP
    long = 7.0
    lines = [(x, y + sign, x, y + sign * long) for x in (x1, x2) for y, sign in ((y1, -1), (y2, 1))]
    return lines + [(x + sign, y, x + sign * long, y) for y in (y1, y2) for x, sign in ((x1, -1), (x2, 1))]


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return radius * math.cos(math.radians(angle)), radius * math.sin(math.radians(angle))


def _svg(shape: Shape) -> str:
    match shape:
        case Circle(radius, fill):
            return f'<circle r="{radius:.2f}" fill="{fill}" stroke="{WIRE}" stroke-width="0.4"/>'
        case PrintedText(x, y, size, text, turn, colour):
            place = f'transform="translate({x:.2f} {-y:.2f}) rotate({-turn:.1f})"'
            font = f'font-family="sans-serif" font-size="{size:.2f}" text-anchor="middle"'
            return f'<text {place} dy="0.35em" {font} fill="{colour}">{text}</text>'
        case Slice(outer, inner, angle, fill):
            ends = [
                (radius, angle + side) for radius, side in ((outer, -9), (outer, 9), (inner, 9), (inner, -9))
            ]
            a, b, c, d = (f"{x:.2f} {-y:.2f}" for x, y in (_polar(*end) for end in ends))
            path = f"M{a}A{outer:.2f} {outer:.2f} 0 0 0 {b}L{c}A{inner:.2f} {inner:.2f} 0 0 1 {d}Z"
            return f'<path d="{path}" fill="{fill}" stroke="{WIRE}" stroke-width="0.4"/>'


def _svg_lines(window: Window) -> str:
    return "".join(f"M{x1:.2f} {-y1:.2f}L{x2:.2f} {-y2:.2f}" for x1, y1, x2, y2 in _marks(window))


def _pdf(canvas: object, shape: Shape) -> None:
    from reportlab.pdfgen.canvas import Canvas  # noqa: PLC0415

    assert isinstance(canvas, Canvas)
    canvas.setStrokeColor(WIRE)
    canvas.setLineWidth(0.4)
    match shape:
        case Circle(radius, fill):
            canvas.setFillColor(fill)
            canvas.circle(0, 0, radius, stroke=1, fill=1)
        case PrintedText(x, y, size, text, turn, colour):
            canvas.saveState()
            canvas.setFillColor(colour)
            canvas.translate(x, y)
            canvas.rotate(turn)
            canvas.setFont("Helvetica", size)
            canvas.drawCentredString(0, -0.35 * size, text)
            canvas.restoreState()
        case Slice(outer, inner, angle, fill):
            path = canvas.beginPath()
            path.arc(-outer, -outer, outer, outer, startAng=angle - 9, extent=18)
            path.arcTo(-inner, -inner, inner, inner, startAng=angle + 9, extent=-18)
            path.close()
            canvas.setFillColor(fill)
            canvas.drawPath(path, stroke=1, fill=1)
