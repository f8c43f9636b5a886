"""The schematics and perfboards: generated from the pin tables, and legible in any font."""

from __future__ import annotations

import re
import sys
from itertools import combinations
from xml.etree import ElementTree

import pytest

from firmware.driver import FIRMWARE

sys.path.insert(0, str(FIRMWARE / "pins"))
from board_pins import BOARDS, load_board

DOCUMENTS = FIRMWARE.parent / "hardware_docs"
TEXT = "{http://www.w3.org/2000/svg}text"
PARTS_OF_WIDTH = {"start": 0.0, "middle": 0.5, "end": 1.0}


def _picture(name: str) -> ElementTree.Element:
    return ElementTree.parse(DOCUMENTS / f"{name}.svg").getroot()


@pytest.mark.parametrize("name", [f"{kind}-{name}" for kind in ("schematic", "perfboard") for name in BOARDS])
def test_no_text_overlaps_or_leaves_the_picture(name: str) -> None:
    """Every text has a fixed length in any font; the texts' boxes lie apart and inside the picture."""
    root = _picture(name)
    boxes = []
    for text in root.iter(TEXT):
        x, y, size, length = (float(text.attrib[key]) for key in ("x", "y", "font-size", "textLength"))
        left = x - length * PARTS_OF_WIDTH[text.attrib["text-anchor"]]
        boxes.append((left, y - size * 0.8, left + length, y + size * 0.25, text.text))
    width, height = float(root.attrib["width"]), float(root.attrib["height"])
    assert len(boxes) > 20
    assert [
        box for box in boxes if not (box[0] >= 0 and box[2] <= width and box[1] >= 0 and box[3] <= height)
    ] == []
    meeting = [
        (combination[4], two[4])
        for combination, two in combinations(boxes, 2)
        if combination[0] < two[2]
        and two[0] < combination[2]
        and combination[1] < two[3]
        and two[1] < combination[3]
    ]
    assert meeting == []


@pytest.mark.parametrize("name", BOARDS)
def test_every_pin_of_the_default_matrix_is_named(name: str) -> None:
    """Drives and senses are in order; piezo, buttons and colours have their pins."""
    board, words = load_board(name), [text.text or "" for text in _picture(f"schematic-{name}").iter(TEXT)]
    for kind, pins in (("drive", board.drives), ("sense", board.senses)):
        count = getattr(board, f"default_{kind}s")
        named = ", ".join(f"D{pin}" if pin.isdigit() else pin for pin in pins[:count])
        assert f"{kind} 0 to {count - 1}: {named}" in words
    colours = [pin for colour, pin in board.lamp.items() if colour != "any"]
    for pin in [board.piezo, *board.buttons.values(), *colours]:
        assert (f"D{pin}" if pin.isdigit() else pin) in words


@pytest.mark.parametrize("name", BOARDS)
def test_texts_of_the_wiring_pictures_have_their_length(name: str) -> None:
    """A font wider than graphviz measured cannot push a text out of its cell."""
    picture = (DOCUMENTS / f"wiring-{name}.svg").read_text(encoding="utf-8")
    texts = re.findall(r"<text [^>]*>", picture)
    assert len(texts) > 50 and all("textLength=" in text for text in texts)
