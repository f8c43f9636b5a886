"""Boards and pieces as pictures: schartbord and squares, in the colours of the page."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import Any, Final

from PIL import Image, ImageDraw, ImageFont

from scharten.dartboard.beds import shade
from scharten.display.pictures.outlines import Point, drawings, lines_of
from scharten.games.scharten.board import FIELDS, bed_of, field_name, ring_of, sector_of

FINE: Final = 2
"""Boards and pieces are drawn this much larger, then made smaller: smooth edges."""
RIM: Final = 558.0
RING_EDGES: Final = (510.0, 432.0, 354.0, 276.0, 198.0)
PIECE_SIZES: Final = (78.0, 76.0, 74.0, 67.0)
COLOURS: Final = {
    "black": "#1c1b1a", "cream": "#efe0bd", "red": "#b5232f", "green": "#1f6d45", "rim": "#0e0e0f",
    "hub": "#17181a", "wire": "#b7b0a0", "ink": "#fbf6ea", "letter": "#b9ae97", "frame": "#2b221a",
    "dark": "#a77b56", "light": "#efdcbb", "plain": "#e3c391", "gone": "#0b0b0c", "last": "#ffd24a",
}  # fmt: skip
"""As in css/board.css."""
WHITE: Final = ("#fffdf6", "#26211a", "#26211a")
BLACK: Final = ("#2b2723", "#fbf6ea", "#e8dfcb")
"""Body, edge and lines of a piece."""
_LETTERS: Final = frozenset(map(chr, range(0x20, 0x100))) | {"…", "–"}
_CELL: Final = re.compile(r"(\d+)|([A-Za-z_])(\*?)")
Layout = Mapping[str, Any]


@dataclass
class Men:
    """A position: pieces by field, and the fields that are gone."""

    pieces: dict[str, str] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)


def read_position(text: str, layout: Layout) -> Men:
    """Read the pieces of a position's text on the board of this layout."""
    men, rows = Men(), text.split(" ", maxsplit=1)[0].split("/")
    names = _names(layout)
    for row, cells in zip(names, rows, strict=False):
        at = 0
        for digits, letter, _ in _CELL.findall(cells):
            if digits:
                at += int(digits)
            elif at < len(row):
                if letter == "_":
                    men.gone.add(row[at])
                else:
                    men.pieces[row[at]] = letter
                at += 1
    return men


def _names(layout: Layout) -> list[list[str]]:
    """Return the names of the fields in the order of a position's text."""
    if layout["form"] == "grid":
        return [[f"{file}{row}" for file in layout["files"]] for row in range(layout["rows"], 0, -1)]
    rings: list[list[str]] = [[""] * 20 for _ in range(4)]
    for place in FIELDS:
        rings[int(ring_of(place))][sector_of(place)] = field_name(place)
    return rings


class BoardPicture:
    """An empty board of `size` pixels, on which positions are put."""

    def __init__(self, layout: Layout, size: int, white_sits_at: int = 3) -> None:
        self.layout, self.size = dict(layout), size
        self._scale = size / (2 * RIM)
        self._outlines: dict[str, list[tuple[float, float]]] = {}
        self._middles: dict[str, tuple[float, float, float]] = {}
        big = Image.new("RGB", (size * FINE, size * FINE), "#f4f1ea")
        draw = ImageDraw.Draw(big)
        if self.layout["form"] == "grid":
            self._draw_squares(draw)
        else:
            self._draw_rings(draw, white_sits_at)
        self._empty = big.resize((size, size), Image.Resampling.LANCZOS)

    def with_men(self, men: Men, last: tuple[str, ...] = ()) -> Image.Image:
        """Return the board with these men; the fields of the last turn have a golden edge."""
        picture = self._empty.copy()
        draw = ImageDraw.Draw(picture)
        for name in men.gone & self._outlines.keys():
            draw.polygon(self._small(name), fill=COLOURS["gone"])
        for name in last:
            if name in self._outlines:
                corners = self._small(name)
                draw.line([*corners, corners[0], corners[1]], fill=COLOURS["last"], width=max(2, self.size // 130),
                          joint="curve")  # fmt: skip
        for name, letter in men.pieces.items():
            if name in self._middles:
                x, y, room = self._middles[name]
                piece = piece_picture(letter, max(4, round(room)))
                picture.paste(piece, (round(x - room / 2), round(y - room / 2)), piece)
        return picture

    def _small(self, name: str) -> list[tuple[float, float]]:
        return [(x / FINE, y / FINE) for x, y in self._outlines[name]]

    def _at(self, x: float, y: float) -> tuple[float, float]:
        """Return a point of the drawing (the centre of the board is 0, y down) in pixels of the fine picture."""
        return (x + RIM) * self._scale * FINE, (y + RIM) * self._scale * FINE

    def _circle(self, draw: ImageDraw.ImageDraw, radius: float, fill: str) -> None:
        draw.ellipse([*self._at(-radius, -radius), *self._at(radius, radius)], fill=fill)

    def _text(
        self, draw: ImageDraw.ImageDraw, x: float, y: float, size: float, text: str, colour: str
    ) -> None:
        draw.text(self._at(x, y), text, fill=colour, font=font(size * self._scale * FINE), anchor="mm")

    def _draw_rings(self, draw: ImageDraw.ImageDraw, white_sits_at: int) -> None:
        self._circle(draw, RIM, COLOURS["rim"])
        for place in FIELDS:
            depth, angle = int(ring_of(place)), math.pi - sector_of(place) * math.pi / 10
            outer, inner, bed = RING_EDGES[depth], RING_EDGES[depth + 1], bed_of(place, white_sits_at)
            self._field(
                draw, field_name(place), _slice(outer, inner, angle), COLOURS[shade(bed)], COLOURS["wire"]
            )
            x, y = _polar((outer + inner) / 2, angle)
            self._middle(field_name(place), x, y, PIECE_SIZES[depth])
            if depth == 0:
                self._text(draw, *_polar(533.5, angle), 32, str(bed.number), COLOURS["ink"])
                self._text(draw, *_polar(533.5, angle + 0.078), 20, field_name(place)[0], COLOURS["letter"])
        self._circle(draw, RING_EDGES[4], COLOURS["hub"])

    def _draw_squares(self, draw: ImageDraw.ImageDraw) -> None:
        files, rows = self.layout["files"], self.layout["rows"]
        side = 2 * (RIM - 48) / max(len(files), rows)
        draw.rectangle([*self._at(-RIM, -RIM), *self._at(RIM, RIM)], fill=COLOURS["frame"])
        for column, file in enumerate(files):
            x = (column - (len(files) - 1) / 2) * side
            for row in range(rows):
                y, half = ((rows - 1) / 2 - row) * side, side / 2
                kind = "plain" if not self.layout["chequered"] else "light" if (column + row) % 2 else "dark"
                corners = [
                    (x - half, y - half),
                    (x + half, y - half),
                    (x + half, y + half),
                    (x - half, y + half),
                ]
                edge = COLOURS["frame"] if kind == "plain" else COLOURS[kind]
                self._field(draw, f"{file}{row + 1}", corners, COLOURS[kind], edge)
                self._middle(f"{file}{row + 1}", x, y, side * 0.92)
                if column == 0:
                    self._text(draw, -RIM + 24, y, 27, str(row + 1), COLOURS["light"])
            self._text(draw, x, RIM - 24, 27, file, COLOURS["light"])

    def _field(
        self, draw: ImageDraw.ImageDraw, name: str, corners: list[tuple[float, float]], fill: str, edge: str
    ) -> None:
        points = self._outlines[name] = [self._at(x, y) for x, y in corners]
        draw.polygon(points, fill=fill, outline=edge, width=FINE)

    def _middle(self, name: str, x: float, y: float, room: float) -> None:
        across, down = self._at(x, y)
        self._middles[name] = across / FINE, down / FINE, room * self._scale


@cache
def font(size: float) -> ImageFont.FreeTypeFont:
    """Return the typeface that comes with reportlab, so that pictures look the same on every machine."""
    return ImageFont.truetype(str(files("reportlab") / "fonts" / "Vera.ttf"), max(6.0, size))


def writable(text: str) -> str:
    """Return the text in letters that the typeface has: of others the letter without its accents, else `?`."""
    return "".join(
        letter if letter in _LETTERS else unicodedata.normalize("NFKD", letter).encode("latin-1", "ignore").decode()
        or "?" for letter in text
    )  # fmt: skip


@cache
def piece_picture(letter: str, size: int) -> Image.Image:
    """Return a piece with a transparent ground; a capital is White's."""
    fine = 4 * size
    picture = Image.new("RGBA", (fine, fine))
    draw = ImageDraw.Draw(picture)
    body, edge, line = WHITE if letter.isupper() else BLACK
    shapes, kind = drawings(), letter.upper()
    outlines = [points for path in shapes["bodies"].get(kind, ()) for points in lines_of(path)]
    for points in outlines:
        corners = _fit(points, fine)
        draw.line([*corners, corners[0], corners[1]], fill=edge, width=round(fine * 0.075), joint="curve")
    for points in outlines:
        draw.polygon(_fit(points, fine), fill=body)
    for path in ("M22 85h56", *shapes["strokes"].get(kind, ())):
        for points in lines_of(path):
            draw.line(_fit(points, fine), fill=line, width=round(fine * 0.035), joint="curve")
    return picture.resize((size, size), Image.Resampling.LANCZOS)


def _fit(points: list[Point], size: int) -> list[tuple[float, float]]:
    """Return points of a drawing of 100 by 100 in a picture of this size."""
    return [(point.real * size / 100, point.imag * size / 100) for point in points]


def _polar(radius: float, angle: float) -> tuple[float, float]:
    return radius * math.cos(angle), radius * math.sin(angle)


def _slice(outer: float, inner: float, angle: float) -> list[tuple[float, float]]:
    """Return the corners of a slice of a ring, its arcs as short lines."""
    turns = [angle + math.pi / 20 * (step / 4 - 1) for step in range(9)]
    return [_polar(outer, turn) for turn in turns] + [_polar(inner, turn) for turn in reversed(turns)]
