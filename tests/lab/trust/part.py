"""Shared by every part of `make trust`: how much of everything, a daemon, the name and the end of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.trust.rows import Fault, Row


@dataclass(frozen=True)
class Size:
    """How much of everything: the whole divided by `share`, how many MB of noise on the line, how many turns.

    `rows` are the rows of the part that are wanted; none: all.
    """

    share: int
    noise_mb: int
    turns: int
    rows: frozenset[str] = frozenset()

    def wants(self, row: str) -> bool:
        """Whether this row of the part is to run."""
        return not self.rows or row in self.rows


Part = Callable[[Path, Size], Iterator[Row]]


@contextmanager
def running_daemon(folder: Path) -> Iterator[DaemonProcess]:
    """A daemon that runs until the end of the block."""
    daemon = DaemonProcess(folder)
    try:
        yield daemon.start()
    finally:
        daemon.end()


def row_name(attack: Callable[..., object]) -> str:
    """The name of an attack's row."""
    return getattr(attack, "__name__", "").replace("_", "-")


def reported(what: str, story: Callable[[], Fault]) -> Fault:
    """The story's row; a story that does not come to its end is a fault not survived, with what it waited for."""
    try:
        return story()
    except AssertionError as error:
        return Fault(what, 1, 0, figure=str(error).partition("\n")[0][:120])
