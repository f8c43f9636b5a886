"""Load the firmware onto a board from the images that this package brings: no compiler is needed."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

import serial
from serial.tools import list_ports

from scharten.errors import SchartenError
from scharten.sensors.ports import USB_IDS
from scharten.sensors.serial import open_port
from scharten_calibration import pico_drive
from scharten_calibration.words import words


@dataclass(frozen=True)
class Target:
    """A board with an image. `avrdude` holds the options for that program; it is empty where the board is a drive."""

    title: str
    image: str
    avrdude: tuple[str, ...] = ()
    bauds: tuple[int, ...] = (115200,)
    """Speeds of its boot loaders, the usual one first."""


TARGETS = {
    "mega2560": Target("Arduino Mega 2560", "mega2560.hex", ("-p", "atmega2560", "-c", "wiring")),
    "uno": Target("Arduino Uno or Nano", "uno.hex", ("-p", "atmega328p", "-c", "arduino"), (115200, 57600)),
    "pico": Target("Raspberry Pi Pico", "pico.uf2"),
}
TOUCH_BAUD = 1200
"""Opening a Pico's port at this speed makes our program give way to the drive."""
DRIVE_S = 15


def run_flash(
    port: str | None, board: str | None, say: Callable[[str], None], own_image: Path | None = None
) -> None:
    """Find out which board it is and load its image, or the caller's own.

    A `SchartenError` names what is missing and the cure.
    """
    kind, port = _choose_board(port, board)
    target = TARGETS[kind]
    image = own_image or image_path(target.image)
    if target.avrdude:
        if port is None:
            raise SchartenError.coded("flash_port_unknown", board=target.title)
        _by_avrdude(target, image, port, say)
    else:
        _by_drive(image, port, say)
    say(words("flash.done", board=target.title))


def image_path(name: str) -> Path:
    """Return an image of the installed package."""
    path = Path(str(files("scharten_calibration"))) / "images" / name
    if not path.is_file():
        raise SchartenError.coded("flash_no_image", name=name)
    return path


def _choose_board(port: str | None, board: str | None) -> tuple[str, str | None]:
    if board is not None and board not in TARGETS:
        raise SchartenError.coded("flash_no_board", board=board, known=tuple(TARGETS))
    known = {
        info.device: USB_IDS[info.vid, info.pid]
        for info in list_ports.comports()
        if (info.vid, info.pid) in USB_IDS
    }
    if port is not None:
        if not Path(port).exists():
            raise SchartenError.coded("flash_no_port", port=port)
        kind = board or known.get(os.path.realpath(port))
        if kind is None:
            raise SchartenError.coded("flash_unidentified", port=port, known=tuple(TARGETS))
        return kind, port
    fitting = {device: kind for device, kind in known.items() if board in (None, kind)}
    if board in (None, "pico") and not fitting and pico_drive.is_plugged():
        return "pico", None
    if len(fitting) != 1:
        found = ", ".join(f"{TARGETS[kind].title} ({device})" for device, kind in fitting.items())
        raise SchartenError.coded("flash_several" if found else "flash_none", found=found)
    ((device, kind),) = fitting.items()
    return kind, device


def _by_avrdude(target: Target, image: Path, port: str, say: Callable[[str], None]) -> None:
    tool = shutil.which("avrdude")
    if tool is None:
        raise SchartenError.coded("no_avrdude")
    open_port(port, 115200).close()  # a busy port gets our error message
    for baud in target.bauds:  # a Nano of before 2018 answers at 57,600 only
        command = [tool, *target.avrdude, "-b", str(baud), "-D", "-P", port, "-U", f"flash:w:{image}:i"]
        say(" ".join(command))
        if subprocess.run(command, check=False).returncode == 0:
            return
    raise SchartenError.coded("avrdude_failed", board=target.title, port=port)


def _by_drive(image: Path, port: str | None, say: Callable[[str], None]) -> None:
    if not pico_drive.is_plugged() and port is not None:
        open_port(port, 115200).close()
        say(words("flash.to_drive", port=port))
        serial.Serial(port, TOUCH_BAUD).close()
    with pico_drive.opened(DRIVE_S if port is not None else 0) as drive:
        say(words("flash.copy", image=image.name, drive=drive))
        _copy(image, drive / image.name)


def _copy(image: Path, to: Path) -> None:
    """Copy for good: with the last block the Pico starts the program, and its drive is gone, maybe before we close."""
    try:
        with to.open("wb") as out:
            out.write(image.read_bytes())
            out.flush()
            os.fsync(out.fileno())
    except OSError as error:
        if pico_drive.is_at(to.parent):
            raise SchartenError.coded("flash_not_written", path=to, why=error.strerror) from error
