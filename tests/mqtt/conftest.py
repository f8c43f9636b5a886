"""Every broker test runs twice: on the embedded broker and on a real Mosquitto."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from mqtt.running import Running, embedded, mosquitto


@pytest.fixture(params=["embedded", pytest.param("mosquitto", marks=pytest.mark.mosquitto)])
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """A broker that takes anonymous displays."""
    with embedded() if request.param == "embedded" else mosquitto(tmp_path) as one:
        yield one
