"""The layout of the Mega's shield and of the Pico's carrier, in mm, y downwards."""

from __future__ import annotations

from dataclasses import dataclass

from circuit import GROUND, RESET, Board, Kind, Part, line_parts, lines, pin_nets, stage_parts, supply
from shapes import Placed, place, place_pads

PITCH = 2.54


@dataclass(frozen=True)
class Carrier:
    """A board: its outline (mm), its placed parts, the middles of its holes for M3 screws."""

    name: str
    title: str
    width: float
    height: float
    placed: tuple[Placed, ...]
    hint_at: tuple[float, float]
    holes: tuple[tuple[float, float], ...]


def _channels(board: Board, left: float, rows: dict[tuple[str, int], float], up: set[str]) -> list[Placed]:
    """Place every line from its tail's header to the right: clamp, 220 Ω, pull-up; kinds in `up` count upwards."""
    parts = {part.ref: part for part in line_parts(board)}
    placed = []
    for n, (kind, i, _) in enumerate(lines(board)):
        placed.append(place(parts[f"R{n + 1}"], left + 6.35, rows[kind, i]))
        if kind == "sense":
            placed.append(place(parts[f"R{101 + i}"], left + 6.35 + 4 * PITCH, rows[kind, i]))
    for kind, header, first in (("drive", "J2", 1), ("sense", "J3", 11)):
        count = len(parts[header].nets)
        placed.append(place(parts[header], left, rows[kind, 0], up=kind in up))
        half = -PITCH / 2 if kind in up else PITCH / 2
        for i in range(0, count, 2):
            ref = f"D{first + i // 2}"
            middle = rows[kind, i] + (half if i + 1 < count else 0)
            placed.append(place(parts[ref], left + PITCH + 0.9525, middle, up=kind in up))
    return placed


def _stage(board: Board, spots: dict[str, tuple[float, float]]) -> list[Placed]:
    return [place(part, *spots[part.ref]) for part in stage_parts(board)]


MEGA_LEFT = 25.4
MEGA_HEIGHT = 53.34
MEGA_ROWS = {  # the Mega's own headers, in mm from its lower left corner: the first pin and the way to the next
    (27.94, 2.54, 1): ["-", "IOREF", "RESET", "3V3", "5V", "GND", "GND", "VIN"],
    (50.8, 2.54, 1): [f"A{i}" for i in range(8)],
    (73.66, 2.54, 1): [f"A{i}" for i in range(8, 16)],
    (63.5, 50.8, -1): [str(i) for i in range(8)],
}


MEGA_HOLES = ((90.17, 50.8), (96.52, 2.54))
"""The Mega's holes that the shield uses, from its lower left corner in mm; two others lie beneath the headers."""


def _mega_spots() -> list[tuple[str, float, float]]:
    """Return (pin, x, y) of every pin of the Mega that the shield reaches, from the shield's corner, y downwards."""
    pins = [
        (name, x + way * i * PITCH, y)
        for (x, y, way), names in MEGA_ROWS.items()
        for i, name in enumerate(names)
    ]
    double = ["5V", "5V", *(str(pin) for pin in range(22, 54)), "GND", "GND"]
    pins += [(name, 93.98 + (i % 2) * PITCH, 50.8 - i // 2 * PITCH) for i, name in enumerate(double)]
    return [(name, x - MEGA_LEFT, MEGA_HEIGHT - y) for name, x, y in pins]


def _unique(
    pins: list[tuple[str, float, float]], nets: dict[str, str], what: str
) -> tuple[Part, dict[str, tuple[float, float]]]:
    """Return the header as a part; repeated names get a number."""
    spots: dict[str, tuple[float, float]] = {}
    joined: dict[str, str] = {}
    for name, x, y in pins:
        count = sum(1 for other in spots if other.partition("_")[0] == name)
        pad = f"{name}_{count + 1}" if count else name
        spots[pad], joined[pad] = (round(x, 4), round(y, 4)), nets.get(name, "")
    return Part("J1", Kind.CONTROLLER, "", joined, what), spots


def mega_shield(board: Board) -> Carrier:
    """Lay out the shield: lines between the middle and the Mega's double row, the rest to their left."""
    nets = pin_nets(board) | {"5V": supply(board), "GND": GROUND, "RESET": RESET}
    header, spots = _unique(_mega_spots(), nets, "pin headers, 4 of 1 x 8 and 1 of 2 x 18")
    rows = {("drive", i): 2.54 + i * PITCH for i in range(8)}
    rows |= {("sense", i): MEGA_HEIGHT - 5.08 - i * PITCH for i in range(11)}
    stage = {
        "J4": (5.08, 7.62), "J5": (5.08, 20.32), "J6": (5.08, 35.56),
        "R301": (12.7, 20.32), "R302": (12.7, 22.86), "R303": (12.7, 25.4),
        "R201": (10.16, 33.02), "R202": (10.16, 35.56), "D201": (20.32, 35.56), "D202": (20.32, 33.02),
        "JP1": (7.62, 43.18), "C2": (12.7, 45.72), "C1": (33.02, 27.94),
    }  # fmt: skip
    placed = [place_pads(header, spots, (93.98 - MEGA_LEFT - 1.25, 1.3, 96.52 - MEGA_LEFT + 1.25, 47.0))]
    placed += _channels(board, 66.04 - MEGA_LEFT, rows, {"sense"}) + _stage(board, stage)
    title = "Scharten shield, Arduino Mega 2560"
    holes = tuple((round(x - MEGA_LEFT, 2), round(MEGA_HEIGHT - y, 2)) for x, y in MEGA_HOLES)
    return Carrier("shield-mega2560", title, 73.66, MEGA_HEIGHT, tuple(placed), (22.86, 39.37), holes)


def pico_carrier(board: Board) -> Carrier:
    """Lay out the carrier: lines to the left of the Pico, the rest to its right."""
    legs = {str(leg): GROUND for leg in (3, 8, 13, 18, 23, 28, 33, 38)} | {"36": supply(board)}
    nets = legs | {str(board.pins[pin].leg): net for pin, net in pin_nets(board).items()}
    left = [(str(i + 1), 35.56, 5.08 + i * PITCH) for i in range(20)]
    right = [(str(40 - i), 53.34, 5.08 + i * PITCH) for i in range(20)]
    header, spots = _unique(left + right, nets, "2 sockets of 1 x 20")
    rows = {(kind, i): 5.08 + n * PITCH for n, (kind, i, _) in enumerate(lines(board))}
    stage = {
        "J4": (78.74, 40.64), "J5": (78.74, 22.86), "J6": (78.74, 7.62),
        "R301": (63.5, 22.86), "R302": (63.5, 25.4), "R303": (63.5, 27.94),
        "R201": (63.5, 5.08), "R202": (63.5, 7.62), "D201": (63.5, 10.16), "D202": (63.5, 12.7),
        "C1": (63.5, 17.78),
    }  # fmt: skip
    placed = [place_pads(header, spots, (34.3, 3.7, 54.6, 54.7))]
    placed += _channels(board, 5.08, rows, set()) + _stage(board, stage)
    title, holes = (
        "Scharten carrier, Raspberry Pi Pico",
        ((23.5, 3.5), (77.5, 3.0), (31.5, 55.0), (77.5, 54.2)),
    )
    return Carrier("carrier-pico", title, 81.28, 58.42, tuple(placed), (63.5, 56.5), holes)
