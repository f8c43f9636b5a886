"""The perfboards: their wires and legs form the circuit, and can be soldered as drawn."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator

import pytest

from firmware.driver import FIRMWARE

sys.path.insert(0, str(FIRMWARE.parent / "hardware_docs" / "board"))
from circuit import BOARDS, Board, Kind, line_parts, load_board, pin_nets, stage_parts
from perfboard import Hole, Join, Layout, layout

COLUMNS, ROWS = 26, 31
"""The holes of the perfboard in the parts list."""


def _holes(join: Join) -> Iterator[Hole]:
    (x1, y1), (x2, y2) = join.start, join.end
    assert x1 == x2 or y1 == y2, "a bare wire lies in a row or column"
    for x in range(min(x1, x2), max(x1, x2) + 1):
        for y in range(min(y1, y2), max(y1, y2) + 1):
            yield x, y


def _ends(made: Layout) -> dict[str, Hole]:
    """Return every leg as `ref.pad` and every wire by its target, with its hole."""
    ends = {f"{ref}.{pad}": hole for ref, (_, legs) in made.parts.items() for pad, hole in legs.items()}
    return ends | {f"{wire.to} {wire.hole}": wire.hole for wire in made.wires}


def _joined(made: Layout) -> set[frozenset[str]]:
    """Return the groups that the bare wires alone connect."""
    group = {
        hole: hole
        for hole in [*_ends(made).values(), *(hole for join in made.joins for hole in _holes(join))]
    }

    def root(hole: Hole) -> Hole:
        while group[hole] != hole:
            hole = group[hole]
        return hole

    for join in made.joins:
        for hole in _holes(join):
            group[root(hole)] = root(join.start)
    found: dict[Hole, set[str]] = {}
    for name, hole in _ends(made).items():
        found.setdefault(root(hole), set()).add(name.partition(" (")[0])
    return {frozenset(names) for names in found.values()}


def _wanted(board: Board) -> set[frozenset[str]]:
    """Return the nets of the circuit: legs, pins of the controller, and the other ends of wires."""
    nets: dict[str, set[str]] = {"GND": {"GND", "disc"}, "disc": {"disc"}}
    if board.buttons or "red" in board.lamp:
        nets["GND"].add("LED, buttons")
    for part in [*line_parts(board), *stage_parts(board)]:
        if part.kind is not Kind.HEADER or part.ref == "JP1":
            for pad, net in part.nets.items():
                nets.setdefault(net, set()).add(f"{part.ref}.{pad}")
    for net, names in nets.items():
        kind, _, number = net.removeprefix("tail_").partition("_")
        if net.startswith("tail_"):
            names.add(f"{kind[:2]}{number}")
        elif net.startswith("led_") or net == "RESET":
            names.add(net.removeprefix("led_"))
        elif net.startswith("+"):
            names.add(net[1:])
    for pin, net in pin_nets(board).items():
        if not net.startswith("button_"):
            nets[net].add(f"D{pin}" if pin.isdigit() else pin)
    return {frozenset(names) for names in nets.values()}


@pytest.mark.parametrize("name", BOARDS)
def test_the_wires_form_the_circuit(name: str) -> None:
    """Connected legs and wires on the perfboard are exactly those of the circuit, for each controller."""
    board = load_board(name)
    assert _joined(layout(board)) == _wanted(board)


@pytest.mark.parametrize("name", BOARDS)
def test_it_can_be_soldered(name: str) -> None:
    """Each hole has one leg or wire, none is beneath a part's body, and all fit the board of the parts list."""
    made = layout(load_board(name))
    used = Counter(_ends(made).values())
    assert [hole for hole, count in used.items() if count > 1] == []
    for part, legs in made.parts.values():
        first, *_, last = legs.values()
        between = set(_holes(Join(first, last))) - set(legs.values())
        assert not between & set(used), part.ref
        if part.kind in (Kind.RESISTOR, Kind.DIODE):
            assert len(between) == 2, "legs 7.62 mm apart"
    assert made.columns <= COLUMNS and made.rows <= ROWS
    assert all(column < made.columns and row < made.rows for column, row in used)
