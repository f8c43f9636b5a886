"""A daemon of its own for a test, gone at its end."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from scharten.bench.room import FAST, Daemon


@pytest.fixture
def daemons(tmp_path: Path) -> Iterator[Callable[..., Daemon]]:
    """Makes daemons, each in a folder of its own; all of them are gone at the end."""
    made: list[Daemon] = []

    def make(config: str = FAST, name: str = "data", **environment: str) -> Daemon:
        made.append(Daemon(tmp_path / name, config, environment))
        return made[-1]

    yield make
    for daemon in made:
        daemon.end()
