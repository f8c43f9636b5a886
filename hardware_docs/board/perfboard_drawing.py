"""Pictures of a perfboard: the whole layout, and the steps in which it is soldered."""

from __future__ import annotations

from circuit import Kind, Part
from drawing import Drawing
from perfboard import Hole, Join, Layout, Wire

BIG, SMALL = 44, 18
"""Pixels from hole to hole, in the layout and in a step."""
COLOURS = {Kind.RESISTOR: "#f3d9a4", Kind.DIODE: "#e8a08c", Kind.CLAMP: "#c9c9f0", Kind.CAPACITOR: "#f0e08c",
           Kind.ELECTROLYTIC: "#a9d4e8", Kind.HEADER: "#bbbbbb"}  # fmt: skip
DONE = "#e4e4e4"
STEPS = (
    ("1  bare wires, below", "wires"),
    ("2  resistors", "resistors"),
    ("3  clamps on their adapters", "clamps"),
    ("4  diodes, capacitors, jumper", "rest"),
    ("5  wires to the tails and the controller", "outside"),
)


def whole(made: Layout) -> str:
    """Return the layout as SVG, with the name of every part and wire."""
    width, height = made.columns * BIG + 110, made.rows * BIG + 150
    draw = Drawing(width, height, f"{made.board.title} on a perfboard")
    draw.text(f"{made.board.title}: perfboard, seen from the side of the parts", 30, 36, size=20, bold=True)
    draw.text("grey: bare wire, on the other side; clamp: its adapter with pins 1, 2, 3 from above", 30, 62)
    draw.text("blue: to the controller; green: to tail, disc, LED; red ring: pin 1, cathode or plus", 30, 84)
    panel = _Panel(draw, made, BIG, 50, 125)
    for step in STEPS:
        panel.step(step[1], new=True)
    panel.names()
    return draw.svg()


def steps(made: Layout) -> str:
    """Return the steps side by side, each with what is new in colour."""
    wide = made.columns * SMALL + 50
    draw = Drawing(
        wide * len(STEPS), made.rows * SMALL + 80, f"{made.board.title}: the steps of the perfboard"
    )
    for n, (title, _) in enumerate(STEPS):
        draw.text(title, n * wide + 20, 30, bold=True)
        panel = _Panel(draw, made, SMALL, n * wide + 30, 60)
        for i in range(n + 1):
            panel.step(STEPS[i][1], new=i == n)
    return draw.svg()


class _Panel:
    """One board at a place of the picture."""

    def __init__(self, draw: Drawing, made: Layout, pitch: int, left: int, top: int) -> None:
        self._draw, self._made, self._pitch, self._left, self._top = draw, made, pitch, left, top
        edge = pitch * 0.6
        x, y = left - edge, top - edge
        width, height = (made.columns - 1) * pitch + 2 * edge, (made.rows - 1) * pitch + 2 * edge
        draw.shape(
            f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" fill="#fbfaf4" stroke="#998"/>'
        )
        for column in range(made.columns):
            for row in range(made.rows):
                hole_x, hole_y = self._at((column, row))
                draw.shape(f'<circle cx="{hole_x:g}" cy="{hole_y:g}" r="{pitch * 0.09:g}" fill="#cdb"/>')

    def _at(self, hole: Hole) -> tuple[float, float]:
        return self._left + hole[0] * self._pitch, self._top + hole[1] * self._pitch

    def step(self, name: str, *, new: bool) -> None:
        """Draw what this step adds, in colour if it is new."""
        if name == "wires":
            for join in self._made.joins:
                self._join(join, new)
        elif name == "outside":
            for wire in self._made.wires:
                self._wire(wire, new)
        else:
            for part, legs in self._made.parts.values():
                if _step_of(part) == name:
                    self._part(part, legs, new)

    def _join(self, join: Join, new: bool) -> None:
        (x1, y1), (x2, y2) = self._at(join.start), self._at(join.end)
        colour = "#889" if new else "#ccc"
        self._draw.shape(
            f'<line x1="{x1:g}" y1="{y1:g}" x2="{x2:g}" y2="{y2:g}" stroke="{colour}"'
            f' stroke-width="{self._pitch * 0.16:g}" stroke-linecap="round"/>'
        )

    def _part(self, part: Part, legs: dict[str, Hole], new: bool) -> None:
        holes = [self._at(hole) for hole in legs.values()]
        half = self._pitch * 0.3
        (left, right), (top, low) = ((min(axis), max(axis)) for axis in zip(*holes, strict=True))
        short = self._pitch * (0.7 if len(legs) == 2 and part.kind in (Kind.RESISTOR, Kind.DIODE) else -0.3)
        across, down = (short if right > left else -half), (short if low > top else -half)
        colour = COLOURS[part.kind] if new else DONE
        self._draw.shape(
            f'<path d="M{holes[0][0]:g} {holes[0][1]:g} L{holes[-1][0]:g} {holes[-1][1]:g}" stroke="#555"/>'
        )
        self._draw.shape(
            f'<rect x="{left + across:g}" y="{top + down:g}" width="{right - left - 2 * across:g}"'
            f' height="{low - top - 2 * down:g}" rx="3" fill="{colour}" stroke="#555"/>'
        )
        if part.kind is not Kind.RESISTOR:
            x, y = holes[0]
            self._draw.shape(
                f'<circle cx="{x:g}" cy="{y:g}" r="{self._pitch * 0.14:g}" fill="none" stroke="#c00"/>'
            )

    def _wire(self, wire: Wire, new: bool) -> None:
        x, y = self._at(wire.hole)
        colour = ("#2255bb" if wire.controller else "#1c7a33") if new else "#999"
        self._draw.shape(f'<circle cx="{x:g}" cy="{y:g}" r="{self._pitch * 0.28:g}" fill="{colour}"/>')

    def names(self) -> None:
        """Write the value into every part, and beside every wire where it goes."""
        for part, legs in self._made.parts.values():
            holes = [self._at(hole) for hole in legs.values()]
            x, y = (sum(axis) / len(holes) for axis in zip(*holes, strict=True))
            if part.kind is Kind.RESISTOR and holes[0][1] == holes[1][1]:
                self._draw.text(part.value, x, y + 4, anchor="middle", size=12)
            else:
                known = part.ref if part.kind in (Kind.CLAMP, Kind.HEADER) else part.value
                self._draw.text(known, x + 14, y + (26 if part.kind is Kind.HEADER else 4), size=11)
        for wire in self._made.wires:
            x, y = self._at(wire.hole)
            self._draw.text(wire.to, x, y - 14, anchor="middle", size=11, bold=True)


def _step_of(part: Part) -> str:
    return {Kind.RESISTOR: "resistors", Kind.CLAMP: "clamps"}.get(part.kind, "rest")
