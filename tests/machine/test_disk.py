"""The disk whose power can be cut, over its own socket as qemu speaks to it."""

from __future__ import annotations

import socket
import struct
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from lab.machine.disk import FLUSH, GO, READ, SECTOR, WRITE, Disk
from lab.machine.qemu import Machine

SECTORS = 64


class Client:
    """An NBD client of one connection."""

    def __init__(self, address: Path) -> None:
        self._peer = socket.socket(socket.AF_UNIX)
        self._peer.connect(str(address))
        assert self._take(18) == b"NBDMAGICIHAVEOPT" + struct.pack(">H", 1)
        self._peer.sendall(struct.pack(">I", 1) + b"IHAVEOPT" + struct.pack(">II", GO, 6) + bytes(6))
        information = self._take(20 + 12)
        self.size = struct.unpack_from(">Q", information, 22)[0]
        self._take(20)

    def do(self, kind: int, offset: int = 0, data: bytes = b"", length: int = 0, flags: int = 0) -> bytes:
        """Send a request; return what was read. An error is an AssertionError."""
        head = struct.pack(">IHHQQI", 0x25609513, flags, kind, 7, offset, len(data) or length)
        self._peer.sendall(head + data)
        magic, error, handle = struct.unpack(">IIQ", self._take(16))
        assert (magic, error, handle) == (0x67446698, 0, 7)
        return self._take(length) if kind == READ else b""

    def close(self) -> None:
        self._peer.close()

    def _take(self, length: int) -> bytes:
        taken = b""
        while len(taken) < length:
            taken += self._peer.recv(length - len(taken))
        return taken


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Disk]:
    """An empty disk of 64 sectors."""
    (tmp_path / "data").write_bytes(bytes(SECTORS * SECTOR))
    return Disk(tmp_path / "data", tmp_path / "socket", seed=5)


def _sector(number: int) -> bytes:
    return bytes([number + 1]) * SECTOR


def test_a_power_cut_keeps_what_was_flushed_and_loses_some_of_the_rest(disk: Disk) -> None:
    """Flushed and forced writes survive a power cut; of 48 others some are lost, and none is half written."""
    with closing(Client(disk.address)) as client:
        assert client.size == SECTORS * SECTOR
        client.do(WRITE, 0, b"".join(_sector(number) for number in range(8)))
        client.do(FLUSH)
        client.do(WRITE, 8 * SECTOR, _sector(8) * 8, flags=1)
        client.do(WRITE, 16 * SECTOR, b"".join(_sector(number) for number in range(16, 64)))
        assert disk.unflushed == 48
    kept, lost = disk.power_cut()
    content = disk.path.read_bytes()
    assert content[: 16 * SECTOR] == b"".join(_sector(number) for number in range(8)) + _sector(8) * 8
    whole = [content[number * SECTOR : (number + 1) * SECTOR] for number in range(16, 64)]
    assert sum(sector == _sector(number) for number, sector in enumerate(whole, 16)) == kept
    assert sum(sector == bytes(SECTOR) for sector in whole) == lost
    assert min(kept, lost) > 8


def test_the_guest_reads_what_only_the_cache_has(disk: Disk) -> None:
    """A read gives the newest write, flushed or not; a later flush makes it durable."""
    with closing(Client(disk.address)) as client:
        client.do(WRITE, SECTOR, _sector(1) * 2)
        client.do(FLUSH)
        client.do(WRITE, 2 * SECTOR, _sector(9))
        assert client.do(READ, 0, length=4 * SECTOR) == bytes(SECTOR) + _sector(1) + _sector(9) + bytes(
            SECTOR
        )
        assert disk.path.read_bytes()[2 * SECTOR : 3 * SECTOR] == _sector(1)
        client.do(FLUSH)
        assert disk.path.read_bytes()[2 * SECTOR : 3 * SECTOR] == _sector(9)
    disk.close()


def test_a_disk_that_fails_refuses_writes(disk: Disk) -> None:
    """A failing disk answers writes and flushes with an error, and still reads."""
    with closing(Client(disk.address)) as client:
        disk.fails = True
        for kind, data in ((WRITE, _sector(1)), (FLUSH, b"")):
            with pytest.raises(AssertionError):
                client.do(kind, 0, data)
        assert client.do(READ, length=SECTOR) == bytes(SECTOR)
    disk.close()


def test_a_machine_that_ends_frees_the_address_of_its_disk(disk: Disk, tmp_path: Path) -> None:
    """A machine ends twice, as after a row that failed; the next evening's disk takes the same address."""
    image: Any = SimpleNamespace(folder=tmp_path)
    machine = Machine(image, tmp_path, "tcg")
    machine.disk = disk
    machine.end()
    machine.end()
    assert machine.disk is None
    later = Disk(disk.path, disk.address)
    with closing(Client(later.address)) as client:
        assert client.size == SECTORS * SECTOR
    later.close()
