"""The only description of the pins, and all files generated from it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from firmware.driver import FIRMWARE
from lab.programs import program

sys.path.insert(0, str(FIRMWARE / "pins"))
from board_pins import BOARDS, PinError, load_board, read_board
from generate import digest_comment, draw, stale
from pin_documents import wiring
from pin_header import header


def _changed(old: str, new: str, board: str = "mega2560") -> str:
    text = (FIRMWARE / "pins" / f"{board}.toml").read_text(encoding="utf-8")
    assert old in text
    return text.replace(old, new, 1)


def test_generated_files_are_current() -> None:
    """Header, tables and wiring match the descriptions; the pictures name the YAML from which they were drawn."""
    assert stale() == []


def test_the_tool_names_outdated_files(tmp_path: Path) -> None:
    """`generate.py --check` on a copy with another piezo pin fails and names the files."""
    shutil.copytree(FIRMWARE / "pins", tmp_path / "firmware" / "pins")
    for board in BOARDS:
        shutil.copytree(FIRMWARE / "boards" / board, tmp_path / "firmware" / "boards" / board)
    shutil.copytree(FIRMWARE.parent / "hardware_docs", tmp_path / "hardware_docs")
    description = tmp_path / "firmware" / "pins" / "mega2560.toml"
    description.write_text(_changed('piezo = "A0"', 'piezo = "A1"'), encoding="utf-8")
    command = [sys.executable, str(description.with_name("generate.py")), "--check"]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 1
    for name in ("boards/mega2560/pins.h", "wiring-mega2560.yml", "wiring-mega2560.svg", "pins.md"):
        assert f"{name}\n" in run.stdout
    assert "uno" not in run.stdout


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ('piezo = "A0"', 'piezo = "22"', "pin 22 is used twice"),
        ('piezo = "A0"', 'piezo = "10"', "ADC inputs A0 to A7, not 10"),
        ('miss = "2"', 'miss = "0"', "serial line"),
        ('miss = "2"', 'miss = "99"', "pin 99 is not there"),
        ('miss = "2"', 'bell = "2"', "bell"),
        ("default_drives = 8", "default_drives = 17", "larger than its pins"),
        ('hello_name = "scharten-mega"', 'hello_name = "a name with blanks"', "hello_name"),
        ('title = "Arduino Mega 2560"', 'titel = "Arduino Mega 2560"', "titel"),
    ],
)
def test_a_description_that_contradicts_itself_is_refused(old: str, new: str, words: str) -> None:
    """The error names each mistake with its board."""
    with pytest.raises(PinError, match=words) as refused:
        read_board(_changed(old, new), "mega2560")
    assert str(refused.value).startswith("mega2560: ")


def test_scattered_sense_pins_are_read_in_their_order() -> None:
    """Senses in any order and port give a masked and shifted read for each run of neighbours."""
    board = read_board(
        _changed('senses = ["10", "11", "12", "A0"', 'senses = ["12", "A0", "11", "10"', "uno"), "uno"
    )
    text = header(board)
    assert "(PINB & 0x10) >> 4" in text
    assert "(row_t)((PINC & 0x01) << 1)" in text
    assert "(PINB & 0x08) >> 1" in text


def test_buttons_may_take_the_lamps_pin_on_the_small_board() -> None:
    """A button may use the Uno's last pin instead: only the description changes."""
    text = _changed('any = "13"', "", "uno").replace("[buttons]", '[buttons]\nmiss = "13"')
    board = read_board(text, "uno")
    assert "down |= 1 << 0; /* miss */" in header(board)
    assert "push buttons to GND" in wiring(board)


def test_wireviz_draws_the_wiring() -> None:
    """The picture names every drive line and carries the digest of its source."""
    program("dot", "graphviz")
    yaml = wiring(load_board("uno"))
    picture = draw(yaml)
    assert "<svg" in picture and digest_comment(yaml) in picture
    assert all(f"drive {i}" in picture for i in range(8))
