"""The boards under the conformance suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.driver import Driver, Listener
from conformance.simulated import SimulatedDriver

DRIVERS: dict[str, Callable[[], Driver]] = {"simulated": SimulatedDriver}


@pytest.fixture(params=sorted(DRIVERS))
def board(request: pytest.FixtureRequest) -> Iterator[Driver]:
    """Each board in turn, freshly powered."""
    driver = DRIVERS[request.param]()
    yield driver
    driver.close()


@pytest.fixture
def host(board: Driver) -> Listener:
    """A host that has the board's port open and has asked nothing yet."""
    return Listener(board)
