"""`make -C firmware` as a builder types it."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from firmware.driver import FIRMWARE, make

pytestmark = [pytest.mark.avr, pytest.mark.usefixtures("tools")]


def _run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = ["make", "-C", str(FIRMWARE), *arguments]
    return subprocess.run(
        command, capture_output=True, text=True, env={**os.environ, **environment}, check=False
    )


def test_both_boards_are_built_and_their_sizes_printed() -> None:
    """One line for each board, within its memory."""
    make("all")
    lines = re.findall(
        r"^(\w+) +(\d+x\d+) +flash +(\d+) of (\d+) bytes, RAM +(\d+) of (\d+) bytes", _run().stdout, re.M
    )
    assert [(board, size) for board, size, *_ in lines] == [("mega2560", "8x11"), ("uno", "8x8")]
    for _, _, flash, room, ram, all_ram in lines:
        assert 0 < int(flash) < int(room) and 0 < int(ram) < int(all_ram)


def test_a_matrix_beyond_the_pins_is_refused() -> None:
    """The compiler stops with the board's limits in words."""
    run = _run("BOARD=uno", "DRIVES=9", "SENSES=8")
    assert run.returncode != 0
    assert "the Arduino Uno has pins for 8 drive and 8 sense lines" in run.stderr


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("flash",), "say which port"),
        (("flash", "PORT=/dev/no-such-port"), "there is no port /dev/no-such-port"),
    ],
)
def test_flash_without_a_port_names_the_cure(arguments: tuple[str, ...], words: str) -> None:
    """No port, or one that is not there: said in a sentence, nothing is called."""
    run = _run(*arguments)
    assert run.returncode != 0 and words in run.stdout


def test_flash_calls_avrdude_with_the_right_board_and_file(tmp_path: Path) -> None:
    """A stand-in for avrdude is given the chip, the programmer, the port and a hex file that exists."""
    tool = tmp_path / "avrdude"
    tool.write_text('#!/bin/sh\necho "called: $*"\n')
    tool.chmod(0o755)
    port = tmp_path / "port"
    port.touch()
    run = _run("-s", "flash", f"PORT={port}", "BOARD=uno", PATH=f"{tmp_path}:{os.environ['PATH']}")
    (called,) = [line for line in run.stdout.splitlines() if line.startswith("called: ")]
    assert f"-p atmega328p -c arduino -b 115200 -D -P {port} -U flash:w:build/uno-8x8.hex:i" in called
    assert (FIRMWARE / "build" / "uno-8x8.hex").read_text().startswith(":")
