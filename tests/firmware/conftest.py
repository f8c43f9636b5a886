"""Simulated boards for the firmware's tests, started once for each process of tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from firmware.driver import Board, need

KINDS = [
    pytest.param(("core", 8, 8), id="core"),
    pytest.param(("mega2560", 8, 11), id="mega2560", marks=pytest.mark.avr),
    pytest.param(("uno", 8, 8), id="uno", marks=pytest.mark.avr),
    pytest.param(("pico", 8, 11), id="pico", marks=pytest.mark.pico),
]
KINDS_BY_NAME = {"core": ("core", 8, 11), "mega2560": ("mega2560", 8, 11), "large": ("mega2560", 16, 16)}


@pytest.fixture(scope="session")
def tools() -> None:
    """Skip where this machine cannot build every image."""
    need("mega2560")
    need("pico")


@pytest.fixture(scope="session", params=KINDS)
def running(request: pytest.FixtureRequest) -> Iterator[Board]:
    """Each kind of board in turn."""
    board = Board(*request.param)
    yield board
    board.close()


@pytest.fixture
def board(running: Board) -> Board:
    """A board that has just been switched on and has sent its hello."""
    return fresh(running)


@pytest.fixture(scope="session")
def running_core() -> Iterator[Board]:
    """The portable core alone: fast enough for millions of passes."""
    board = Board(*KINDS_BY_NAME["core"])
    yield board
    board.close()


@pytest.fixture
def core(running_core: Board) -> Board:
    """The portable core, just switched on."""
    return fresh(running_core)


@pytest.fixture(scope="session")
def running_mega() -> Iterator[Board]:
    """The compiled program of the reference board."""
    board = Board(*KINDS_BY_NAME["mega2560"])
    yield board
    board.close()


@pytest.fixture
def mega(running_mega: Board) -> Board:
    """The reference board, just switched on."""
    return fresh(running_mega)


def fresh(board: Board) -> Board:
    """Turn the board off and on, with nothing pressed and no port open."""
    for port in [*board.ports]:
        port.close()
    board.calm()
    board.tell("damage 0 1")
    board.power(1)
    board.settle()
    return board
