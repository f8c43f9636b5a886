"""A daemon of its own for a test, gone at its end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.daemon_process import FAST, DaemonProcess


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Callable[..., DaemonProcess]]:
    """Make daemons, each in a folder of its own; all of them are ended afterwards."""
    made: list[DaemonProcess] = []

    def make(config: str = FAST, name: str = "data", **environment: str) -> DaemonProcess:
        made.append(DaemonProcess(tmp_path / name, config, environment))
        return made[-1]

    yield make
    for daemon in made:
        daemon.end()
