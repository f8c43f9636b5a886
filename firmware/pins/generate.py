"""One description of the pins, and all that follows from it: C header, pin tables, wiring picture, simulator.

`generate.py` writes the files that changed, `generate.py --check` only says which are not current. The picture is
drawn by wireviz; its SVG carries the digest of the YAML that it was drawn from, because the drawing itself differs
from one version of graphviz to the next.
"""

from __future__ import annotations

import argparse
import hashlib
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).parent
FIRMWARE = HERE.parent
DOCUMENTS = FIRMWARE.parent / "hardware_docs"
BOARDS = ("mega2560", "uno")
BUTTONS = ("miss", "ready", "undo")
LAMPS = {"green": 1, "blue": 2, "red": 4, "any": 7}
SERIAL = ("0", "1")
MADE = (
    "made by firmware/pins/generate.py from firmware/pins/{}.toml: change that, then `make -C firmware pins`"
)
KEYS = {
    "title", "mcu", "hello_name", "default_drives", "default_senses",
    "drives", "senses", "piezo", "buttons", "lamp", "flash", "pins",
}  # fmt: skip


class PinError(Exception):
    """The description of a board contradicts itself; says where."""


@dataclass(frozen=True)
class ChipPin:
    """A pin of the chip: port letter and bit."""

    port: str
    bit: int

    def __str__(self) -> str:
        return f"{self.port}{self.bit}"


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
    programmer: str
    flash_baud: int
    pins: dict[str, ChipPin]

    @property
    def used(self) -> dict[str, str]:
        """Every pin in use and what for, in the order of the tables."""
        uses = {pin: f"drive {i}" for i, pin in enumerate(self.drives)}
        uses |= {pin: f"sense {i}" for i, pin in enumerate(self.senses)}
        uses |= {self.piezo: "piezo"}
        uses |= {pin: f"{name} button" for name, pin in self.buttons.items()}
        return uses | {pin: "lamp" if name == "any" else f"lamp, {name}" for name, pin in self.lamp.items()}

    @property
    def free(self) -> tuple[str, ...]:
        """The pins that nothing uses."""
        return tuple(pin for pin in self.pins if pin not in self.used and pin not in SERIAL)

    @property
    def piezo_channel(self) -> int:
        """The ADC channel of the piezo."""
        return int(self.piezo[1:])


def read_board(text: str, name: str) -> Board:
    """The board described by a TOML text. Raises PinError with what is wrong and where."""
    raw = tomllib.loads(text)
    if odd := KEYS.symmetric_difference(raw):
        raise PinError(f"{name}: missing or unknown entries: {', '.join(sorted(odd))}")
    pins = {pin: ChipPin(place[0], int(place[1:])) for pin, place in raw["pins"].items()}
    flash = raw.pop("flash")
    raw |= {"drives": tuple(raw["drives"]), "senses": tuple(raw["senses"]), "pins": pins}
    board = Board(name=name, programmer=flash["programmer"], flash_baud=flash["baud"], **raw)
    _check(board)
    return board


def load_board(name: str) -> Board:
    """The board of this name, from its file."""
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
    if re.fullmatch("A[0-7]", board.piezo) is None:
        raise PinError(f"{where}: the piezo needs one of the ADC inputs A0 to A7, not {board.piezo}")
    if odd := (set(board.buttons) - set(BUTTONS)) | (set(board.lamp) - set(LAMPS)):
        raise PinError(f"{where}: unknown button or lamp: {', '.join(sorted(odd))}")
    if re.fullmatch("[A-Za-z0-9_-]{1,16}", board.hello_name) is None:
        raise PinError(f"{where}: hello_name is 1 to 16 letters, digits, _ or -")


def _runs(pins: list[ChipPin]) -> Iterator[tuple[str, int, int, int]]:
    """(port, first bit, place in the row, length) of each run of rising bits in one port."""
    start = 0
    for i in range(1, len(pins) + 1):
        last = pins[i - 1]
        if i < len(pins) and pins[i] == ChipPin(last.port, last.bit + 1):
            continue
        yield pins[start].port, pins[start].bit, start, i - start
        start = i


def _sense_lines(board: Board) -> Iterator[str]:
    for port, bit, place, length in _runs([board.pins[pin] for pin in board.senses]):
        mask = ((1 << length) - 1) << bit
        read = f"PIN{port}" if mask == 0xFF else f"(PIN{port} & 0x{mask:02X})"
        shift = place - bit
        moved = f"(row_t)({read} << {shift})" if shift > 0 else f"({read} >> {-shift})" if shift else read
        guard = place > 0
        if guard:
            yield f"#if SENSES > {place}"
        yield f"    raw = (row_t)(raw | {moved});"
        if guard:
            yield "#endif"


def _drive_lines(board: Board) -> Iterator[str]:
    """One case for each line, all of it constants: a table of pointers would cost the interrupt twice the time."""
    chips = [board.pins[pin] for pin in board.drives]
    for line, chip in enumerate(chips):
        if line:
            yield f"#if DRIVES > {line}"
        yield f"    case {line}:"
        yield f"        DDR{chip.port} &= (uint8_t)~(1 << {chip.bit});"
        yield f"        PORT{chip.port} |= 1 << {chip.bit};"
        if line + 1 < len(chips):
            yield f"#if DRIVES > {line + 1}"
            yield f"        DRIVE_LOW({chips[line + 1].port}, {chips[line + 1].bit});"
            yield "#else"
        yield f"        DRIVE_LOW({chips[0].port}, {chips[0].bit});"
        if line + 1 < len(chips):
            yield "#endif"
        yield "        break;"
        if line:
            yield "#endif"


def _table(name: str, board: Board, pins: tuple[str, ...]) -> Iterator[str]:
    yield f"static const struct pin {name}[] = {{"
    for pin in pins:
        chip = board.pins[pin]
        yield f"    {{&DDR{chip.port}, 1 << {chip.bit}}}, /* {pin} */"
    yield "};"


def _start_lines(board: Board) -> Iterator[str]:
    yield "    for (uint8_t i = 0; i < DRIVES; i++)"
    yield "        *(DRIVE_PINS[i].ddr + 1) |= DRIVE_PINS[i].mask;"
    yield "    for (uint8_t i = 0; i < SENSES; i++)"
    yield "        *(SENSE_PINS[i].ddr + 1) |= SENSE_PINS[i].mask;"
    first = board.pins[board.drives[0]]
    yield f"    DRIVE_LOW({first.port}, {first.bit});"
    for pin in board.buttons.values():
        yield f"    PORT{board.pins[pin].port} |= 1 << {board.pins[pin].bit};"
    for pin in board.lamp.values():
        yield f"    DDR{board.pins[pin].port} |= 1 << {board.pins[pin].bit};"


def _button_lines(board: Board) -> Iterator[str]:
    yield "    uint8_t down = 0;"
    for name, pin in board.buttons.items():
        chip = board.pins[pin]
        yield f"    if (!(PIN{chip.port} & 1 << {chip.bit}))"
        yield f"        down |= 1 << {BUTTONS.index(name)}; /* {name} */"
    yield "    return down;"


def _lamp_lines(board: Board) -> Iterator[str]:
    for name, pin in board.lamp.items():
        chip = board.pins[pin]
        yield f"    if (colours & {LAMPS[name]}) /* {name} */"
        yield f"        PORT{chip.port} |= 1 << {chip.bit};"
        yield "    else"
        yield f"        PORT{chip.port} &= (uint8_t)~(1 << {chip.bit});"


def header(board: Board) -> str:
    """The C header of the board's pins."""
    lines = [
        f"/* Pins of the {board.title}; {MADE.format(board.name)}. */",
        "#ifndef SCHARTEN_PINS_H",
        "#define SCHARTEN_PINS_H",
        "",
        "#include <avr/io.h>",
        "",
        '#include "../../src/size.h"',
        "",
        f'#define BOARD_NAME "{board.hello_name}"',
        f"#define PIEZO_CHANNEL {board.piezo_channel}",
        f"#if DRIVES > {len(board.drives)} || SENSES > {len(board.senses)}",
        f'#error "the {board.title} has pins for {len(board.drives)} drive and {len(board.senses)} sense lines"',
        "#endif",
        "",
        "struct pin {",
        "    volatile uint8_t *ddr;",
        "    uint8_t mask;",
        "};",
        "",
        *_table("DRIVE_PINS", board, board.drives),
        "",
        *_table("SENSE_PINS", board, board.senses),
        "",
        "/* The contacts of the line that is driven now. */",
        "static inline row_t pins_senses(void)",
        "{",
        "    row_t raw = 0;",
        *_sense_lines(board),
        "    return (row_t)~raw & ALL_SENSES;",
        "}",
        "",
        "#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))",
        "",
        "/* Lets go of the line (an input with its pull-up: two outputs must never fight) and pulls the next one low. */",
        "static inline void pins_next_line(uint8_t line)",
        "{",
        "    switch (line) {",
        *_drive_lines(board),
        "    }",
        "}",
        "",
        "/* Pull-ups for lines and buttons, outputs for the lamp. */",
        "static inline void pins_start(void)",
        "{",
        *_start_lines(board),
        "}",
        "",
        "static inline uint8_t pins_buttons(void)",
        "{",
        *_button_lines(board),
        "}",
        "",
        "static inline void pins_lamp(uint8_t colours)",
        "{",
        *_lamp_lines(board),
        "}",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def _pin_name(pin: str) -> str:
    return pin if pin.startswith("A") else f"D{pin}"


def _tables(board: Board) -> Iterator[str]:
    drives, senses = board.default_drives, board.default_senses
    yield f"## {board.title}"
    yield ""
    yield (
        f"Built for {drives} x {senses} unless told otherwise (`make DRIVES={drives} SENSES={senses}`); there are pins"
        f" for {len(board.drives)} x {len(board.senses)}."
    )
    yield ""
    yield "| pin | chip | what | to |"
    yield "| --- | --- | --- | --- |"
    for pin, use in board.used.items():
        yield f"| {_pin_name(pin)} | P{board.pins[pin]} | {use} | {_other_end(use, board)} |"
    for pin, what in zip(SERIAL, ("from the host", "to the host"), strict=True):
        yield f"| {_pin_name(pin)} | P{board.pins[pin]} | serial line | {what}, over USB: leave it free |"
    yield ""
    free = ", ".join(map(_pin_name, board.free)) or "none"
    yield f"Free for something else: {free}."


def _other_end(use: str, board: Board) -> str:
    kind, _, number = use.partition(" ")
    if kind in ("drive", "sense"):
        limit = board.default_drives if kind == "drive" else board.default_senses
        spare = "" if int(number) < limit else " (only in a larger build)"
        return f"flex tail, {kind} line {number}, through 220 Ω{spare}"
    if use == "piezo":
        return "piezo, through 10 kΩ, clamped; 1 MΩ to GND"
    if use.endswith("button"):
        return "push button to GND"
    return "on the board itself" if use == "lamp" else "LED, through 330 Ω, to GND"


def pin_tables(boards: list[Board]) -> str:
    """The page of the pin tables."""
    lines = [
        f"<!-- {MADE.format('*')} -->",
        "# Pins",
        "",
        "Which side of the matrix is called drive and which sense does not matter to the mapping wizard: it finds out which",
        "pair each bed is. GND of the board joins the buttons, the LEDs, the piezo and the TVS arrays.",
        "",
    ]
    for board in boards:
        lines += [*_tables(board), "", f"![How the {board.title} is wired](wiring-{board.name}.svg)", ""]
    return "\n".join(lines).rstrip() + "\n"


def _group(name: str, kind: str, labels: list[str], notes: str) -> Iterator[str]:
    yield f"  {name}:"
    yield f"    type: {kind}"
    yield f"    pinlabels: [{', '.join(labels)}]"
    if notes:
        yield f"    notes: {notes}"


def wiring(board: Board) -> str:
    """The wiring of the board at its default size, as wireviz reads it."""
    drives, senses = board.drives[: board.default_drives], board.senses[: board.default_senses]
    colours = [name for name in board.lamp if name != "any"]
    here = [*drives, *senses, board.piezo, *board.buttons.values(), *(board.lamp[c] for c in colours)]
    groups: list[tuple[str, str, list[str], str, list[str]]] = [
        ("drive lines", "flex tail", [f"drive {i}" for i in range(len(drives))], "Through 220 Ω and a TVS array", list(drives)),
        ("sense lines", "flex tail", [f"sense {i}" for i in range(len(senses))], "Through 220 Ω and a TVS array", list(senses)),
        ("piezo", "piezo disc", ["signal", "GND"], "1 MΩ across the disc, 10 kΩ in series, two clamp diodes", [board.piezo, "GND"]),
    ]  # fmt: skip
    if board.buttons:
        pins = [*board.buttons.values(), "GND"]
        groups.append(("buttons", "push buttons to GND", [*board.buttons, "GND"], "", pins))
    if colours:
        pins = [*(board.lamp[c] for c in colours), "GND"]
        groups.append(("lamp", "RGB LED, common cathode", [*colours, "GND"], "330 Ω in each colour", pins))
    lines = [f"# {MADE.format(board.name)}", "connectors:"]
    own = [*map(_pin_name, here), "GND"]
    lines += _group(
        board.title, "microcontroller board", own, "Power from the USB socket of the host and nothing else"
    )
    for name, kind, labels, notes, _ in groups:
        lines += _group(name, kind, labels, notes)
    lines.append("cables:")
    for i, (name, _, labels, _, _) in enumerate(groups, 1):
        gauge = "ribbon cable" if name.endswith("lines") else "hook-up wire"
        lines += [f"  W{i}:", f"    type: {gauge}", f"    wirecount: {len(labels)}", "    color_code: DIN"]
    lines.append("connections:")
    for i, (name, _, labels, _, pins) in enumerate(groups, 1):
        near = [pin if pin == "GND" else _pin_name(pin) for pin in pins]
        lines += [
            "  -",
            f"    - {board.title}: [{', '.join(near)}]",
            f"    - W{i}: [1-{len(labels)}]",
            f"    - {name}: [{', '.join(labels)}]",
        ]
    return "\n".join(lines) + "\n"


def digest_comment(yaml: str) -> str:
    """What the SVG says of the YAML that it was drawn from."""
    return f"<!-- drawn by wireviz from YAML with SHA-256 {hashlib.sha256(yaml.encode()).hexdigest()} -->\n"


def draw(yaml: str) -> str:
    """The wiring picture as SVG. Raises CalledProcessError when wireviz or graphviz fails."""
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "wiring.yml"
        source.write_text(yaml, encoding="utf-8")
        tool = Path(sys.executable).parent / "wireviz"
        subprocess.run([tool, "-f", "s", source], check=True, capture_output=True)
        return source.with_suffix(".svg").read_text(encoding="utf-8") + digest_comment(yaml)


def texts() -> dict[Path, str]:
    """Every generated text file but the pictures, with what should be in it."""
    boards = [load_board(name) for name in BOARDS]
    files = {FIRMWARE / "boards" / board.name / "pins.h": header(board) for board in boards}
    files |= {DOCUMENTS / f"wiring-{board.name}.yml": wiring(board) for board in boards}
    return files | {DOCUMENTS / "pins.md": pin_tables(boards)}


def stale() -> list[Path]:
    """The generated files that are not what the descriptions say."""
    wanted = texts()
    old = [
        path for path, text in wanted.items() if not path.exists() or path.read_text(encoding="utf-8") != text
    ]
    for yaml in (path for path in wanted if path.suffix == ".yml"):
        picture = yaml.with_suffix(".svg")
        if not picture.exists() or digest_comment(wanted[yaml]) not in picture.read_text(encoding="utf-8"):
            old.append(picture)
    return old


def simulator_arguments(board: Board) -> list[str]:
    """How the simulator is told of the pins."""

    def chip(pins: list[str]) -> str:
        return ",".join(str(board.pins[pin]) for pin in pins)

    return [
        "--mcu", board.mcu,
        "--drives", chip(list(board.drives)),
        "--senses", chip(list(board.senses)),
        "--buttons", chip(list(board.buttons.values())),
        "--lamp", chip(list(board.lamp.values())),
        "--piezo", str(board.piezo_channel),
    ]  # fmt: skip


def main() -> int:
    """Writes what is not current, or says what is not."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="write nothing; fail if a file is not current")
    options = parser.parse_args()
    wanted, old = texts(), stale()
    for path in old:
        print(("not current: " if options.check else "writing ") + str(path.relative_to(FIRMWARE.parent)))
        if not options.check:
            path.write_text(wanted.get(path) or draw(wanted[path.with_suffix(".yml")]), encoding="utf-8")
    return 1 if options.check and old else 0


if __name__ == "__main__":
    sys.exit(main())
