"""The C header of a board's pins, and the board's variables for the Makefile."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from board_pins import BUTTONS, LAMPS, Board, ChipPin, made_from


def _runs(pins: list[ChipPin]) -> Iterator[tuple[str, int, int, int]]:
    """Return each run of rising bits in one port: (port, first bit, place in the row, length)."""
    start = 0
    for i in range(1, len(pins) + 1):
        last = pins[i - 1]
        if i < len(pins) and (pins[i].port, pins[i].bit) == (last.port, last.bit + 1):
            continue
        yield pins[start].port, pins[start].bit, start, i - start
        start = i


def _sense_lines(board: Board) -> Iterator[str]:
    for port, bit, place, length in _runs([board.pins[pin] for pin in board.senses]):
        mask = ((1 << length) - 1) << bit
        read = f"PIN{port}" if mask == 0xFF else f"(PIN{port} & 0x{mask:02X})"
        shift = place - bit
        moved = f"(row_t)({read} << {shift})" if shift > 0 else f"({read} >> {-shift})" if shift else read
        yield f"    raw = (row_t)(raw | {moved});"


def _drive_lines(board: Board) -> Iterator[str]:
    """Return one case of constants per line: a table of pointers would double the interrupt's time."""
    chips = [board.pins[pin] for pin in board.drives]
    for line, chip in enumerate(chips):
        yield f"    case {line}:"
        yield f"        DDR{chip.port} &= (uint8_t)~(1 << {chip.bit});"
        yield f"        PORT{chip.port} |= 1 << {chip.bit};"
        if line + 1 < len(chips):
            yield f"        if (last == {line})"
            yield "            break;"
            yield f"        DRIVE_LOW({chips[line + 1].port}, {chips[line + 1].bit});"
            yield "        return;"
    yield "    }"
    yield f"    DRIVE_LOW({chips[0].port}, {chips[0].bit});"


def _table(name: str, board: Board, pins: tuple[str, ...]) -> Iterator[str]:
    yield f"static const struct pin {name}[] = {{"
    for pin in pins:
        chip = board.pins[pin]
        yield f"    {{&DDR{chip.port}, 1 << {chip.bit}}}, /* {pin} */"
    yield "};"


def _start_lines(board: Board) -> Iterator[str]:
    for name, count in (("DRIVE_PINS", "MAX_DRIVES"), ("SENSE_PINS", "MAX_SENSES")):
        yield f"    for (uint8_t i = 0; i < {count}; i++) {{"
        yield f"        *{name}[i].ddr &= (uint8_t)~{name}[i].mask;"
        yield f"        *({name}[i].ddr + 1) |= {name}[i].mask;"
        yield "    }"
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


def _bits(board: Board, pins: Iterable[str]) -> str:
    return " | ".join(f"1U << {board.pins[pin].bit}" for pin in pins) or "0U"


def _rp2040_header(board: Board) -> str:
    reads = [
        f"    raw = (row_t)(raw | (~levels >> {bit} & 0x{(1 << length) - 1:X}) << {place});"
        for _, bit, place, length in _runs([board.pins[pin] for pin in board.senses])
    ]
    buttons = [
        f"    down |= (uint8_t)((~levels >> {board.pins[pin].bit} & 1) << {BUTTONS.index(name)}); /* {name} */"
        for name, pin in board.buttons.items()
    ]
    lamp = [
        f"    lit |= colours & {LAMPS[name]} ? 1U << {board.pins[pin].bit} : 0; /* {name} */"
        for name, pin in board.lamp.items()
    ]
    lines = [
        f"/* Pins of the {board.title}; {made_from(board.name)}. */",
        "#ifndef SCHARTEN_PINS_H",
        "#define SCHARTEN_PINS_H",
        "",
        '#include "../../src/size.h"',
        "",
        f'#define BOARD_NAME "{board.hello_name}"',
        f"#define PIEZO_PIN {board.pins[board.piezo].bit}",
        f"#define PIEZO_CHANNEL {board.piezo_channel}",
        f"#define PIN_COUNT {max(pin.bit for pin in board.pins.values()) + 1}",
        f"#define LAMP_PINS ({_bits(board, board.lamp.values())})",
        f"#define ALL_DRIVE_PINS ({_bits(board, board.drives)})",
        "",
        f"static const uint32_t DRIVE_PINS[] = {{{', '.join(_bits(board, [pin]) for pin in board.drives)}}};",
        "",
        "/* The contacts of the line that is driven now. */",
        "static inline row_t pins_senses(uint32_t levels)",
        "{",
        "    row_t raw = 0;",
        *reads,
        "    return raw;",
        "}",
        "",
        "static inline uint8_t pins_buttons(uint32_t levels)",
        "{",
        "    uint8_t down = 0;",
        *buttons,
        "    return down;",
        "}",
        "",
        "static inline uint32_t pins_lamp(uint8_t colours)",
        "{",
        "    uint32_t lit = 0;",
        *lamp,
        "    return lit;",
        "}",
        "",
        "#endif",
    ]
    return "\n".join(lines) + "\n"


def header(board: Board) -> str:
    """The C header of the board's pins."""
    return _avr_header(board) if board.is_avr else _rp2040_header(board)


def _avr_header(board: Board) -> str:
    lines = [
        f"/* Pins of the {board.title}; {made_from(board.name)}. */",
        "#ifndef SCHARTEN_PINS_H",
        "#define SCHARTEN_PINS_H",
        "",
        "#include <avr/io.h>",
        "",
        '#include "../../src/size.h"',
        "",
        f'#define BOARD_NAME "{board.hello_name}"',
        f"#define PIEZO_CHANNEL {board.piezo_channel}",
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
        "    return (row_t)~raw;",
        "}",
        "",
        "#define DRIVE_LOW(port, bit) (PORT##port &= (uint8_t)~(1 << (bit)), DDR##port |= 1 << (bit))",
        "",
        "/* Lets go of the line (an input with its pull-up: outputs must never fight), and pulls the next low, after",
        " * the last the first. */",
        "static inline void pins_next_line(uint8_t line, uint8_t last)",
        "{",
        "    switch (line) {",
        *_drive_lines(board),
        "}",
        "",
        "/* All lines let go, pull-ups for them and the buttons, outputs for the lamp; then the first line low. */",
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


def makefile(board: Board) -> str:
    """Return the board's chip, programmer, default matrix and memory as variables of make."""
    flash = board.flash
    variables = {
        "mcu": board.mcu,
        "drives": board.default_drives,
        "senses": board.default_senses,
        "max_drives": len(board.drives),
        "max_senses": len(board.senses),
        "flash": flash.flash_bytes,
        "ram": flash.ram_bytes,
    }
    lines = [f"# {made_from(board.name)}"]
    return (
        "\n".join([*lines, *(f"{name}_{board.name} := {value}" for name, value in variables.items())]) + "\n"
    )
