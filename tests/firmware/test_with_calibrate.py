"""The mapping wizard on the compiled program, in real time over its pty."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from firmware.driver import Board
from scharten.dartboard.profile import BoardProfile, parse_profile

pytestmark = pytest.mark.avr
PROFILES = Path(__file__).resolve().parents[2] / "calibration" / "scharten_calibration" / "profiles"
PRESSES = 7


@pytest.fixture
def live() -> Iterator[Board]:
    """The reference board, in real time; opening its port resets it, as DTR does."""
    board = Board("mega2560", 8, 11)
    board.settle()
    board.tell("dtr 1")
    board.go_live()
    yield board
    board.close()


@pytest.mark.long
def test_the_board_scans_as_many_lines_as_requested(live: Board, tmp_path: Path) -> None:
    """--lines 9x12 makes the board send a hello with that matrix; a matrix beyond its pins is refused with a
    message."""
    command = [sys.executable, "-u", "-m", "scharten_calibration", "matrix", "--no-page", "--port", live.pty]
    asked = subprocess.run(
        [*command, "--out", str(tmp_path / "a.toml"), "--lines", "9x12"],
        input="q\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "scharten-mega: 9 x 12" in asked.stdout and asked.returncode == 0
    wrong = subprocess.run(
        [*command, "--out", str(tmp_path / "b.toml"), "--lines", "17x3"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert wrong.returncode == 1 and "not a matrix" in wrong.stderr


@pytest.mark.long
def test_pressed_switches_become_beds_of_a_profile(live: Board, tmp_path: Path) -> None:
    """simavr presses each bed that the wizard asks for, and the wizard maps its contact; `q` saves the progress."""
    profile = parse_profile((PROFILES / "reference-8x11.toml").read_text(encoding="utf-8"))
    assert isinstance(profile, BoardProfile)
    contacts = {str(bed): contact for contact, bed in profile.beds.items()}
    out = tmp_path / "mapped.toml"
    command = [sys.executable, "-u", "-m", "scharten_calibration", "matrix", "--no-page"]
    command += ["--port", live.pty, "--out", str(out), "--name", "mapped"]
    wizard = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert wizard.stdin is not None and wizard.stdout is not None
    said, pressed = "", []
    for line in wizard.stdout:
        said += line
        asked = re.search(r"press (\w+):", line)
        if asked is None:
            continue
        if len(pressed) == PRESSES:
            wizard.stdin.write("q\n")
            wizard.stdin.flush()
            break
        if pressed and pressed[-1][0] == asked[1]:
            pressed.pop()  # on a busy machine it came too soon after the last press, so the wizard asks again
        contact = contacts[asked[1]]
        live.press(contact.drive, contact.sense, 500, 3, 0.4)  # a finger is not faster
        pressed.append((asked[1], contact))
    said += wizard.stdout.read()
    wizard.wait(40)
    assert "scharten-mega: 8 x 11" in said
    kept = json.loads(out.with_name(out.name + ".unfinished").read_text(encoding="utf-8"))
    assert kept["pairs"] == [[contact.drive, contact.sense, bed] for bed, contact in pressed], said
    assert kept["separate"] is True
