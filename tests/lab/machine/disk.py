"""A disk with a volatile cache, as an NBD server on a Unix socket: a power cut loses what the guest did not flush.

A killed qemu is a mild power cut, because the host still holds everything that the guest wrote. Here a write stays in
the disk's cache until the guest flushes. `power_cut` then keeps or drops each 512-byte sector by chance, in any order,
as real disks and SD cards do. It can also be slow. Protocol: NBD, fixed newstyle, one connection at a time.
"""

from __future__ import annotations

import os
import random
import socket
import struct
import threading
import time
from contextlib import suppress
from pathlib import Path

SECTOR = 512
OPTION_MAGIC, REPLY_MAGIC = b"IHAVEOPT", 0x3E889045565A9
REQUEST_MAGIC, SIMPLE_MAGIC = 0x25609513, 0x67446698
EXPORT_NAME, ABORT, GO = 1, 2, 7
ACKNOWLEDGED, INFORMATION, UNSUPPORTED = 1, 3, 0x80000001
READ, WRITE, DISCONNECT, FLUSH = range(4)
HAS_FLAGS, SENDS_FLUSH, SENDS_FUA = 1, 4, 8
FLAGS = HAS_FLAGS | SENDS_FLUSH | SENDS_FUA
FORCE_UNIT_ACCESS = 1
OK, INPUT_OUTPUT_ERROR, INVALID = 0, 5, 22


class Disk:
    """A file as a disk whose power can be cut. `delay_s` slows every write and flush; `fails` refuses them."""

    def __init__(self, path: Path, address: Path, seed: int = 0) -> None:
        self.path, self.address = path, address
        self.delay_s = 0.0
        self.fails = False
        self.flushes = 0
        self._size = path.stat().st_size
        self._chance = random.Random(seed)
        self._lock = threading.Lock()
        self._cached: dict[int, bytes] = {}
        self._file = os.open(path, os.O_RDWR)
        self._server = socket.socket(socket.AF_UNIX)
        self._server.bind(str(address))
        self._server.listen(1)
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def unflushed(self) -> int:
        """How many sectors only the cache has."""
        with self._lock:
            return len(self._cached)

    def power_cut(self, kept: float = 0.5) -> tuple[int, int]:
        """Cut the power, after the machine is dead; return how many cached sectors survived, and how many are lost."""
        with self._lock:
            surviving = [sector for sector in self._cached if self._chance.random() < kept]
            for sector in surviving:
                os.pwrite(self._file, self._cached[sector], sector * SECTOR)
            lost = len(self._cached) - len(surviving)
            self._cached.clear()
        self._end()
        return len(surviving), lost

    def close(self) -> None:
        """Write everything and end, as after an orderly shutdown."""
        self.flush()
        self._end()

    def flush(self) -> None:
        """Make every write durable."""
        with self._lock:
            self.flushes += 1
            for sector, data in self._cached.items():
                os.pwrite(self._file, data, sector * SECTOR)
            self._cached.clear()

    def _end(self) -> None:
        with suppress(OSError):
            self._server.shutdown(socket.SHUT_RDWR)  # wakes the thread that accepts
        self._server.close()
        self.address.unlink(missing_ok=True)
        os.close(self._file)

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._server.accept()
            except OSError:
                return
            with suppress(OSError, EOFError), peer:
                if self._agree(peer):
                    self._serve(peer)

    def _agree(self, peer: socket.socket) -> bool:
        """Negotiate until the client has chosen the only export; False if it leaves."""
        peer.sendall(b"NBDMAGIC" + OPTION_MAGIC + struct.pack(">H", 1))
        _take(peer, 4)
        while True:
            _, option, length = struct.unpack(">8sII", _take(peer, 16))
            _take(peer, length)
            if option == EXPORT_NAME:
                peer.sendall(struct.pack(">QH124x", self._size, FLAGS))
                return True
            if option == GO:
                _reply(peer, option, INFORMATION, struct.pack(">HQH", 0, self._size, FLAGS))
                _reply(peer, option, ACKNOWLEDGED)
                return True
            _reply(peer, option, ACKNOWLEDGED if option == ABORT else UNSUPPORTED)
            if option == ABORT:
                return False

    def _serve(self, peer: socket.socket) -> None:
        while True:
            magic, flags, kind, handle, offset, length = struct.unpack(">IHHQQI", _take(peer, 28))
            if magic != REQUEST_MAGIC or kind == DISCONNECT:
                return
            error, data = self._do(kind, flags, offset, _take(peer, length) if kind == WRITE else b"", length)
            peer.sendall(struct.pack(">IIQ", SIMPLE_MAGIC, error, handle) + data)

    def _do(self, kind: int, flags: int, offset: int, data: bytes, length: int) -> tuple[int, bytes]:
        """Carry out one request; return the error number and what was read."""
        if kind == READ:
            return OK, self._read(offset, length)
        time.sleep(self.delay_s)
        if self.fails:
            return INPUT_OUTPUT_ERROR, b""
        if kind == WRITE:
            self._write(offset, data, durable=bool(flags & FORCE_UNIT_ACCESS))
        elif kind == FLUSH:
            self.flush()
        else:
            return INVALID, b""
        return OK, b""

    def _write(self, offset: int, data: bytes, *, durable: bool) -> None:
        with self._lock:
            if durable:
                os.pwrite(self._file, data, offset)
            for start in range(0, len(data), SECTOR):
                sector = (offset + start) // SECTOR
                if durable:
                    self._cached.pop(sector, None)
                else:
                    self._cached[sector] = data[start : start + SECTOR]

    def _read(self, offset: int, length: int) -> bytes:
        with self._lock:
            data = bytearray(os.pread(self._file, length, offset))
            data.extend(bytes(length - len(data)))
            if self._cached:
                for start in range(0, length, SECTOR):
                    cached = self._cached.get((offset + start) // SECTOR)
                    if cached is not None:
                        data[start : start + SECTOR] = cached
            return bytes(data)


def _take(peer: socket.socket, length: int) -> bytes:
    """Read exactly this many bytes. Raises EOFError."""
    taken = bytearray()
    while len(taken) < length:
        part = peer.recv(length - len(taken))
        if not part:
            raise EOFError
        taken += part
    return bytes(taken)


def _reply(peer: socket.socket, option: int, kind: int, data: bytes = b"") -> None:
    peer.sendall(struct.pack(">QIII", REPLY_MAGIC, option, kind, len(data)) + data)
