"""The build documents match the program, and their links work."""

from __future__ import annotations

import re

import pytest

from firmware.driver import FIRMWARE
from scharten.dartboard.lines import HitLine, KnockLine, Setting, parse_board_line, parse_host_line

DOCUMENTS = FIRMWARE.parent / "hardware_docs"
OWN = (
    "README.md",
    "which-board.md",
    "build-guide.md",
    "parts.md",
    "pins.md",
    "schematic.md",
    "bring-up.md",
    "troubleshooting.md",
)
LINE = re.compile(r"^ {4}(\$.*\*[0-9A-F]{4})$", re.MULTILINE)


def test_every_line_of_the_bring_up_is_sound() -> None:
    """Lines from the board parse as the board's, lines to paste as the host's, and every checksum is right."""
    lines = LINE.findall((DOCUMENTS / "bring-up.md").read_text(encoding="utf-8"))
    read = [parse_board_line(line.encode()) or parse_host_line(line.encode()) for line in lines]
    assert len(lines) > 20 and None not in read
    kinds = {type(line) for line in read}
    assert {HitLine, KnockLine, Setting} <= kinds


@pytest.mark.parametrize("name", OWN)
def test_links_lead_somewhere(name: str) -> None:
    """Every relative link of a page leads to a file, and its anchor to a heading of that file."""
    for target in re.findall(r"\]\(([^)]+)\)", (DOCUMENTS / name).read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        page = DOCUMENTS / (path or name)
        assert page.exists(), target
        if anchor:
            headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
            slugs = [re.sub(r"[^a-z0-9 -]", "", heading.lower()).replace(" ", "-") for heading in headings]
            assert anchor in slugs, target


def test_the_sums_of_the_parts_list_are_true() -> None:
    """Each sum is quantity and spares times price; the last is the total, and the other controllers' follow."""
    text = (DOCUMENTS / "parts.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| .* \| (\d+) \| (\d+) \| ([\d.]+) \| ([\d.]+) \| .* \|$", text, re.MULTILINE)
    assert len(rows) > 15
    sums = [(int(count) + int(spare)) * float(price) for count, spare, price, _ in rows]
    assert [f"{value:.2f}" for value in sums] == [row[3] for row in rows]
    (total,) = re.findall(r"\*\*all of it, with a clone\*\* .* \*\*([\d.]+)\*\*", text)
    assert total == f"{sum(sums):.2f}"
    assert f"original Mega it is {sum(sums) - 15 + 45:.2f}, with a Pico" in text
    assert f"capacitor and jumper) {sum(sums) - 15 + 5 - 0.5:.2f}." in text
    assert re.search(r"estimated in \*\*\w+ 20\d\d\*\*", text)


def test_the_order_numbers_are_those_of_the_boards_parts() -> None:
    """Every number of the parts list is in the shield's list of parts beside the same maker."""
    named = re.findall(
        r"^\| [^|]+ \| ([^|]+) \| `([^`]+)` \|$", (DOCUMENTS / "parts.md").read_text(encoding="utf-8"), re.M
    )
    bought = (DOCUMENTS / "board" / "shield-mega2560-parts.csv").read_text(encoding="utf-8")
    assert len(named) >= 8 and [pair for pair in named if f"{pair[0]},{pair[1]}," not in bought] == []


def test_no_document_recommends_a_part_that_does_not_work() -> None:
    """No 1N5819 except in a warning, no beeper at lines of 220 Ω, no package name that anybody could claim."""
    for page in DOCUMENTS.glob("*.md"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"(?<!or a )(?<!a )(?<!No )1N5819", text), page.name
        assert not re.search(r"\b[Bb]eep\b", text), page.name
        assert not re.search(r"pip install '?scharten", text), page.name
