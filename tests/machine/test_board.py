"""The compiled firmware behind the USB/IP server, seen from the end of the kernel."""

from __future__ import annotations

import struct
import time
from collections.abc import Iterator

import pytest

from lab.machine.board import UsbBoard, contacts
from lab.machine.chips import MEGA
from lab.machine.usbip import Server
from machine.test_usbip import Host
from scharten.dartboard.lines import Hello, HitLine, parse_board_line

pytestmark = pytest.mark.avr
WAIT_S = 60


@pytest.fixture
def board() -> Iterator[UsbBoard]:
    """A Mega, switched on and not plugged in."""
    server = Server()
    board = UsbBoard(server, "1-1", MEGA)
    yield board
    board.close()
    server.close()


class Line:
    """The board's lines at the host, which reads without end."""

    def __init__(self, board: UsbBoard) -> None:
        self.host = Host(board.server)
        self._rest = b""

    def wait(self, kind: type[Hello] | type[HitLine]) -> Hello | HitLine:
        """The next line of a kind."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            while b"\n" in self._rest:
                raw, _, self._rest = self._rest.partition(b"\n")
                line = parse_board_line(raw[max(raw.rfind(b"$"), 0) :])  # a reset cuts a line off
                if isinstance(line, kind):
                    return line
            self.host.submit(True, 3, 64)
            self._rest += self.host.answer()[3]
        raise AssertionError(f"no {kind.__name__} within {WAIT_S} s")

    def send(self, data: bytes) -> None:
        self.host.submit(False, 4, len(data), data)
        self.host.answer(False)


@pytest.mark.long
def test_a_dart_of_an_unplugged_board_is_read_after_the_plug(board: UsbBoard) -> None:
    """DTR resets the board, which says hello; a dart arrives; one thrown while the cable is out arrives later."""
    board.plug()
    line = Line(board)
    line.host.control(0x21, 0x22, 1)
    hello = line.wait(Hello)
    board.press("F17", after_ms=300)  # past the check of its contacts at the start
    first = line.wait(HitLine)
    assert isinstance(first, HitLine)
    assert first.contact == contacts()["F17"]
    board.unplug()
    assert not board.plugged
    board.press("D20", after_ms=300)
    board.plug()
    line = Line(board)
    line.host.control(0x21, 0x22, 1)
    later = line.wait(Hello)
    assert isinstance(hello, Hello)
    assert isinstance(later, Hello)
    assert later.session == hello.session
    line.send(b"?\n")
    hits = [line.wait(HitLine) for _ in range(20)]  # repeated, because the host acknowledges none
    assert {hit.contact for hit in hits if isinstance(hit, HitLine)} == {contacts()["F17"], contacts()["D20"]}


def test_a_board_that_lost_its_power_begins_a_new_session(board: UsbBoard) -> None:
    """Without power the memory goes: the session changes, and the dart before is gone."""
    board.plug()
    line = Line(board)
    line.host.control(0x21, 0x22, 1)
    before = line.wait(Hello)
    board.lose_power()
    second = line.wait(Hello)
    assert isinstance(before, Hello)
    assert isinstance(second, Hello)
    assert second.session != before.session
    assert struct.unpack_from(">H", line.host.entry, 300)[0] == 0x2341
