"""The boards under the conformance suite."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from conformance.driver import Driver, Listener
from conformance.simulated import SimulatedDriver
from firmware.conforming import FirmwareDriver
from firmware.driver import FULL

DRIVERS: dict[str, Callable[[], Driver]] = {
    "simulated": SimulatedDriver,
    "firmware": FirmwareDriver,
    "pico": lambda: FirmwareDriver("pico"),
}


ON_PICO = (
    "test_a_question_is_answered_with_hello_and_all_settings",
    "test_what_is_not_acknowledged_is_sent_again",
    "test_junk_before_a_line_does_no_harm",
    "test_settings_are_set_and_answered",
    "test_session_and_events_survive_a_reset",
)
"""The core and its lines are those of the Mega: these go through what is the Pico's own, unless all are asked for."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out what the Pico's simulator would repeat at five seconds for one."""
    items[:] = [item for item in items if FULL or not _repeats(item)]


def _repeats(item: pytest.Item) -> bool:
    callspec = getattr(item, "callspec", None)
    on_pico = callspec is not None and callspec.params.get("powered") == "pico"
    return on_pico and getattr(item, "originalname", "") not in ON_PICO


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
