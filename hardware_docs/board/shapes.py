"""The shapes of parts: pads in µm, y downwards. All parts but the clamps are through-hole.

All through-hole pads lie on the grid of the tracks, which is a quarter of 2.54 mm.
"""

from __future__ import annotations

from dataclasses import dataclass

from circuit import Kind, Part

STEP = 635
INCH10 = 4 * STEP
HOLE_PAD = 1600
DRILL = 1000
SPAN = 3 * INCH10
M3, HEAD = 3200, 6000
"""A screw hole, and the screw's head, beneath which no track runs."""
SOT_REACH = STEP * 3 // 2


@dataclass(frozen=True)
class Pad:
    """A pad at its place; `drill` 0 is a pad on the upper side only."""

    name: str
    net: str
    x: int
    y: int
    width: int = HOLE_PAD
    height: int = HOLE_PAD
    drill: int = DRILL

    def distance(self, x: int, y: int) -> float:
        """Return the distance from a point to the pad's edge in µm; 0 inside."""
        if self.drill:
            return max(0.0, ((self.x - x) ** 2 + (self.y - y) ** 2) ** 0.5 - self.width / 2)
        dx = max(0, abs(self.x - x) - self.width // 2)
        dy = max(0, abs(self.y - y) - self.height // 2)
        return float((dx * dx + dy * dy) ** 0.5)


@dataclass(frozen=True)
class Placed:
    """A part with its pads and the rectangle that it covers (left, top, right, bottom)."""

    part: Part
    x: int
    y: int
    pads: tuple[Pad, ...]
    cover: tuple[int, int, int, int]


def place(part: Part, x: float, y: float, up: bool = False) -> Placed:
    """Place a part with its first pad at x, y (mm; a clamp with its middle). Two-legged parts lie to the right.

    `up`: a header whose pins are counted upwards, or a clamp whose first pad is the lower one.
    """
    left, top = round(x * 1000), round(y * 1000)
    sign = -1 if up else 1
    if part.kind is Kind.CLAMP:
        spots = [(-SOT_REACH, -sign * SOT_REACH), (-SOT_REACH, sign * SOT_REACH), (SOT_REACH, 0)]
        pads = [
            Pad(name, net, left + dx, top + dy, 1200, 600, 0)
            for (name, net), (dx, dy) in zip(part.nets.items(), spots, strict=True)
        ]
        return Placed(part, left, top, tuple(pads), (left - 1600, top - 1500, left + 1600, top + 1500))
    column = part.kind is Kind.HEADER
    gap = INCH10 if part.kind in (Kind.HEADER, Kind.CAPACITOR, Kind.ELECTROLYTIC) else SPAN
    pads = [
        Pad(name, net, left + (0 if column else i * gap), top + (sign * i * gap if column else 0))
        for i, (name, net) in enumerate(part.nets.items())
    ]
    rim = 2400 if part.kind is Kind.ELECTROLYTIC else 1250
    xs, ys = [pad.x for pad in pads], [pad.y for pad in pads]
    side = 1000 if not column and gap == SPAN else rim
    cover = (min(xs) - side, min(ys) - rim, max(xs) + side, max(ys) + rim)
    return Placed(part, left, top, tuple(pads), cover)


def place_pads(part: Part, spots: dict[str, tuple[float, float]], cover: tuple[float, ...]) -> Placed:
    """Return a controller's header with every pad at its own place (mm)."""
    pads = tuple(
        Pad(name, part.nets[name], round(x * 1000), round(y * 1000)) for name, (x, y) in spots.items()
    )
    left, top, right, bottom = (round(value * 1000) for value in cover)
    return Placed(part, pads[0].x, pads[0].y, pads, (left, top, right, bottom))
