"""USB serial chips as the kernel sees them: true descriptors, and the control requests that carry DTR.

Descriptors: as `lsusb -v` prints them for an Arduino Mega 2560 R3, an Arduino Uno R3, a CH340G, an FT232R and a Zigbee
stick with a CP2102N; the Pico's are those of firmware/boards/pico/usb_descriptors.h. Requests: USB CDC 1.1 section 6.2,
and the kernel's drivers ch341.c, ftdi_sio.h and cp210x.c.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass

CH340_DTR = 0x20
GET_LINE_CODING = 0xA1, 0x21
FIXED = {(0xC0, 0x5F): b"\x31\x00", (0xC0, 0x0A): b"\x10", (0xC0, 0x05): b"\x01\x60"}
"""Answers by kind and number of the request: the CH340's version, the FTDI's latency and modem status."""
DEVICE, CONFIGURATION, STRING = 1, 2, 3


@dataclass(frozen=True)
class Setup:
    """A control request: the eight bytes of its set-up packet."""

    kind: int
    request: int
    value: int
    index: int
    length: int

    @classmethod
    def parse(cls, raw: bytes) -> Setup:
        """Read the eight bytes."""
        return cls(*struct.unpack("<BBHHH", raw))


@dataclass(frozen=True)
class Chip:
    """A kind of chip: its descriptors, its endpoints, and how it says DTR."""

    name: str
    device: bytes
    configuration: bytes
    strings: Sequence[str]
    data_in: int
    data_out: int
    notify: int | None
    packet: int = 64
    status: bytes = b""
    """Bytes before the data of each packet to the host."""

    @property
    def numbers(self) -> tuple[int, int]:
        """Vendor and product."""
        vendor, product = struct.unpack_from("<HH", self.device, 8)
        return vendor, product

    def descriptor(self, setup: Setup) -> bytes | None:
        """The descriptor that the host requests, None if the chip has no such descriptor."""
        kind, number = setup.value >> 8, setup.value & 0xFF
        if kind == DEVICE:
            return self.device
        if kind == CONFIGURATION:
            return self.configuration
        if kind == STRING and number == 0:
            return bytes((4, STRING, 0x09, 0x04))  # English
        if kind == STRING and 0 < number <= len(self.strings):
            text = self.strings[number - 1].encode("utf-16-le")
            return bytes((2 + len(text), STRING)) + text
        return None

    def answer(self, setup: Setup) -> bytes:
        """Answer a reading request of the chip's class or maker; the drivers use little more than its length."""
        if (setup.kind, setup.request) == GET_LINE_CODING:
            return struct.pack("<IBBB", 115200, 0, 0, 8)
        return FIXED.get((setup.kind, setup.request), b"").ljust(setup.length, b"\0")

    def dtr(self, setup: Setup) -> bool | None:
        """Whether the request asserts DTR; None if it does not change it."""
        match setup.kind, setup.request:
            case (0x21, 0x22):
                return bool(setup.value & 1)
            case (0x40, 0xA4):
                return not setup.value & CH340_DTR  # active low
            case (0x40, 1) | (0x41, 7):  # FTDI and CP210x: the high byte says which lines the low one sets
                return bool(setup.value & 1) if setup.value & 0x100 else None
        return None


def _device(vendor: int, product: int, release: int, kind: int, strings: tuple[int, int, int], *,
            version: int = 0x0110, mps: int = 8, sub: int = 0, protocol: int = 0) -> bytes:  # fmt: skip
    head = struct.pack("<BBHBBBB", 18, DEVICE, version, kind, sub, protocol, mps)
    return head + struct.pack("<HHHBBBB", vendor, product, release, *strings, 1)


def _endpoint(address: int, kind: int, size: int, interval: int = 0) -> bytes:
    return struct.pack("<BBBBHB", 7, 5, address, kind, size, interval)


def _interface(number: int, endpoints: int, kind: tuple[int, int, int], name: int = 0) -> bytes:
    return bytes((9, 4, number, 0, endpoints, *kind, name))


def _configuration(interfaces: int, attributes: int, power: int, *parts: bytes) -> bytes:
    body = b"".join(parts)
    return (
        struct.pack("<BBHBBBBB", 9, CONFIGURATION, 9 + len(body), interfaces, 1, 0, attributes, power // 2)
        + body
    )


BULK, INTERRUPT = 2, 3
_ARDUINO = _configuration(
    2, 0xC0, 100,
    _interface(0, 1, (2, 2, 1)), bytes((5, 0x24, 0, 0x10, 0x01)), bytes((4, 0x24, 2, 6)), bytes((5, 0x24, 6, 0, 1)),
    _endpoint(0x82, INTERRUPT, 8, 255),
    _interface(1, 2, (10, 0, 0)), _endpoint(0x04, BULK, 64, 1), _endpoint(0x83, BULK, 64, 1),
)  # fmt: skip
_PICO = _configuration(
    2, 0x80, 250, bytes((8, 11, 0, 2, 2, 2, 0, 0)),
    _interface(0, 1, (2, 2, 0)), bytes((5, 0x24, 0, 0x10, 0x01)), bytes((5, 0x24, 1, 0, 1)), bytes((4, 0x24, 2, 2)),
    bytes((5, 0x24, 6, 0, 1)), _endpoint(0x81, INTERRUPT, 8, 255),
    _interface(1, 2, (10, 0, 0)), _endpoint(0x82, BULK, 64), _endpoint(0x02, BULK, 64),
)  # fmt: skip
_CH340 = _configuration(
    1, 0x80, 96,
    _interface(0, 3, (255, 1, 2)), _endpoint(0x82, BULK, 32), _endpoint(0x02, BULK, 32),
    _endpoint(0x81, INTERRUPT, 8, 1),
)  # fmt: skip
_FTDI = _configuration(
    1, 0xA0, 90, _interface(0, 2, (255, 255, 255), 2), _endpoint(0x81, BULK, 64), _endpoint(0x02, BULK, 64)
)
_CP210X = _configuration(
    1, 0x80, 100, _interface(0, 2, (255, 0, 0), 2), _endpoint(0x82, BULK, 64), _endpoint(0x01, BULK, 64)
)
_ARDUINO_MAKER = "Arduino (www.arduino.cc)"

MEGA = Chip("Mega", _device(0x2341, 0x0042, 0x0001, 2, (1, 2, 3)), _ARDUINO,
            (_ARDUINO_MAKER, "", "64936333936351400000"), 0x83, 0x04, 0x82)  # fmt: skip
UNO = Chip("Uno", _device(0x2341, 0x0043, 0x0001, 2, (1, 2, 3)), _ARDUINO,
           (_ARDUINO_MAKER, "", "75330303035351300230"), 0x83, 0x04, 0x82)  # fmt: skip
PICO = Chip("Pico", _device(0x2E8A, 0x000A, 0x0120, 0xEF, (1, 2, 3), version=0x0200, mps=64, sub=2, protocol=1), _PICO,
            ("Scharten", "Dartboard", "E66058388334A82F"), 0x82, 0x02, 0x81)  # fmt: skip
CH340 = Chip(
    "CH340",
    _device(0x1A86, 0x7523, 0x0264, 0xFF, (0, 2, 0)),
    _CH340,
    ("", "USB Serial"),
    0x82,
    0x02,
    0x81,
    32,
)
FTDI = Chip("FTDI", _device(0x0403, 0x6001, 0x0600, 0, (1, 2, 3), version=0x0200), _FTDI,
            ("FTDI", "FT232R USB UART", "A50285BI"), 0x81, 0x02, None, status=b"\x01\x60")  # fmt: skip
ZIGBEE = Chip("Zigbee stick", _device(0x10C4, 0xEA60, 0x0100, 0, (1, 2, 3), version=0x0200, mps=64), _CP210X,
              ("Silicon Labs", "CP2102N USB to UART Bridge Controller", "0a1b2c3d4e5f"), 0x82, 0x01, None)  # fmt: skip
