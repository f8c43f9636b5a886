"""The simulated board as its users run it: a process of its own, reached over its pty and its typed script."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time

import serial

from conformance.driver import Port


class PtyPort:
    """The port of a board, opened as a host opens it."""

    def __init__(self, name: str) -> None:
        self._port = serial.Serial(name, 115200, timeout=0, exclusive=True)

    def read(self) -> bytes:
        """The bytes received since the last call."""
        return bytes(self._port.read(1 << 16))

    def write(self, data: bytes) -> None:
        """Say something, all of it."""
        self._port.write(data)

    def close(self) -> None:
        """Let the port go."""
        self._port.close()


class SimulatedDriver:
    """`scharten simulate --script -`, driven line by line."""

    drives = 8
    senses = 11
    rest_ms = 2

    def __init__(self, *options: str) -> None:
        command = [sys.executable, "-m", "scharten", "simulate", "--script", "-", *options]
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        assert self.process.stdout is not None
        self.name = self.process.stdout.readline().strip()
        assert self.name.startswith("/dev/"), self.name
        self.ports: list[PtyPort] = []
        self.held: set[str] = set()

    def said(self) -> str:
        """The next line that the process prints."""
        assert self.process.stdout is not None
        return self.process.stdout.readline().strip()

    def type(self, line: str) -> None:
        """One line of script, at once."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"+0 {line}\n")
        self.process.stdin.flush()

    def open_port(self) -> Port:
        """Open the pty."""
        port = PtyPort(self.name)
        self.ports.append(port)
        return port

    def advance(self, ms: int) -> None:
        """The simulated board lives in real time."""
        time.sleep(ms / 1000)

    def press(self, drive: int, sense: int) -> None:
        """A clean, short closure."""
        self.type(f"press {drive},{sense}")

    def hold(self, drive: int, sense: int) -> None:
        """A contact that stays closed."""
        self.held.add(f"{drive},{sense}")
        self.type(f"stuck {drive},{sense}")

    def release(self, drive: int, sense: int) -> None:
        """It opens."""
        self.type(f"free {drive},{sense}")

    def knock(self) -> None:
        """As a dart that bounces out."""
        self.type("knock 900")

    def button(self, number: int) -> None:
        """A button by its number."""
        self.type(f"button {('miss', 'ready', 'undo')[number]}")

    def reset(self) -> None:
        """As DTR does."""
        self.type("reset")

    def power_cycle(self) -> None:
        """The cable is pulled and plugged in again: another port, and no memory."""
        self._close_ports()
        for contact in self.held:
            self.type(f"free {contact}")
        self.held.clear()
        self.type("replug")
        line = self.said()
        while not line.startswith("plugged in at "):
            line = self.said()
        self.name = line.removeprefix("plugged in at ")

    def _close_ports(self) -> None:
        for port in self.ports:
            with contextlib.suppress(OSError):
                port.close()
        self.ports.clear()

    def close(self) -> None:
        """End the process."""
        self._close_ports()
        self.process.terminate()
        self.process.communicate(timeout=40)
