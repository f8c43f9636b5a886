"""A USB/IP server whose devices are USB serial chips; the guest's kernel imports them with `usbip attach`.

The protocol is that of the kernel's Documentation/usb/usbip_protocol.rst, version 1.1.1. A device that is unplugged
closes its connection: to the guest's kernel that is a pulled cable, also in the middle of a transfer.
"""

from __future__ import annotations

import socket
import struct
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from lab.machine.chips import Chip, Setup

VERSION = 0x0111
REQUEST_LIST, REQUEST_IMPORT = 0x8005, 0x8003
REPLY_LIST, REPLY_IMPORT = 0x0005, 0x0003
SUBMIT, UNLINK, SUBMITTED, UNLINKED = 1, 2, 3, 4
IN = 1
FULL_SPEED = 2
STALL, RESET = -32, -104
"""Error numbers of the kernel: EPIPE, ECONNRESET."""
DEVICE_TO_HOST = 0x80
GET_STATUS, GET_DESCRIPTOR, GET_CONFIGURATION, GET_INTERFACE = 0, 6, 8, 10
HELD_CLOSED, HELD_OPEN = 128, 65536
"""Bytes kept while the host does not read; then the oldest are lost. A chip keeps 128. A real host with an open port
reads them each millisecond; an emulated one is slow, and must not lose bytes by that."""


@dataclass(frozen=True)
class Transfer:
    """A request of the host that waits for data."""

    number: int
    length: int


class Device:
    """A plugged-in chip: `send` receives the host's bytes, `on_dtr` each change of DTR."""

    def __init__(self, chip: Chip, send: Callable[[bytes], object], on_dtr: Callable[[bool], object]) -> None:
        self.chip = chip
        self._send, self._on_dtr = send, on_dtr
        self._dtr = False
        self._lock = threading.Lock()
        self._one_packet = threading.Lock()
        self._peer: socket.socket | None = None
        self._reads: deque[Transfer] = deque()
        self._waiting: deque[Transfer] = deque()
        """Requests for notifications; the chip has none to send."""
        self._bytes = bytearray()

    @property
    def imported(self) -> bool:
        """Whether a machine uses it now; a device has one user."""
        return self._peer is not None

    def receive(self, data: bytes) -> None:
        """Take bytes of the board for the host."""
        with self._lock:
            self._bytes += data
            self._deliver()
            del self._bytes[: -(HELD_OPEN if self._dtr else HELD_CLOSED)]

    def _deliver(self) -> None:
        while self._bytes and self._reads:
            transfer = self._reads.popleft()
            packets = max(1, transfer.length // self.chip.packet)
            self._answer(transfer.number, self._packed(packets))

    def _packed(self, packets: int) -> bytes:
        """The next bytes in at most this many packets, each after the chip's status bytes."""
        room = self.chip.packet - len(self.chip.status)
        full = b""
        for _ in range(packets):
            part = bytes(self._bytes[:room])
            if not part:
                break
            del self._bytes[:room]
            full += self.chip.status + part
        return full

    def serve(self, peer: socket.socket, reply: bytes) -> None:
        """Reply to the import once the device is in use, and answer the host's requests until the connection ends."""
        with self._lock:
            self._peer = peer
        with suppress(OSError, EOFError):
            peer.sendall(reply)
            while True:
                command, number, _, direction, endpoint = struct.unpack(">5I", _take(peer, 20))
                rest = _take(peer, 28)
                if command == UNLINK:
                    self._unlink(number, struct.unpack_from(">I", rest)[0])
                    continue
                (length,) = struct.unpack_from(">i", rest, 4)
                data = b"" if direction == IN else _take(peer, length)
                self._submit(Transfer(number, length), direction, endpoint, Setup.parse(rest[20:28]), data)
        with self._lock:
            self._peer = None
            self._reads.clear()
            self._waiting.clear()
        self._set_dtr(False)

    def unplug(self) -> None:
        """Pull the cable: pending requests end unanswered."""
        with self._lock:
            peer, self._bytes = self._peer, bytearray()
        if peer is not None:
            with suppress(OSError):
                peer.shutdown(socket.SHUT_RDWR)

    def _submit(self, transfer: Transfer, direction: int, endpoint: int, setup: Setup, data: bytes) -> None:
        if endpoint == 0:
            self._control(transfer, setup)
        elif direction != IN:
            self._send(data)
            self._answer(transfer.number, b"", len(data))
        else:
            with self._lock:
                queue = self._reads if endpoint == self.chip.data_in & 0x0F else self._waiting
                queue.append(transfer)
                self._deliver()

    def _control(self, transfer: Transfer, setup: Setup) -> None:
        if setup.kind & 0x60 == 0:
            answer = self._standard(setup)
        else:
            dtr = self.chip.dtr(setup)
            if dtr is not None:
                self._set_dtr(dtr)
            answer = self.chip.answer(setup) if setup.kind & DEVICE_TO_HOST else b""
        if answer is None:
            self._answer(transfer.number, b"", 0, STALL)
        elif setup.kind & DEVICE_TO_HOST:
            self._answer(transfer.number, answer[: setup.length])
        else:
            self._answer(transfer.number, b"", setup.length)

    def _standard(self, setup: Setup) -> bytes | None:
        """Answer a request of chapter 9 of USB 2.0; None stalls."""
        if setup.request == GET_DESCRIPTOR:
            return self.chip.descriptor(setup)
        fixed = {GET_STATUS: b"\1\0", GET_CONFIGURATION: b"\1", GET_INTERFACE: b"\0"}
        return fixed.get(setup.request, b"")

    def _set_dtr(self, asserted: bool) -> None:
        changed, self._dtr = asserted != self._dtr, asserted
        if changed:
            self._on_dtr(asserted)

    def _answer(self, number: int, data: bytes, length: int | None = None, status: int = 0) -> None:
        actual = len(data) if length is None else length
        self._say(struct.pack(">5IiiiiI8x", SUBMITTED, number, 0, 0, 0, status, actual, 0, 0, 0) + data)

    def _unlink(self, number: int, wanted: int) -> None:
        """The host withdraws a request; only one that still waits can be withdrawn."""
        with self._lock:
            found = 0
            for queue in (self._reads, self._waiting):
                for transfer in [item for item in queue if item.number == wanted]:
                    queue.remove(transfer)
                    found = RESET
        self._say(struct.pack(">5Ii24x", UNLINKED, number, 0, 0, 0, found))

    def _say(self, packet: bytes) -> None:
        peer = self._peer
        if peer is not None:
            with suppress(OSError), self._one_packet:
                peer.sendall(packet)


@dataclass
class Server:
    """Serves the devices that are plugged in, each under a bus number such as 1-1."""

    devices: dict[str, Device] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Listen on a free port of this machine."""
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._socket.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """Unplug everything and end."""
        for device in [*self.devices.values()]:
            device.unplug()
        self.devices.clear()
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def _accept(self) -> None:
        while True:
            try:
                peer, _ = self._socket.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(peer,), daemon=True).start()

    def _serve(self, peer: socket.socket) -> None:
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with suppress(OSError, EOFError), peer:
            _, code, _ = struct.unpack(">HHI", _take(peer, 8))
            if code == REQUEST_LIST:
                listed = b"".join(
                    _entry(bus, device.chip) + _interfaces(device.chip)
                    for bus, device in self.devices.items()
                )
                peer.sendall(struct.pack(">HHII", VERSION, REPLY_LIST, 0, len(self.devices)) + listed)
            elif code == REQUEST_IMPORT:
                bus = _take(peer, 32).rstrip(b"\0").decode("ascii", "replace")
                device = self.devices.get(bus)
                if device is None or device.imported:
                    peer.sendall(struct.pack(">HHI", VERSION, REPLY_IMPORT, 1))
                    return
                device.serve(peer, struct.pack(">HHI", VERSION, REPLY_IMPORT, 0) + _entry(bus, device.chip))


def _entry(bus: str, chip: Chip) -> bytes:
    """The description of a device in lists and replies."""
    number = int(bus.partition("-")[2])
    path = f"/sys/devices/bench/usb1/{bus}".encode()
    kind = chip.device[4:7]
    vendor, product, release = struct.unpack_from("<HHH", chip.device, 8)
    head = struct.pack(">256s32sIII", path, bus.encode(), 1, number + 1, FULL_SPEED)
    return head + struct.pack(">HHH", vendor, product, release) + kind + bytes((1, 1, chip.configuration[4]))


def _interfaces(chip: Chip) -> bytes:
    """Class, subclass and protocol of each interface, for a list."""
    raw, found = chip.configuration, b""
    while raw:
        if raw[1] == 4:
            found += raw[5:8] + b"\0"
        raw = raw[raw[0] :]
    return found


def _take(peer: socket.socket, length: int) -> bytes:
    """Read exactly this many bytes. Raises EOFError."""
    taken = bytearray()
    while len(taken) < length:
        part = peer.recv(length - len(taken))
        if not part:
            raise EOFError
        taken += part
    return bytes(taken)
