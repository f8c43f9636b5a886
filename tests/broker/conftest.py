"""Every broker test runs four times: on the embedded broker and on a real Mosquitto, in MQTT 3.1.1 and in 5."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from broker.running import Running, embedded, mosquitto

KINDS = [
    pytest.param(
        (kind, version), id=f"{kind}-{name}", marks=[pytest.mark.mosquitto] if kind == "mosquitto" else []
    )
    for kind in ("embedded", "mosquitto")
    for version, name in ((4, "3.1.1"), (5, "5"))
]


@pytest.fixture(params=KINDS)
def running(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Running]:
    """A broker that takes anonymous displays."""
    kind, version = request.param
    with embedded() if kind == "embedded" else mosquitto(tmp_path) as server:
        server.version = version
        yield server
