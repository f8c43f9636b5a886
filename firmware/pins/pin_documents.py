"""Documents of a board's pins: tables and wiring."""

from __future__ import annotations

from collections.abc import Iterator

from board_pins import SERIAL, Board, made_from

PIEZO = "1 MΩ across the disc, 10 kΩ in series, clamp diodes from GND to the pin and from the pin to {}"
PULL_UP = "10 kΩ to {}, at the pin"
SUPPLY_LEG, GROUND_LEG = 36, 38


def supply_name(board: Board) -> str:
    """Return the silkscreen's name of the board's supply, for pull-ups and the piezo's upper clamp."""
    return "5V" if board.is_avr else "3V3"


def _pin_name(pin: str) -> str:
    return f"D{pin}" if pin.isdigit() else pin


def _tables(board: Board) -> Iterator[str]:
    drives, senses = board.default_drives, board.default_senses
    yield f"## {board.title}"
    yield ""
    yield (
        f"Scans {drives} x {senses} until a host says otherwise; there are pins for {len(board.drives)} x"
        f" {len(board.senses)}."
    )
    yield ""
    yield f"| pin | {'chip' if board.is_avr else 'leg'} | what | to |"
    yield "| --- | --- | --- | --- |"
    for pin, use in board.used.items():
        yield f"| {_pin_name(pin)} | {board.pins[pin].place} | {use} | {_other_end(use, board)} |"
    supply = supply_name(board)
    ends = f"{PULL_UP.format(supply)}, of every sense line; the piezo's upper diode; never another supply"
    yield f"| {supply} | {'–' if board.is_avr else f'leg {SUPPLY_LEG}'} | supply | {ends} |"
    yield "| GND | – | ground | every clamp (TVS), buttons, LEDs, piezo |"
    if board.is_avr:
        for pin, what in zip(SERIAL, ("from the host", "to the host"), strict=True):
            yield f"| {_pin_name(pin)} | {board.pins[pin].place} | serial line | {what}, over USB: leave it free |"
    yield ""
    free = ", ".join(map(_pin_name, board.free)) or "none"
    yield f"Free for something else: {free}."


def _other_end(use: str, board: Board) -> str:
    kind, _, number = use.partition(" ")
    if kind in ("drive", "sense"):
        limit = board.default_drives if kind == "drive" else board.default_senses
        spare = "" if int(number) < limit else " (only for a larger matrix)"
        pulled = "" if kind == "drive" else f"; {PULL_UP.format(supply_name(board))}"
        return f"flex tail, {kind} line {number}, through 220 Ω{pulled}{spare}"
    if use == "piezo":
        return f"piezo, through 10 kΩ, clamped to GND and {supply_name(board)}; 1 MΩ to GND"
    if use.endswith("button"):
        return "push button to GND"
    return "on the board itself" if use == "lamp" else "LED, through 330 Ω, to GND"


def pin_tables(boards: list[Board]) -> str:
    """Return the page with the pin tables."""
    lines = [
        f"<!-- {made_from('*')} -->",
        "# Pins",
        "",
        "Which side of the matrix is called drive and which sense does not matter to the mapping wizard: it finds",
        "out which pair each bed is. [The schematic](schematic.md) shows what lies between a tail and its pin.",
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
    """Return the wiring of the board at its default size as input for wireviz."""
    drives, senses = board.drives[: board.default_drives], board.senses[: board.default_senses]
    colours = [name for name in board.lamp if name != "any"]
    here = [*drives, *senses, board.piezo, *board.buttons.values(), *(board.lamp[c] for c in colours)]
    supply = supply_name(board)
    guard = "Each through 220 Ω; on the tail's side of it a clamp (TVS) from the line to GND"
    groups: list[tuple[str, str, list[str], str, list[str]]] = [
        ("drive lines", "flex tail", [f"drive {i}" for i in range(len(drives))], guard, list(drives)),
        ("sense lines", "flex tail", [f"sense {i}" for i in range(len(senses))], guard, list(senses)),
        ("pull-ups", "10 kΩ a sense line", ["common"], "The other end at each sense pin", [supply]),
        (
            "piezo",
            "piezo disc",
            ["signal", "GND", "upper clamp"],
            PIEZO.format(supply),
            [board.piezo, "GND", supply],
        ),
    ]
    if board.buttons:
        pins = [*board.buttons.values(), "GND"]
        groups.append(("buttons", "push buttons to GND", [*board.buttons, "GND"], "", pins))
    if colours:
        pins = [*(board.lamp[c] for c in colours), "GND"]
        groups.append(("lamp", "RGB LED, common cathode", [*colours, "GND"], "330 Ω in each colour", pins))
    lines = [f"# {made_from(board.name)}", "connectors:"]
    own = [*map(_pin_name, here), supply, "GND"]
    lines += _group(
        board.title, "microcontroller board", own, "Power from the USB socket of the host and nothing else"
    )
    if not board.is_avr:  # the board prints the numbers of its legs, and one of its eight grounds will do
        legs = [board.pins[pin].leg for pin in here] + [SUPPLY_LEG, GROUND_LEG]
        lines.append(f"    pins: [{', '.join(map(str, legs))}]")
    for name, kind, labels, notes, _ in groups:
        lines += _group(name, kind, labels, notes)
    lines.append("cables:")
    for i, (name, _, labels, _, _) in enumerate(groups, 1):
        gauge = "ribbon cable" if name.endswith("lines") else "hook-up wire"
        lines += [f"  W{i}:", f"    type: {gauge}", f"    wirecount: {len(labels)}", "    color_code: DIN"]
    lines.append("connections:")
    for i, (name, _, labels, _, pins) in enumerate(groups, 1):
        near = [pin if pin in ("GND", supply) else _pin_name(pin) for pin in pins]
        lines += [
            "  -",
            f"    - {board.title}: [{', '.join(near)}]",
            f"    - W{i}: [1-{len(labels)}]",
            f"    - {name}: [{', '.join(labels)}]",
        ]
    return "\n".join(lines) + "\n"
