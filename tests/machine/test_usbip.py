"""The USB/IP server, as the kernel's driver speaks to it."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from contextlib import closing

import pytest

from lab.machine.chips import CH340, FTDI, MEGA, PICO, UNO, ZIGBEE, Chip
from lab.machine.usbip import Device, Server

KINDS = (MEGA, UNO, PICO, CH340, FTDI, ZIGBEE)
DTR = {
    "Mega": (0x21, 0x22, 1, 0),
    "Uno": (0x21, 0x22, 1, 0),
    "Pico": (0x21, 0x22, 1, 0),
    "CH340": (0x40, 0xA4, 0xFFDF, 0xFFFF),
    "FTDI": (0x40, 1, 0x0101, 0x0100),
    "Zigbee stick": (0x41, 7, 0x0101, 0x0100),
}
"""Request and value that assert DTR, and the value that takes it back, as the kernel's drivers send them."""


class Host:
    """The end of a connection that a kernel has imported a device over."""

    def __init__(self, server: Server, bus: str = "1-1") -> None:
        self.peer = socket.create_connection(("127.0.0.1", server.port), timeout=60)
        self.peer.sendall(struct.pack(">HHI32s", 0x0111, 0x8003, 0, bus.encode()))
        self.status = struct.unpack(">HHI", self.take(8))[2]
        self.entry = self.take(312) if not self.status else b""
        self._number = 0

    def take(self, length: int) -> bytes:
        taken = b""
        while len(taken) < length:
            part = self.peer.recv(length - len(taken))
            if not part:
                raise EOFError
            taken += part
        return taken

    def submit(
        self, inward: bool, endpoint: int, length: int, data: bytes = b"", setup: bytes = bytes(8)
    ) -> int:
        self._number += 1
        head = struct.pack(">5I", 1, self._number, 0x10002, int(inward), endpoint)
        self.peer.sendall(head + struct.pack(">IiiiI", 0, length, 0, 0, 0)[:20] + setup + data)
        return self._number

    def unlink(self, number: int) -> None:
        self._number += 1
        self.peer.sendall(struct.pack(">5II24x", 2, self._number, 0x10002, 0, 0, number))

    def answer(self, inward: bool = True) -> tuple[int, int, int, bytes]:
        """Command, number, status and data of the next answer."""
        command, number, *_ = struct.unpack(">5I", self.take(20))
        status, actual, *_ = struct.unpack(">ii20x", self.take(28))
        data = self.take(actual) if command == 3 and inward and not status else b""
        return command, number, status, data

    def control(self, kind: int, request: int, value: int, length: int = 0) -> tuple[int, bytes]:
        inward = bool(kind & 0x80)
        self.submit(inward, 0, length, setup=struct.pack("<BBHHH", kind, request, value, 0, length))
        _, _, status, data = self.answer(inward)
        return status, data


@pytest.fixture
def server() -> Iterator[Server]:
    """A server without devices."""
    server = Server()
    yield server
    server.close()


@pytest.mark.parametrize("chip", KINDS, ids=lambda chip: chip.name)
def test_a_chip_describes_itself_consistently(server: Server, chip: Chip) -> None:
    """Device and configuration have the lengths that they name, the numbers of the import, and the endpoints in use."""
    server.devices["1-1"] = Device(chip, lambda data: None, lambda on: None)
    host = Host(server)
    with closing(host.peer):
        assert Host(server).status == 1  # it is in use
        assert struct.unpack_from(">HH", host.entry, 300) == chip.numbers
        _, device = host.control(0x80, 6, 0x0100, 18)
        assert (len(device), device[0], device[1]) == (18, 18, 1)
        _, configuration = host.control(0x80, 6, 0x0200, 255)
        assert struct.unpack_from("<H", configuration, 2)[0] == len(configuration)
        endpoints, position = set(), 0
        while position < len(configuration):
            if configuration[position + 1] == 5:
                endpoints.add(configuration[position + 2])
            position += configuration[position]
        assert position == len(configuration)
        assert endpoints == {chip.data_in, chip.data_out} | ({chip.notify} - {None})
        for number in (device[14], device[15], device[16]):
            status, text = host.control(0x80, 6, 0x0300 | number, 255)
            assert (status, text[1]) == (0, 3)
        assert host.control(0x80, 6, 0x0300 | 99, 255)[0] == -32


@pytest.mark.parametrize("chip", KINDS, ids=lambda chip: chip.name)
def test_each_driver_s_request_changes_dtr_once(server: Server, chip: Chip) -> None:
    """The request of the chip's driver asserts DTR; the same request again is no second edge; the other one ends it."""
    seen: list[bool] = []
    server.devices["1-1"] = Device(chip, lambda data: None, seen.append)
    host = Host(server)
    kind, request, asserted, released = DTR[chip.name]
    for value in (asserted, asserted, released):
        assert host.control(kind, request, value)[0] == 0
    assert seen == [True, False]
    host.peer.close()


def test_bytes_pass_both_ways_and_wait_for_a_read(server: Server) -> None:
    """Bytes to the board arrive; bytes of the board wait for a read; an FTDI chip puts two bytes before each packet."""
    got: list[bytes] = []
    device = Device(FTDI, got.append, lambda on: None)
    server.devices["1-1"] = device
    host = Host(server)
    host.submit(False, 2, 3, b"abc")
    assert host.answer(False)[2] == 0
    assert got == [b"abc"]
    first = host.submit(True, 1, 512)
    device.receive(b"x" * 70)
    _, number, status, data = host.answer()
    assert (number, status) == (first, 0)
    assert data == b"\x01\x60" + b"x" * 62 + b"\x01\x60" + b"x" * 8
    device.receive(b"y" * 200)
    host.submit(True, 1, 512)
    assert host.answer()[3].count(b"y") == 128
    host.peer.close()


def test_a_waiting_read_can_be_withdrawn(server: Server) -> None:
    """Unlinking a read that waits gives ECONNRESET, and the next bytes go to the next read."""
    device = Device(MEGA, lambda data: None, lambda on: None)
    server.devices["1-1"] = device
    host = Host(server)
    waiting = host.submit(True, 3, 64)
    host.unlink(waiting)
    assert host.answer(False)[::2] == (4, -104)
    host.unlink(waiting)
    assert host.answer(False)[::2] == (4, 0)
    second = host.submit(True, 3, 64)
    device.receive(b"$P")
    assert host.answer() == (3, second, 0, b"$P")
    host.peer.close()


def test_a_pulled_cable_ends_the_connection_and_releases_dtr(server: Server) -> None:
    """Unplugging ends the connection in the middle of a read, DTR falls, and the device can be imported again."""
    fell = threading.Event()
    device = Device(MEGA, lambda data: None, lambda on: None if on else fell.set())
    server.devices["1-1"] = device
    host = Host(server)
    host.control(0x21, 0x22, 1)
    host.submit(True, 3, 64)
    device.unplug()
    with pytest.raises(EOFError):
        host.answer()
    assert fell.wait(60)
    assert Host(server).status == 0
    assert Host(server, "1-9").status == 1


def test_the_list_names_every_device(server: Server) -> None:
    """`usbip list` gets each device with its interfaces."""
    for number, chip in enumerate(KINDS, 1):
        server.devices[f"1-{number}"] = Device(chip, lambda data: None, lambda on: None)
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as peer:
        peer.sendall(struct.pack(">HHI", 0x0111, 0x8005, 0))
        listed = b""
        while part := peer.recv(65536):
            listed += part
    assert struct.unpack_from(">I", listed, 8)[0] == len(KINDS)
    interfaces = sum(chip.configuration[4] for chip in KINDS)
    assert len(listed) == 12 + 312 * len(KINDS) + 4 * interfaces
