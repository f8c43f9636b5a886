"""The circuit on a perfboard: which leg goes into which hole, and what is joined below; circuit.py has the nets.

Column 0 is a bare wire at GND, column 13 one at the supply. Two lines and the GND of their clamp take three rows.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from circuit import GROUND, Board, Kind, Part, line_nets, line_parts, lines, stage_parts, supply

Hole = tuple[int, int]
"""Column and row, from the upper left corner, seen from the side of the parts."""
RAIL, TAIL, CLAMP, LINE, PIN, PULL_UP, POWER = 0, 1, 3, 5, 9, 10, 13
STAGE = 12
"""The first column of piezo and lamp, right of the drive lines."""
LEGS = 3
"""Holes between the legs of a resistor or diode: 7.62 mm."""


@dataclass(frozen=True)
class Wire:
    """A hole from which a wire leaves the board; `to` is the controller's pin, or what hangs at the other end."""

    hole: Hole
    to: str
    net: str
    controller: bool


@dataclass(frozen=True)
class Join:
    """A bare wire below, in one row or column, from hole to hole."""

    start: Hole
    end: Hole


@dataclass
class Layout:
    """A whole perfboard."""

    board: Board
    rows: int
    parts: dict[str, tuple[Part, dict[str, Hole]]] = field(default_factory=dict)
    wires: list[Wire] = field(default_factory=list)
    joins: list[Join] = field(default_factory=list)

    @property
    def columns(self) -> int:
        """The columns in use."""
        holes = [hole for _, legs in self.parts.values() for hole in legs.values()]
        return max(column for column, _ in [*holes, *(wire.hole for wire in self.wires)]) + 1


def layout(board: Board) -> Layout:
    """Return the perfboard of a controller."""
    parts = {part.ref: part for part in [*line_parts(board), *stage_parts(board)]}
    count = -(-board.default_drives // 2) + -(-board.default_senses // 2)
    made = Layout(board, 3 * count + 1)
    _place_lines(made, parts)
    _place_power(made, parts)
    _place_piezo(made, parts)
    _place_lamp(made, parts)
    if "JP1" in parts:
        _place_reset(made, parts)
    return made


def line_row(board: Board, kind: str, number: int) -> int:
    """Return the row of a line."""
    pair = number // 2 + (-(-board.default_drives // 2) if kind == "sense" else 0)
    return 3 * pair + number % 2


def _put(made: Layout, part: Part, *holes: Hole) -> None:
    made.parts[part.ref] = part, dict(zip(part.nets, holes, strict=True))


def _place_lines(made: Layout, parts: dict[str, Part]) -> None:
    board = made.board
    for n, (kind, i, pin) in enumerate(lines(board)):
        row = line_row(board, kind, i)
        at_pin, at_tail = line_nets(kind, i)
        made.wires.append(Wire((TAIL, row), f"{kind[:2]}{i}", at_tail, controller=False))
        made.wires.append(Wire((PIN, row), pin_name(pin), at_pin, controller=True))
        _put(made, parts[f"R{n + 1}"], (LINE, row), (LINE + LEGS, row))
        made.joins.append(Join((TAIL, row), (LINE, row)))
        made.joins.append(Join((LINE + LEGS, row), (PULL_UP if kind == "sense" else PIN, row)))
        if kind == "sense":
            _put(made, parts[f"R{101 + i}"], (PULL_UP, row), (POWER, row))
    for part in parts.values():
        if part.kind is Kind.CLAMP:
            kind, number = part.nets["1"].removeprefix("tail_").split("_")
            row = line_row(board, kind, int(number))
            _put(made, part, (CLAMP, row), (CLAMP, row + 1), (CLAMP, row + 2))
            made.joins.append(Join((RAIL, row + 2), (CLAMP, row + 2)))
            if part.nets["1"] == part.nets["2"]:
                made.joins.append(Join((CLAMP, row), (CLAMP, row + 1)))


def _place_power(made: Layout, parts: dict[str, Part]) -> None:
    board, last = made.board, made.rows - 1
    first = line_row(board, "sense", 0)
    made.joins.append(Join((RAIL, 0), (RAIL, last)))
    made.joins.append(Join((POWER, first), (POWER, last - 1)))
    _put(made, parts["C1"], (POWER, last - 1), (POWER, last))
    made.joins.append(Join((RAIL, last), (POWER, last)))
    made.wires.append(Wire((TAIL, last), GROUND, GROUND, controller=True))
    made.wires.append(Wire((POWER + 1, first), supply(board)[1:], supply(board), controller=True))


def _place_piezo(made: Layout, parts: dict[str, Part]) -> None:
    """Disc, 10 kΩ and pin in one row, GND in a clamp's row three below; diodes and 1 MΩ between the two."""
    board, sense = made.board, line_row(made.board, "sense", 0)
    top = line_row(board, "drive", 2) - 1
    low, pin, up = top + LEGS, STAGE + 6, STAGE + 9
    made.wires.append(Wire((STAGE, top), "disc", "disc", controller=False))
    made.wires.append(Wire((STAGE, low), "disc", GROUND, controller=False))
    made.wires.append(Wire((pin, top), pin_name(board.piezo), "piezo", controller=True))
    _put(made, parts["R201"], (STAGE + 1, top), (STAGE + 1, low))
    _put(made, parts["R202"], (STAGE + 2, top), (STAGE + 2 + LEGS, top))
    _put(made, parts["D201"], (pin + 1, top), (pin + 1, low))
    _put(made, parts["D202"], (up, low), (up, top))
    made.joins += [Join((STAGE, top), (STAGE + 2, top)), Join((STAGE + 2 + LEGS, top), (up, top))]
    made.joins += [
        Join((CLAMP, low), (pin + 1, low)),
        Join((up, low), (up, sense)),
        Join((POWER, sense), (up, sense)),
    ]


def _place_lamp(made: Layout, parts: dict[str, Part]) -> None:
    colours = [name for name in made.board.lamp if name != "any"]
    for i, name in enumerate(colours):
        row = line_row(made.board, "drive", 4) + 1 + i
        made.wires.append(Wire((STAGE, row), name, f"led_{name}", controller=False))
        made.wires.append(
            Wire((STAGE + 5, row), pin_name(made.board.lamp[name]), f"lamp_{name}", controller=True)
        )
        _put(made, parts[f"R{301 + i}"], (STAGE + 4, row), (STAGE + 1, row))
        made.joins += [Join((STAGE, row), (STAGE + 1, row)), Join((STAGE + 4, row), (STAGE + 5, row))]
    if made.board.buttons or colours:
        made.wires.append(
            Wire((STAGE + 4, line_row(made.board, "drive", 2) + 2), "LED, buttons", GROUND, controller=False)
        )


def _place_reset(made: Layout, parts: dict[str, Part]) -> None:
    last, column = made.rows - 1, POWER + 5
    made.wires.append(Wire((column - 2, last - 3), "RESET", "RESET", controller=True))
    _put(made, parts["JP1"], (column - 1, last - 3), (column, last - 3))
    _put(made, parts["C2"], (column, last - 2), (column, last - 1))
    made.joins += [
        Join((column - 2, last - 3), (column - 1, last - 3)),
        Join((column, last - 3), (column, last - 2)),
    ]
    made.joins += [Join((column, last - 1), (column, last)), Join((POWER, last), (column, last))]


def pin_name(pin: str) -> str:
    """Return a pin as the controller prints it."""
    return f"D{pin}" if pin.isdigit() else pin
