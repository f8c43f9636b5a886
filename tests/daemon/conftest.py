"""Daemons for a test, ended with it."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lab.daemon_process import FAST, DaemonProcess


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Callable[..., DaemonProcess]]:
    """Make daemons, each in its own folder, and end them after the test."""
    made: list[DaemonProcess] = []

    def make(config: str = FAST, name: str = "data", **environment: str) -> DaemonProcess:
        made.append(DaemonProcess(tmp_path / name, config, environment))
        return made[-1]

    yield make
    for daemon in made:
        daemon.end()
