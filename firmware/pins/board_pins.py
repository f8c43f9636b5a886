"""The description of a board's pins, read and checked."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
BOARDS = ("mega2560", "uno", "pico")
BUTTONS = ("miss", "ready", "undo")
LAMPS = {"green": 1, "blue": 2, "red": 4, "any": 7}
SERIAL = ("0", "1")
RP2040 = "rp2040"
FIRST_ADC_PIN = 26
KEYS = {
    "title", "mcu", "hello_name", "default_drives", "default_senses",
    "drives", "senses", "piezo", "buttons", "lamp", "flash", "pins",
}  # fmt: skip


class PinError(Exception):
    """The description of a board contradicts itself; the message names the place."""


@dataclass(frozen=True)
class ChipPin:
    """A pin of the chip: port letter and bit; on the RP2040, whose only port is GP, with the leg of the board."""

    port: str
    bit: int
    leg: int | None = None

    @property
    def place(self) -> str:
        """Return the pin's place for people."""
        return f"P{self}" if self.leg is None else f"leg {self.leg}"

    def __str__(self) -> str:
        return f"{self.port}{self.bit}"


@dataclass(frozen=True)
class Flash:
    """The programmer of the board, and its memory sizes."""

    programmer: str
    baud: int
    flash_bytes: int
    ram_bytes: int


@dataclass(frozen=True)
class Board:
    """One board's pins, checked."""

    name: str
    title: str
    mcu: str
    hello_name: str
    default_drives: int
    default_senses: int
    drives: tuple[str, ...]
    senses: tuple[str, ...]
    piezo: str
    buttons: dict[str, str]
    lamp: dict[str, str]
    flash: Flash
    pins: dict[str, ChipPin]

    @property
    def used(self) -> dict[str, str]:
        """Return every used pin and its purpose, in the order of the tables."""
        uses = {pin: f"drive {i}" for i, pin in enumerate(self.drives)}
        uses |= {pin: f"sense {i}" for i, pin in enumerate(self.senses)}
        uses |= {self.piezo: "piezo"}
        uses |= {pin: f"{name} button" for name, pin in self.buttons.items()}
        return uses | {pin: "lamp" if name == "any" else f"lamp, {name}" for name, pin in self.lamp.items()}

    @property
    def free(self) -> tuple[str, ...]:
        """Return the unused pins."""
        return tuple(pin for pin in self.pins if pin not in self.used and pin not in SERIAL)

    @property
    def is_avr(self) -> bool:
        """Return whether the chip has ports (an Arduino's), unlike the RP2040."""
        return self.mcu != RP2040

    @property
    def piezo_channel(self) -> int:
        """Return the ADC channel of the piezo."""
        return int(self.piezo[1:]) if self.is_avr else self.pins[self.piezo].bit - FIRST_ADC_PIN


def read_board(text: str, name: str) -> Board:
    """Read a board from TOML; raise PinError with the fault and its place."""
    raw = tomllib.loads(text)
    if odd := KEYS.symmetric_difference(raw):
        raise PinError(f"{name}: missing or unknown entries: {', '.join(sorted(odd))}")
    if raw["mcu"] == RP2040:
        pins = {pin: ChipPin("GP", int(pin[2:]), leg) for pin, leg in raw["pins"].items()}
    else:
        pins = {pin: ChipPin(place[0], int(place[1:])) for pin, place in raw["pins"].items()}
    try:
        flash = Flash(**raw["flash"])
    except TypeError as error:
        raise PinError(f"{name}: [flash]: {error}") from error
    raw |= {"drives": tuple(raw["drives"]), "senses": tuple(raw["senses"]), "pins": pins, "flash": flash}
    board = Board(name=name, **raw)
    _check(board)
    return board


def load_board(name: str) -> Board:
    """Read the board of this name from its file."""
    return read_board((HERE / f"{name}.toml").read_text(encoding="utf-8"), name)


def _check(board: Board) -> None:
    where = board.name
    every = [*board.drives, *board.senses, board.piezo, *board.buttons.values(), *board.lamp.values()]
    for pin in every:
        if pin not in board.pins or pin in SERIAL:
            raise PinError(f"{where}: pin {pin} is not there, or is the serial line")
        if every.count(pin) > 1:
            raise PinError(f"{where}: pin {pin} is used twice")
    if not (1 <= len(board.drives) <= 16 and 1 <= len(board.senses) <= 16):
        raise PinError(f"{where}: 1 to 16 drive lines and 1 to 16 sense lines")
    if board.default_drives > len(board.drives) or board.default_senses > len(board.senses):
        raise PinError(f"{where}: the default matrix is larger than its pins")
    inputs = ("A[0-7]", "A0 to A7") if board.is_avr else ("GP2[6-8]", "GP26 to GP28")
    if re.fullmatch(inputs[0], board.piezo) is None:
        raise PinError(f"{where}: the piezo needs one of the ADC inputs {inputs[1]}, not {board.piezo}")
    if odd := (set(board.buttons) - set(BUTTONS)) | (set(board.lamp) - set(LAMPS)):
        raise PinError(f"{where}: unknown button or lamp: {', '.join(sorted(odd))}")
    if re.fullmatch("[A-Za-z0-9_-]{1,16}", board.hello_name) is None:
        raise PinError(f"{where}: hello_name is 1 to 16 letters, digits, _ or -")


def simulator_arguments(board: Board) -> list[str]:
    """Return the arguments that describe the pins to the simulator."""

    def chip(pins: list[str]) -> str:
        return ",".join(str(board.pins[pin]).removeprefix("GP") for pin in pins)

    return [
        "--mcu", board.mcu,
        "--drives", chip(list(board.drives)),
        "--senses", chip(list(board.senses)),
        "--buttons", chip(list(board.buttons.values())),
        "--lamp", chip(list(board.lamp.values())),
        "--piezo", str(board.piezo_channel),
    ]  # fmt: skip


def made_from(name: str) -> str:
    """Return the note on the origin of a generated file."""
    source = f"firmware/pins/{name}.toml"
    return f"made by firmware/pins/generate.py from {source}: change that, then `make -C firmware pins`"
