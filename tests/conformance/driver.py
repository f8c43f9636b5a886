"""Interface of a board under the protocol's tests, and a host that only receives and sends lines.

A driver stands for one board: the simulated board's process, or the firmware's ELF in the simulator. Tests reach the
board through its port, as a host does, and through the driver for what a dart, a finger or a reset does to it. To put
another board under the suite, write a driver and add it to `DRIVERS` in conftest.py.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from scharten.dartboard.lines import BoardLine
from scharten.dartboard.link import LineReader

Line = TypeVar("Line")


class Port(Protocol):
    """The host's end of the line, raw."""

    def read(self) -> bytes:
        """The bytes received since the last call, if any."""
        ...

    def write(self, data: bytes) -> None:
        """Say something to the board."""
        ...

    def close(self) -> None:
        """Let the port go; the board does not notice."""
        ...


class Driver(Protocol):
    """A board under test, freshly powered, with a matrix of at least 8 x 8. Only `advance` lets time pass for sure."""

    drives: int
    senses: int
    rest_ms: int
    """How long after a dart the board can take the next one in the same contact."""

    def open_port(self) -> Port:
        """Open the port without resetting the board."""
        ...

    def advance(self, ms: int) -> None:
        """Let at least so much of the board's time pass, and what it said in it arrive."""
        ...

    def press(self, drive: int, sense: int) -> None:
        """A dart: the contact closes for some milliseconds and opens."""
        ...

    def hold(self, drive: int, sense: int) -> None:
        """The contact closes and stays closed."""
        ...

    def release(self, drive: int, sense: int) -> None:
        """The contact opens."""
        ...

    def knock(self) -> None:
        """A knock well above the threshold."""
        ...

    def button(self, number: int) -> None:
        """Button 0 miss, 1 ready or 2 undo goes down, and up again."""
        ...

    def reset(self) -> None:
        """The reset line is pulled, as DTR does; memory that survives a reset survives."""
        ...

    def power_cycle(self) -> None:
        """Off and on again: ports are closed, contacts open, and all memory is lost."""
        ...

    def close(self) -> None:
        """Switch the board off for good."""
        ...


class Listener:
    """The host's end of a test: sends bytes and gathers lines, and acknowledges nothing by itself."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver
        self.port = driver.open_port()
        self.reader = LineReader()
        self.lines: list[BoardLine] = []

    def send(self, data: bytes) -> None:
        """Say something to the board."""
        self.port.write(data)

    def wait(self, ms: int) -> list[BoardLine]:
        """Let time pass; the lines that came in it."""
        self.driver.advance(ms)
        fresh = list(self.reader.feed(self.port.read()))
        self.lines += fresh
        return fresh

    def until(
        self, wanted: Callable[[list[BoardLine]], bool], ms: int = 3000, step: int = 20
    ) -> list[BoardLine]:
        """Let time pass until the lines from now on are as wanted; fails after `ms` of the board's time."""
        fresh: list[BoardLine] = []
        for _ in range(0, ms, step):
            fresh += self.wait(step)
            if wanted(fresh):
                return fresh
        raise AssertionError(f"not within {ms} ms; these came: {fresh}")

    def until_some(self, kind: type[Line], count: int = 1, ms: int = 3000) -> list[Line]:
        """Wait for this many lines of a kind, and return them."""
        fresh = self.until(lambda lines: sum(isinstance(line, kind) for line in lines) >= count, ms)
        return only(fresh, kind)


def only(lines: list[BoardLine], kind: type[Line]) -> list[Line]:
    """The lines of one kind, in order."""
    return [line for line in lines if isinstance(line, kind)]
