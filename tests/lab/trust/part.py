"""Shared by every part of `make trust`: sizes, a daemon, the name and the end of a row."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from lab.daemon_process import DaemonProcess
from lab.trust.rows import Fault, Row


@dataclass(frozen=True)
class Size:
    """The size of a run: the whole divided by `share`, MB of noise on the line, and turns.

    `rows` are the selected rows of the part; none means all.
    """

    share: int
    noise_mb: int
    turns: int
    rows: frozenset[str] = frozenset()

    def wants(self, row: str) -> bool:
        """Return whether this row of the part is to run."""
        return not self.rows or row in self.rows


Part = Callable[[Path, Size], Iterator[Row]]


@contextmanager
def running_daemon(folder: Path) -> Iterator[DaemonProcess]:
    """Run a daemon until the end of the block."""
    daemon = DaemonProcess(folder)
    try:
        yield daemon.start()
    finally:
        daemon.end()


def row_name(attack: Callable[..., object]) -> str:
    """Return the name of an attack's row."""
    return getattr(attack, "__name__", "").replace("_", "-")


def reported(what: str, story: Callable[[], Fault]) -> Fault:
    """Return the story's row; a story that does not finish is a fault not survived, with the condition it waited
    for."""
    try:
        return story()
    except AssertionError as error:
        return Fault(what, 1, 0, figure=str(error).partition("\n")[0][:120])
