"""The circuit around a controller, from its pin table: the parts, and the nets that join their pads.

Each line of the matrix: tail - clamp to ground - 220 Ω - pin. The pull-up of a sense line is on the pin's side.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "firmware" / "pins"))
from board_pins import BOARDS, Board, load_board

__all__ = ["BOARDS", "Board", "load_board"]

GROUND = "GND"
RESET = "RESET"


class Kind(StrEnum):
    """The kinds of parts; each has one shape on the board."""

    RESISTOR = "resistor"
    DIODE = "diode"
    CLAMP = "clamp"
    CAPACITOR = "capacitor"
    ELECTROLYTIC = "electrolytic"
    HEADER = "header"
    CONTROLLER = "controller"


@dataclass(frozen=True)
class Part:
    """One part: `nets` by pad, in the order of its pads; an empty net is an unconnected pad."""

    ref: str
    kind: Kind
    value: str
    nets: dict[str, str]
    what: str


@dataclass(frozen=True)
class Values:
    """The values of the parts, as schematic, parts list and board show them."""

    line: str = "220"
    pull_up: str = "10k"
    clamp: str = "SP0502BAHTG"
    piezo_load: str = "1M"
    piezo_series: str = "10k"
    piezo_clamp: str = "BAT85"
    lamp: str = "330"
    buffer: str = "100n"
    reset: str = "10u"


VALUES = Values()


def supply(board: Board) -> str:
    """Return the net of the controller's own supply for pull-ups and the upper clamp, never a higher voltage."""
    return "+5V" if board.is_avr else "+3V3"


def line_nets(kind: str, number: int) -> tuple[str, str]:
    """Return the nets of a line at its pin and at its tail."""
    return f"{kind}_{number}", f"tail_{kind}_{number}"


def lines(board: Board) -> list[tuple[str, int, str]]:
    """Return (kind, number, pin) of every line of the default matrix: drives, then senses."""
    drives = [("drive", i, pin) for i, pin in enumerate(board.drives[: board.default_drives])]
    return drives + [("sense", i, pin) for i, pin in enumerate(board.senses[: board.default_senses])]


def pin_nets(board: Board) -> dict[str, str]:
    """Return the net of every used pin, without the lamp on the controller itself."""
    nets = {pin: line_nets(kind, i)[0] for kind, i, pin in lines(board)} | {board.piezo: "piezo"}
    nets |= {pin: f"button_{name}" for name, pin in board.buttons.items()}
    return nets | {pin: f"lamp_{name}" for name, pin in board.lamp.items() if name != "any"}


def _two(ref: str, kind: Kind, value: str, nets: tuple[str, str], what: str) -> Part:
    return Part(ref, kind, value, dict(zip("12", nets, strict=True)), what)


def _header(ref: str, value: str, names: dict[str, str]) -> Part:
    return Part(ref, Kind.HEADER, value, names, f"header 1 x {len(names)}, 2.54 mm")


def line_parts(board: Board) -> list[Part]:
    """Return resistor, clamp and pull-up of every line, and the sockets of both tails."""
    parts, tails = [], lines(board)
    for n, (kind, i, _) in enumerate(tails):
        pin, tail = line_nets(kind, i)
        parts.append(_two(f"R{n + 1}", Kind.RESISTOR, VALUES.line, (tail, pin), "in the line"))
        if kind == "sense":
            parts.append(
                _two(f"R{101 + i}", Kind.RESISTOR, VALUES.pull_up, (pin, supply(board)), "sense pull-up")
            )
    for kind in ("drive", "sense"):
        own = [line_nets(kind, i)[1] for name, i, _ in tails if name == kind]
        for i in range(0, len(own), 2):  # the last of an odd number has both diodes of its clamp
            nets = {"1": own[i], "2": own[min(i + 1, len(own) - 1)], "3": GROUND}
            ref = f"D{(1 if kind == 'drive' else 11) + i // 2}"
            parts.append(Part(ref, Kind.CLAMP, VALUES.clamp, nets, "two TVS diodes to ground, SOT-23"))
        names = {str(i + 1): net for i, net in enumerate(own)}
        parts.append(_header("J2" if kind == "drive" else "J3", f"{kind} tail", names))
    return parts


def stage_parts(board: Board) -> list[Part]:
    """Return the piezo stage, buttons, lamp and the buffer of the supply."""
    high = supply(board)
    buttons = [*(f"button_{name}" for name in board.buttons), GROUND]
    colours = [name for name in board.lamp if name != "any"]
    parts = [
        _header("J6", "piezo", {"1": "disc", "2": GROUND}),
        _two("R201", Kind.RESISTOR, VALUES.piezo_load, ("disc", GROUND), "across the disc"),
        _two("R202", Kind.RESISTOR, VALUES.piezo_series, ("disc", "piezo"), "from disc to pin"),
        _two("D201", Kind.DIODE, VALUES.piezo_clamp, ("piezo", GROUND), "clamp to ground"),
        _two("D202", Kind.DIODE, VALUES.piezo_clamp, (high, "piezo"), f"clamp to {high}"),
        _two("C1", Kind.CAPACITOR, VALUES.buffer, (high, GROUND), "beside the pull-ups"),
        _header("J4", "buttons", {str(i + 1): net for i, net in enumerate(buttons)}),
        _header(
            "J5", "lamp", {str(i + 1): net for i, net in enumerate([*(f"led_{c}" for c in colours), GROUND])}
        ),
    ]
    for i, colour in enumerate(colours):
        parts.append(
            _two(f"R{301 + i}", Kind.RESISTOR, VALUES.lamp, (f"lamp_{colour}", f"led_{colour}"), "LED")
        )
    if high == "+5V":
        parts.append(_header("JP1", "no reset", {"1": RESET, "2": "reset_hold"}))
        parts.append(
            _two("C2", Kind.ELECTROLYTIC, VALUES.reset, ("reset_hold", GROUND), "plus at pad 1, 10 V or more")
        )
    return parts
