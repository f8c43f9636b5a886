"""The board on the workbench: what it says, and what the person says, in one queue for the wizards."""

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

_Word = TypeVar("_Word")


class Ended(Enum):
    """The person has had enough, or the keyboard is gone."""

    QUIT = "quit"


@dataclass(frozen=True)
class Typed:
    """A line from the keyboard."""

    text: str


Item = PortEvent | Typed | Ended | object


def unix_ms() -> int:
    """The host's clock."""
    return time.time_ns() // 1_000_000


class Bench:
    """A board on a port for a wizard. `items` holds everything that happens, in order."""

    def __init__(self, port: str, baud: int, settings: dict[str, int]) -> None:
        self.items: queue.Queue[Item] = queue.Queue()
        self.began_ms = unix_ms()
        profile = BoardProfile("any", MAX_LINES, MAX_LINES, True, settings, {})
        self._source = SerialLine(port, baud, profile, self.items.put, unix_ms)

    def meet(self) -> Hello:
        """Begin, and wait for the board's hello; `SchartenError` says why there is none."""
        self._source.start()
        while True:
            event = self.items.get()
            if not isinstance(event, PortStatus) or event.state is PortState.OPENED:
                continue
            if event.state is PortState.UP and event.hello is not None:
                return event.hello
            if event.state is PortState.BUSY:
                raise SchartenError(
                    event.words,
                    "If it is the daemon, it must release the port first: `systemctl stop scharten`, or Ctrl-C where "
                    f"`scharten run` runs. {event.cure}",
                )
            raise SchartenError(event.words, event.cure)

    def listen_to_keys(self) -> None:
        """Put what is typed into the queue too, line by line."""
        threading.Thread(target=self._keys, name="keys", daemon=True).start()

    def _keys(self) -> None:
        for line in sys.stdin:
            self.items.put(Typed(line.strip().lower()))
        self.items.put(Ended.QUIT)

    def done(self, session: int, seq: int) -> None:
        """What this event meant is kept: the board may forget it."""
        self._source.acknowledge(session, seq)

    def close(self) -> None:
        """Let the port go."""
        self._source.stop()


def word(text: str, words: dict[str, _Word]) -> _Word | None:
    """The meaning of a typed word or its first letter."""
    return next((meaning for name, meaning in words.items() if text and name.startswith(text)), None)


Say = Callable[[str], None]
