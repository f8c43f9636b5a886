"""The board on the workbench: its events and the person's answers in one queue for the wizards."""

from __future__ import annotations

import queue
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from scharten.dartboard.lines import Hello
from scharten.dartboard.profile import MAX_LINES, BoardProfile
from scharten.errors import SchartenError
from scharten.sensors.board_talk import PortEvent, PortState, PortStatus
from scharten.sensors.serial import SerialLine
from scharten_calibration.words import source_words

SETTING_S = 5.0
"""Time limit for a board's hello with another matrix."""
_Word = TypeVar("_Word")


class Ended(Enum):
    """The person has had enough, or the keyboard is gone."""

    QUIT = "quit"


@dataclass(frozen=True)
class Typed:
    """A line from the keyboard."""

    text: str


BenchEvent = PortEvent | Typed | Ended | object


def unix_ms() -> int:
    """The host's clock."""
    return time.time_ns() // 1_000_000


class Bench:
    """A board on a port for a wizard. `items` holds everything that happens, in order."""

    def __init__(self, port: str, baud: int, settings: dict[str, int]) -> None:
        self.events: queue.Queue[BenchEvent] = queue.Queue()
        self.began_ms = unix_ms()
        profile = BoardProfile("any", MAX_LINES, MAX_LINES, True, settings, {})
        self._source = SerialLine(port, baud, profile, self.events.put, unix_ms)

    def meet(self, lines: tuple[int, int] | None = None) -> Hello:
        """Begin, and wait for the board's hello, with a matrix of `lines`; `SchartenError` if none comes."""
        self._source.start()
        hello: Hello | None = None
        while True:
            try:
                event = self.events.get(timeout=SETTING_S if hello else None)
            except queue.Empty:
                raise _too_few(hello, lines) from None
            if not isinstance(event, PortStatus) or event.state is PortState.OPENED:
                continue
            if event.state is PortState.UP and event.hello is not None:
                hello = event.hello
                if lines in (None, (hello.drives, hello.senses)):
                    return hello
                continue
            if event.state is PortState.BUSY:
                raise SchartenError.coded("bench_busy", why=_reported(event))
            raise SchartenError.coded("bench_board", why=_reported(event))

    def listen_to_keys(self) -> None:
        """Put what is typed into the queue too, line by line."""
        threading.Thread(target=self._keys, name="keys", daemon=True).start()

    def _keys(self) -> None:
        for line in sys.stdin:
            self.events.put(Typed(line.strip().lower()))
        self.events.put(Ended.QUIT)

    def done(self, session: int, seq: int) -> None:
        """Acknowledge this event: the board may delete it."""
        self._source.acknowledge(session, seq)

    def close(self) -> None:
        """Let the port go."""
        self._source.stop()


def _too_few(hello: Hello | None, lines: tuple[int, int] | None) -> SchartenError:
    size = f"{hello.drives} x {hello.senses}" if hello else "?"
    wanted = "{} x {}".format(*lines) if lines else "?"
    return SchartenError.coded("matrix_stays", size=size, wanted=wanted)


def _reported(event: PortStatus) -> str:
    return source_words(event.reason, event.words, event.cure)


def word(text: str, words: dict[str, _Word]) -> _Word | None:
    """The meaning of a typed word or its first letter."""
    return next((meaning for name, meaning in words.items() if text and name.startswith(text)), None)


Say = Callable[[str], None]
