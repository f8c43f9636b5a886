"""A dartboard at the machine's USB: the compiled firmware in simavr, in real time, behind a USB serial chip."""

from __future__ import annotations

import os
import random
import threading
import time
import tty
from contextlib import suppress
from functools import cache
from pathlib import Path

from firmware.driver import Board
from lab.machine.chips import Chip
from lab.machine.usbip import Device, Server
from scharten.dartboard.profile import BoardProfile, Contact, parse_profile

PROFILE = Path(__file__).parents[3] / "calibration/scharten_calibration/profiles/reference-8x11.toml"
RESETS = ("Mega", "Uno", "CH340", "FTDI")
"""Boards whose reset line is connected to DTR: every Arduino; the Pico's USB is in the chip itself."""
SHUT = 3, 0.4
"""A dart's contact: closed for 3 ms, bouncing for 0.4 ms at each end."""


@cache
def contacts() -> dict[str, Contact]:
    """The reference board's contact of each bed."""
    profile = parse_profile(PROFILE.read_text(encoding="utf-8"))
    assert isinstance(profile, BoardProfile)
    return {str(bed): contact for contact, bed in profile.beds.items()}


GAP_S = 0.3
"""Time between two darts: the board counts contacts within 100 ms of a hit as the same dart."""


class UsbBoard:
    """A board with a USB chip and its own supply, unless `plug` or `brown_out` cut the power."""

    def __init__(self, server: Server, bus: str, chip: Chip, seed: int = 1) -> None:
        self.server, self.bus, self.chip = server, bus, chip
        self.pressed: list[tuple[int, int]] = []
        """The contact of each dart so far."""
        self._pressed_s = 0.0
        self._chance = random.Random(seed)
        self._board = Board("mega2560", 8, 11, power=seed)
        self._commands = threading.Lock()
        self._board.settle()
        self._board.go_live()
        self._line = os.open(self._board.pty, os.O_RDWR | os.O_NOCTTY)
        tty.setraw(self._line)
        threading.Thread(target=self._carry, daemon=True).start()

    @property
    def plugged(self) -> bool:
        """Whether the cable is plugged in."""
        return self.bus in self.server.devices

    def plug(self) -> None:
        """Plug the cable in; the machine has to attach the device, as `Machine` cannot see the plug."""
        self.server.devices[self.bus] = Device(self.chip, self._write, self._dtr)

    def unplug(self) -> None:
        """Pull the cable; the board keeps its memory, because its supply is its own."""
        device = self.server.devices.pop(self.bus, None)
        if device is not None:
            device.unplug()

    def lose_power(self) -> None:
        """Cut the supply and restore it: the memory holds random bytes."""
        with self._commands:
            self._board.power(self._chance.randrange(1, 1 << 16))

    def press(self, bed: str, after_ms: float = 1) -> None:
        """Throw a dart into a bed."""
        time.sleep(max(0.0, self._pressed_s + GAP_S - time.monotonic()))
        self._pressed_s = time.monotonic()
        contact = contacts()[bed]
        self.pressed.append((contact.drive, contact.sense))
        with self._commands:
            self._board.press(contact.drive, contact.sense, after_ms, *SHUT)

    def close(self) -> None:
        """Unplug and switch off."""
        self.unplug()
        self._board.close()
        os.close(self._line)

    def _write(self, data: bytes) -> None:
        with suppress(OSError):
            os.write(self._line, data)

    def _dtr(self, asserted: bool) -> None:
        """The capacitor between DTR and the reset line passes on the edge alone."""
        if asserted and self.chip.name in RESETS:
            with self._commands:
                self._board.reset()

    def _carry(self) -> None:
        """Pass the board's bytes on to whichever device is plugged in."""
        with suppress(OSError):
            while data := os.read(self._line, 4096):
                device = self.server.devices.get(self.bus)
                if device is not None:
                    device.receive(data)
