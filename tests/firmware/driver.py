"""The simulated electronics from Python: the compiled program in simavr, or the portable core, with the same
commands.

Lockstep: simulated time moves only in `run`. `Board.go_live` hands it to the clock on the wall. Lines of the board are
read from the simulator's own log; a host's end of the pty is opened with `open_port`, which counts bytes, because a
pty hands them over when it pleases.
"""

from __future__ import annotations

import contextlib
import fcntl
import functools
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import serial

from lab.programs import MissingProgramError, program
from scharten.dartboard.lines import (
    BoardLine,
    ButtonLine,
    Hello,
    HitLine,
    KnockLine,
    Sequenced,
    StuckLine,
    frame,
    parse_board_line,
)

FIRMWARE = Path(__file__).resolve().parents[2] / "firmware"
BUILD = FIRMWARE / "build"
sys.path.insert(0, str(FIRMWARE / "pins"))
import board_pins  # noqa: E402  the only description of the pins is beside the firmware, outside the packages

CORE_TOOLS = {"make": "make", "gcc": "gcc"}
AVR_TOOLS = CORE_TOOLS | {"avr-gcc": "gcc-avr", "avr-objcopy": "binutils-avr", "size": "binutils"}
PICO_TOOLS = CORE_TOOLS | {
    "arm-none-eabi-gcc": "gcc-arm-none-eabi",
    "arm-none-eabi-objcopy": "binutils-arm-none-eabi",
    "node": "nodejs",
}
RP2040JS = Path(__file__).parent / "node_modules" / "rp2040js" / "dist" / "esm" / "index.js"
"""The simulator of the Pico's chip: `npm ci --prefix tests/firmware`, or `make tools ARGS=all`."""
SIMAVR = Path("/usr/include/simavr/sim_avr.h")
FULL = "FULL" in os.environ
"""Every case on every chip, as `make -C firmware bench` runs them; else those that distinguish the chips."""


def need(kind: str) -> None:
    """Check that this machine can build and run a kind of board. Raises `MissingProgramError`."""
    tools, file = {"core": (CORE_TOOLS, None), "pico": (PICO_TOOLS, RP2040JS)}.get(kind, (AVR_TOOLS, SIMAVR))
    for tool, package in tools.items():
        program(tool, package)
    if file is not None and not file.exists():
        raise MissingProgramError(f"{file} is missing: make tools ARGS=all")


@contextlib.contextmanager
def _alone() -> Iterator[None]:
    """Only one process builds: tests run side by side."""
    BUILD.mkdir(exist_ok=True)
    with (BUILD / ".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


@functools.cache
def make(*goals: str) -> None:
    """Run `make` in the firmware's folder. Raises CalledProcessError with the compiler's messages on stderr."""
    with _alone():
        subprocess.run(["make", "-s", "-C", str(FIRMWARE), *goals], check=True, stdout=subprocess.DEVNULL)


def elf(board: str) -> Path:
    """Return the compiled program of a board; build it if it is missing."""
    make("pico-sim" if board == "pico" else "sim", f"build/{board}.elf")
    return BUILD / f"{board}.elf"


def _command(kind: str, drives: int, senses: int) -> list[str]:
    need(kind)
    if kind == "core":
        make("host")
        return [str(BUILD / "coreboard"), "--drives", str(drives), "--senses", str(senses)]
    arguments = board_pins.simulator_arguments(board_pins.load_board(kind))
    if kind == "pico":
        elf(kind)
        make("build/pico.uf2")
        return [str(BUILD / "simboard-pico"), "--program", str(BUILD / "pico.uf2"), *arguments]
    return [str(BUILD / "simboard"), "--program", str(elf(kind)), *arguments]


@dataclass(frozen=True)
class Said:
    """A line that the board sent: the times at which its first byte began and its last byte ended, and its text."""

    from_us: float
    until_us: float
    text: str

    @property
    def line(self) -> BoardLine | None:
        """Return the line as the host parses it."""
        return parse_board_line(self.text.encode())


class Board:
    """A simulated board: `kind` is mega2560, uno, pico or core. `said` collects the board's lines."""

    def __init__(self, kind: str = "mega2560", drives: int = 8, senses: int = 8, power: int = 1) -> None:
        self.kind, self.drives, self.senses = kind, drives, senses
        self.said: list[Said] = []
        self.now_us = 0.0
        self.written = 0
        self.ports: list[Port] = []
        self._process = subprocess.Popen(
            _command(kind, drives, senses),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            bufsize=1,
            env=os.environ
            | {"RP2040JS": str(RP2040JS), "PICO_MJS": str(FIRMWARE / "simulator" / "pico.mjs")},
        )
        self.pty = self._answer("ready").split()[1]
        self.power(power)
        if kind != "core":
            self._set_matrix()

    def _set_matrix(self) -> None:
        """Set the matrix once, as a host with a profile of another size does: the board stores it."""
        self.run(150)
        for key, value in (("drives", self.drives), ("senses", self.senses)):
            self.set(key, value)
        self.run(60)
        self.take()

    def _answer(self, *words: str) -> str:
        assert self._process.stdout is not None
        for raw in self._process.stdout:
            word, _, rest = raw.rstrip("\n").partition(" ")
            if word == "#":
                _, begin, end, text = rest.split(" ", 3)
                self.said.append(Said(float(begin), float(end), text))
            elif word == "error":
                raise RuntimeError(f"the simulated board refused: {raw.strip()}")
            elif word in words:
                return raw
        raise RuntimeError("the simulated board ended")

    def tell(self, command: str) -> dict[str, float]:
        """Send a command of firmware/simulator/main.c; return the figures of the answer."""
        assert self._process.stdin is not None
        self._process.stdin.write(command + "\n")
        self._process.stdin.flush()
        _, first, *rest = self._answer("ok").split()
        figures = {name: float(value) for name, _, value in (word.partition("=") for word in rest)}
        if rest:
            self.now_us = float(first)
        return figures | {"first": float(first)}

    def tell_all(self, commands: list[str]) -> None:
        """Send many commands at once without reading their answers: a long plan takes a tenth of the time."""
        assert self._process.stdin is not None
        self._process.stdin.write("\n".join(commands) + "\n")
        self._process.stdin.flush()
        for _ in commands:
            self._answer("ok")

    def run(self, ms: float) -> None:
        """Simulate this time; the board reads the host's bytes first, and its lines are complete afterwards."""
        if self.written:
            self.tell(f"sync {self.written}")
        figures = self.tell(f"run {ms * 1000}")
        for port in self.ports:
            port.fetch(int(figures["sent"]))

    def take(self) -> list[Said]:
        """Return the lines sent since the last call."""
        taken, self.said = self.said, []
        return taken

    def settle(self) -> None:
        """Run past power-up, until hello and settings are sent and the power-up check is over."""
        self.run(150)
        self.take()

    def power(self, seed: int) -> None:
        """Turn the power off and on; the board remembers nothing."""
        self.tell(f"power {seed}")

    def calm(self) -> None:
        """Open all contacts, release the buttons, and clear the plan."""
        self.tell("calm")

    def reset(self) -> None:
        """Pull the reset line, as DTR does."""
        self.tell("reset")

    def contact(self, drive: int, sense: int, closed: bool, after_ms: float = 0) -> None:
        """Close or open a contact."""
        self.tell(f"contact {drive} {sense} {int(closed)} {after_ms * 1000}")

    def damage_memory(self) -> None:
        """Change the first byte of both heads of the ring (struct ring_memory), as a brown-out might."""
        reported = subprocess.run(["nm", elf(self.kind)], check=True, capture_output=True, text=True).stdout
        (line,) = [line for line in reported.splitlines() if re.search(r" [bB] memory\b", line)]
        start = int(line.split()[0], 16)
        start &= 0xFFFFFFFF if self.kind == "pico" else 0xFFFF
        head = 16 if self.kind == "pico" else 14
        for address in (start, start + head):
            value = int(self.tell(f"peek {address}")["first"])
            self.tell(f"poke {address} {value ^ 0xFF}")

    def press(
        self,
        drive: int,
        sense: int,
        after_ms: float = 0,
        closed_ms: float = 2,
        bounce_ms: float = 0,
        seed: int = 1,
    ) -> None:
        """Press a contact: it bounces, is closed, and bounces open."""
        self.tell(f"press {drive} {sense} {after_ms * 1000} {closed_ms * 1000} {bounce_ms * 1000} {seed}")

    def button(self, number: int, down: bool, after_ms: float = 0) -> None:
        """Press or release a button."""
        self.tell(f"button {number} {int(down)} {after_ms * 1000}")

    def knock(self, after_ms: float = 0, volts: float = 4.0, decay_ms: float = 6) -> None:
        """Knock on the board with this voltage at the piezo."""
        self.tell(f"knock {after_ms * 1000} {int(volts * 1000)} {decay_ms * 1000}")

    def send(self, data: bytes) -> None:
        """Send bytes from the host without the pty."""
        for start in range(0, len(data), 2048):
            self.tell(f"send {data[start : start + 2048].hex()}")

    def set(self, key: str, value: int) -> None:
        """Send a setting and wait for its answer."""
        self.send(frame(f"C,{key},{value}"))
        self.run(12)

    def go_live(self) -> None:
        """Run in real time from now on."""
        self.tell("live")

    def open_port(self) -> Port:
        """Open the host's end of the pty, for lockstep."""
        return Port(self)

    def close(self) -> None:
        """Switch the board off."""
        for port in [*self.ports]:
            port.close()
        self._process.terminate()
        self._process.communicate(timeout=40)


class Port:
    """An open port whose reads return everything that the board sent by the end of the last `run`."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._serial = serial.Serial(board.pty, 115200, timeout=2, exclusive=True)
        self._waiting = b""
        self._fetched = int(board.tell("stat")["sent"])
        board.ports.append(self)

    def fetch(self, sent: int) -> None:
        """Wait for the bytes that the pty still holds."""
        more = bytes(self._serial.read(sent - self._fetched))
        assert len(more) == sent - self._fetched, "the pty lost bytes"
        self._fetched = sent
        self._waiting += more

    def read(self) -> bytes:
        """Return the bytes since the last call."""
        data, self._waiting = self._waiting, b""
        return data

    def write(self, data: bytes) -> None:
        """Send bytes to the board."""
        self._serial.write(data)
        self._board.written += len(data)

    def close(self) -> None:
        """Close the port."""
        self._serial.close()
        if self in self._board.ports:
            self._board.ports.remove(self)


def events(said: list[Said]) -> list[Sequenced]:
    """Return the numbered events among the lines, each once, in the order of their numbers."""
    by_number = {line.seq: line for line in (item.line for item in said) if isinstance(line, Sequenced)}
    return [by_number[seq] for seq in sorted(by_number)]


def hellos(said: list[Said]) -> list[Hello]:
    """Return the hellos among the lines."""
    return [line for line in (item.line for item in said) if isinstance(line, Hello)]


def brief(event: Sequenced) -> str:
    """Return an event as the tables write it: `H 3,7`, `S 3,7 stuck`, `K`, `B 0`."""
    match event:
        case HitLine():
            return f"H {event.contact}"
        case StuckLine():
            return f"S {event.contact} {'stuck' if event.stuck else 'free'}"
        case KnockLine():
            return "K"
        case ButtonLine():
            return f"B {event.button}"
