"""The environment of a page server: a real Mosquitto and a host on it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from browser.fakes import FakeHost
from browser.servers import Mosquitto


@pytest.fixture(scope="module")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Mosquitto]:
    """A Mosquitto on a free port."""
    mosquitto = Mosquitto(tmp_path_factory.mktemp("broker"))
    yield mosquitto
    mosquitto.stop()


@pytest.fixture(scope="module")
def host(broker: Mosquitto) -> Iterator[FakeHost]:
    """A host that answers every command and has published one snapshot."""
    fake = FakeHost(broker.port)
    fake.state()
    yield fake
    fake.stop()
