"""The boards under the conformance suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.driver import Driver, Listener
from conformance.simulated import SimulatedDriver
from firmware.conforming import FirmwareDriver
from firmware.driver import missing

DRIVERS: dict[str, Callable[[], Driver]] = {
    "simulated": SimulatedDriver,
    "firmware": FirmwareDriver,
    "pico": lambda: FirmwareDriver("pico"),
}


@pytest.fixture(
    scope="module",
    params=[
        "simulated",
        pytest.param("firmware", marks=pytest.mark.avr),
        pytest.param("pico", marks=pytest.mark.pico),
    ],
)
def powered(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Each board in turn; starting one takes longer than most tests."""
    if request.param != "simulated" and (reason := missing()):
        pytest.skip(reason)
    driver = DRIVERS[request.param]()
    yield driver
    driver.close()


@pytest.fixture
def board(powered: Driver) -> Driver:
    """The board with nothing in its memory."""
    powered.power_cycle()
    return powered


@pytest.fixture
def host(board: Driver) -> Iterator[Listener]:
    """A host that has the board's port open and has asked nothing yet."""
    listener = Listener(board)
    yield listener
    listener.port.close()
