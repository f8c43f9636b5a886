"""The boards that carry the controller: their connections, in copper too, match the pin table."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from collections import defaultdict
from dataclasses import dataclass
from itertools import combinations

import pytest

from firmware.driver import FIRMWARE

sys.path.insert(0, str(FIRMWARE / "pins"))
from board_pins import Board, load_board

FOLDER = FIRMWARE.parent / "hardware_docs" / "board"

CARRIERS = {"mega2560": ("shield-mega2560", "+5V"), "pico": ("carrier-pico", "+3V3")}
Tree = list["Tree | str"]
CLEARANCE_MM = 0.2


@dataclass(frozen=True)
class Pad:
    """A pad of the file, in mm."""

    ref: str
    value: str
    name: str
    net: str
    x: float
    y: float
    width: float
    height: float
    through: bool


def _tree(text: str) -> Tree:
    stack: list[Tree] = [[]]
    for token in re.findall(r'"[^"]*"|[()]|[^\s()]+', text):
        if token == "(":
            stack.append([])
        elif token == ")":
            done = stack.pop()
            stack[-1].append(done)
        else:
            stack[-1].append(token.strip('"'))
    return stack[0][0]


def _all(tree: Tree, key: str) -> list[Tree]:
    return [node for node in tree if isinstance(node, list) and node and node[0] == key]


def _numbers(tree: Tree, key: str) -> list[float]:
    return [float(value) for value in _all(tree, key)[0][1:3]]


def _pads(tree: Tree) -> list[Pad]:
    pads = []
    for footprint in _all(tree, "footprint"):
        texts = {node[1]: node[2] for node in _all(footprint, "fp_text")}
        left, top = _numbers(footprint, "at")
        for pad in _all(footprint, "pad"):
            x, y = _numbers(pad, "at")
            net = _all(pad, "net")
            named = (texts["reference"], texts["value"], pad[1], net[0][2] if net else "")
            place = (left + x, top + y, *_numbers(pad, "size"))
            pads.append(Pad(*named, *place, through=pad[2] == "thru_hole"))
    return pads


@pytest.fixture(params=CARRIERS)
def carrier(request: pytest.FixtureRequest) -> tuple[Board, Tree, str]:
    """Each board with its pin table, its KiCad file and its supply."""
    name, supply = CARRIERS[request.param]
    text = (FOLDER / f"{name}.kicad_pcb").read_text(encoding="utf-8")
    return load_board(request.param), _tree(text), supply


def _pin_pad(board: Board, pin: str) -> str:
    leg = board.pins[pin].leg
    return pin if leg is None else str(leg)


def test_every_line_runs_from_its_tail_to_its_pin(carrier: tuple[Board, Tree, str]) -> None:
    """Tail, clamp to ground, 220 Ω, pin; a sense line has 10 kΩ to the supply at the pin; there are no other
    connections."""
    board, tree, supply = carrier
    nets: dict[str, list[Pad]] = defaultdict(list)
    for pad in _pads(tree):
        nets[pad.net].append(pad)
    net_of = {(pad.ref, pad.name): pad.net for pad in _pads(tree)}
    tails = {"drive": ("J2", board.drives[: board.default_drives]), "sense": ("J3", board.senses)}
    for kind, (header, pins) in tails.items():
        for number, pin in enumerate(pins[: getattr(board, f"default_{kind}s")], 1):
            at_pin = [pad for pad in nets[net_of["J1", _pin_pad(board, pin)]] if pad.ref != "J1"]
            at_tail = nets[net_of[header, str(number)]]
            series = {pad.ref for pad in at_pin if pad.value == "220"}
            assert len(series) == 1 and series <= {pad.ref for pad in at_tail}, pin
            pulled = [net_of[pad.ref, "2"] for pad in at_pin if pad.value == "10k"]
            assert pulled == ([supply] if kind == "sense" else []), pin
            clamps = {pad.ref for pad in at_tail if pad.value == "SP0502BAHTG"}
            assert len(clamps) == 1 and net_of[clamps.pop(), "3"] == "GND", pin
            assert {pad.value for pad in at_tail} == {"220", "SP0502BAHTG", f"{kind} tail"}, pin


def test_piezo_buttons_and_lamp_reach_their_pins(carrier: tuple[Board, Tree, str]) -> None:
    """1 MΩ across the disc, 10 kΩ to the pin, a diode to ground and a diode to the supply; LEDs by 330 Ω."""
    board, tree, supply = carrier
    net_of = {(pad.ref, pad.name): pad.net for pad in _pads(tree)}
    disc, pin = net_of["J6", "1"], net_of["J1", _pin_pad(board, board.piezo)]
    assert {net_of["R201", "1"], net_of["R201", "2"]} == {disc, "GND"}
    assert {net_of["R202", "1"], net_of["R202", "2"]} == {disc, pin}
    assert (net_of["D201", "1"], net_of["D201", "2"]) == (pin, "GND")  # pad 1 is the cathode
    assert (net_of["D202", "1"], net_of["D202", "2"]) == (supply, pin)
    for number, name in enumerate(board.buttons, 1):
        assert net_of["J4", str(number)] == net_of["J1", _pin_pad(board, board.buttons[name])]
    for number, name in enumerate([name for name in board.lamp if name != "any"], 1):
        ends = {net_of[f"R{300 + number}", side] for side in ("1", "2")}
        assert ends == {net_of["J5", str(number)], net_of["J1", _pin_pad(board, board.lamp[name])]}


def _holes(tree: Tree) -> list[tuple[float, float]]:
    """Return the middles of the screw holes, each of 3.2 mm and without copper."""
    holes = []
    for footprint in _all(tree, "footprint"):
        left, top = _numbers(footprint, "at")
        for pad in _all(footprint, "pad"):
            if pad[2] == "np_thru_hole":
                assert float(_all(pad, "drill")[0][1]) == 3.2 and not _all(pad, "net")
                holes.append((left, top))
    return holes


@pytest.mark.parametrize("name", [name for name, _ in CARRIERS.values()])
def test_an_assembler_finds_every_part(name: str) -> None:
    """Each part of the KiCad file can be ordered, and the position file has its middle, measured from below."""
    tree = _tree((FOLDER / f"{name}.kicad_pcb").read_text(encoding="utf-8"))
    left, _, _, bottom = _corners(tree)
    spots: dict[str, list[Pad]] = defaultdict(list)
    for pad in _pads(tree):
        if pad.ref[:1] in "RDCJ":
            spots[pad.ref].append(pad)
    with (FOLDER / f"{name}-parts.csv").open(encoding="utf-8", newline="") as file:
        bought = [*csv.DictReader(file)]
    named = [ref for row in bought for ref in row["where"].split()]
    assert sorted(named) == sorted(spots) and sum(int(row["quantity"]) for row in bought) == len(named)
    for row in bought:
        assert row["maker"] and row["order number"] and row["package"] and 0 < float(row["height_mm"]) <= 12
    with (FOLDER / f"{name}-positions.csv").open(encoding="utf-8", newline="") as file:
        placed = {row["Designator"]: row for row in csv.DictReader(file)}
    assert set(placed) == set(spots)
    for ref, row in placed.items():
        xs, ys = [pad.x for pad in spots[ref]], [pad.y for pad in spots[ref]]
        middle = ((min(xs) + max(xs)) / 2 - left, bottom - (min(ys) + max(ys)) / 2)
        assert (float(row["Mid X"]), float(row["Mid Y"])) == pytest.approx(middle, abs=1e-3), ref
        assert row["Layer"] == ("bottom" if (ref, name) == ("J1", "shield-mega2560") else "top")


def _corners(tree: Tree) -> list[float]:
    """Return the outline: left, top, right, bottom."""
    return [float(value) for end in ("start", "end") for value in _numbers(_all(tree, "gr_rect")[0], end)]


# From Arduino's drawing of the Mega 2560, in mm from its lower left corner.
MEGA_OUTLINE = (101.6, 53.34)
MEGA_HOLES = {(13.97, 2.54), (15.24, 50.8), (66.04, 7.62), (66.04, 35.56), (90.17, 50.8), (96.52, 2.54)}
MEGA_TALL = {"USB socket": (-6.4, 32.0, 10.2, 44.5), "supply socket": (-1.9, 3.3, 11.7, 12.4)}
MEGA_PINS = {"VIN": (45.72, 2.54), "A0": (50.8, 2.54), "A15": (91.44, 2.54), "0": (63.5, 50.8), "7": (45.72, 50.8),
             "22": (93.98, 48.26), "53": (96.52, 10.16)}  # fmt: skip


def test_the_shield_s_screws_pass_through_the_mega_s_holes() -> None:
    """Pins and screws of the shield meet the Mega's, and the shield covers no tall part of the Mega."""
    tree = _tree((FOLDER / "shield-mega2560.kicad_pcb").read_text(encoding="utf-8"))
    left, top, right, bottom = _corners(tree)
    header = {pad.name: (pad.x, pad.y) for pad in _pads(tree) if pad.ref == "J1"}
    at_mega = header["VIN"][0] - MEGA_PINS["VIN"][0], header["VIN"][1] + MEGA_PINS["VIN"][1]
    for name, (x, y) in MEGA_PINS.items():
        assert header[name] == pytest.approx((at_mega[0] + x, at_mega[1] - y), abs=0.01), name
    holes = [(x - at_mega[0], at_mega[1] - y) for x, y in _holes(tree)]
    assert len(holes) >= 2
    for hole in holes:
        assert min(abs(hole[0] - x) + abs(hole[1] - y) for x, y in MEGA_HOLES) < 0.05, hole
    assert right - at_mega[0] <= MEGA_OUTLINE[0] and bottom - top <= MEGA_OUTLINE[1]
    for part, (_, _, end, _) in MEGA_TALL.items():
        assert left - at_mega[0] > end, part


def test_screws_hold_it_and_no_track_runs_beneath_their_heads(carrier: tuple[Board, Tree, str]) -> None:
    """Tracks, vias and pads are at least 3 mm from the middles of the holes, the edge 2.5 mm."""
    board, tree, _ = carrier
    holes = _holes(tree)
    assert len(holes) == (2 if board.is_avr else 4)
    corners = _corners(tree)
    points = [(pad.x, pad.y) for pad in _pads(tree) if (pad.x, pad.y) not in holes]
    points += [(_numbers(via, "at")[0], _numbers(via, "at")[1]) for via in _all(tree, "via")]
    for segment in _all(tree, "segment"):
        (x1, y1), (x2, y2) = _numbers(segment, "start"), _numbers(segment, "end")
        points += [(x1 + (x2 - x1) * i / 20, y1 + (y2 - y1) * i / 20) for i in range(21)]
    for x, y in holes:
        assert min(x - corners[0], y - corners[1], corners[2] - x, corners[3] - y) >= 2.5
        assert min(((px - x) ** 2 + (py - y) ** 2) ** 0.5 for px, py in points) >= 3


def test_every_part_that_is_soldered_is_named_on_the_board(carrier: tuple[Board, Tree, str]) -> None:
    """The silkscreen names resistors, diodes, clamps and capacitors, so that nobody must guess."""
    _, tree, _ = carrier
    words = " ".join(
        str(node[1]) for node in _all(tree, "gr_text") if _all(node, "layer")[0][1] == "F.SilkS"
    ).split()
    assert {pad.ref for pad in _pads(tree) if pad.ref[0] in "RDC"} <= set(words)


def test_the_silkscreen_names_each_header_and_pin_once(carrier: tuple[Board, Tree, str]) -> None:
    """Headers J2 to J6, every line of both tails, the board and its revision: each has a unique text."""
    board, tree, _ = carrier
    texts = [str(node[1]) for node in _all(tree, "gr_text") if _all(node, "layer")[0][1] == "F.SilkS"]
    words = [word for text in texts if "." not in text for word in text.split()]
    lines = [f"dr{i}" for i in range(board.default_drives)] + [f"se{i}" for i in range(board.default_senses)]
    jumper = ["JP1", "reset", "hold"] if board.is_avr else []
    for name in [*lines, *(f"J{n}" for n in range(2, 7)), *jumper, "rev"]:
        assert words.count(name) == 1, name


def test_all_copper_of_a_net_is_joined_and_keeps_away_from_others(carrier: tuple[Board, Tree, str]) -> None:
    """Tracks and vias join all pads of each net except ground, which has its pour; other copper is 0.2 mm away."""
    _, tree, _ = carrier
    names = {node[1]: node[2] for node in _all(tree, "net")}
    pieces: list[tuple[str, frozenset[str], float, tuple[float, float, float, float]]] = []
    for pad in _pads(tree):
        layers = frozenset(("F.Cu", "B.Cu") if pad.through else ("F.Cu",))
        half = min(pad.width, pad.height) / 2
        reach = max(pad.width, pad.height) / 2 - half
        pieces.append(
            (pad.net or f"{pad.ref} {pad.name}", layers, half, (pad.x - reach, pad.y, pad.x + reach, pad.y))
        )
    pads = len(pieces)
    for segment in _all(tree, "segment"):
        width = float(_all(segment, "width")[0][1]) / 2
        ends = (*_numbers(segment, "start"), *_numbers(segment, "end"))
        layer = frozenset({_all(segment, "layer")[0][1]})
        pieces.append((names[_all(segment, "net")[0][1]], layer, width, ends))
    for via in _all(tree, "via"):
        x, y = _numbers(via, "at")
        size = float(_all(via, "size")[0][1]) / 2
        pieces.append((names[_all(via, "net")[0][1]], frozenset(("F.Cu", "B.Cu")), size, (x, y, x, y)))
    group = list(range(len(pieces)))

    def root(i: int) -> int:
        while group[i] != i:
            i = group[i]
        return i

    for (i, combination), (j, two) in combinations(enumerate(pieces), 2):
        if not combination[1] & two[1]:
            continue
        gap = _gap(combination[3], two[3]) - combination[2] - two[2]
        if combination[0] == two[0]:
            if gap < 0:
                group[root(i)] = root(j)
        else:
            assert gap >= CLEARANCE_MM - 1e-6, (combination, two)
    for net in {piece[0] for piece in pieces} - {"GND"}:
        assert len({root(i) for i in range(pads) if pieces[i][0] == net}) <= 1, net


def _gap(item: tuple[float, float, float, float], two: tuple[float, float, float, float]) -> float:
    """Return the gap between two segments along the axes, as all tracks here are."""
    dx = max(0.0, min(two[0], two[2]) - max(item[0], item[2]), min(item[0], item[2]) - max(two[0], two[2]))
    dy = max(0.0, min(two[1], two[3]) - max(item[1], item[3]), min(item[1], item[3]) - max(two[1], two[3]))
    return float((dx * dx + dy * dy) ** 0.5)


@pytest.mark.long
def test_generated_files_are_current() -> None:
    """KiCad files, parts lists and schematic match the pin tables."""
    command = [sys.executable, str(FOLDER / "generate.py"), "--check"]
    run = subprocess.run(command, capture_output=True, text=True)
    assert run.returncode == 0, run.stdout
