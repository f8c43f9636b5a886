"""Order numbers, packages and heights of the carriers' parts, and their places for an assembler.

The numbers come from the makers' catalogues and have not been ordered. Any part of the same value and package will do.
"""

from __future__ import annotations

from dataclasses import dataclass

from carriers import Carrier
from circuit import Kind, Part
from shapes import Placed


@dataclass(frozen=True)
class Order:
    """A part as it is bought; `height` is what stands above the board, in mm, rounded up."""

    maker: str
    number: str
    package: str
    height: float


RESISTOR = {"220": "220R", "10k": "10K", "1M": "1M", "330": "330R"}
OTHERS = {
    Kind.CLAMP: Order("Littelfuse", "SP0502BAHTG", "SOT-23", 1.2),
    Kind.DIODE: Order("Vishay", "BAT85S-TAP", "DO-35", 2.0),
    Kind.CAPACITOR: Order("KEMET", "C315C104K5R5TA", "radial, legs 2.54 mm", 6.0),
    Kind.ELECTROLYTIC: Order("Panasonic", "ECA-1HM100", "radial 5 mm, legs 2 mm", 12.0),
}
MEGA_HEADERS = Order(
    "Würth Elektronik", "4 x 61300811121 and 61303621121", "pin headers, 2.54 mm, from below", 3.0
)
PICO_SOCKETS = Order("Würth Elektronik", "2 x 61302011821", "sockets, 2.54 mm", 9.0)


def order(part: Part) -> Order:
    """Return how a part is bought."""
    if part.kind is Kind.RESISTOR:
        return Order("Yageo", f"CFR-25JB-52-{RESISTOR[part.value]}", "axial 6.3 mm, legs 7.62 mm", 2.5)
    if part.kind is Kind.HEADER:
        return Order("Würth Elektronik", f"6130{len(part.nets):02}11121", "pin header, 2.54 mm", 9.0)
    if part.kind is Kind.CONTROLLER:
        return PICO_SOCKETS if "sockets" in part.what else MEGA_HEADERS
    return OTHERS[part.kind]


def positions(carrier: Carrier) -> list[tuple[str, ...]]:
    """Return the rows of a pick-and-place file: x and y in mm from the lower left corner, y upwards."""
    rows: list[tuple[str, ...]] = [("Designator", "Package", "Mid X", "Mid Y", "Rotation", "Layer")]
    for placed in sorted(carrier.placed, key=lambda placed: placed.part.ref):
        x, y = _middle(placed)
        layer = "bottom" if order(placed.part) is MEGA_HEADERS else "top"
        rotation = "90" if placed.part.kind is Kind.HEADER else "0"
        package = order(placed.part).package
        rows.append((placed.part.ref, package, f"{x:.4f}", f"{carrier.height - y:.4f}", rotation, layer))
    return rows


def _middle(placed: Placed) -> tuple[float, float]:
    """Return the middle of a part's pads in mm, y downwards."""
    xs, ys = [pad.x for pad in placed.pads], [pad.y for pad in placed.pads]
    return (min(xs) + max(xs)) / 2000, (min(ys) + max(ys)) / 2000
