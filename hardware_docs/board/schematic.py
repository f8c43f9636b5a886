"""The schematic of a controller's circuit: one line of each kind, piezo, button, LED, power; values from circuit.py."""

from __future__ import annotations

from circuit import VALUES, Board, supply
from drawing import Drawing

WIDTH, HEIGHT = 1180, 930


def _name(pin: str) -> str:
    return f"D{pin}" if pin.isdigit() else pin


def _value(short: str, unit: str = "Ω") -> str:
    """Return `10k` as a person writes it: 10 kΩ."""
    figure = short.rstrip("kMun")
    return f"{figure} {short[len(figure) :].replace('u', 'µ')}{unit}"


def _row(pins: list[str]) -> str:
    return ", ".join(map(_name, pins))


def _line(draw: Drawing, y: int, kind: str, pins: list[str], power: str) -> None:
    """Draw a line: tail, clamp to ground, 220 Ω, pull-up of a sense line, pin."""
    draw.end(150, y, f"tail, {kind} 0 to {len(pins) - 1}")
    draw.wire((155, y), (300, y))
    draw.dot(210, y)
    draw.diode(210, y, f"1/2 {VALUES.clamp}", zener=True)
    draw.ground(210, y + 60)
    draw.resistor(300, y, _value(VALUES.line))
    draw.wire((360, y), (520, y))
    if kind == "sense":
        draw.dot(440, y)
        draw.resistor(440, y - 60, _value(VALUES.pull_up), down=True)
        draw.supply(440, y - 60, power)
    draw.pin(520, y, f"{_name(pins[0])} (the first of {len(pins)})")


def _matrix(draw: Drawing, board: Board, power: str) -> None:
    drives, senses = (list(board.drives[: board.default_drives]), list(board.senses[: board.default_senses]))
    draw.text(f"Drive line: {len(drives)} times", 30, 85, size=18, bold=True)
    _line(draw, 130, "drive", drives, power)
    draw.text(f"Sense line: {len(senses)} times", 215, 262, size=18, bold=True)
    _line(draw, 350, "sense", senses, power)
    draw.path("M150 135 V225 M150 345 V265 M150 265 L132 230")
    draw.text("a segment,", 125, 222, anchor="end", size=13)
    draw.text("pressed: closed", 125, 240, anchor="end", size=13)
    draw.text("clamp (TVS): from the line to ground,", 745, 118, size=13)
    draw.text(f"on the tail's side of the {VALUES.line} Ω, never in series", 745, 136, size=13)
    draw.text(f"pull-up: to {power}, at the pin", 745, 338, size=13)
    for y, kind, pins in ((160, "drive", drives), (380, "sense", senses)):
        draw.text(f"{kind} 0 to {len(pins) - 1}: {_row(pins)}", 420, y + 20, size=13)


def _piezo(draw: Drawing, board: Board, power: str) -> None:
    y = 600
    draw.text("Piezo", 30, 485, size=18, bold=True)
    draw.end(110, y, "disc")
    draw.end(110, y + 90, "disc")
    draw.ground(110, y + 95)
    draw.wire((115, y), (230, y))
    draw.dot(170, y)
    draw.resistor(170, y, _value(VALUES.piezo_load), down=True)
    draw.ground(170, y + 60)
    draw.resistor(230, y, _value(VALUES.piezo_series))
    draw.wire((290, y), (420, y))
    draw.dot(340, y)
    draw.diode(340, y - 60, VALUES.piezo_clamp)
    draw.supply(340, y - 60, power)
    draw.diode(340, y, VALUES.piezo_clamp)
    draw.ground(340, y + 60)
    draw.pin(420, y, _name(board.piezo))


def _button(draw: Drawing, board: Board) -> None:
    draw.text("Button: one each", 590, 485, size=18, bold=True)
    if not board.buttons:
        draw.text("no pin is left: the screen has all three", 590, 530)
    for i, (name, pin) in enumerate(board.buttons.items()):
        y = 525 + i * 50
        draw.ground(620, y)
        draw.wire((620, y), (655, y))
        draw.path(f"M655 {y} l34 -14 M692 {y} H760")
        draw.text(name, 700, y - 8)
        draw.pin(760, y, _name(pin))


def _lamp(draw: Drawing, board: Board) -> None:
    draw.text("Lamp: RGB LED, common cathode", 870, 485, size=18, bold=True)
    colours = {name: pin for name, pin in board.lamp.items() if name != "any"}
    if not colours:
        draw.text("the LED on the controller itself", 870, 530)
    for i, (name, pin) in enumerate(colours.items()):
        x = 900 + i * 95
        draw.pin(x, 520, _name(pin))
        draw.wire((x, 520), (x, 535))
        draw.resistor(x, 535, _value(VALUES.lamp), down=True)
        draw.diode_down(x, 595, name)
        draw.ground(x, 655)


def _power(draw: Drawing, power: str) -> None:
    y = 790
    draw.text("Power and ground", 30, 755, size=18, bold=True)
    draw.supply(90, y + 20, power)
    draw.capacitor(90, y + 20, f"{_value(VALUES.buffer, 'F')}, beside the pull-ups")
    draw.ground(90, y + 80)
    draw.text(
        f"{power} is the controller's own pin: it feeds pull-ups and the piezo's upper clamp, and nothing",
        330,
        y,
    )
    draw.text(
        "feeds it. All power comes from the host's USB socket. GND joins every ground drawn here.",
        330,
        y + 22,
    )
    if power == "5V":
        draw.pin(520, y + 55, "RESET")
        draw.path(f"M520 {y + 55} h-40 m-6 0 l-30 -12 m-6 12 h-40")
        draw.text("jumper", 460, y + 82, anchor="middle", size=13)
        draw.capacitor(398, y + 55, "")
        draw.text(f"{_value(VALUES.reset, 'F')}, plus above", 378, y + 90, anchor="end")
        draw.ground(398, y + 115)
        draw.text("open it to flash: the boot loader needs the reset", 620, y + 60, size=13)


def schematic(board: Board) -> str:
    """Return the picture as SVG."""
    power = supply(board).removeprefix("+")
    draw = Drawing(WIDTH, HEIGHT, f"Schematic of the {board.title}")
    draw.text(f"Scharten: the circuit around the {board.title}", 30, 40, size=22, bold=True)
    _matrix(draw, board, power)
    _piezo(draw, board, power)
    _button(draw, board)
    _lamp(draw, board)
    _power(draw, power)
    return draw.svg()
