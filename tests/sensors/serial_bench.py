"""Shared parts of the serial source's tests: a collector of events, and a board whose bytes the test writes."""

from __future__ import annotations

import os
import queue
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from scharten.dartboard.lines import BoardLine, Heartbeat, Hello, board_line
from scharten.dartboard.link import LineReceived, LinkState
from scharten.dartboard.profile import BoardProfile
from scharten.sensors.board_talk import PortEvent, PortState, PortStatus
from scharten.sensors.profiles import load_profile
from scharten.sensors.serial import SerialLine
from scharten.sensors.simulator.port import PtyPort

Kind = TypeVar("Kind", bound=PortEvent)
PROFILE: BoardProfile = load_profile("simulated")


def unix_ms() -> int:
    """Return the host's time in milliseconds since 1970."""
    return time.time_ns() // 1_000_000


class Collector:
    """Collect the events of a source, and let a test wait for one."""

    def __init__(self) -> None:
        self.queue: queue.Queue[PortEvent] = queue.Queue()
        self.seen: list[PortEvent] = []

    def next(
        self, kind: type[Kind], fits: Callable[[Kind], bool] = lambda _: True, timeout: float = 40
    ) -> Kind:
        """Return the next event of this kind that fits; `seen` holds all events read so far."""
        end = time.monotonic() + timeout
        while True:
            try:
                event = self.queue.get(timeout=max(0.0, end - time.monotonic()))
            except queue.Empty:
                raise AssertionError(
                    f"no such {kind.__name__} in {timeout} s; these came: {self.seen}"
                ) from None
            self.seen.append(event)
            if isinstance(event, kind) and fits(event):
                return event

    def status(self, state: PortState, timeout: float = 40) -> PortStatus:
        """Return the next change to this state."""
        return self.next(PortStatus, lambda status: status.state is state, timeout)

    def line(self, timeout: float = 40) -> LineReceived:
        """Return the next event of the board."""
        return self.next(LineReceived, timeout=timeout)


@contextmanager
def listening(
    port: str | Callable[[], str | None], resume: LinkState | None = None
) -> Iterator[tuple[SerialLine, Collector]]:
    """Run a source on the port, and collect its events."""
    collector = Collector()
    source = SerialLine(port, 115200, PROFILE, collector.queue.put, unix_ms, resume=resume)
    source.start()
    try:
        yield source, collector
    finally:
        source.stop()


class ByteBoard:
    """The board's end of a pty, from which the test sends exactly the bytes it wants."""

    def __init__(self, link: Path | None = None) -> None:
        self.port = PtyPort(link)
        self.port.plug()
        self.received = b""

    @property
    def name(self) -> str:
        """The device to open."""
        return self.port.name

    def send(self, *lines: BoardLine | bytes) -> None:
        """Send lines or raw bytes; wait while the host is slow to read."""
        rest = b"".join(line if isinstance(line, bytes) else board_line(line) for line in lines)
        while rest:
            try:
                rest = rest[os.write(self.port.fileno(), rest) :]
            except BlockingIOError:
                time.sleep(0.001)

    def wake(self, timeout: float = 40) -> None:
        """Send heartbeats until the host, which never speaks first, sends its query."""
        end = time.monotonic() + timeout
        while b"?" not in self.received:
            assert time.monotonic() < end, self.received
            self.send(Heartbeat(0))
            time.sleep(0.05)
            self.received += self.port.read()

    def read_until(self, wanted: bytes, timeout: float = 40) -> bytes:
        """Return everything the host has sent, once it contains `wanted`."""
        end = time.monotonic() + timeout
        while wanted not in self.received:
            assert time.monotonic() < end, (wanted, self.received)
            self.received += self.port.read()
            time.sleep(0.005)
        return self.received


def hello(session: int = 7, first: int = 1, following: int = 1, dropped: int = 0, t_ms: int = 0) -> Hello:
    """Return a hello that fits the profile of the simulated board."""
    return Hello("1.0.0", "bytes", 8, 11, session, first, following, dropped, t_ms)
